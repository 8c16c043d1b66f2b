"""Verdicts on answers: pass, fail, and could not tell."""

from __future__ import annotations

from typing import Any

import pytest

from empeval.study import quality


@pytest.mark.parametrize(
    ("answers", "expected", "verdict"),
    [
        ({"empathy": 2}, {"empathy": 2}, "pass"),
        ({"empathy": 2}, {"empathy": "2"}, "pass"),
        ({"empathy": 3}, {"empathy": [1, 2]}, "fail"),
        ({"empathy": 2, "fluency": 5}, {"empathy": [1, 2]}, "pass"),
        ({}, {"empathy": 2}, "fail"),
        (None, {"empathy": 2}, "unknown"),
    ],
)
def test_expected_answers(answers: Any, expected: Any, verdict: str) -> None:
    """Any of several will do; what is not expected may be anything; a skip tells nothing."""
    assert verdict == quality.check_expected("gold", answers, expected).verdict


def test_what_was_wrong_is_named() -> None:
    """By question."""
    found = quality.check_expected("attention", {"a": 1, "b": 2}, {"a": 2, "b": 2, "c": 1})
    assert ("attention", "a, c") == (found.check, found.detail)


@pytest.mark.parametrize(
    ("before", "again", "verdict"),
    [
        ({"e": 4}, {"e": 5}, "pass"),
        ({"e": 3}, {"e": 5}, "fail"),
        ({"e": 4, "o": "tie"}, {"e": 4, "o": "first"}, "pass"),  # one of two apart is not more than half
        ({"o": "tie"}, {"o": "first"}, "fail"),
        ({"e": 4}, {"o": "tie"}, "unknown"),
        (None, {"e": 4}, "unknown"),
        ({"e": 4}, None, "unknown"),
    ],
)
def test_the_same_item_twice(before: Any, again: Any, verdict: str) -> None:
    """One point of a scale from 1 to 5 is near enough; a choice is the same or not."""
    assert verdict == quality.check_duplicate(before, again, {"e": 4, "o": None}).verdict


def test_a_wide_scale_allows_a_quarter_of_its_width() -> None:
    """25 points of 100."""
    assert "pass" == quality.check_duplicate({"e": 50}, {"e": 75}, {"e": 100}).verdict
    assert "fail" == quality.check_duplicate({"e": 50}, {"e": 76}, {"e": 100}).verdict


def test_a_pair_may_come_back_with_its_sides_exchanged() -> None:
    """The first of before is the second of now."""
    widths = {"o": None}
    assert "pass" == quality.check_duplicate({"o": "first"}, {"o": "second"}, widths, exchanged=True).verdict
    assert "fail" == quality.check_duplicate({"o": "first"}, {"o": "first"}, widths, exchanged=True).verdict
    assert "pass" == quality.check_duplicate({"o": "tie"}, {"o": "tie"}, widths, exchanged=True).verdict
    assert ["second", "first", "tie", 3] == [quality.mirrored(one) for one in ("first", "second", "tie", 3)]


@pytest.mark.parametrize(
    ("damaged", "others", "verdict"),
    [
        ([2], [4, 4, 5, 3, 4], "pass"),
        ([4], [4, 4, 4, 4, 4], "fail"),
        ([], [4] * 5, "unknown"),
        ([1], [4] * 4, "unknown"),
    ],
)
def test_damaged_responses_fare_worse(damaged: list[float], others: list[float], verdict: str) -> None:
    """Than the mean of the rater's others; too few answers tell nothing."""
    assert verdict == quality.check_damaged(damaged, others).verdict


@pytest.mark.parametrize(
    ("items", "verdict"),
    [
        ([(3, 3)] * 4, "unknown"),
        ([(3, 3)] * 5, "fail"),  # all of them
        ([(3, 3)] * 10 + [(i % 5, 1) for i in range(40)], "fail"),  # a run of ten
        ([(3, 3)] * 9 + [(i % 5, 1) for i in range(40)], "pass"),
        ([(i % 5, 4) for i in range(20)], "pass"),
        ([], "unknown"),
    ],
)
def test_straight_lining(items: list[tuple[int, ...]], verdict: str) -> None:
    """Ten alike in a row, or nine tenths alike."""
    assert verdict == quality.check_straight_lining(items).verdict


@pytest.mark.parametrize(
    ("seconds", "n_words", "verdict"),
    [
        ([5.0] * 5, [50] * 5, "pass"),  # exactly ten words a second
        ([4.9] * 5, [50] * 5, "fail"),
        ([0.0] * 5, [50] * 5, "fail"),
        ([0.1, 0.1, 30.0, 30.0, 30.0], [60] * 5, "pass"),  # the median item
        ([1.0] * 4, [60] * 4, "unknown"),
        ([1.0] * 5, [60] * 4, "unknown"),
    ],
)
def test_speed(seconds: list[float], n_words: list[int], verdict: str) -> None:
    """Faster than anybody reads, in the median."""
    assert verdict == quality.check_speed(seconds, n_words).verdict
