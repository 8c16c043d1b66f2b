"""Verdicts about a rater's answers: pass, fail, or could not tell, each with what it was seen in.

Pure functions of answers. A verdict never throws an answer away; it is a note for whoever analyses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Literal

__all__ = [
    "QcVerdict",
    "check_damaged",
    "check_duplicate",
    "check_expected",
    "check_speed",
    "check_straight_lining",
    "mirrored",
]

Answers = Mapping[str, int | str]
Result = Literal["pass", "fail", "unknown"]

#: The fewest items on which straight-lining and speed can be told.
_ENOUGH = 5


@dataclass(frozen=True)
class QcVerdict:
    """The result of one check, and in a few words what it rests on."""

    check: str
    verdict: Result
    detail: str


def check_expected(
    check: str, answers: Answers | None, expected: Mapping[str, int | str | Sequence[int | str]]
) -> QcVerdict:
    """Attention, gold and practice: every expected question has one of the answers that are right.

    No answer at all (a skip) is unknown.

    >>> check_expected("gold", {"empathy": 1}, {"empathy": [1, 2]}).verdict
    'pass'
    """
    if answers is None:
        return QcVerdict(check, "unknown", "no answer")
    wrong = []
    for name, right in expected.items():
        allowed = [right] if isinstance(right, int | str) else list(right)
        if str(answers.get(name)) not in {str(answer) for answer in allowed}:
            wrong.append(name)
    return QcVerdict(check, "fail" if wrong else "pass", ", ".join(wrong) or "as expected")


def mirrored(answer: int | str) -> int | str:
    """An answer about a pair, as it reads with the sides exchanged."""
    return {"first": "second", "second": "first"}.get(str(answer), answer)


def check_duplicate(
    before: Answers | None,
    again: Answers | None,
    widths: Mapping[str, int | None],
    *,
    exchanged: bool = False,
) -> QcVerdict:
    """The same item twice: on a scale a quarter of its width apart at most, elsewhere the same answer.

    ``widths`` are the distance between the ends of each question's scale, None for questions without.
    Questions without an answer in both are left out; none left is unknown.

    >>> check_duplicate({"empathy": 4}, {"empathy": 5}, {"empathy": 4}).verdict
    'pass'
    """
    if before is None or again is None:
        return QcVerdict("duplicate", "unknown", "no answer")
    shared = [name for name in widths if name in before and name in again]
    if not shared:
        return QcVerdict("duplicate", "unknown", "nothing to compare")
    apart = []
    for name in shared:
        width = widths[name]
        one, two = (mirrored(before[name]) if exchanged else before[name]), again[name]
        differs = str(one) != str(two) if width is None else abs(int(one) - int(two)) > max(1, width / 4)
        if differs:
            apart.append(name)
    half = 2 * len(apart) > len(shared)
    return QcVerdict("duplicate", "fail" if half else "pass", f"{len(apart)} of {len(shared)} apart")


def check_damaged(damaged: Sequence[float], others: Sequence[float]) -> QcVerdict:
    """Damaged responses are rated below the rater's mean of the others; too few of either is unknown.

    >>> check_damaged([1, 2], [4, 4, 5, 3, 4]).verdict
    'pass'
    """
    if not damaged or len(others) < _ENOUGH:
        return QcVerdict("damaged", "unknown", "too few answers")
    low, usual = sum(damaged) / len(damaged), sum(others) / len(others)
    return QcVerdict("damaged", "pass" if low < usual else "fail", f"{low:.2f} against {usual:.2f}")


def check_straight_lining(
    items: Sequence[tuple[int | str, ...]], *, longest: int = 10, share: float = 0.9
) -> QcVerdict:
    """Not the same answers over and over: no run of ``longest`` items, no combination in ``share`` of all.

    ``items`` are the answers to each item, in order. Fewer than 5 are unknown.

    >>> check_straight_lining([(3, 3)] * 12).verdict
    'fail'
    """
    if len(items) < _ENOUGH:
        return QcVerdict("straight_lining", "unknown", "too few items")
    run = most = 1
    for one, two in pairwise(items):
        run = run + 1 if one == two else 1
        most = max(most, run)
    common = Counter(items).most_common(1)[0][1] / len(items)
    bad = most >= longest or common >= share
    return QcVerdict("straight_lining", "fail" if bad else "pass", f"run of {most}, commonest {common:.0%}")


def check_speed(
    seconds: Sequence[float], n_words: Sequence[int], *, words_per_second: float = 10.0
) -> QcVerdict:
    """The median item took at least the time to read it at ``words_per_second``; fewer than 5 are unknown.

    >>> check_speed([0.5] * 6, [60] * 6).verdict
    'fail'
    """
    if len(seconds) < _ENOUGH or len(seconds) != len(n_words):
        return QcVerdict("speed", "unknown", "too few times")
    rate = median(n / max(s, 1e-3) for n, s in zip(n_words, seconds, strict=True))
    return QcVerdict("speed", "fail" if rate > words_per_second else "pass", f"{rate:.1f} words a second")
