"""What is simulated is the analysis that is run: the same p-values as the functions for one study."""

from __future__ import annotations

import numpy as np
import pytest

from empeval.statistics.means import clustered_mean, two_way_mean
from empeval.statistics.power.analyses import clustered, default_analysis, each, is_crossed, two_way
from empeval.statistics.power.simulation import Size


def drawn(n_simulations: int, n_items: int, n_raters: int, seed: int = 0):
    """Tables of differences with effects of items and raters."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_simulations, n_items, n_raters)) + 0.2
    return (
        values + rng.normal(size=(n_simulations, n_items, 1)) + rng.normal(size=(n_simulations, 1, n_raters))
    )


@pytest.mark.parametrize("n_raters", [1, 2, 3, 6])
def test_two_way_is_two_way_mean(n_raters: int) -> None:
    """Every simulated study gets the p-value of `two_way_mean`."""
    values = drawn(40, 9, n_raters)
    raters = Size(9, n_raters).raters(np.random.default_rng(0))
    expected = [two_way_mean(table).p_value for table in values]
    assert expected == pytest.approx(two_way(values, raters).tolist(), abs=1e-12)
    assert two_way is default_analysis(raters)


@pytest.mark.parametrize(("n_raters", "items_per_rater"), [(1, 3), (2, 4), (3, 5), (1, 7)])
def test_clustered_is_clustered_mean(n_raters: int, items_per_rater: int) -> None:
    """Every simulated study gets the p-value of `clustered_mean`, pools of two raters included."""
    values = drawn(40, 10, n_raters)
    raters = Size(10, n_raters, items_per_rater).raters(np.random.default_rng(3))
    items = np.repeat(np.arange(10), n_raters)
    expected = [clustered_mean(table.ravel(), items, raters.ravel()).p_value for table in values]
    assert expected == pytest.approx(clustered(values, raters).tolist(), abs=1e-12)
    assert clustered is default_analysis(raters)


def test_each_makes_one_analysis_many() -> None:
    """A function of one study, run on all; undefined is NaN."""
    values = np.concatenate([drawn(5, 6, 4), np.ones((1, 6, 4)), np.zeros((1, 6, 4))])
    raters = Size(6, 4).raters(np.random.default_rng(0))
    found = each(lambda table, _: two_way_mean(table))(values, raters)
    assert found.tolist() == pytest.approx(two_way(values, raters).tolist(), abs=1e-12, nan_ok=True)
    assert np.isnan(found[5])
    assert 1.0 == found[6]


def test_one_item_is_undefined() -> None:
    """One item has no p-value in either analysis."""
    for analysis in (two_way, clustered):
        assert np.isnan(analysis(drawn(3, 1, 4), np.arange(4)[None])).all()


@pytest.mark.parametrize("size", [Size(10, 3, 4), Size(7, 2, 3), Size(12, 1, 5), Size(30, 5, 30)])
def test_raters_are_dealt_fairly(size: Size) -> None:
    """No rater meets an item twice or has more items than stated, and the pool is as large as announced."""
    raters = size.raters(np.random.default_rng(1))
    assert (size.n_items, size.n_raters) == raters.shape
    assert all(len(set(row)) == size.n_raters for row in raters.tolist())
    counts = np.unique(raters, return_counts=True)[1]
    assert size.n_pool == len(counts)
    assert counts.max() <= size.items_per_rater
    assert size.is_crossed == is_crossed(raters)
