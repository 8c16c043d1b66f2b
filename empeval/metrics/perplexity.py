"""Perplexity of the references under the system, from its own recorded losses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics._fields import given, mean, missing_field
from empeval.metrics.base import METRICS, Metric
from empeval.statistics.segments import Array, SegmentStats

__all__ = ["Perplexity"]

#: Half-precision log-probabilities of certain tokens can end up this far above 0.
_ROUNDING = 1e-3


@METRICS.register("perplexity")
@dataclass(frozen=True)
class Perplexity(Metric):
    """Exponential of the mean negative log-likelihood (natural logarithm) per token; lower is better.

    ``segment``: exp(mean over segments of nll / n_tokens), what the papers on EmpatheticDialogues print;
    ``token``: exp(Σ nll / Σ n_tokens), where long references count for more. At least 1. Undefined where a
    segment lacks its likelihood or has none (probability 0). Raises InputError for a negative likelihood
    or fewer than one token, and names the segment.

    >>> corpus = Corpus.build(references=["oh no", "great !"])
    >>> outputs = SystemOutputs.build("a", ["", ""], nlls=[math.log(8), math.log(2)], n_tokens=[1, 1])
    >>> metric = Perplexity()
    >>> round(metric.aggregate(metric.segment_stats(corpus, outputs).totals()).item(), 6)
    4.0
    """

    name: ClassVar[str] = "perplexity"
    higher_is_better: ClassVar[bool | None] = False
    bounds: ClassVar[tuple[float, float | None]] = (1.0, None)
    needs: ClassVar[tuple[str, ...]] = ("nlls", "n_tokens")
    why_undefined: ClassVar[str] = "infinite: the mean negative log-likelihood is too large to exponentiate"

    average: Literal["segment", "token"] = "segment"

    def problem(self, corpus: Corpus, outputs: SystemOutputs) -> str | None:
        nlls = given(outputs.nlls)
        gap = missing_field(nlls, corpus.ids, "nll") or missing_field(
            given(outputs.n_tokens), corpus.ids, "n_tokens"
        )
        if gap:
            return gap
        impossible = [i for i, nll in enumerate(nlls) if nll == math.inf]
        if not impossible:
            return None
        return (
            f"infinite: {len(impossible)} of {len(nlls)} segments have probability 0, "
            f"the first is id {corpus.ids[impossible[0]]!r}"
        )

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> SegmentStats:
        nlls = np.array(given(outputs.nlls), dtype=np.float64)
        n_tokens = np.array(given(outputs.n_tokens), dtype=np.int64)
        _refuse(n_tokens < 1, "n_tokens must be at least 1", corpus, outputs)
        _refuse(
            ~(nlls >= -_ROUNDING * n_tokens),
            "nll must be a number and not negative: it is minus the sum of the log-probabilities",
            corpus,
            outputs,
        )
        nlls = np.maximum(nlls, 0.0)
        if self.average == "token":
            return SegmentStats(np.stack([nlls, n_tokens], axis=1), ("nll", "n_tokens"))
        return SegmentStats(np.stack([nlls / n_tokens, np.ones_like(nlls)], axis=1), ("nll_per_token", "n"))

    def aggregate(self, totals: Array) -> Array:
        with np.errstate(over="ignore"):
            score = np.exp(mean(totals))
        return np.asarray(np.where(np.isfinite(score), score, np.nan))


def _refuse(wrong: Array, message: str, corpus: Corpus, outputs: SystemOutputs) -> None:
    if wrong.any():
        raise InputError(
            f"{message} (system {outputs.system!r})",
            source=outputs.source or None,
            segment_id=corpus.ids[int(np.argmax(wrong))],
        )
