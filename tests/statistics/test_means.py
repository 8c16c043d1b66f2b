"""Means under the designs of rating studies, against hand computation and the usual formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.statistics.means import clustered_mean, design_mean, one_way_clustered_mean, two_way_mean


def test_two_way_mean_takes_the_mean_squares_of_items_and_raters() -> None:
    """Items 2, 4, 6 plus raters −1, 0, 1 have MS_item 12, MS_rater 3, no residual: SE² = 15 / 9, df 2."""
    table = np.array([[1.0, 2, 3], [3, 4, 5], [5, 6, 7]])
    found = two_way_mean(table)
    assert found.value == 4.0
    assert found.standard_error == pytest.approx((15 / 9) ** 0.5)
    assert found.df == 2


def test_variance_has_a_floor_where_raters_differ_less_than_chance() -> None:
    """Raters without differences and a residual would take from MS_item: MS_item alone stays."""
    table = np.array([[1.0, 2, 3], [3, 1, 2], [2, 3, 1], [4, 5, 6]])
    table[3] = [5, 5, 5]
    by_item = table.mean(axis=1)
    residual_free = 3 * by_item.var(ddof=1) / 12
    found = two_way_mean(table)
    assert found.standard_error is not None
    assert found.standard_error**2 >= residual_free - 1e-12
    assert found.df == 3


def test_two_raters_speak_for_themselves() -> None:
    """With two raters the variance is that of the item means, and the note says so."""
    table = np.array([[1.0, 3], [2, 2], [5, 1]])
    found = two_way_mean(table)
    assert found.standard_error == pytest.approx(np.std([2.0, 2, 3], ddof=1) / 3**0.5)
    assert found.df == 2
    assert "these raters" in found.note


def test_clustered_mean_of_one_factor_is_liang_and_zeger() -> None:
    """18 judgments of 6 items: 0.1217161 (R package sandwich, CR1), not the naive 0.1143324."""
    y = np.array([1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1], dtype=float)
    found = one_way_clustered_mean(y, np.arange(18) // 3)
    assert found.value == pytest.approx(2 / 3)
    assert found.standard_error == pytest.approx(0.1217161, abs=1e-6)


def test_two_way_clusters_add_both_and_take_away_the_cells() -> None:
    """With one row a cell: V = V_dialogue + V_rater − V_row, each with G / (G − 1)."""
    values = np.array([5.0, 1, 4, 2, 6, 3, 9, 1])
    dialogues, raters = np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.array([0, 1, 1, 2, 2, 3, 3, 0])
    e = (values - values.mean()) / 8
    of_dialogues = 4 / 3 * sum(e[dialogues == g].sum() ** 2 for g in range(4))
    of_raters = 4 / 3 * sum(e[raters == g].sum() ** 2 for g in range(4))
    cells = 8 / 7 * (e**2).sum()
    found = clustered_mean(values, dialogues, raters)
    expected = max(of_dialogues + of_raters - cells, of_dialogues, of_raters)
    assert found.standard_error == pytest.approx(expected**0.5)
    assert found.df == 3


@pytest.mark.parametrize(
    ("table", "status"),
    [
        (np.zeros((0, 3)), "no_judgments"),
        (np.ones((1, 3)), "too_few_items"),
        (np.ones((4, 3)), "no_variation"),
    ],
)
def test_degenerate_tables_say_why_there_is_no_interval(table: np.ndarray, status: str) -> None:
    """No rows, one item and no variation give no interval and no p-value."""
    found = two_way_mean(table)
    assert found.status == status
    assert found.interval is None
    assert found.p_value is None


def test_no_difference_anywhere_has_p_of_one() -> None:
    """Differences that are all 0 do not speak against a mean of 0."""
    assert two_way_mean(np.zeros((5, 3))).p_value == 1.0


def test_complete_designs_are_recognised_whatever_the_order_of_rows() -> None:
    """Every rater on every item is analysed as a table, a missing cell as clusters."""
    items, raters = np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6)
    values = np.arange(24.0) % 7
    order = np.random.default_rng(3).permutation(24)
    whole = design_mean(values[order], items[order], raters[order], items[order])
    assert whole.method == "two-way random items and raters"
    assert whole.standard_error == two_way_mean(values.reshape(6, 4)).standard_error
    partial = design_mean(values[:-1], items[:-1], raters[:-1], items[:-1])
    assert partial.method == "clusters of dialogues and raters"


def test_dialogues_of_one_size_are_the_units_of_a_complete_design() -> None:
    """Two items a dialogue: the table holds dialogue means."""
    items, raters = np.repeat(np.arange(8), 3), np.tile(np.arange(3), 8)
    values = np.random.default_rng(1).normal(size=24)
    found = design_mean(values, items, raters, items // 2)
    by_dialogue = values.reshape(4, 2, 3).mean(axis=1)
    assert found.standard_error == pytest.approx(two_way_mean(by_dialogue).standard_error)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 5), min_size=12, max_size=12), st.permutations(range(12)))
def test_order_of_rows_changes_nothing(values: list[int], order: list[int]) -> None:
    """The same rows in another order give the same result to the last bit."""
    numbers = np.array(values, dtype=float)
    items, raters = (
        np.array([0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4]),
        np.array([0, 1, 2, 0, 1, 2, 0, 3, 1, 3, 2, 3]),
    )
    here = np.array(order)
    first = design_mean(numbers, items, raters, items)
    second = design_mean(numbers[here], items[here], raters[here], items[here])
    assert second.value == pytest.approx(first.value, abs=1e-12)
    assert second.p_value == pytest.approx(first.p_value, abs=1e-9)
