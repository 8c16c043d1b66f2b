"""Wins, ties and losses of one pair: published tests, enumeration and degenerate counts."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.statistics.preference.counts import exact_sign_flip_p, preference_summary, trinomial_test
from empeval.statistics.proportions import sign_test

COUNTS = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(0, 12))


def test_summary_with_ties() -> None:
    """30 wins, 15 losses, 55 ties: exact enumeration; Bian, McAleer and Wong (2011); multinomial error."""
    found = preference_summary(30, 55, 15)
    assert 0.15 == pytest.approx(found.net.value, abs=1e-9)
    assert 0.0653834841531101 == pytest.approx(found.net_error, abs=1e-9)
    assert 0.575 == pytest.approx(found.half_win_rate.value, abs=1e-9)
    assert 30 / 45 == pytest.approx(found.win_rate.value, abs=1e-9)
    assert 0.03569780355519 == pytest.approx(found.sign_test_p, abs=1e-9)
    assert 0.030408992089333207 == pytest.approx(found.trinomial_p, abs=1e-9)
    assert 0.15 - 1.959963984540054 * 0.0653834841531101 == pytest.approx(found.net.interval.low, abs=1e-9)


@pytest.mark.parametrize(
    ("wins", "losses", "p_value", "low", "high"),
    [
        (14, 6, 0.1153182983398, 0.4572108177237, 0.8810684095943),
        (0, 10, 0.001953125, 0, 0.3084971078188),
    ],
)
def test_sign_test_of_r(wins, losses, p_value, low, high) -> None:
    """R's binom.test: p and Clopper and Pearson's interval."""
    found = preference_summary(wins, 0, losses)
    assert p_value == pytest.approx(found.sign_test_p, abs=1e-9)
    assert (low, high) == pytest.approx((found.win_rate.interval.low, found.win_rate.interval.high), abs=1e-9)


def test_only_ties() -> None:
    """Net 0 and p = 1; a win rate without ties does not exist (SciPy's binomtest(0, 0) raises)."""
    found = preference_summary(0, 20, 0)
    assert (None, "only_ties") == (found.win_rate.value, found.win_rate.status)
    assert (0.5, 0.0) == (found.half_win_rate.value, found.net.value)
    assert (1.0, 1.0) == (found.sign_test_p, found.trinomial_p)
    assert (None, "no_variation") == (found.net.interval, found.net.interval_status)


def test_no_judgments() -> None:
    """Nothing is defined, and nothing raises."""
    found = preference_summary(0, 0, 0)
    assert 0 == found.n
    for estimate in (found.win_rate, found.half_win_rate, found.net):
        assert (None, "no_judgments") == (estimate.value, estimate.status)
    assert (None, None, None) == (found.net_error, found.sign_test_p, found.trinomial_p)


def test_one_judgment() -> None:
    """A single win is no evidence."""
    found = preference_summary(1, 0, 0)
    assert (1.0, 1.0, 1.0) == (found.net.value, found.sign_test_p, found.trinomial_p)
    assert None is found.net.interval


@settings(max_examples=50, deadline=None)
@given(COUNTS)
def test_swapping_the_systems_turns_the_signs(counts) -> None:
    """Wins and losses exchanged: the same p-values, the opposite net preference."""
    wins, ties, losses = counts
    found, swapped = preference_summary(wins, ties, losses), preference_summary(losses, ties, wins)
    assert found.sign_test_p == swapped.sign_test_p
    assert found.trinomial_p == swapped.trinomial_p
    if found.n:
        assert found.net.value == pytest.approx(-swapped.net.value, abs=1e-12)
        assert found.half_win_rate.value == pytest.approx(1 - swapped.half_win_rate.value, abs=1e-12)


@pytest.mark.parametrize("counts", [(3, 2, 1), (2, 0, 3), (5, 1, 0), (1, 5, 0), (0, 4, 2)])
def test_trinomial_by_enumeration(counts) -> None:
    """All 3^6 or 3^5 courses of the judgments, weighted."""
    wins, ties, losses = counts
    n = sum(counts)
    chance = {0: ties / n, 1: (1 - ties / n) / 2, -1: (1 - ties / n) / 2}
    expected = sum(
        np.prod([chance[outcome] for outcome in course])
        for course in product((-1, 0, 1), repeat=n)
        if abs(sum(course)) >= abs(wins - losses)
    )
    assert expected == pytest.approx(trinomial_test(*counts), abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_sign_flips_by_enumeration(sums) -> None:
    """All 2^n flips, counted."""
    flips = np.array(list(product((-1, 1), repeat=len(sums)))) @ np.abs(sums)
    assert np.mean(np.abs(flips) >= abs(sum(sums))) == pytest.approx(
        exact_sign_flip_p(np.array(sums)), abs=1e-12
    )


def test_sign_flips_of_single_judgments_are_the_sign_test() -> None:
    """With one judgment a dialogue both are the same test, ties without effect."""
    sums = np.array([1] * 14 + [-1] * 6 + [0] * 5)
    assert 0.1153182983398 == pytest.approx(exact_sign_flip_p(sums), abs=1e-12)
    assert sign_test(14, 6) == pytest.approx(exact_sign_flip_p(sums), abs=1e-15)
    assert 1.0 == exact_sign_flip_p(np.zeros(3))
    assert 1.0 == exact_sign_flip_p(np.zeros(0))


def test_sign_flips_of_many_dialogues() -> None:
    """Two thousand dialogues of three judgments: near the normal approximation."""
    from scipy.stats import norm

    sums = np.random.default_rng(2).choice(
        np.arange(-3, 4), 2000, p=[0.1, 0.15, 0.15, 0.15, 0.15, 0.15, 0.15]
    )
    expected = 2 * norm.sf(abs(sums.sum()) / np.sqrt(np.sum(sums**2.0)))
    assert 1e-6 < expected < 0.2
    assert expected == pytest.approx(exact_sign_flip_p(sums), rel=0.05)
