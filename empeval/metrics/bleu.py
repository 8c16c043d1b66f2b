"""Corpus and segment BLEU (Papineni et al., 2002), numerically sacreBLEU's (Post, 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics.base import METRICS, Metric
from empeval.metrics.ngrams import BLEU_COLUMNS, MAX_ORDER, bleu_stats
from empeval.statistics.segments import Array, SegmentStats
from empeval.tokenizers import get_tokenizer

__all__ = ["Bleu", "TokenizerName", "bleu_from_totals"]

TokenizerName = Literal["13a", "none", "whitespace", "nltk", "treebank", "ed", "intl", "char"]
Smoothing = Literal["exp", "none", "floor", "add-k"]

# Defaults of sacreBLEU, from Chen and Cherry (2014)
_FLOOR, _ADD_K = 0.1, 1.0


def bleu_from_totals(
    totals: Array, *, order: int = MAX_ORDER, smooth: Smoothing = "exp", effective_order: bool = False
) -> Array:
    """BLEU on 0–100 from totals of shape (..., 10), columns `BLEU_COLUMNS` → (...).

    BLEU-n = BP · exp(Σ log p_k / n), k = 1 … n; BP = min(1, exp(1 − r / c)). A zero precision is replaced as
    ``smooth`` says: ``exp`` 100 / (2^j · total) for the j-th zero, ``floor`` 0.1 / total, ``add-k`` one more
    match and n-gram from order 2 on, ``none`` makes the score 0. With no match at all the score is 0.

    >>> bleu_from_totals(np.array([4, 4, 4, 3, 2, 1, 4, 3, 2, 1])).item()
    100.0
    """
    totals = np.asarray(totals, dtype=np.float64)
    length, reference = totals[..., 0], totals[..., 1]
    matches = totals[..., 2 : 2 + order].copy()
    counts = totals[..., 2 + MAX_ORDER : 2 + MAX_ORDER + order].copy()
    anything = matches.any(axis=-1)
    if smooth == "add-k":
        matches[..., 1:] += _ADD_K
        counts[..., 1:] += _ADD_K
    # a hypothesis shorter than k words ends the product there, as in sacreBLEU
    usable = np.logical_and.accumulate(counts > 0, axis=-1)
    safe = np.where(usable, counts, 1.0)
    zero = usable & (matches == 0)
    replacement = np.zeros_like(safe)
    if smooth == "exp":
        replacement = 1.0 / (np.exp2(np.cumsum(zero, axis=-1)) * safe)
    elif smooth == "floor":
        replacement = _FLOOR / safe
    precision = np.where(zero, replacement, matches / safe)
    precision = np.where(usable, precision, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(precision)
        if effective_order:
            terms = usable.sum(axis=-1)
            mean = np.where(usable, logs, 0.0).sum(axis=-1) / np.maximum(terms, 1)
        else:
            mean = logs.sum(axis=-1) / order
        brevity = np.where(length >= reference, 0.0, 1.0 - reference / np.maximum(length, 1e-300))
        score = 100.0 * np.exp(mean + brevity)
    return np.asarray(np.where(anything & (length > 0), np.minimum(score, 100.0), 0.0))


@METRICS.register("bleu")
@dataclass(frozen=True)
class Bleu(Metric):
    """BLEU against the human references.

    Clipped n-gram precision up to ``order`` with a brevity penalty, over the whole corpus or
    (``average=segment``) as the mean of segment scores; ``order=1…3`` is the cumulative BLEU-n. Range 0–100.
    Equal to sacreBLEU's BLEU with the same tokenizer and smoothing. Over a corpus responses count by their
    length: to empty one that is worse than the rest can raise precision, hence not `text_quality`.
    Source: Papineni et al. (2002), Post (2018).

    >>> Bleu(tokenize="none", order=2).spec
    'bleu(tokenize=none,order=2)'
    """

    name: ClassVar[str] = "bleu"
    higher_is_better: ClassVar[bool | None] = True
    needs: ClassVar[tuple[str, ...]] = ("references",)

    tokenize: TokenizerName = "13a"
    lowercase: bool = False
    order: Literal[4, 3, 2, 1] = 4
    smooth: Smoothing = "exp"
    effective_order: bool = False
    average: Literal["corpus", "segment"] = "corpus"

    def versions(self) -> dict[str, str]:
        return get_tokenizer(self.tokenize).version()

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> SegmentStats:
        rows = bleu_stats(corpus, outputs, self.tokenize, self.lowercase)
        if self.average == "corpus":
            return rows
        values = self._formula(rows.values)
        return SegmentStats(np.stack([values, np.ones_like(values)], axis=1), ("value", "n"))

    def aggregate(self, totals: Array) -> Array:
        if self.average == "corpus":
            return self._formula(totals)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(totals[..., 0] / totals[..., 1])

    def _formula(self, totals: Array) -> Array:
        assert totals.shape[-1] == len(BLEU_COLUMNS)
        return bleu_from_totals(
            totals, order=self.order, smooth=self.smooth, effective_order=self.effective_order
        )
