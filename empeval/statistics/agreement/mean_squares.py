"""Mean squares of a table of ratings, and the intraclass correlations and F intervals that they give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from empeval.statistics.resampling import Interval

__all__ = ["IccForm", "MeanSquares", "f_intervals", "of_squares"]

IccForm = Literal["icc_1_1", "icc_2_1", "icc_3_1", "icc_1_k", "icc_2_k", "icc_3_k"]


@dataclass(frozen=True)
class MeanSquares:
    """Mean squares of units, raters, residual, and within units; numbers of units and raters."""

    units: Any
    raters: Any
    residual: Any
    within: Any
    n: Any
    k: int


def of_squares(s: MeanSquares) -> dict[IccForm, Any]:
    """The six correlations of Shrout and Fleiss (1979), NaN where undefined, element by element."""
    k, n = s.k, np.maximum(s.n, 1)

    def share(top: Any, bottom: Any) -> Any:
        there = np.asarray(bottom > 1e-12)
        return np.divide(top, bottom, out=np.full(np.shape(there), np.nan), where=there)

    return {
        "icc_1_1": share(s.units - s.within, s.units + (k - 1) * s.within),
        "icc_2_1": share(
            s.units - s.residual, s.units + (k - 1) * s.residual + k * (s.raters - s.residual) / n
        ),
        "icc_3_1": share(s.units - s.residual, s.units + (k - 1) * s.residual),
        "icc_1_k": share(s.units - s.within, s.units),
        "icc_2_k": share(s.units - s.residual, s.units + (s.raters - s.residual) / n),
        "icc_3_k": share(s.units - s.residual, s.units),
    }


def f_intervals(s: MeanSquares, level: float) -> dict[IccForm, Interval]:
    """The F intervals of McGraw and Wong (1996), where the residual is not 0."""
    from scipy.special import fdtri

    if s.residual <= 1e-12 * s.units or s.within <= 0:
        return {}
    n, k, p = s.n, s.k, 0.5 + level / 2

    def single(low: float, high: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """From bounds of F to those of a single rating's and a mean's correlation."""
        return (
            ((low - 1) / (low + k - 1), (high - 1) / (high + k - 1)),
            (1 - 1 / low if low else -np.inf, 1 - 1 / high if high else -np.inf),
        )

    one_way = s.units / s.within
    of_one = single(one_way / fdtri(n - 1, n * (k - 1), p), one_way * fdtri(n * (k - 1), n - 1, p))
    mixed = s.units / s.residual
    df = (n - 1) * (k - 1)
    of_mixed = single(mixed / fdtri(n - 1, df, p), mixed * fdtri(df, n - 1, p))
    both = {"icc_1_1": of_one[0], "icc_1_k": of_one[1], "icc_3_1": of_mixed[0], "icc_3_k": of_mixed[1]}
    both |= _absolute(s, p)
    # a bound may miss its own estimate by rounding alone
    return {
        form: Interval(float(low), float(high), level, "F distribution")  # type: ignore[misc]
        for form, (low, high) in both.items()
        if np.isfinite([low, high]).all()
    }


def _absolute(s: MeanSquares, p: float) -> dict[str, tuple[float, float]]:
    """Bounds of ICC(2,1) and ICC(2,k) with Satterthwaite's degrees of freedom."""
    from scipy.special import fdtri

    n, k = s.n, s.k
    value = float(of_squares(s)["icc_2_1"])
    if not np.isfinite(value) or value >= 1:
        return {}
    a, b = k * value / (n * (1 - value)), 1 + k * value * (n - 1) / (n * (1 - value))
    bottom = (a * s.raters) ** 2 / (k - 1) + (b * s.residual) ** 2 / ((n - 1) * (k - 1))
    if bottom <= 0:
        return {}
    df = (a * s.raters + b * s.residual) ** 2 / bottom
    if df <= 0:
        return {}
    rest = k * s.raters + (k * n - k - n) * s.residual
    upper, lower = fdtri(n - 1, df, p), fdtri(df, n - 1, p)
    low = n * (s.units - upper * s.residual) / (upper * rest + n * s.units)
    high = n * (lower * s.units - s.residual) / (rest + n * lower * s.units)
    return {
        "icc_2_1": (low, high),
        "icc_2_k": (low * k / (1 + low * (k - 1)), high * k / (1 + high * (k - 1))),
    }
