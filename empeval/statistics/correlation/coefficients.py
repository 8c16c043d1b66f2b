"""Correlations of two columns, and the test of two correlations that share one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from empeval.statistics.results import Estimate, Status, undefined
from empeval.statistics.segments import Array

__all__ = [
    "Correlation",
    "Williams",
    "correlation",
    "kendall_tau_b",
    "mid_ranks",
    "pearson",
    "spearman",
    "williams_test",
]

Correlation = Literal["pearson", "spearman", "kendall_tau_b"]


def pearson(x: Array, y: Array) -> Estimate:
    """Pearson's correlation of two columns (n,), from −1 to 1; undefined where one does not vary.

    >>> pearson(np.array([1, 2, 3]), np.array([2, 4, 7])).value  # doctest: +ELLIPSIS
    0.99...
    """
    if len(x) < 2:
        return undefined("too_few_units")
    a, b = (np.asarray(column, dtype=np.float64) - np.mean(column) for column in (x, y))
    spread = float(np.sqrt((a @ a) * (b @ b)))
    # constant columns differ from their mean by rounding
    scale = float(np.abs(x).max() * np.abs(y).max()) * len(x)
    if spread <= 1e-13 * max(scale, 1e-300):
        return undefined("no_variation")
    return Estimate(float(np.clip(a @ b / spread, -1.0, 1.0)))


def spearman(x: Array, y: Array) -> Estimate:
    """Spearman's rank correlation, ties sharing their mean rank. Source: Spearman (1904).

    >>> spearman(np.array([1, 2, 3]), np.array([2, 4, 40])).value
    1.0
    """
    return pearson(mid_ranks(x), mid_ranks(y))


def kendall_tau_b(x: Array, y: Array) -> Estimate:
    """Kendall's τ_b: (concordant − discordant pairs) / √(pairs not tied in x · pairs not tied in y).

    Source: Kendall (1945).

    >>> round(kendall_tau_b(np.array([1, 2, 2, 3]), np.array([1, 2, 3, 3])).value, 3)
    0.8
    """
    if len(x) < 2:
        return undefined("too_few_units")
    a, b = (np.sign(np.subtract.outer(column, column)) for column in (x, y))
    product = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return undefined("no_variation") if product == 0 else Estimate(float((a * b).sum()) / product)


def correlation(name: Correlation, x: Array, y: Array) -> Estimate:
    """A correlation by its name.

    >>> correlation("kendall_tau_b", np.array([1, 2]), np.array([3, 5])).value
    1.0
    """
    functions = {"pearson": pearson, "spearman": spearman, "kendall_tau_b": kendall_tau_b}
    return functions[name](np.asarray(x), np.asarray(y))


def mid_ranks(values: Array) -> Array:
    """Ranks from 1, ties sharing their mean."""
    _, at, times = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(times) - (times - 1) / 2)[at])


@dataclass(frozen=True)
class Williams:
    """The test that two metrics correlate alike with people: t with n − 3 degrees of freedom, two-sided p."""

    t: float | None
    df: int
    p_value: float | None
    status: Status = "ok"


def williams_test(first: float, second: float, between: float, n: int) -> Williams:
    """Compare two dependent correlations: people with metric 1, people with metric 2, metric 1 with 2.

    Valid for columns of independent rows; segments of one dialogue are not. Sources: Williams (1959); Steiger
    (1980).

    >>> round(williams_test(0.5, 0.4, 0.6, 103).p_value, 4)
    0.198
    """
    if n < 4:
        return Williams(None, max(0, n - 3), None, "too_few_units")
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    middle = (first + second) / 2
    below = 2 * (n - 1) / (n - 3) * determinant + middle**2 * (1 - between) ** 3
    if below <= 1e-15:
        return Williams(None, n - 3, None, "no_variation")
    from scipy.special import stdtr

    t = (first - second) * ((n - 1) * (1 + between) / below) ** 0.5
    return Williams(t, n - 3, float(2 * stdtr(n - 3, -abs(t))))
