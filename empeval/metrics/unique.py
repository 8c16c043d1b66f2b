"""How many of the responses differ from one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics.base import METRICS, Metric, Resampling
from empeval.metrics.ngrams import whole_responses
from empeval.statistics.segments import Array, TypeStats

__all__ = ["Unique"]


@METRICS.register("unique")
@dataclass(frozen=True)
class Unique(Metric):
    """Distinct responses over all non-empty responses.

    Range 0–100; falls as responses are added, so compare it at the same number of responses. Not a sum over
    segments: intervals are by jackknife over dialogues.
    """

    name: ClassVar[str] = "unique"
    higher_is_better: ClassVar[bool | None] = True
    why_undefined: ClassVar[str] = "no_responses: every response is empty"

    @property
    def resampling(self) -> Resampling:
        return "jackknife"

    @property
    def depends_on_n(self) -> bool:
        return True

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> TypeStats:
        return whole_responses(corpus, outputs)

    def aggregate(self, totals: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(100.0 * totals[..., 0] / totals[..., 1])
