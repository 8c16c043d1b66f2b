"""The GRIM test: can so many whole answers give the number that was printed (Brown and Heathers, 2017)?

A percentage of n judgments is 100 · k / n for a whole k, and a mean of n ratings is k / n, so that most
numbers with two decimals are impossible for a small n. A number that fails was not computed from n answers as described; why,
the test cannot say: a missing answer, another n, and a slip in typing all look alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from empeval.errors import InputError

__all__ = ["grim", "grim_shares"]

#: Beyond this many answers two decimals exclude nothing, and counting through them would be slow.
_MOST_ANSWERS = 1_000_000


def grim(
    value_text: str, n: int, kind: Literal["percentage", "mean"] = "percentage", *, raters: int = 1
) -> bool:
    """Whether ``n`` items with ``raters`` whole-number answers each can give the printed number.

    True if some whole k puts 100 · k / (n · raters), or for a mean k / (n · raters), within rounding of
    ``value_text`` at its decimals. Rounding half up, half to even and cutting off all count as rounding, so that
    a failure does not hang on the author's convention. For percentages of items (majority votes) ``raters`` is 1.
    Raises InputError for a text that is no number. Source: Brown and Heathers (2017).

    >>> grim("39.84", 128), grim("42.25", 128)
    (True, False)
    >>> grim("3.44", 20, "mean"), grim("3.45", 20, "mean")
    (False, True)
    """
    value, unit = _printed(value_text)
    answers = _answers(n, raters)
    scale = 100 if kind == "percentage" else 1
    around = value * answers / scale
    return any(
        _rounds_to(Fraction(scale * k, answers), value, unit)
        for k in (math.floor(around), math.floor(around) + 1)
        if kind == "mean" or 0 <= k <= answers
    )


def grim_shares(values: Sequence[str], n: int, *, raters: int = 1) -> tuple[int, ...] | None:
    """The counts behind a row of percentages that share ``n`` · ``raters`` answers, or None if there are none.

    ``values`` are all the shares of one whole (win, lose and tie), so the counts add up to n · raters and one of the
    printed values may be what the others leave of 100 instead of being rounded itself: tables are often
    completed that way, and 36.73 beside 39.84 and 23.43 is then 47 of 128, which alone would be 36.72.
    Raises InputError for a text that is no number.

    >>> grim_shares(["39.84", "23.43", "36.73"], 128)
    (51, 30, 47)
    >>> grim_shares(["42.25", "24.60", "33.15"], 128) is None
    True
    """
    printed = [_printed(text) for text in values]
    answers = _answers(n, raters)
    total = sum((value for value, _ in printed), Fraction(0))
    for remainder in (None, *range(len(printed))):
        if remainder is not None and total != 100:
            break
        counts: list[int | None] = [
            None if i == remainder else _count(value, unit, answers)
            for i, (value, unit) in enumerate(printed)
        ]
        known = [count for count in counts if count is not None]
        missing = answers - sum(known)
        if len(known) == len(counts) and missing == 0:
            return tuple(known)
        if remainder is not None and len(known) == len(counts) - 1 and missing >= 0:
            return tuple(missing if count is None else count for count in counts)
    return None


def _count(value: Fraction, unit: Fraction, answers: int) -> int | None:
    around = math.floor(value * answers / 100)
    fitting = [k for k in (around, around + 1) if _rounds_to(Fraction(100 * k, answers), value, unit)]
    return min(fitting, key=lambda k: abs(Fraction(100 * k, answers) - value), default=None)


def _rounds_to(exact: Fraction, value: Fraction, unit: Fraction) -> bool:
    """Whether rounding to the nearest, or cutting off, can print ``exact`` as ``value``."""
    return abs(exact - value) <= unit / 2 or abs(value) <= abs(exact) < abs(value) + unit


def _printed(text: str) -> tuple[Fraction, Fraction]:
    """The value, and one unit of its last printed decimal."""
    whole, _, decimals = text.strip().removeprefix("-").partition(".")
    if not (whole + decimals).isascii() or not (whole + decimals).isdigit() or len(text) > 40:
        raise InputError(f"expected a printed number such as '42.25', found {text[:40]!r}")
    return Fraction(text.strip()), Fraction(1, 10 ** len(decimals))


def _answers(n: int, raters: int) -> int:
    if n < 1 or raters < 1 or n * raters > _MOST_ANSWERS:
        raise InputError(f"expected from 1 to {_MOST_ANSWERS:,} answers, found n = {n} and raters = {raters}")
    return n * raters
