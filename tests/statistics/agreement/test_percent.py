"""Percent agreement by pairs and by all raters, exact and within a tolerance."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.errors import InputError
from empeval.statistics.agreement.percent import (
    percent_agreement,
    percent_agreement_all,
    percent_agreement_within,
)
from empeval.statistics.design import Ratings

N = None
#: Krippendorff (2011): 4 observers, 12 units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
#: The anxiety ratings of R's irr package: 20 subjects, 3 raters.
ANXIETY = [
    *([3, 3, 2], [3, 6, 1], [3, 4, 4], [4, 6, 4], [5, 2, 3], [5, 4, 2], [2, 2, 1], [3, 4, 6], [5, 3, 1]),
    *([2, 3, 1], [2, 2, 1], [6, 3, 2], [1, 3, 3], [5, 3, 3], [2, 2, 1], [2, 2, 1], [1, 1, 3], [2, 3, 3]),
    *([4, 3, 2], [3, 4, 2]),
]
TABLES = st.lists(st.lists(st.none() | st.integers(0, 9), min_size=4, max_size=4), min_size=1, max_size=8)


def test_pairs_with_missing_ratings() -> None:
    """Krippendorff's example: R irrCAC, pa = .81818; units weigh the same whatever their raters."""
    units = [list(unit) for unit in zip(*OBSERVERS, strict=True)]
    assert 0.8181818181818 == pytest.approx(percent_agreement(Ratings.from_matrix(units)).value, abs=1e-9)


def test_all_raters_of_the_anxiety_ratings() -> None:
    """R irr, agree(): 0 % exactly and 35 % within 1, here in shares."""
    ratings = Ratings.from_matrix(ANXIETY)
    assert 0.0 == percent_agreement_all(ratings).value
    assert 0.35 == pytest.approx(percent_agreement_all(ratings, 1).value, abs=1e-9)


@given(TABLES, st.integers(0, 3))
@settings(max_examples=50, deadline=None)
def test_equals_counting_pairs(table, tolerance) -> None:
    """The definition, pair by pair."""
    units = [[v for v in row if v is not None] for row in table]
    units = [row for row in units if len(row) >= 2]
    found = percent_agreement_within(Ratings.from_matrix(table), tolerance, n_resamples=0)
    together = percent_agreement_all(Ratings.from_matrix(table), tolerance, n_resamples=0)
    if not units:
        assert "no_pairable_units" == found.status == together.status
        return
    near = [[abs(a - b) <= tolerance for a, b in combinations(row, 2)] for row in units]
    assert np.mean([np.mean(pairs) for pairs in near]) == pytest.approx(found.value)
    assert np.mean([all(pairs) for pairs in near]) == pytest.approx(together.value)


def test_tolerance_in_tenths() -> None:
    """0.3 and 0.2 are 0.1 apart, whatever floating point says."""
    assert 1.0 == percent_agreement_within(Ratings.from_matrix([[0.3, 0.2], [0.8, 0.7]]), 0.1).value
    assert 0.0 == percent_agreement_within(Ratings.from_matrix([[0.31, 0.2], [0.8, 0.69]]), 0.1).value


def test_words() -> None:
    """Exact agreement needs no order, a tolerance does."""
    ratings = Ratings.of(["bad", "good", "good", "fair"], items=[1, 1, 2, 2], raters=[1, 2, 1, 2])
    assert 0.0 == percent_agreement(ratings).value
    assert 0.5 == percent_agreement_within(ratings, 1, categories=["bad", "fair", "good"]).value
    with pytest.raises(InputError, match="words have no distances"):
        percent_agreement_within(ratings, 1)
    with pytest.raises(InputError, match="at least 0"):
        percent_agreement_within(ratings, -1)


def test_full_agreement_is_one() -> None:
    """Where alpha is undefined for lack of variation, percent agreement is 1."""
    assert 1.0 == percent_agreement(Ratings.from_matrix([[3, 3, 3], [3, 3, N]])).value


def test_intervals_stay_within_0_and_1() -> None:
    """The jackknife is cut at the ends of the scale."""
    found = percent_agreement(Ratings.from_matrix([[1, 1], [2, 2], [3, 3], [1, 2]]))
    assert "jackknife" == found.interval.method
    assert 1.0 == found.interval.high
    assert 0.0 <= found.interval.low < 0.75
