"""Wilcoxon's signed-rank test, exact with ties and zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from empeval.statistics.results import Status
from empeval.statistics.segments import Array

__all__ = ["SignedRank", "wilcoxon_signed_rank"]

#: Up to this many non-zero differences the distribution is computed, beyond it approximated.
_EXACT_LIMIT = 500


@dataclass(frozen=True)
class SignedRank:
    """Sum of the ranks of positive differences, how many differences are not 0, and the two-sided p-value."""

    statistic: float
    n_nonzero: int
    p_value: float
    method: str
    status: Status = "ok"


def wilcoxon_signed_rank(
    differences: Array,
    *,
    zeros: Literal["drop", "pratt"] = "pratt",
    method: Literal["auto", "exact", "normal"] = "auto",
    correct: bool = False,
) -> SignedRank:
    """Test whether differences (n,) are symmetric about 0.

    Ranks of absolute differences, ties sharing their mean rank; zeros are dropped before ranking, or ranked
    and then dropped (Pratt, 1959). Exact: the distribution of the rank sum over all 2^n signs, given the
    ties; p is twice the smaller tail, at most 1. The normal form is corrected for ties, and for continuity
    where asked. Source: Wilcoxon (1945); Hollander, Wolfe and Chicken (2013).

    >>> wilcoxon_signed_rank(np.array([1.0, 2, 3, 4, -5]), zeros="drop").p_value
    0.625
    """
    given = np.asarray(differences, dtype=np.float64)
    ranked = given if zeros == "pratt" else given[given != 0]
    # doubled ranks are whole numbers
    ranks = _doubled_ranks(np.abs(ranked))
    signs, ranks = np.sign(ranked[ranked != 0]), ranks[ranked != 0]
    n = len(ranks)
    if n == 0:
        return SignedRank(0.0, 0, 1.0, "no difference", "no_variation")
    statistic = float(ranks[signs > 0].sum()) / 2
    if method == "exact" or (method == "auto" and n <= _EXACT_LIMIT):
        return SignedRank(statistic, n, _exact(ranks, int(2 * statistic)), "exact")
    return SignedRank(statistic, n, _normal(ranks / 2, statistic, correct=correct), "normal approximation")


def _doubled_ranks(values: Array) -> Array:
    _, at, times = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    return np.asarray((2 * last - times + 1)[at], dtype=np.int64)


def _exact(ranks: Array, observed: int) -> float:
    """Twice the smaller tail of the sum of ranks (doubled, whole) under random signs."""
    total = int(ranks.sum())
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    reached = 0
    for rank in np.sort(ranks).tolist():
        # halving at each step keeps the numbers within reach
        chance[: reached + 1] *= 0.5
        chance[rank : rank + reached + 1] += chance[: reached + 1].copy()
        reached += rank
    lower, upper = float(chance[: observed + 1].sum()), float(chance[observed:].sum())
    return min(1.0, 2.0 * min(lower, upper))


def _normal(ranks: Array, statistic: float, *, correct: bool) -> float:
    from scipy.special import ndtr

    away = abs(statistic - float(ranks.sum()) / 2)
    away = max(0.0, away - 0.5) if correct else away
    return float(2.0 * ndtr(-away / (float((ranks**2).sum()) / 4) ** 0.5))
