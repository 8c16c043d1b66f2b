"""Intervals and exact tests of shares."""

from __future__ import annotations

from empeval.statistics.resampling import Interval
from empeval.statistics.results import Estimate, undefined

__all__ = ["clopper_pearson", "sign_test", "wilson"]


def wilson(successes: int, n: int, *, level: float = 0.95) -> Estimate:
    """A share with Wilson's score interval, without continuity correction. Source: Wilson (1927).

    >>> found = wilson(81, 263)
    >>> round(found.interval.low, 4), round(found.interval.high, 4)
    (0.2553, 0.3662)
    """
    if n == 0:
        return undefined("no_judgments")
    from scipy.special import ndtri

    z, share = float(ndtri(0.5 + level / 2)), successes / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * (share * (1 - share) / n + z**2 / (4 * n**2)) ** 0.5
    # 0 of n and n of n end exactly at the bound, but for rounding
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == n else middle + half
    return Estimate(share, Interval(low, high, level, "Wilson"))


def clopper_pearson(successes: int, n: int, *, level: float = 0.95) -> Estimate:
    """A share with the exact interval of Clopper and Pearson (1934), which is wide rather than short.

    >>> found = clopper_pearson(0, 10)
    >>> found.interval.low, round(found.interval.high, 4)
    (0.0, 0.3085)
    """
    if n == 0:
        return undefined("no_judgments")
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return Estimate(successes / n, Interval(low, high, level, "Clopper–Pearson"))


def sign_test(wins: int, losses: int) -> float:
    """The two-sided exact p-value of wins against losses being even; 1 where there is neither.

    >>> round(sign_test(14, 6), 4)
    0.1153
    """
    n = wins + losses
    if n == 0:
        return 1.0
    from scipy.special import bdtr

    return min(1.0, 2.0 * float(bdtr(min(wins, losses), n, 0.5)))
