"""Means whose items and raters are both random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.resampling import Interval
from empeval.statistics.results import Status
from empeval.statistics.segments import Array

__all__ = ["MeanResult", "clustered_mean", "two_way_mean"]


@dataclass(frozen=True)
class MeanResult:
    """A mean."""

    value: float | None
    standard_error: float | None
    df: float | None
    interval: Interval | None
    p_value: float | None
    method: str
    n_items: int
    n_raters: int
    status: Status = "ok"
    note: str = ""


def two_way_mean(values: Array, *, level: float = 0.95) -> MeanResult:
    """Two-way."""
    n, a = values.shape
    mean = float(values.mean()) if values.size else None
    if mean is None or n < 2:
        return MeanResult(mean, None, None, None, None, "two-way", n, a, "too_few_items")
    rows, columns = values.mean(1), values.mean(0)
    item = a * ((rows - mean) ** 2).sum() / (n - 1)
    if a < 3:
        return _made(mean, item / (n * a), n - 1, level, "items", n, a, "for these raters")
    rater = n * ((columns - mean) ** 2).sum() / (a - 1)
    rest = ((values - rows[:, None] - columns + mean) ** 2).sum() / ((n - 1) * (a - 1))
    df = a - 1 if rater >= rest else n - 1
    return _made(mean, max(item + rater - rest, item, rater) / (n * a), df, level, "two-way", n, a)


def clustered_mean(values: Array, dialogues: Array, raters: Array, *, level: float = 0.95) -> MeanResult:
    """Clustered."""
    n, mean = len(values), float(values.mean())
    rest = values - mean

    def part(codes: Array) -> tuple[int, float]:
        sums = np.bincount(np.unique(codes, return_inverse=True)[1], weights=rest)
        g = len(sums)
        return g, float(g / (g - 1) * (sums**2).sum() / n**2) if g > 1 else 0.0

    (gd, vd), (gr, vr) = part(dialogues), part(raters)
    _, both = part(dialogues * (raters.max() + 1) + raters)
    if min(gd, gr) < 2:
        return MeanResult(mean, None, None, None, None, "clustered", gd, gr, "too_few_raters")
    return _made(mean, max(vd + vr - both, vd, vr), min(gd, gr) - 1, level, "clustered", gd, gr)


def _made(
    mean: float, variance: float, df: float, level: float, method: str, n: int, a: int, note: str = ""
) -> MeanResult:
    if variance < 1e-18:
        return MeanResult(mean, 0.0, df, None, None, method, n, a, "no_variation", note)
    from scipy.special import stdtr, stdtrit

    error = float(np.sqrt(variance))
    margin = float(stdtrit(df, 0.5 + level / 2)) * error
    p = 2 * float(stdtr(df, -abs(mean) / error))
    return MeanResult(
        mean, error, df, Interval(mean - margin, mean + margin, level, method), p, method, n, a, "ok", note
    )
