"""N-gram precision, which EmpDG's script prints under the name BLEU-n."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics.base import METRICS, Metric
from empeval.metrics.bleu import TokenizerName
from empeval.metrics.ngrams import MAX_ORDER, bleu_stats
from empeval.statistics.segments import Array, SegmentStats
from empeval.tokenizers import get_tokenizer

__all__ = ["NgramPrecision"]


@METRICS.register("ngram_precision")
@dataclass(frozen=True)
class NgramPrecision(Metric):
    """Clipped n-gram precision, with no brevity penalty.

    p_n = clipped matches / n-grams of the responses, over the corpus, or (``average=segment``) the mean of
    segment precisions, a response with fewer than n words counting 0. Range 0–100. It is not BLEU: it rewards
    short answers. Source: what the script of Li et al. (2020) prints as BLEU-1 … BLEU-4.
    """

    name: ClassVar[str] = "ngram_precision"
    higher_is_better: ClassVar[bool | None] = True
    needs: ClassVar[tuple[str, ...]] = ("references",)
    why_undefined: ClassVar[str] = "no_ngrams: no response is long enough to hold an n-gram of this order"

    n: Literal[1, 2, 3, 4] = 1
    tokenize: TokenizerName = "13a"
    average: Literal["corpus", "segment"] = "corpus"

    def versions(self) -> dict[str, str]:
        return get_tokenizer(self.tokenize).version()

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> SegmentStats:
        rows = bleu_stats(corpus, outputs, self.tokenize).values
        pairs = rows[:, [1 + self.n, 1 + MAX_ORDER + self.n]]
        if self.average == "corpus":
            return SegmentStats(pairs, ("matches", "n_ngrams"))
        values = pairs[:, 0] / np.maximum(pairs[:, 1], 1)
        return SegmentStats(np.stack([values, np.ones_like(values)], axis=1), ("value", "n"))

    def aggregate(self, totals: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(100.0 * totals[..., 0] / totals[..., 1])
