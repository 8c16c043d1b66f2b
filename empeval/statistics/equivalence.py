"""Whether a difference is too small to matter: an interval inside a margin."""

from __future__ import annotations

from dataclasses import dataclass

from empeval.statistics.means import MeanResult
from empeval.statistics.resampling import Interval

__all__ = ["Equivalence", "equivalence_test"]


@dataclass(frozen=True)
class Equivalence:
    """Whether a difference lies within ±``margin``, by two one-sided tests; None where they are undefined.

    ``interval`` has the level 1 − 2α that belongs to tests at α; ``p_value`` is the larger of the two.
    """

    margin: float
    within: bool | None
    p_value: float | None
    interval: Interval | None
    text: str


def equivalence_test(difference: MeanResult, margin: float, *, level: float = 0.95) -> Equivalence:
    """Two one-sided t-tests of a difference against ±margin at α = 1 − level. Source: Schuirmann (1987).

    >>> found = equivalence_test(MeanResult(0.02, 0.05, 40.0), 0.2)
    >>> found.within, round(found.p_value, 5)
    (True, 0.00043)
    """
    value, error, df = difference.value, difference.standard_error, difference.df
    if value is None or not error or not df:
        return Equivalence(margin, None, None, None, "whether the difference matters cannot be said")
    from scipy.special import stdtr, stdtrit

    p_value = max(float(stdtr(df, -(margin - value) / error)), float(stdtr(df, -(margin + value) / error)))
    half = float(stdtrit(df, level)) * error
    interval = Interval(value - half, value + half, 2 * level - 1, difference.method)
    within = p_value <= 1 - level
    text = (
        f"the difference is within ±{margin:g} (p = {p_value:.3g})"
        if within
        else f"the difference may be beyond ±{margin:g} (p = {p_value:.3g})"
    )
    return Equivalence(margin, within, p_value, interval, text)
