"""The GRIM test: can so many whole answers give the number that was printed (Brown and Heathers, 2017)?

A percentage of n judgments is 100 · k / n for a whole k, and a mean of n ratings is k / n, so that most
numbers with two decimals are impossible for a small n. A number that fails was not computed from n answers as
described; why, the test cannot say: a missing answer, another n and a slip in typing all look alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from empeval.errors import InputError

__all__ = ["grim", "grim_shares"]

_NUMBER = re.compile(r"-?([0-9]{1,15}(?:\.([0-9]{1,12}))?)")

#: Beyond this many answers two decimals exclude nothing, and counting through them would be slow.
_MOST_ANSWERS = 1_000_000


def grim(
    value_text: str, n: int, kind: Literal["percentage", "mean"] = "percentage", raters: int = 1
) -> bool:
    """Whether ``n`` items with ``raters`` whole-number answers each can give the printed number.

    True if some whole k gives 100 · k / (n · raters), or for a mean k / (n · raters), that is printed as
    ``value_text``. Rounding half up, half to even and cutting off all count, so that a failure does not hang
    on a convention. For percentages of items (majority votes) ``raters`` is 1. Raises InputError for a text
    that is no number. Source: Brown and Heathers (2017).

    >>> grim("39.84", 128), grim("42.25", 128)
    (True, False)
    >>> grim("3.44", 20, "mean"), grim("3.45", 20, "mean")
    (False, True)
    """
    fitting = _fitting(value_text, _answers(n, raters), 100 if kind == "percentage" else 1)
    return len(fitting) > 0


def grim_shares(values: Sequence[str], n: int, *, raters: int = 1) -> tuple[int, ...] | None:
    """The counts behind percentages that share ``n`` · ``raters`` answers, or None if there are none.

    ``values`` are all the shares of one whole (win, lose and tie): the counts add up to n · raters, and one
    of the printed values may be what the others leave of 100 instead of being rounded itself. Tables are
    often completed that way: 36.73 beside 39.84 and 23.43 is then 47 of 128, which alone would be 36.72.
    Raises InputError for a text that is no number.

    >>> grim_shares(["39.84", "23.43", "36.73"], 128)
    (51, 30, 47)
    >>> grim_shares(["42.25", "24.60", "33.15"], 128) is None
    True
    """
    answers = _answers(n, raters)
    ranges = [_fitting(text, answers, 100) for text in values]
    if counts := _adding_up(ranges, answers):
        return counts
    if sum(_printed(text)[0] for text in values) == 100:
        for i in range(len(values)):
            completed = [range(answers + 1) if i == j else fitting for j, fitting in enumerate(ranges)]
            if counts := _adding_up(completed, answers):
                return counts
    return None


def _fitting(text: str, answers: int, scale: int) -> range:
    """All k for which scale · k / answers is printed as the text, by rounding it or by cutting it off."""
    value, unit = _printed(text)
    low = math.ceil((value - unit / 2) * answers / scale)
    high = math.ceil((value + unit) * answers / scale)
    return range(max(low, 0), min(high, answers + 1) if scale == 100 else high)


def _adding_up(ranges: Sequence[range], total: int) -> tuple[int, ...] | None:
    """One count from each range, such that they add up to the total."""
    if not all(map(len, ranges)) or not sum(r[0] for r in ranges) <= total <= sum(r[-1] for r in ranges):
        return None
    counts, left = [], total - sum(r[0] for r in ranges)
    for r in ranges:
        more = min(left, r[-1] - r[0])
        counts.append(r[0] + more)
        left -= more
    return tuple(counts)


def _printed(text: str) -> tuple[Fraction, Fraction]:
    """The value without its sign, which changes nothing here, and one unit of its last printed decimal."""
    match = _NUMBER.fullmatch(text.strip())
    if not match:
        raise InputError(f"expected a printed number such as '42.25', found {text[:40]!r}")
    return Fraction(match[1]), Fraction(1, 10 ** len(match[2] or ""))


def _answers(n: int, raters: int) -> int:
    if n < 1 or raters < 1 or n * raters > _MOST_ANSWERS:
        raise InputError(f"expected from 1 to {_MOST_ANSWERS:,} answers, found n = {n} and raters = {raters}")
    return n * raters
