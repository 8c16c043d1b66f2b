"""Distinct rows as np.unique has them, and resampling units made of several."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from empeval.statistics.agreement.units import Units, distinct_rows
from empeval.statistics.resampling import jackknife_error

CELLS = st.sampled_from([0.0, 1.0, 2.5, -3.0, 1e12])


@given(hnp.arrays(np.float64, st.tuples(st.integers(1, 8), st.integers(1, 70)), elements=CELLS))
@settings(max_examples=50)
def test_distinct_rows_equal_numpy(table) -> None:
    """Rows, places and times of np.unique along rows, also where the keys of 70 columns overflow."""
    rows, inverse, times = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    found = distinct_rows(table)
    assert np.array_equal(rows, found[0])
    assert np.array_equal(inverse.reshape(-1), found[1])
    assert np.array_equal(times, found[2])


def test_missing_is_equal_to_missing_and_last() -> None:
    """NaN counts as a value of its own."""
    rows, inverse, _ = distinct_rows(np.array([[np.nan, 1.0], [0.0, 1.0], [np.nan, 1.0]]))
    assert [1, 0, 1] == inverse.tolist()
    assert np.array_equal([[0.0, 1.0], [np.nan, 1.0]], rows, equal_nan=True)


def test_an_empty_table_has_no_rows() -> None:
    """No units, no resampling units."""
    assert (0, 0) == (Units.of(np.zeros((0, 3))).n, Units.of(np.zeros((0, 3)), np.zeros(0)).n)


@pytest.mark.parametrize("clusters", [None, [7, 7, 3, 3, 5, 5, 7]])
def test_labels_and_kinds_say_what_each_resampling_unit_holds(clusters) -> None:
    """The rows of each label, found again through its kind, are those that were put in."""
    table = np.array([[1, 0], [0, 1], [0, 1], [1, 0], [2, 2], [2, 2], [2, 2]])
    units = Units.of(table, None if clusters is None else np.array(clusters))
    names = np.arange(7) if clusters is None else np.array(clusters)
    held = np.eye(len(units.times)) if units.profiles is None else units.profiles.toarray()
    for label, kind in zip(units.labels, units.kinds, strict=True):
        found = np.repeat(units.rows, held[kind].astype(int), axis=0)
        assert sorted(table[names == label].tolist()) == sorted(found.tolist())
    assert np.bincount(units.kinds).tolist() == units.times.tolist()
    assert len(table) == units.weights.sum()


@pytest.mark.parametrize("n_kinds", [3, 40])
def test_resamples_draw_as_many_units_as_there_are(n_kinds) -> None:
    """Every resample has n units, each kind in proportion, by counts and by units alike."""
    table = (np.arange(60) % n_kinds)[:, None]
    units = Units.of(table)
    sums, shares = [], []

    def look(weights):
        sums.append(weights.sum(axis=1))
        shares.append(weights.mean(axis=0))
        return weights[:, 0]

    units.bootstrap(look, 4000, np.random.default_rng(1))
    assert np.all(np.concatenate(sums) == 60)
    assert units.times == pytest.approx(shares[0], abs=0.15)


def test_groups_left_out_give_the_error_of_a_mean() -> None:
    """With 5,000 kinds of units the error of a mean is s / √n, found from 1,000 groups (within 10 %)."""
    values = np.random.default_rng(1).normal(size=5000)
    units = Units.of(values[:, None])
    left_out = units.leave_one_out(lambda w: w @ units.rows[:, 0] / w.sum(axis=1))
    assert 1000 == len(left_out)
    assert values.std(ddof=1) / np.sqrt(5000) == pytest.approx(jackknife_error(left_out), rel=0.1)
