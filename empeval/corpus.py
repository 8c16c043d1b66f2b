"""The test set and what the systems answered on it, column by column."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeVar, cast

from empeval.errors import AlignmentError, InputError
from empeval.records import Claim

__all__ = ["Corpus", "Segment", "SystemOutputs"]

T = TypeVar("T")


@dataclass(frozen=True)
class Segment:
    """One context with its references: the scored unit."""

    id: str
    dialogue_id: str
    context: tuple[str, ...]
    references: tuple[str, ...]
    emotion: str | None
    extra: Mapping[str, Any]


class _Derived:
    """A memo for what is computed from an immutable value (token ids, n-gram counts)."""

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[Hashable, Any] = {}

    def __call__(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._made:
            self._made[key] = make()
        return cast(T, self._made[key])


@dataclass(frozen=True, eq=False)
class Corpus:
    """The segments of a test set, in order; columns all have n_segments entries.

    ``dialogue_ids`` name the conversation of each segment, the unit of resampling. A column that the data
    lack is None. Build one with `Corpus.build`, which checks what it is given.
    """

    name: str
    ids: Sequence[str]
    dialogue_ids: Sequence[str]
    references: Sequence[tuple[str, ...]] | None = None
    contexts: Sequence[tuple[str, ...]] | None = None
    emotions: Sequence[str | None] | None = None
    response_intents: Sequence[str | None] | None = None
    extra: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    derived: _Derived = field(default_factory=_Derived, init=False, repr=False)

    @classmethod
    def build(
        cls,
        *,
        references: Sequence[str | Sequence[str]] | None = None,
        contexts: Sequence[str | Sequence[str]] | None = None,
        ids: Sequence[str] | None = None,
        dialogue_ids: Sequence[str] | None = None,
        emotions: Sequence[str | None] | None = None,
        response_intents: Sequence[str | None] | None = None,
        name: str = "corpus",
    ) -> Corpus:
        """Make a corpus from lists with one entry a segment.

        ``references[i]`` is one text or the list of texts for segment i: K references of N segments are
        N lists of K, never K lists of N. Raises AlignmentError where lengths differ or ids repeat, and
        names the transposed shape where it looks like that.

        >>> corpus = Corpus.build(references=["oh no .", ["great !", "wow !"]], emotions=["sad", "proud"])
        >>> len(corpus), corpus[1].references
        (2, ('great !', 'wow !'))
        """
        given = {
            "references": references,
            "contexts": contexts,
            "ids": ids,
            "dialogue_ids": dialogue_ids,
            "emotions": emotions,
            "response_intents": response_intents,
        }
        lengths = {key: len(value) for key, value in given.items() if value is not None}
        if not lengths or not max(lengths.values()):
            raise InputError("a corpus needs at least one segment")
        others = {value for key, value in lengths.items() if key != "references"}
        if references is not None and len(others) == 1:
            _refuse_transposed(references, others.pop())
        if len(set(lengths.values())) > 1:
            counts = ", ".join(f"{n} {key}" for key, n in lengths.items())
            raise AlignmentError(f"the columns differ in length: {counts}")
        n = next(iter(lengths.values()))
        ids = _checked_ids(ids, n)
        return cls(
            name=name,
            ids=ids,
            dialogue_ids=tuple(dialogue_ids) if dialogue_ids is not None else ids,
            references=None if references is None else _tuples(references, "references"),
            contexts=None if contexts is None else _tuples(contexts, "contexts"),
            emotions=None if emotions is None else tuple(emotions),
            response_intents=None if response_intents is None else tuple(response_intents),
        )

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, i: int) -> Segment:
        return Segment(
            id=self.ids[i],
            dialogue_id=self.dialogue_ids[i],
            context=self.contexts[i] if self.contexts is not None else (),
            references=self.references[i] if self.references is not None else (),
            emotion=self.emotions[i] if self.emotions is not None else None,
            extra={key: column[i] for key, column in self.extra.items()},
        )

    def __iter__(self) -> Iterator[Segment]:
        return (self[i] for i in range(len(self)))

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that any id, context, reference or label changes, but not the order."""
        total = 0
        empty: tuple[str, ...] = ()
        for i, segment_id in enumerate(self.ids):
            row = (
                segment_id,
                self.contexts[i] if self.contexts is not None else empty,
                self.references[i] if self.references is not None else empty,
                self.emotions[i] if self.emotions is not None else None,
                self.response_intents[i] if self.response_intents is not None else None,
            )
            digest = hashlib.blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=8)
            total += int.from_bytes(digest.digest(), "little")
        return f"{total % 2**64:016x}"

    def take(self, rows: Sequence[int]) -> Corpus:
        """The segments at these rows, in this order."""

        def pick(column: Sequence[T] | None) -> tuple[T, ...] | None:
            return None if column is None else tuple(column[i] for i in rows)

        return Corpus(
            name=self.name,
            ids=tuple(self.ids[i] for i in rows),
            dialogue_ids=tuple(self.dialogue_ids[i] for i in rows),
            references=pick(self.references),
            contexts=pick(self.contexts),
            emotions=pick(self.emotions),
            response_intents=pick(self.response_intents),
            extra={key: tuple(column[i] for i in rows) for key, column in self.extra.items()},
        )


@dataclass(frozen=True, eq=False)
class SystemOutputs:
    """What one system answered: columns with one entry per id, in any order.

    A column that the system's file lacks is None; a single missing value inside a column is None too.
    ``nlls`` are total negative log-likelihoods of the reference (natural logarithm) over ``n_tokens`` tokens.
    """

    system: str
    ids: Sequence[str]
    hypotheses: Sequence[str]
    predicted_emotions: Sequence[tuple[str, ...] | None] | None = None
    predicted_intents: Sequence[str | None] | None = None
    nlls: Sequence[float | None] | None = None
    n_tokens: Sequence[int | None] | None = None
    candidate_scores: Sequence[tuple[float, ...] | None] | None = None
    extra: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    source: str = ""
    derived: _Derived = field(default_factory=_Derived, init=False, repr=False)

    @classmethod
    def build(
        cls,
        system: str,
        hypotheses: Sequence[str] | Mapping[str, str],
        *,
        ids: Sequence[str] | None = None,
        predicted_emotions: Sequence[str | Sequence[str] | None] | None = None,
        predicted_intents: Sequence[str | None] | None = None,
        nlls: Sequence[float | None] | None = None,
        n_tokens: Sequence[int | None] | None = None,
        candidate_scores: Sequence[Sequence[float] | None] | None = None,
    ) -> SystemOutputs:
        """Make a system's outputs from a mapping id → text, or from lists with one entry a segment.

        >>> SystemOutputs.build("echo", {"a": "hi", "b": ""}).hypotheses
        ('hi', '')
        """
        if isinstance(hypotheses, Mapping):
            ids = tuple(hypotheses)
            hypotheses = tuple(hypotheses.values())
        columns = {
            "ids": ids,
            "predicted_emotions": predicted_emotions,
            "predicted_intents": predicted_intents,
            "nlls": nlls,
            "n_tokens": n_tokens,
            "candidate_scores": candidate_scores,
        }
        for key, column in columns.items():
            if column is not None and len(column) != len(hypotheses):
                raise AlignmentError(
                    f"system {system!r}: {len(hypotheses)} hypotheses, but {len(column)} {key}"
                )
        if not set(map(type, hypotheses)) <= {str}:
            for i, text in enumerate(hypotheses):
                if not isinstance(text, str):
                    raise InputError(
                        f"system {system!r}: hypothesis {i + 1} must be text, not {type(text).__name__}"
                    )
        return cls(
            system=system,
            ids=_checked_ids(ids, len(hypotheses)),
            hypotheses=tuple(hypotheses),
            predicted_emotions=None
            if predicted_emotions is None
            else tuple(
                (p,) if isinstance(p, str) else None if p is None else tuple(p) for p in predicted_emotions
            ),
            predicted_intents=None if predicted_intents is None else tuple(predicted_intents),
            nlls=None if nlls is None else tuple(nlls),
            n_tokens=None if n_tokens is None else tuple(n_tokens),
            candidate_scores=None
            if candidate_scores is None
            else tuple(None if c is None else tuple(c) for c in candidate_scores),
        )

    def __len__(self) -> int:
        return len(self.ids)

    def on(self, corpus: Corpus) -> SystemOutputs:
        """These outputs in the order of the corpus; AlignmentError names the first segment without one."""
        if self.ids is corpus.ids or tuple(self.ids) == tuple(corpus.ids):
            return self
        row = {segment_id: i for i, segment_id in enumerate(self.ids)}
        gaps = [segment_id for segment_id in corpus.ids if segment_id not in row]
        if gaps:
            raise AlignmentError(
                f"system {self.system!r} has no output for {len(gaps)} of {len(corpus)} segments, "
                f"the first is id {gaps[0]!r}; score the shared segments (cohort intersection) or complete it"
            )
        return self.take([row[segment_id] for segment_id in corpus.ids], ids=corpus.ids)

    def take(self, rows: Sequence[int], *, ids: Sequence[str] | None = None) -> SystemOutputs:
        """The outputs at these rows, in this order, under new ids if given."""

        def pick(column: Sequence[T] | None) -> tuple[T, ...] | None:
            return None if column is None else tuple(column[i] for i in rows)

        return SystemOutputs(
            system=self.system,
            ids=ids if ids is not None else tuple(self.ids[i] for i in rows),
            hypotheses=tuple(self.hypotheses[i] for i in rows),
            predicted_emotions=pick(self.predicted_emotions),
            predicted_intents=pick(self.predicted_intents),
            nlls=pick(self.nlls),
            n_tokens=pick(self.n_tokens),
            candidate_scores=pick(self.candidate_scores),
            extra={key: tuple(column[i] for i in rows) for key, column in self.extra.items()},
            claims=self.claims,
            source=self.source,
        )


def _checked_ids(ids: Sequence[str] | None, n: int) -> tuple[str, ...]:
    if ids is None:
        return _numbered(n)
    seen: set[str] = set()
    for segment_id in ids:
        if not isinstance(segment_id, str):
            raise InputError(f"ids must be text, not {type(segment_id).__name__}: {segment_id!r}")
        if segment_id in seen:
            raise AlignmentError("this id stands twice", segment_id=segment_id)
        seen.add(segment_id)
    return tuple(ids)


@lru_cache(maxsize=8)
def _numbered(n: int) -> tuple[str, ...]:
    """The ids of bare lists; one object for a corpus and its systems, which shows that they are aligned."""
    return tuple(map(str, range(1, n + 1)))


def _tuples(column: Sequence[str | Sequence[str]], what: str) -> tuple[tuple[str, ...], ...]:
    rows = []
    for i, entry in enumerate(column):
        listed = not isinstance(entry, str) and hasattr(entry, "__len__")
        row = tuple(entry) if listed else (cast(str, entry),)
        if any(not isinstance(text, str) for text in row):
            raise InputError(f"{what}[{i}] must be text or a list of texts")
        rows.append(row)
    return tuple(rows)


def _refuse_transposed(references: Sequence[str | Sequence[str]], n: int) -> None:
    if len(references) != n and all(
        not isinstance(entry, str) and hasattr(entry, "__len__") and len(entry) == n for entry in references
    ):
        raise AlignmentError(
            f"references look transposed: {len(references)} lists of {n} texts for {n} segments; "
            f"give {n} lists of {len(references)}, one list a segment"
        )
