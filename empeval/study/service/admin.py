"""What the researcher can do: open, pause and close, stop a rater, fill holes, look, and forget a person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from empeval.errors import InputError
from empeval.study.questions import storable
from empeval.study.service import entering
from empeval.study.service.context import Context, load_context
from empeval.study.store.database import Store
from empeval.study.store.overview import Hole
from empeval.study.store.people import Rater
from empeval.study.store.transaction import Transaction

__all__ = ["AdminService", "Forgotten", "RaterLine", "Status", "ToppedUp"]

State = Literal["open", "paused", "closed"]

_MOST_SLOTS = 10**9


@dataclass(frozen=True)
class Status:
    """How far a study is: slots by state, raters by state, holes of the matrix, sides shown first."""

    study: str
    version: int
    state: str
    slots: dict[str, int]
    raters: dict[str, int]
    n_simulated: int
    holes: list[Hole]
    sides: dict[str, int]
    pause_after: int | None


@dataclass(frozen=True)
class RaterLine:
    """One rater in a list: answers, checks, and the median time of an item in seconds (None: no times)."""

    rater: str
    kind: str
    state: str
    block_reason: str | None
    n_answers: int
    n_skipped: int
    passed: int
    failed: int
    unknown: int
    failed_checks: tuple[str, ...]
    median_seconds: float | None


@dataclass(frozen=True)
class ToppedUp:
    """Whose answers count no longer, and how many slots are open again for others."""

    raters: tuple[str, ...]
    n_reopened: int


@dataclass(frozen=True)
class Forgotten:
    """What was there about a person before and after, by table."""

    policy: str
    before: dict[str, int]
    after: dict[str, int]
    n_reopened: int


class AdminService:
    """The use cases of the researcher in one study."""

    def __init__(self, store: Store, context: Context, clock: Callable[[], datetime] | None = None) -> None:
        self.store, self.context = store, context
        self.now = store.now if clock is None else clock

    @classmethod
    def open(cls, store: Store, slug: str, secret: bytes, *, version: int | None = None) -> AdminService:
        """The service of a study that the database holds."""
        return cls(store, load_context(store, slug, secret, version))

    def set_state(self, state: State) -> None:
        """Open, pause or close the study; a closed one stays closed, and keeps everything."""
        now = self.now()

        def work(tx: Transaction) -> None:
            study = tx.lock_study(self.context.study_id)
            if study.state == state:
                return
            if study.state == "closed":
                raise InputError(f"the study {study.slug!r} is closed; a new version of it can be opened")
            study.state = state
            tx.record(study.id, now, "researcher", state)

        self.store.write(work)

    def soft_launch(self, n_slots: int) -> None:
        """Open the study until so many more answers are in; then it pauses by itself."""
        if n_slots < 1:
            raise InputError("a soft launch needs at least one slot")
        if n_slots > _MOST_SLOTS:
            raise InputError(f"a soft launch of more than {_MOST_SLOTS:,} slots is none; use --open")
        now = self.now()

        def work(tx: Transaction) -> None:
            study = tx.lock_study(self.context.study_id)
            if study.state == "closed":
                raise InputError(f"the study {study.slug!r} is closed; a new version of it can be opened")
            study.state = "open"
            study.pause_after = tx.slot_counts(study.id, now)["done"] + n_slots
            tx.record(study.id, now, "researcher", "soft_launch", n_slots=n_slots)

        self.store.write(work)

    def invite(self, names: tuple[str, ...]) -> list[tuple[str, str]]:
        """The tokens of personal links, by name; the same as before for a name that is known."""
        now = self.now()
        return self.store.write(lambda tx: entering.invite(tx, self.context, names, now))

    def add_simulated(self, name: str) -> str:
        """The token of a new simulated rater; every row that it makes is marked as such."""
        now = self.now()

        def work(tx: Transaction) -> str:
            _known, token = entering.new_rater(
                tx, self.context, "simulated", f"{name}:{now.isoformat()}", now, kind="simulated"
            )
            return token

        return self.store.write(work)

    def status(self) -> Status:
        """How far the study is."""
        now = self.now()

        def work(tx: Transaction) -> Status:
            study = tx.study(self.context.study_id)
            return Status(
                study.slug,
                study.version,
                study.state,
                tx.slot_counts(study.id, now),
                tx.rater_counts(study.id),
                tx.n_kind(study.id, "simulated"),
                tx.holes(study.id),
                tx.sides(study.id),
                study.pause_after,
            )

        return self.store.read(work)

    def raters(self) -> list[RaterLine]:
        """Every rater with the state of his work and his checks, in the order of arrival."""

        def work(tx: Transaction) -> list[RaterLine]:
            return [_line(tx, rater) for rater in tx.raters(self.context.study_id)]

        return self.store.read(work)

    def block(self, pseudonym: str, reason: str | None = None) -> None:
        """Stop a rater: nothing more is handed out; what was answered stays and counts until a top-up.

        ``reason`` is kept with the rater, for exports and the report.
        """
        now = self.now()

        def work(tx: Transaction) -> None:
            rater = self._rater(tx, pseudonym)
            if rater.state == "blocked":
                return
            rater.state_before_block, rater.state = rater.state, "blocked"
            rater.block_reason = storable(reason.strip()) or None if reason else None
            tx.release_held(rater.id)
            tx.record(self.context.study_id, now, "researcher", "block")

        self.store.write(work)

    def unblock(self, pseudonym: str) -> None:
        """Let a rater go on."""
        now = self.now()

        def work(tx: Transaction) -> None:
            rater = self._rater(tx, pseudonym)
            if rater.state != "blocked":
                return
            rater.state, rater.state_before_block = rater.state_before_block or "invited", None
            rater.block_reason = None
            tx.record(self.context.study_id, now, "researcher", "unblock")

        self.store.write(work)

    def topup(self, pseudonyms: tuple[str, ...] = ()) -> ToppedUp:
        """Exclude raters (by default those who are blocked): their slots are open again for others."""
        now = self.now()

        def work(tx: Transaction) -> ToppedUp:
            chosen = [self._rater(tx, name) for name in pseudonyms] or [
                rater for rater in tx.raters(self.context.study_id) if rater.state == "blocked"
            ]
            counts = {rater.pseudonym: tx.reopen_done(rater.id, "excluded") for rater in chosen}
            for rater in chosen:
                tx.release_held(rater.id)
                tx.void_private(rater.id)
                if rater.state != "blocked":
                    rater.state_before_block, rater.state = rater.state, "blocked"
            n_reopened = sum(counts.values())
            tx.record(
                self.context.study_id, now, "researcher", "topup", n_raters=len(chosen), n_reopened=n_reopened
            )
            return ToppedUp(tuple(counts), n_reopened)

        return self.store.write(work)

    def forget(self, pseudonym: str) -> Forgotten:
        """Remove a person as the study's policy says, and tell what there was and what is left."""
        now = self.now()
        policy = self.context.protocol.forget

        def work(tx: Transaction) -> Forgotten:
            rater = self._rater(tx, pseudonym)
            rater_id, before = rater.id, tx.footprint(rater.id)
            tx.release_held(rater_id)
            tx.void_private(rater_id)
            tx.remove_person(rater_id)
            n_reopened = 0
            if policy == "remove_ratings":
                n_reopened = tx.reopen_done(rater_id, "withdrawn")
                tx.remove_rater(rater)
            else:
                texts = [q.name for q in self.context.protocol.questions if q.level == "text"]
                tx.remove_words(rater_id, texts)
                tx.rename(rater)
                rater.state = "withdrawn"
            tx.record(self.context.study_id, now, "researcher", "forget", policy=policy)
            return Forgotten(policy, before, tx.footprint(rater_id), n_reopened)

        done = self.store.write(work)
        self.store.scrub()
        return done

    def audit(self) -> list[tuple[datetime, str, str, dict[str, Any]]]:
        """What was done to the study: when, by whom, what, with which details."""
        return self.store.read(
            lambda tx: [
                (row.at, row.actor, row.action, row.detail_json) for row in tx.audit(self.context.study_id)
            ]
        )

    def _rater(self, tx: Transaction, pseudonym: str) -> Rater:
        found = tx.rater_by_pseudonym(self.context.study_id, storable(pseudonym), lock=True)
        if found is None:
            raise InputError(f"there is no rater {pseudonym!r} in the study; empeval study status lists them")
        return found


def _line(tx: Transaction, rater: Rater) -> RaterLine:
    behind = tx.answered(rater.id)
    checks = [event for event in tx.checks(rater.id) if event.kind != "practice"]
    times = sorted(
        done.rating.active_ms / 1000
        for done in behind
        if done.rating.active_ms is not None and done.showing.purpose == "main"
    )
    middle = len(times) // 2
    median = None
    if times:
        median = times[middle] if len(times) % 2 else (times[middle - 1] + times[middle]) / 2
    verdicts = [event.verdict for event in checks]
    return RaterLine(
        rater.pseudonym,
        rater.kind,
        rater.state,
        rater.block_reason,
        sum(not done.rating.skipped and done.showing.purpose == "main" for done in behind),
        sum(done.rating.skipped for done in behind),
        verdicts.count("pass"),
        verdicts.count("fail"),
        verdicts.count("unknown"),
        tuple(sorted({event.kind for event in checks if event.verdict == "fail"})),
        median,
    )
