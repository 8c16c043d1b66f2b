"""Power that has a formula: the sign test and the paired t test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.results import Estimate, undefined

__all__ = ["SignTestPower", "paired_t_power", "paired_t_sample_size", "sign_test_power"]

_MOST = 1e9


@dataclass(frozen=True)
class SignTestPower:
    """Power of a sign test; its real ``size`` (at most α); it rejects at ``reject_below`` or fewer signs of
    either kind, None where no outcome is extreme enough.
    """

    power: float
    size: float
    reject_below: int | None


def sign_test_power(n: int, share: float, *, alpha: float = 0.05) -> SignTestPower:
    """Exact power of the two-sided sign test of ``n`` preferences without ties, ``share`` of them expected.

    The test rejects where 2 · P(X ≤ c | ½) ≤ α; power = P(X ≤ c) + P(X ≥ n − c) for X ~ Binomial(n, share).

    >>> found = sign_test_power(100, 0.6)
    >>> round(found.power, 7), round(found.size, 7), found.reject_below
    (0.4620934, 0.0352002, 39)
    """
    from scipy.special import bdtr, bdtrc

    counts = np.arange(max(0, (n + 1) // 2))
    allowed = np.flatnonzero(2.0 * bdtr(counts, n, 0.5) <= alpha) if n else counts
    if not len(allowed):
        return SignTestPower(0.0, 0.0, None)
    cut = int(allowed[-1])

    def rejected(chance: float) -> float:
        return float(bdtr(cut, n, chance) + bdtrc(n - cut - 1, n, chance))

    return SignTestPower(rejected(share), rejected(0.5), cut)


def paired_t_power(effect: float, n: float, *, alpha: float = 0.05) -> Estimate:
    """Power of the two-sided paired t test for a standardised mean difference d_z and ``n`` pairs.

    P(|T| > t_{1−α/2, n−1}) for T noncentral t with n − 1 degrees of freedom and noncentrality d_z √n. ``n``
    need not be whole. Status ``too_few_units`` below two pairs. Source: Cohen (1988).

    >>> round(paired_t_power(0.5, 34).value, 4)
    0.8078
    """
    if n < 2:
        return undefined("too_few_units")
    from scipy.special import nctdtr, stdtrit

    centre = abs(effect) * float(np.sqrt(n))
    critical = float(stdtrit(n - 1.0, 1.0 - alpha / 2.0))
    if centre - critical > 37.0:  # beyond what floating point tells from 1
        return Estimate(1.0)
    upper, lower = nctdtr(n - 1.0, centre, critical), nctdtr(n - 1.0, centre, -critical)
    return Estimate(min(1.0, float(1.0 - upper + lower)))


def paired_t_sample_size(effect: float, *, power: float = 0.8, alpha: float = 0.05) -> Estimate:
    """How many pairs the two-sided paired t test needs for this power, not rounded.

    Status ``out_of_reach`` where no number is enough (an effect of 0). Source: Cohen (1988).

    >>> round(paired_t_sample_size(0.5).value, 3)
    33.367
    """
    low, high = 2.0, 4.0
    while (paired_t_power(effect, high, alpha=alpha).value or 0.0) < power:
        low, high = high, high * 2.0
        if high > _MOST:
            return undefined("out_of_reach", "No number of pairs gives this power.")
    while high - low > 1e-9 * high:
        middle = (low + high) / 2.0
        enough = (paired_t_power(effect, middle, alpha=alpha).value or 0.0) >= power
        low, high = (low, middle) if enough else (middle, high)
    return Estimate(high)
