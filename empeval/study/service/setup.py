"""From a study file and its material to the rows of a study: every place for a rater, made in advance."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from empeval.errors import InputError
from empeval.study import design
from empeval.study.ids import new_id, sha256
from empeval.study.material import OWN_TEXTS, Material
from empeval.study.protocol import ShownItem, StudyProtocol
from empeval.study.store.database import Store
from empeval.study.store.models import Response, Segment, Showing, Slot, Study, System
from empeval.study.store.transaction import Transaction

__all__ = ["config_of", "create_study", "fingerprint"]

_N_DAMAGED = 20
_REPEATS = 4


def config_of(protocol: StudyProtocol) -> dict[str, Any]:
    """The study file as plain values that JSON keeps."""
    config: dict[str, Any] = protocol.model_dump(mode="json", exclude_none=True)
    return config


def fingerprint(protocol: StudyProtocol, material: Material) -> str:
    """The SHA-256 of everything that raters are shown and asked; where the database is does not matter."""
    config = {
        key: value
        for key, value in config_of(protocol).items()
        if key not in ("database", "systems", "corpus")
    }
    shown = {
        "systems": material.systems,
        "segments": [[s.id, s.dialogue_id, s.turns, s.emotion, s.situation] for s in material.segments],
        "responses": material.responses,
    }
    return sha256(json.dumps([config, shown], ensure_ascii=False, sort_keys=True))


def create_study(
    store: Store, protocol: StudyProtocol, material: Material, now: datetime | None = None
) -> str:
    """The id of the study in a database: the one that is there, or a new one with all its slots.

    Raises InputError where the database holds another study under this name and version: one that has been
    made keeps its recipe and its texts, and a changed file needs the next version.
    """
    moment = store.now() if now is None else now
    digest = fingerprint(protocol, material)

    def work(tx: Transaction) -> str:
        known = tx.study_named(protocol.id, protocol.version)
        if known is not None:
            if known.config_sha256 != digest:
                raise InputError(
                    f"the database holds another study {protocol.id!r} of version {protocol.version}: the "
                    "file or the systems' outputs have changed since. Write version: "
                    f"{protocol.version + 1} for a new one, or name another database"
                )
            return known.id
        return _Builder(tx, protocol, material, digest, moment).build()

    return store.write(work)


class _Builder:
    """One study in the making."""

    def __init__(
        self, tx: Transaction, protocol: StudyProtocol, material: Material, digest: str, now: datetime
    ) -> None:
        self.tx, self.protocol, self.material, self.digest, self.now = tx, protocol, material, digest, now
        self.rng = np.random.default_rng(protocol.seed)
        self.study_id = new_id()
        self.segments: list[str] = []
        self.responses: list[list[str]] = []
        self.controls: list[str] = []
        self.rows: dict[type, list[dict[str, Any]]] = {Segment: [], Response: [], Showing: [], Slot: []}

    def build(self) -> str:
        protocol = self.protocol
        self.tx.add_study(
            Study(
                id=self.study_id,
                slug=protocol.id,
                version=protocol.version,
                config_json=config_of(protocol),
                config_sha256=self.digest,
                seed=protocol.seed,
                created_at=self.now,
            )
        )
        self._systems()
        self._main()
        self._own_items()
        self._damaged()
        for table, rows in self.rows.items():
            self.tx.add_all(table, rows)
        self.tx.record(
            self.study_id, self.now, "researcher", "create", sha256=self.digest, n_slots=len(self.rows[Slot])
        )
        return self.study_id

    def _systems(self) -> None:
        names = self.material.systems
        aliases = self.rng.permutation(len(names) + len(OWN_TEXTS))
        taken = [name for name in OWN_TEXTS if name in names]
        if taken:
            raise InputError(
                f"a system cannot be called {taken[0]!r}, which stands for the study's own texts"
            )
        made = []
        for i, name in enumerate((*names, *OWN_TEXTS)):
            made.append(
                {
                    "id": new_id(),
                    "study_id": self.study_id,
                    "name": name,
                    "alias": f"S{aliases[i] + 1}",
                    "ordinal": i,
                    "is_control": i >= len(names),
                }
            )
        self.tx.add_all(System, made)
        ids = [str(row["id"]) for row in made]
        self.systems, self.controls = ids[: len(names)], ids[len(names) :]

    def _main(self) -> None:
        material, protocol = self.material, self.protocol
        for row, segment in enumerate(material.segments):
            segment_id = self._segment(
                segment.id, segment.dialogue_id, segment.turns, segment.emotion, segment.situation
            )
            self.segments.append(segment_id)
            self.responses.append(
                [
                    self._response(segment_id, system, material.responses[i][row])
                    for i, system in enumerate(self.systems)
                ]
            )
        index = {name: i for i, name in enumerate(material.systems)}
        pairs = None if protocol.pairs == "all" else [(index[a], index[b]) for a, b in protocol.pairs]
        planned = design.showings(protocol.kinds, len(material.segments), len(material.systems), pairs)
        ids = [
            self._showing(
                one.kind,
                self.segments[one.segment],
                self.responses[one.segment][one.low],
                self.responses[one.segment][one.high],
                "main",
            )
            for one in planned
        ]
        self.rows[Slot] += [
            {
                "id": new_id(),
                "study_id": self.study_id,
                "showing_id": ids[slot.showing],
                "rep": slot.rep,
                "first": slot.first,
                "shuffle": slot.shuffle,
                "state": "open",
                "attempt": 0,
            }
            for slot in design.slots(planned, protocol.ratings_per_item, self.rng)
        ]

    def _own_items(self) -> None:
        protocol = self.protocol
        for purpose in ("practice", "attention", "gold"):
            part = getattr(protocol, purpose)
            for i, item in enumerate(part.items if part else ()):
                self._own(purpose, i, item)

    def _own(self, purpose: str, order: int, item: ShownItem) -> None:
        segment = self._segment(f"{purpose}:{order + 1}", f"{purpose}:{order + 1}", item.context, None, None)
        made = [self._response(segment, self.controls[i], text) for i, text in enumerate(item.texts)]
        gold = {"expected": item.model_dump(mode="json")["expected"], "explanation": item.explanation}
        self._showing(item.kind, segment, made[0], made[-1], purpose, gold=gold, replicate=order)

    def _damaged(self) -> None:
        part = self.protocol.damaged
        if part is None:
            return
        kind = self.protocol.kinds[0]
        n = min(len(self.segments), max(_N_DAMAGED, part.per_rater))
        chosen = self.rng.permutation(len(self.segments))[:n].tolist()
        for order, row in enumerate(chosen):
            text = next(self._damage(row, part.method), None)
            if text is None:
                continue
            bad = self._response(self.segments[row], self.controls[0], text)
            if kind == "rating":
                self._showing(kind, self.segments[row], bad, bad, "damaged", replicate=order)
                continue
            good = self.responses[row][int(self.rng.integers(len(self.systems)))]
            expected = {
                question.name: "first"
                for question in self.protocol.asked_about("pair")
                if question.kind == "pairwise"
            }
            gold = {"expected": expected, "explanation": None}
            self._showing(kind, self.segments[row], good, bad, "damaged", gold=gold, replicate=order)

    def _damage(self, row: int, method: str) -> Iterator[str]:
        """Texts that are worse than any honest answer to a segment."""
        system = int(self.rng.integers(len(self.systems)))
        texts = self.material.responses[system]
        if method == "repeated":
            words = texts[row].split() or ["well"]
            yield " ".join(word for word in words for _ in range(_REPEATS))
            return
        here = self.material.segments[row].dialogue_id
        own = {responses[row] for responses in self.material.responses}
        for other in self.rng.permutation(len(self.segments)).tolist():
            text = texts[other]
            if self.material.segments[other].dialogue_id != here and text.strip() and text not in own:
                yield text

    def _segment(
        self,
        external_id: str,
        dialogue_id: str,
        turns: Sequence[str],
        emotion: str | None,
        situation: str | None,
    ) -> str:
        segment_id = new_id()
        self.rows[Segment].append(
            {
                "id": segment_id,
                "study_id": self.study_id,
                "external_id": external_id,
                "dialogue_id": dialogue_id,
                "turns_json": list(turns),
                "emotion": emotion,
                "situation": situation,
                "content_sha256": sha256("\0".join(turns)),
            }
        )
        return segment_id

    def _response(self, segment_id: str, system_id: str, text: str) -> str:
        response_id = new_id()
        self.rows[Response].append(
            {
                "id": response_id,
                "segment_id": segment_id,
                "system_id": system_id,
                "text": text,
                "content_sha256": sha256(text),
            }
        )
        return response_id

    def _showing(
        self,
        kind: str,
        segment_id: str,
        low: str,
        high: str,
        purpose: str,
        *,
        gold: dict[str, Any] | None = None,
        replicate: int = 0,
    ) -> str:
        showing_id = new_id()
        self.rows[Showing].append(
            {
                "id": showing_id,
                "study_id": self.study_id,
                "kind": kind,
                "segment_id": segment_id,
                "response_low": low,
                "response_high": high,
                "purpose": purpose,
                "gold_json": gold,
                "replicate": replicate,
            }
        )
        return showing_id
