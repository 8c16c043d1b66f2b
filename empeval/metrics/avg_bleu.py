"""AVG BLEU of the EmpatheticDialogues paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics.base import METRICS, Metric
from empeval.metrics.bleu import TokenizerName, bleu_from_totals
from empeval.metrics.ngrams import MAX_ORDER, bleu_stats
from empeval.statistics.segments import Array, SegmentStats
from empeval.tokenizers import get_tokenizer

__all__ = ["AvgBleu"]


@METRICS.register("avg_bleu")
@dataclass(frozen=True)
class AvgBleu(Metric):
    """AVG BLEU: the mean of the cumulative corpus BLEU-1, BLEU-2, BLEU-3 and BLEU-4.

    AVG BLEU = (BLEU-1 + BLEU-2 + BLEU-3 + BLEU-4) / 4, unsmoothed: a zero precision makes that BLEU-n 0.
    Range 0–100; not `text_quality` for the reason that `Bleu` gives. Source: Rashkin et al. (2019).
    """

    name: ClassVar[str] = "avg_bleu"
    higher_is_better: ClassVar[bool | None] = True
    needs: ClassVar[tuple[str, ...]] = ("references",)

    tokenize: TokenizerName = "13a"

    def versions(self) -> dict[str, str]:
        return get_tokenizer(self.tokenize).version()

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> SegmentStats:
        return bleu_stats(corpus, outputs, self.tokenize)

    def aggregate(self, totals: Array) -> Array:
        orders = range(1, MAX_ORDER + 1)
        return np.asarray(sum(bleu_from_totals(totals, order=n, smooth="none") for n in orders) / MAX_ORDER)
