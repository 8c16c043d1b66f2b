"""How much of the output is the same few responses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics.base import METRICS, Metric, Resampling
from empeval.metrics.ngrams import whole_responses
from empeval.statistics.segments import Array, TypeStats

__all__ = ["Generic"]


@METRICS.register("generic")
@dataclass(frozen=True)
class Generic(Metric):
    """Share of the k commonest responses among all non-empty responses.

    Range 0–100, lower is better: a system that answers everything with a few stock phrases is near 100. Not a
    sum over segments: intervals are by jackknife over dialogues.
    """

    name: ClassVar[str] = "generic"
    higher_is_better: ClassVar[bool | None] = False
    why_undefined: ClassVar[str] = "no_responses: every response is empty"

    k: int = 10

    def __post_init__(self) -> None:
        if self.k < 1:
            raise InputError(f"{self.spec}: k must be at least 1")

    @property
    def depends_on_n(self) -> bool:
        return True

    @property
    def resampling(self) -> Resampling:
        return "jackknife"

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> TypeStats:
        return replace(whole_responses(corpus, outputs), top=self.k)

    def aggregate(self, totals: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(100.0 * totals[..., 0] / totals[..., 1])
