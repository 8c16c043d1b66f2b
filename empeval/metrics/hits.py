"""How often a system ranks the human response first among candidates: hits@k, P@1,100."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics._fields import MAX_IDS, given, missing_field, percentage
from empeval.metrics.base import METRICS, Metric
from empeval.records import Notice
from empeval.statistics.segments import Array, SegmentStats

__all__ = ["Hits"]

# Bounds the memory of one comparison, whatever the number of segments.
_BLOCK_SEGMENTS = 10_000


@METRICS.register("hits")
@dataclass(frozen=True)
class Hits(Metric):
    """Share of segments whose gold response is among the k best-scored of their own candidates.

    100 · hits / segments, in 0–100; the rank of the gold response counts every candidate that scores at
    least as high, so a tie counts against the system and a constant scorer gets 0 for k < ``candidates``.
    Chance is 100 k / ``candidates``, so every segment must have exactly that many; InputError names the
    first that has not. Source: P@1,100 of Rashkin et al. (2019), with each segment's own candidates.

    >>> corpus = Corpus.build(references=["oh no", "great !"])
    >>> outputs = SystemOutputs.build("a", ["", ""], candidate_scores=[[2.0, 1.0, 0.5], [0.1, 0.7, 0.1]])
    >>> metric = Hits(candidates=3)
    >>> metric.aggregate(metric.segment_stats(corpus, outputs).totals()).item()
    50.0
    """

    name: ClassVar[str] = "hits"
    higher_is_better: ClassVar[bool | None] = True
    needs: ClassVar[tuple[str, ...]] = ("candidate_scores",)

    k: int = 1
    candidates: int = 100

    def __post_init__(self) -> None:
        if not 1 <= self.k <= self.candidates:
            raise InputError(f"{self.spec}: k must lie between 1 and the number of candidates")

    def problem(self, corpus: Corpus, outputs: SystemOutputs) -> str | None:
        return missing_field(given(outputs.candidate_scores), corpus.ids, "candidate scores")

    def notices(self, corpus: Corpus, outputs: SystemOutputs) -> list[Notice]:
        above, not_below = self._rivals(corpus, outputs)
        tied = np.flatnonzero(above < not_below)
        if not len(tied):
            return []
        message = (
            f"{len(tied)} segments of {outputs.system!r} score another candidate exactly as high as the gold "
            "response; hits counts such ties against the system"
        )
        return [Notice("ties", message, len(tied), tuple(corpus.ids[i] for i in tied[:MAX_IDS]))]

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> SegmentStats:
        _, not_below = self._rivals(corpus, outputs)
        rows = np.stack([not_below < self.k, np.ones_like(not_below)], axis=1)
        return SegmentStats(rows.astype(np.int32), ("hits", "n"))

    def aggregate(self, totals: Array) -> Array:
        return percentage(totals)

    def _rivals(self, corpus: Corpus, outputs: SystemOutputs) -> tuple[Array, Array]:
        """Other candidates that score above the gold one, and not below it, shape (n_segments,) each."""
        return outputs.derived(("hits", self.candidates), lambda: _rivals(corpus, outputs, self.candidates))


def _rivals(corpus: Corpus, outputs: SystemOutputs, n_candidates: int) -> tuple[Array, Array]:
    column = given(outputs.candidate_scores)
    for segment_id, scores in zip(corpus.ids, column, strict=True):
        n = len(given(scores))
        if n != n_candidates:
            raise InputError(
                f"system {outputs.system!r} has {n} candidate scores here, not {n_candidates}; "
                f"ask for hits(candidates={n}) if every segment has that many",
                source=outputs.source or None,
                segment_id=segment_id,
            )
    above = np.empty(len(column), dtype=np.int64)
    not_below = np.empty_like(above)
    for start in range(0, len(column), _BLOCK_SEGMENTS):
        at = slice(start, start + _BLOCK_SEGMENTS)
        table = np.array(column[at], dtype=np.float64)
        undefined = np.isnan(table).any(axis=1)
        if undefined.any():
            raise InputError(
                f"system {outputs.system!r} has a candidate score that is not a number",
                source=outputs.source or None,
                segment_id=corpus.ids[start + int(np.argmax(undefined))],
            )
        gold, others = table[:, :1], table[:, 1:]
        above[at], not_below[at] = (others > gold).sum(axis=1), (others >= gold).sum(axis=1)
    return above, not_below
