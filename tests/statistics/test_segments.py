"""Rows and types: sums, groups, parts and shards against plain loops."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.statistics.segments import SegmentStats, TypeStats

COLUMNS = ("a", "b")
Units = list[list[int]]  # the type numbers that occur in each unit

#: each unit holds a few of a few types, some more than once, some units none
UNITS = st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=1, max_size=6)
TOPS = st.none() | st.integers(1, 3)
#: counts in an integer table, or fractions whose sums are exact
ROWS = st.one_of(
    st.lists(st.tuples(*[st.integers(0, 9)] * 2), min_size=1, max_size=6).map(
        lambda rows: np.array(rows, dtype=np.int32)
    ),
    st.lists(st.tuples(*[st.integers(0, 64)] * 2), min_size=1, max_size=6).map(
        lambda rows: np.array(rows) / 64
    ),
)


def types_of(units: Units, top: int | None = None) -> TypeStats:
    """The pairs in an order that is neither that of the units nor that of the types."""
    pairs = [(unit, number) for unit, held in enumerate(units) for number in held][::-1]
    unit, number = (np.array([pair[i] for pair in pairs], dtype=np.int64) for i in (0, 1))
    return TypeStats.of(unit, number, n_units=len(units), top=top)


def counted(units: Units, top: int | None) -> list[int]:
    """The two totals, by hand: distinct types (or occurrences of the commonest), and occurrences."""
    counts = Counter(number for held in units for number in held)
    first = len(counts) if top is None else sum(n for _, n in counts.most_common(top))
    return [first, counts.total()]


@given(UNITS, TOPS)
def test_totals_of_types(units, top) -> None:
    """Distinct types and occurrences, as a counter finds them."""
    assert counted(units, top) == types_of(units, top).totals().tolist()


@given(UNITS, TOPS)
def test_types_without_each_unit(units, top) -> None:
    """Leaving a unit out is counting the others."""
    expected = [counted(units[:i] + units[i + 1 :], top) for i in range(len(units))]
    assert expected == types_of(units, top).leave_one_out().tolist()


@given(UNITS, TOPS, st.data())
def test_types_of_groups(units, top, data) -> None:
    """A group holds what its units hold."""
    n_groups = data.draw(st.integers(1, 4))
    groups = data.draw(st.lists(st.integers(0, n_groups - 1), min_size=len(units), max_size=len(units)))
    merged: Units = [[] for _ in range(n_groups)]
    for group, held in zip(groups, units, strict=True):
        merged[group] += held
    found = types_of(units, top).grouped(np.array(groups), n_groups)
    assert counted(merged, top) == found.totals().tolist()
    assert types_of(merged, top).leave_one_out().tolist() == found.leave_one_out().tolist()


@given(UNITS, TOPS, st.data())
def test_types_of_a_part(units, top, data) -> None:
    """A part holds its units, in the order asked for."""
    rows = data.draw(st.permutations(range(len(units))).map(lambda order: order[: len(order) // 2 + 1]))
    found = types_of(units, top).subset(np.array(rows))
    part = [units[row] for row in rows]
    assert counted(part, top) == found.totals().tolist()
    assert types_of(part, top).leave_one_out().tolist() == found.leave_one_out().tolist()


@given(st.lists(UNITS, min_size=1, max_size=3), TOPS)
def test_types_of_shards(shards, top) -> None:
    """Shards appended are the whole."""
    first, *others = [types_of(units, top) for units in shards]
    found, whole = first.concat(others), [held for units in shards for held in units]
    assert counted(whole, top) == found.totals().tolist()
    assert types_of(whole, top).leave_one_out().tolist() == found.leave_one_out().tolist()


@given(UNITS, TOPS, st.data())
def test_types_under_weights(units, top, data) -> None:
    """A unit of weight w occurs w times; weight 0 removes it."""
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(units), max_size=len(units)))
    repeated = [held for held, weight in zip(units, weights, strict=True) for _ in range(weight)]
    assert [counted(repeated, top)] == types_of(units, top).totals(np.array([weights])).tolist()


def test_leaving_out_many_units_in_blocks() -> None:
    """More units and types than one block of the search for the commonest holds."""
    rng = np.random.default_rng(0)
    units, types = rng.integers(0, 3000, 40_000), rng.zipf(1.3, 40_000) % 5000
    units[:2500] = 7  # one unit that holds very many
    stats = TypeStats.of(units, types, n_units=3000, top=10)
    found = stats.leave_one_out()
    for unit in (0, 7, 2999):
        kept = np.bincount(types[units != unit])
        assert [np.sort(kept)[-10:].sum(), kept.sum()] == found[unit].tolist()


@given(ROWS)
def test_rows_without_each_unit(rows) -> None:
    """Leaving a unit out is summing the others."""
    expected = [np.delete(rows, i, axis=0).sum(axis=0).tolist() for i in range(len(rows))]
    assert expected == SegmentStats(rows, COLUMNS).leave_one_out().tolist()


@given(ROWS, st.data())
def test_rows_of_groups(rows, data) -> None:
    """A group sums its units; a group without any is zero."""
    n_groups = data.draw(st.integers(1, 4))
    groups = np.array(
        data.draw(st.lists(st.integers(0, n_groups - 1), min_size=len(rows), max_size=len(rows)))
    )
    expected = [rows[groups == group].sum(axis=0).tolist() for group in range(n_groups)]
    assert expected == SegmentStats(rows, COLUMNS).grouped(groups, n_groups).values.tolist()


@given(ROWS, st.data())
def test_rows_of_parts_and_shards(rows, data) -> None:
    """Parts keep the order asked for, and shards appended are the whole."""
    order = np.array(data.draw(st.permutations(range(len(rows)))))
    stats, cut = SegmentStats(rows, COLUMNS), len(rows) // 2
    assert rows[order].tolist() == stats.subset(order).values.tolist()
    first, second = stats.subset(np.arange(cut)), stats.subset(np.arange(cut, len(rows)))
    assert rows.tolist() == first.concat([second]).values.tolist()


@given(ROWS, st.data())
def test_rows_under_weights(rows, data) -> None:
    """Weighted totals are sums of repeated rows."""
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))))
    expected = np.repeat(rows, weights, axis=0).sum(axis=0).tolist()
    assert [expected] == SegmentStats(rows, COLUMNS).totals(weights[None, :]).tolist()


def test_sums_of_small_integers_do_not_wrap_round() -> None:
    """A table of 32-bit counts is summed in 64 bits, grouped or not."""
    stats = SegmentStats(np.full((3, 1), 2**31 - 1, dtype=np.int32), ("a",))
    assert [3 * (2**31 - 1)] == stats.totals().tolist()
    assert [[3 * (2**31 - 1)]] == stats.grouped(np.zeros(3, dtype=int), 1).values.tolist()


@given(st.lists(st.floats(0, 1), min_size=3, max_size=8), st.randoms(use_true_random=False))
def test_the_sum_of_a_group_does_not_depend_on_the_order_of_its_units(values, random) -> None:
    """To the last bit, also for fractions: the order of a file must not show in a number."""
    shuffled = list(values)
    random.shuffle(shuffled)
    sums = [
        SegmentStats(np.array(order)[:, None], ("a",))
        .grouped(np.zeros(len(order), dtype=int), 1)
        .values.item()
        for order in (values, shuffled)
    ]
    assert sums[0] == sums[1]


@pytest.mark.parametrize("top", [None, 2])
def test_no_types_at_all(top) -> None:
    """Silence has totals of zero, whole, grouped and without a unit."""
    stats = types_of([[], [], []], top)
    assert [0, 0] == stats.totals().tolist()
    assert [[0, 0]] * 3 == stats.leave_one_out().tolist()
    assert [[0, 0]] == stats.grouped(np.array([0, 0, 0]), 1).leave_one_out().tolist()
