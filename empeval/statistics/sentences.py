"""Sentences for a paper: what was done and what was found, in words that claim no more than was shown.

They never call systems equal, and never report a tendency that the test did not find.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from empeval.statistics.multiplicity import Correction

if TYPE_CHECKING:
    from empeval.statistics.comparisons import RatingComparison
    from empeval.statistics.design import Ratings
    from empeval.statistics.resampling import Interval

__all__ = ["CORRECTION_NAMES", "counted", "interval_text", "p_text", "rating_methods", "rating_results"]

CORRECTION_NAMES: dict[Correction, str] = {
    "bh": "Benjamini and Hochberg's correction",
    "bonferroni": "Bonferroni's correction",
    "by": "Benjamini and Yekutieli's correction",
    "holm": "Holm's correction",
    "hommel": "Hommel's correction",
}


def p_text(p_value: float) -> str:
    """A p-value as papers print it.

    >>> p_text(0.0312), p_text(0.00002)
    ('= 0.031', '< 0.001')
    """
    return "< 0.001" if p_value < 0.001 else f"= {p_value:.3f}"


def interval_text(interval: Interval, *, decimals: int = 2) -> str:
    """An interval in brackets.

    >>> from empeval.statistics.resampling import Interval
    >>> interval_text(Interval(0.1, 0.25, 0.95, "bootstrap"))
    '95 % CI 0.10 to 0.25'
    """
    low, high = (f"{end:.{decimals}f}" for end in (interval.low, interval.high))
    return f"{100 * interval.level:g} % CI {low} to {high}"


def counted(n: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "item"), counted(2, "item")
    ('1 item', '2 items')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def rating_methods(
    ratings: Ratings, pairs: Sequence[RatingComparison], correction: Correction, level: float
) -> str:
    """How ratings were compared."""
    counts = (
        f"{counted(len(ratings.values), 'rating')} of {counted(len(ratings.systems), 'system')} on "
        f"{counted(len(ratings.items), 'item')} by {counted(len(ratings.raters), 'rater')}"
    )
    methods = sorted({pair.difference.method for pair in pairs if pair.difference.method})
    if not methods:
        return f"{counts}."
    return (
        f"{counts}; means are means of item means; systems were compared on the items rated under both, with "
        f"t intervals at {100 * level:g} % from {' and '.join(methods)}, and {CORRECTION_NAMES[correction]} "
        f"over {counted(len(pairs), 'pair')}."
    )


def rating_results(pair: RatingComparison, question: str, level: float) -> str:
    """What a comparison found."""
    found, a, b = pair.difference, pair.system_a, pair.system_b
    if found.value is None:
        return f"On {question}, {a} and {b} cannot be compared: {found.note or found.status}."
    if found.interval is None or pair.p_adjusted is None:
        reason = found.note or "the differences do not vary"
        gap = f"On {question}, the difference of {a} and {b} is {found.value:.2f}"
        return f"{gap}; {reason}, so there is no interval."
    shown = interval_text(found.interval)
    test = f"p {p_text(pair.p_adjusted)} after correction"
    if pair.significant(level):
        better, worse = (a, b) if found.value > 0 else (b, a)
        size = abs(found.value)
        if found.value < 0:
            shown = interval_text(type(found.interval)(-found.interval.high, -found.interval.low, level, ""))
        return f"On {question}, {better} was rated {size:.2f} points higher than {worse} ({shown}; {test})."
    able = (
        ""
        if pair.detectable is None
        else (f"; the study could detect a difference of {pair.detectable:.2f} with 80 % power")
    )
    return f"On {question}, {a} and {b} cannot be told apart ({found.value:+.2f}, {shown}; {test}){able}."
