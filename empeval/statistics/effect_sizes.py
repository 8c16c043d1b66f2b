"""Effect sizes by their proper names."""

from __future__ import annotations

import numpy as np

from empeval.statistics.resampling import Interval
from empeval.statistics.results import Estimate, undefined
from empeval.statistics.segments import Array

__all__ = ["cliffs_delta", "cohen_d_av", "cohen_d_z", "hedges_g_av", "probability_of_superiority"]


def cohen_d_z(differences: Array, *, level: float = 0.95) -> Estimate:
    """Mean of paired differences (n,) over their standard deviation, interval by the noncentral t.

    Source: Cohen (1988); Cumming and Finch (2001) for the interval.

    >>> round(cohen_d_z(np.array([1.0, 2, 3, 2])).value, 3)
    2.449
    """
    n = len(differences)
    if n < 2:
        return undefined("too_few_items")
    spread = float(np.std(differences, ddof=1))
    if spread <= 1e-12 * float(np.abs(differences).max()):
        return undefined("no_variation")
    value = float(np.mean(differences)) / spread
    low, high = (
        _noncentrality(value * n**0.5, n - 1, p) / n**0.5 for p in (0.5 + level / 2, 0.5 - level / 2)
    )
    return Estimate(value, Interval(low, high, level, "noncentral t"))


def cohen_d_av(first: Array, second: Array) -> Estimate:
    """Difference of means (n,), (n,) over √((s₁² + s₂²) / 2), also of paired values. Source: Cumming (2012).

    >>> round(cohen_d_av(np.array([1.0, 2, 3]), np.array([2.0, 3, 4])).value, 3)
    -1.0
    """
    if min(len(first), len(second)) < 2:
        return undefined("too_few_items")
    pooled = float(np.sqrt((np.var(first, ddof=1) + np.var(second, ddof=1)) / 2))
    if pooled == 0.0:
        return undefined("no_variation")
    return Estimate(float(np.mean(first) - np.mean(second)) / pooled)


def hedges_g_av(first: Array, second: Array) -> Estimate:
    """`cohen_d_av` without its bias in small samples: d · J(n₁ + n₂ − 2) with the exact J.

    J(m) = Γ(m / 2) / (√(m / 2) · Γ((m − 1) / 2)). Source: Hedges (1981).

    >>> round(hedges_g_av(np.array([1.0, 2, 3]), np.array([2.0, 3, 4])).value, 3)
    -0.798
    """
    found = cohen_d_av(first, second)
    if found.value is None:
        return found
    from scipy.special import gammaln

    m = len(first) + len(second) - 2
    factor = float(np.exp(gammaln(m / 2) - gammaln((m - 1) / 2))) / (m / 2) ** 0.5
    return Estimate(found.value * factor)


def cliffs_delta(first: Array, second: Array) -> Estimate:
    """P(a value of the first > one of the second) − P(<) over all pairs (n₁ · n₂). Source: Cliff (1993).

    >>> cliffs_delta(np.array([1, 2, 2]), np.array([2, 3])).value
    -0.6666666666666666
    """
    if not len(first) or not len(second):
        return undefined("no_judgments")
    ordered = np.sort(second)
    below = np.searchsorted(ordered, first, side="left").sum()
    above = (len(second) - np.searchsorted(ordered, first, side="right")).sum()
    return Estimate(float(int(below) - int(above)) / (len(first) * len(second)))


def probability_of_superiority(first: Array, second: Array) -> Estimate:
    """P(first > second) + P(=) / 2 over all pairs: A₁₂ = (δ + 1) / 2. Source: Vargha and Delaney (2000).

    >>> probability_of_superiority(np.array([1, 2]), np.array([2, 3])).value
    0.125
    """
    found = cliffs_delta(first, second)
    return found if found.value is None else Estimate((found.value + 1) / 2)


def _noncentrality(t: float, df: int, p: float) -> float:
    """The noncentrality under which t lies at the quantile p."""
    from scipy.optimize import brentq
    from scipy.special import nctdtr

    def beyond(noncentrality: float) -> float:
        found = float(nctdtr(df, noncentrality, t))
        # far out in a tail SciPy gives no number
        return (float(noncentrality < t) if found != found else found) - p

    half = 10.0 + 2 * abs(t)
    return float(brentq(beyond, t - half, t + half, xtol=1e-10))
