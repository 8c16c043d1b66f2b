"""Distinct-n (Li et al., 2016) and its expectation-adjusted form (Liu et al., 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics.base import METRICS, Metric, Resampling
from empeval.metrics.ngrams import Encoder, hypothesis_tokens, type_stats
from empeval.statistics.segments import Array, SegmentStats, Stats
from empeval.tokenizers import get_tokenizer

__all__ = ["Distinct"]


@METRICS.register("distinct")
@dataclass(frozen=True)
class Distinct(Metric):
    """Distinct-n: distinct n-grams over all n-grams of the responses.

    ``average=micro`` takes the ratio over all responses together, ``macro`` the mean over responses (an empty
    one counts 0). ``key=concat`` joins the tokens of an n-gram without a separator, as EmpDG's script does.
    ``adjust=ead`` divides by the number of distinct n-grams expected of as many draws from a vocabulary of
    size V (``vocabulary``): N / (V · (1 − ((V − 1) / V)^C)) for N distinct of C. Range 0–100 (EAD may exceed
    it).

    The micro form falls as responses are added, so it is comparable only at the same number of responses, and
    a bootstrap of it excludes its own estimate: intervals are by jackknife over dialogues. Source: Li et al.
    (2016), Liu et al. (2022).
    """

    name: ClassVar[str] = "distinct"
    higher_is_better: ClassVar[bool | None] = True
    bounds: ClassVar[tuple[float, float | None]] = (0.0, None)
    why_undefined: ClassVar[str] = "no_ngrams: no response is long enough to hold an n-gram of this order"

    n: int = 1
    tokenize: Literal["whitespace", "nltk", "13a", "none", "treebank", "ed", "intl", "char"] = "whitespace"
    average: Literal["micro", "macro"] = "micro"
    key: Literal["tuple", "concat"] = "tuple"
    adjust: Literal["none", "ead"] = "none"
    vocabulary: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.n <= 9:
            raise InputError(f"{self.spec}: n must be from 1 to 9")
        if (self.adjust == "ead") != (self.vocabulary is not None):
            raise InputError(
                f"{self.spec}: adjust=ead and vocabulary=SIZE go together "
                "(the size of the vocabulary that all compared systems draw from)"
            )
        if self.vocabulary is not None and self.vocabulary < 2:
            raise InputError(f"{self.spec}: vocabulary must be at least 2")
        if self.adjust == "ead" and self.average == "macro":
            raise InputError(f"{self.spec}: adjust=ead is defined for average=micro only")

    @property
    def resampling(self) -> Resampling:
        return "jackknife" if self.average == "micro" else "bootstrap"

    def versions(self) -> dict[str, str]:
        return get_tokenizer(self.tokenize).version()

    @property
    def depends_on_n(self) -> bool:
        return self.average == "micro" and self.adjust == "none"

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> Stats:
        concat = self.key == "concat"
        if self.average == "micro":
            return type_stats(corpus, outputs, n=self.n, tokenize=self.tokenize, concat=concat)
        tokens = hypothesis_tokens(corpus, outputs, self.tokenize)
        units, types = Encoder.of(corpus, self.tokenize).ngram_types(tokens, self.n, concat=concat)
        order = np.lexsort((types, units))
        new = np.ones(len(order), dtype=bool)
        new[1:] = (np.diff(units[order]) != 0) | (np.diff(types[order]) != 0)
        distinct = np.bincount(units[order][new], minlength=len(corpus))
        total = np.bincount(units, minlength=len(corpus))
        values = distinct / np.maximum(total, 1)
        return SegmentStats(np.stack([values, np.ones_like(values)], axis=1), ("value", "n"))

    def aggregate(self, totals: Array) -> Array:
        first, second = totals[..., 0], np.asarray(totals[..., 1], dtype=np.float64)
        if self.vocabulary is not None:
            size = float(self.vocabulary)
            # expm1 and log1p keep the expectation exact where C is far below V
            second = -size * np.expm1(second * np.log1p(-1.0 / size))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(100.0 * first / second)
