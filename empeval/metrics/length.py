"""Mean length of the responses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics.base import METRICS, Metric
from empeval.metrics.ngrams import hypothesis_tokens
from empeval.statistics.segments import Array, SegmentStats
from empeval.tokenizers import get_tokenizer

__all__ = ["Length"]


@METRICS.register("length")
@dataclass(frozen=True)
class Length(Metric):
    """Mean tokens per response, empty responses included; neither direction is better."""

    name: ClassVar[str] = "length"
    higher_is_better: ClassVar[bool | None] = None
    bounds: ClassVar[tuple[float, float | None]] = (0.0, None)

    tokenize: Literal["whitespace", "nltk", "13a", "none", "treebank", "ed", "intl", "char"] = "whitespace"

    def versions(self) -> dict[str, str]:
        return get_tokenizer(self.tokenize).version()

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> SegmentStats:
        lengths = hypothesis_tokens(corpus, outputs, self.tokenize).lengths
        rows = np.stack([lengths, np.ones_like(lengths)], axis=1)
        return SegmentStats(rows.astype(np.int32), ("tokens", "n"))

    def aggregate(self, totals: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(totals[..., 0] / totals[..., 1])
