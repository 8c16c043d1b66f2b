"""Ranks of systems over items: Friedman's test and Nemenyi's critical difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.results import Status
from empeval.statistics.segments import Array

__all__ = ["FriedmanResult", "friedman_test", "nemenyi_critical_difference", "nemenyi_p_values"]


@dataclass(frozen=True)
class FriedmanResult:
    """Mean ranks (1 is best) by system and the tests of their equality.

    ``chi2`` is Friedman's statistic without, ``chi2_ties`` with correction for ties; ``f`` is Iman and
    Davenport's statistic of the former; ``p_value`` belongs to ``chi2_ties``.
    """

    mean_ranks: tuple[float, ...]
    chi2: float | None
    chi2_ties: float | None
    f: float | None
    p_value: float | None
    n_items: int
    status: Status = "ok"


def friedman_test(scores: Array, *, higher_is_better: bool = True) -> FriedmanResult:
    """Test whether systems are ranked alike by items; ``scores`` has shape (n_items, n_systems), complete.

    χ² = 12 N / (k (k + 1)) · Σ (R_j − (k + 1) / 2)² for N items, k systems and mean ranks R_j.
    Source: Friedman (1937); Iman and Davenport (1980); Demšar (2006).

    >>> friedman_test(np.array([[1.0, 2, 3], [1, 2, 3]])).mean_ranks
    (3.0, 2.0, 1.0)
    """
    n, k = scores.shape
    if n < 1:
        return FriedmanResult((), None, None, None, None, n, "too_few_items")
    if k < 2:
        return FriedmanResult((1.0,) * k, None, None, None, None, n, "too_few_systems")
    ranks, ties = _ranks(-scores if higher_is_better else scores)
    mean = ranks.mean(axis=0)
    chi2 = 12 * n / (k * (k + 1)) * float(((mean - (k + 1) / 2) ** 2).sum())
    shares = 1 - ties / (n * (k**3 - k))
    if shares <= 0:
        return FriedmanResult(tuple(mean.tolist()), None, None, None, None, n, "no_variation")
    from scipy.special import chdtrc

    left = n * (k - 1) - chi2
    f = (n - 1) * chi2 / left if left > 1e-9 else None
    p_value = float(chdtrc(k - 1, chi2 / shares))
    return FriedmanResult(tuple(mean.tolist()), chi2, chi2 / shares, f, p_value, n)


def nemenyi_critical_difference(n_systems: int, n_items: int, *, level: float = 0.95) -> float:
    """How far mean ranks must differ: q_α(k, ∞) / √2 · √(k (k + 1) / (6 N)). Source: Nemenyi (1963).

    >>> round(nemenyi_critical_difference(4, 14), 4)
    1.2536
    """
    from scipy.stats import studentized_range

    quantile = float(studentized_range.ppf(level, n_systems, np.inf))
    return float(quantile / 2**0.5 * (n_systems * (n_systems + 1) / (6 * n_items)) ** 0.5)


def nemenyi_p_values(mean_ranks: Array, n_items: int) -> Array:
    """p-values of all pairs (n_systems, n_systems), adjusted for their number by the studentised range.

    >>> nemenyi_p_values(np.array([1.0, 2.0]), 8).round(3).tolist()
    [[1.0, 0.005], [0.005, 1.0]]
    """
    from scipy.stats import studentized_range

    ranks, k = np.asarray(mean_ranks, dtype=np.float64), len(mean_ranks)
    apart = np.abs(ranks[:, None] - ranks[None, :]) / (k * (k + 1) / (6 * n_items)) ** 0.5
    found = np.asarray(studentized_range.sf(apart * 2**0.5, k, np.inf))
    np.fill_diagonal(found, 1.0)
    return found


def _ranks(values: Array) -> tuple[Array, float]:
    """Ranks within rows, ties sharing the mean, and Σ (t³ − t) over the groups of ties."""
    from scipy.stats import rankdata

    ties = 0.0
    for row in values:
        times = np.unique(row, return_counts=True)[1].astype(np.float64)
        ties += float((times**3 - times).sum())
    return np.asarray(rankdata(values, axis=1)), ties
