"""chrF: overlap of character n-grams (Popović, 2015), numerically sacreBLEU's."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics._fields import given
from empeval.metrics.base import METRICS, Metric
from empeval.statistics.segments import Array, SegmentStats

__all__ = ["Chrf"]

# The constants of chrF2, Popović (2016); sacreBLEU's defaults.
_ORDER = 6
_BETA = 2

_Profile = tuple[Counter[str], ...]


@METRICS.register("chrf")
@dataclass(frozen=True)
class Chrf(Metric):
    """F-score with β = 2 of character 1- to 6-grams, blanks removed, over the whole corpus; 0–100.

    P is the mean over orders of matches / n-grams of the responses, R the same with those of the references,
    both over the orders that responses and references reach; chrF = 100 · 5 P R / (4 P + R). Of several
    references the one with the best segment score counts, the first among equals. Equal to sacreBLEU's
    corpus chrF. Not `text_quality`: a response counts by its length, so to empty one that is far worse than
    the rest raises P by more than it lowers R. Source: Popović (2015, 2016), Post (2018).

    >>> corpus = Corpus.build(references=["that is great !"])
    >>> metric = Chrf()
    >>> stats = metric.segment_stats(corpus, SystemOutputs.build("a", ["that's great!"]))
    >>> round(metric.aggregate(stats.totals()).item(), 2)
    60.85
    """

    name: ClassVar[str] = "chrf"
    higher_is_better: ClassVar[bool | None] = True
    needs: ClassVar[tuple[str, ...]] = ("references",)

    def signature_fields(self) -> dict[str, str]:
        return {
            "case": "mixed",
            "eff": "yes",
            "nc": str(_ORDER),
            "nw": "0",
            "space": "no",
            "beta": str(_BETA),
        }

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> SegmentStats:
        # Generic responses come again and again; references rarely do, and their profiles are large.
        profile = functools.lru_cache(maxsize=1024)(_profile)
        rows = np.empty((len(corpus), 3 * _ORDER), dtype=np.int32)
        pairs = zip(outputs.hypotheses, given(corpus.references), strict=True)
        for row, (hypothesis, references) in zip(rows, pairs, strict=True):
            found = np.array([_matches(profile(hypothesis), _profile(text)) for text in references])
            row[:] = found[np.argmax(self.aggregate(found))] if len(found) > 1 else found[0]
        names = [
            f"{what}_{n}" for n in range(1, _ORDER + 1) for what in ("hypothesis", "reference", "matches")
        ]
        return SegmentStats(rows, tuple(names))

    def aggregate(self, totals: Array) -> Array:
        counts = totals.reshape(*totals.shape[:-1], _ORDER, 3)
        hypothesis, reference, matches = counts[..., 0], counts[..., 1], counts[..., 2]
        usable = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(usable.sum(axis=-1), 1)
        precision, recall = (
            (np.where(usable, matches, 0) / np.where(usable, total, 1)).sum(axis=-1) / orders
            for total in (hypothesis, reference)
        )
        below = _BETA**2 * precision + recall
        score = (1 + _BETA**2) * precision * recall / np.where(below > 0, below, 1.0)
        return np.asarray(np.minimum(100.0 * score, 100.0))


def _profile(text: str) -> _Profile:
    """How often each character n-gram occurs, order by order."""
    text = "".join(text.split())
    return tuple(Counter(text[i : i + n] for i in range(len(text) - n + 1)) for n in range(1, _ORDER + 1))


def _matches(hypothesis: _Profile, reference: _Profile) -> list[int]:
    """N-grams of the hypothesis, of the reference, and matches, for each order."""
    row = []
    for ours, theirs in zip(hypothesis, reference, strict=True):
        matches = sum(min(count, theirs[gram]) for gram, count in ours.items() if gram in theirs)
        # as sacreBLEU: an order that the reference is too short for leaves precision alone
        row += [ours.total() if theirs else 0, theirs.total(), matches]
    return row
