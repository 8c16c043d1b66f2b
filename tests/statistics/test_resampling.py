"""Intervals and paired tests: enumerated golden values, brute force, and what may never happen."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from empeval.statistics.resampling import (
    Resampler,
    interval,
    jackknife_interval,
    minimum_detectable_difference,
    paired_permutation_test,
    percentile_interval,
    permutation_p_value,
)
from empeval.statistics.segments import SegmentStats, TypeStats
from empeval.statistics.weights import bits, hashed_keys, poisson_weights

COUNTS = st.integers(1, 5).flatmap(
    lambda n: st.lists(
        st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=n, max_size=n),
        min_size=2,
        max_size=2,
    )
)


def ratio(totals):
    """First column over second, NaN where there is nothing to divide by."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return totals[..., 0] / totals[..., 1]


def stats_of(*columns) -> SegmentStats:
    """Columns side by side."""
    return SegmentStats(
        np.stack([np.asarray(column) for column in columns], axis=1), tuple("abcdefg"[: len(columns)])
    )


def keys_of(n: int):
    """Keys of n units."""
    return hashed_keys(str(i) for i in range(n))


def test_every_bootstrap_of_four_units() -> None:
    """The exact distribution of a mean over all 4⁴ resamples, by enumeration."""
    stats = stats_of([1, 2, -1, 3], [1, 1, 1, 1])
    means = ratio(Resampler(keys_of(4)).bootstrap_totals([stats], 1000)[0])
    assert 256 == len(means)
    assert 1.25 == means.mean()
    assert 0.739509972887452 == pytest.approx(means.std(), abs=1e-12)
    assert 0.07421875 == np.mean(means <= 0)


def test_drawn_bootstraps_converge_to_the_exact_one() -> None:
    """Seven times the same four numbers: too many to enumerate, with a standard error of 1 / √7 of theirs."""
    stats = stats_of([1, 2, -1, 3] * 7, [1] * 28)
    means = ratio(Resampler(keys_of(28)).bootstrap_totals([stats], 20_000)[0])
    assert 1.25 == pytest.approx(means.mean(), abs=0.01)
    # a ratio to a random total widens the exact sd / √7 by less than 1 / n
    assert 0.739509972887452 / np.sqrt(7) == pytest.approx(means.std(), rel=0.04)


def test_every_swap_of_a_ratio_of_sums() -> None:
    """Approximate randomisation of five segments, all 2⁵ swaps, by enumeration."""
    a = stats_of([3, 5, 2, 4, 6], [5, 6, 4, 5, 8])
    b = stats_of([2, 5, 1, 4, 3], [5, 7, 4, 6, 7])
    found = paired_permutation_test(a, b, ratio)
    assert 0.19704433497536944 == pytest.approx(found.difference, abs=1e-12)
    assert 0.0625 == found.p_value
    assert "exact permutation" == found.method


@given(COUNTS)
def test_dense_swaps_are_all_swaps(systems) -> None:
    """Both pseudo-systems of every swap, against plain loops."""
    a, b = (np.array(rows) for rows in systems)
    n = len(a)
    expected = sorted(
        (tuple(np.where(kept, a.T, b.T).sum(axis=1)), tuple(np.where(kept, b.T, a.T).sum(axis=1)))
        for kept in itertools.product([True, False], repeat=n)
    )
    stats = [[SegmentStats(a, ("x", "n")), SegmentStats(b, ("x", "n"))]]
    first, second = next(next(Resampler(keys_of(n)).swapped_totals(stats, [(0, 1)], 7)))
    assert expected == sorted(zip(map(tuple, first), map(tuple, second), strict=True))


@given(COUNTS)
def test_the_exact_p_value_is_a_share_of_all_swaps(systems) -> None:
    """As SciPy's permutation_test counts them: two-sided, ties included."""
    a, b = (np.array(rows) for rows in systems)
    observed = ratio(a.sum(axis=0)) - ratio(b.sum(axis=0))
    null = np.array(
        [
            ratio(np.where(kept, a.T, b.T).sum(axis=1)) - ratio(np.where(kept, b.T, a.T).sum(axis=1))
            for kept in itertools.product([True, False], repeat=len(a))
        ]
    )
    expected = np.mean(np.abs(null) >= abs(observed) - 1e-9)
    found = paired_permutation_test(SegmentStats(a, ("x", "n")), SegmentStats(b, ("x", "n")), ratio)
    assert expected == found.p_value


def test_two_sided_sign_flip_of_darwin() -> None:
    """Darwin's maize: of 2¹⁵ sign flips of 15 pairs 1726 reach the sum; Fisher (1935), section 21."""
    differences = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    ones = [1] * 15
    found = paired_permutation_test(stats_of(differences, ones), stats_of([0] * 15, ones), ratio)
    assert 1726 / 2**15 == found.p_value


@pytest.mark.parametrize("n", [1, 2, 10, 16, 17, 300])
def test_identical_systems_have_p_one(n) -> None:
    """Enumerated or drawn, dense or types: no difference is no evidence (sacreBLEU 2.6 gives 1 / (B + 1))."""
    rng = np.random.default_rng(n)
    dense = stats_of(rng.integers(0, 9, n), rng.integers(1, 9, n))
    fractions = stats_of(rng.random(n), np.ones(n))
    types = TypeStats.of(rng.integers(0, n, 5 * n), rng.integers(0, 50, 5 * n), n_units=n)
    for stats in (dense, fractions, types):
        found = paired_permutation_test(stats, stats, ratio, n_resamples=200)
        assert (0.0, 1.0) == (found.difference, found.p_value)


def test_drawn_p_values_are_never_zero() -> None:
    """The largest difference that there could be has p = 1 / (B + 1) (Phipson and Smyth, 2010)."""
    a, b = stats_of([1] * 100, [1] * 100), stats_of([0] * 100, [1] * 100)
    found = paired_permutation_test(a, b, ratio, n_resamples=999)
    assert 1 / 1000 == found.p_value
    assert "paired permutation" == found.method


@given(st.lists(st.floats(0, 1), min_size=2, max_size=9), st.floats(1e-3, 1))
def test_ties_but_for_rounding_count_as_ties(values, more) -> None:
    """Where one unit alone differs, every swap has the same difference up to sign, and p is 1."""
    ones = np.ones(len(values))
    a, b = stats_of(values, ones), stats_of([values[0] + more, *values[1:]], ones)
    assert 1.0 == paired_permutation_test(a, b, ratio).p_value


def test_an_undefined_resample_counts_against_a_difference() -> None:
    """It can neither be left out, which would be anti-conservative, nor be called small."""
    assert 0.5 == permutation_p_value(1.0, np.array([0.0, np.nan]), exact=True)
    assert 2 / 3 == permutation_p_value(1.0, np.array([0.0, np.nan]), exact=False)


def test_both_directions_have_one_p_value() -> None:
    """A against B is B against A, the sign of the difference apart."""
    rng = np.random.default_rng(0)
    a, b = (stats_of(rng.integers(0, 9, 60), rng.integers(9, 12, 60)) for _ in range(2))
    there, back = paired_permutation_test(a, b, ratio), paired_permutation_test(b, a, ratio)
    assert there.p_value == back.p_value
    assert there.difference == -back.difference


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40),
    st.sampled_from([0.5, 0.9, 0.95, 0.999]),
    st.integers(0, 50),
)
def test_an_interval_holds_its_estimate(rows, level, n_resamples) -> None:
    """low ≤ estimate ≤ high, for dense rows however few or odd, or there is no interval."""
    stats = SegmentStats(np.array(rows), ("x", "n"))
    estimate = ratio(stats.totals())
    found = interval(stats, ratio, level=level, n_resamples=n_resamples, keys=keys_of(len(rows)))
    if found is not None:
        assert found.low <= estimate <= found.high
        assert level == found.level


@given(
    st.lists(st.lists(st.integers(0, 30), max_size=6), min_size=1, max_size=12),
    st.none() | st.integers(1, 4),
    st.sampled_from([0.5, 0.95]),
)
def test_types_have_jackknife_intervals(units, top, level) -> None:
    """Never a bootstrap, and the estimate is inside."""
    pairs = np.array([(unit, t) for unit, held in enumerate(units) for t in held], dtype=np.int64).reshape(
        -1, 2
    )
    stats = TypeStats.of(*pairs.T, n_units=len(units), top=top)
    found = interval(stats, ratio, level=level)
    if found is not None:
        assert "jackknife" == found.method
        assert found.low <= ratio(stats.totals()) <= found.high


def test_a_bootstrap_of_types_would_exclude_its_own_estimate() -> None:
    """Why Distinct is not bootstrapped: repeated dialogues add tokens and no types."""
    rng = np.random.default_rng(1)
    stats = TypeStats.of(np.repeat(np.arange(300), 12), rng.zipf(1.3, 3600), n_units=300)
    estimate = ratio(stats.totals())
    weights = poisson_weights(keys_of(300), 0, 500).T
    assert np.quantile(ratio(stats.totals(weights)), 0.975) < estimate
    found = interval(stats, ratio)
    assert found is not None
    assert found.low < estimate < found.high


def test_one_unit_has_no_interval() -> None:
    """Nothing varies with a single dialogue."""
    assert interval(stats_of([3], [4]), ratio) is None
    assert interval(TypeStats.of(np.zeros(3, int), np.arange(3), n_units=1), ratio) is None


def test_an_undefined_estimate_has_no_interval() -> None:
    """0 / 0 has no value, and no interval either."""
    assert interval(stats_of([0, 0, 0], [0, 0, 0]), ratio) is None


def test_many_undefined_resamples_leave_no_bootstrap_interval() -> None:
    """Up to 5 % of them are left out; beyond that a percentile would be one of something else."""
    scores = np.linspace(0, 1, 100)
    few, many = scores.copy(), scores.copy()
    few[:5], many[:6] = np.nan, np.nan
    assert percentile_interval(0.5, few, 0.95) is not None
    assert percentile_interval(0.5, many, 0.95) is None
    assert percentile_interval(0.5, np.full(10, np.nan), 0.95) is None


def test_a_jackknife_of_a_mean_is_the_t_interval() -> None:
    """For a mean the jackknife standard error is s / √n; SciPy's t interval is the authority."""
    from scipy import stats as scipy_stats

    x = np.array([3.1, 4.7, 2.2, 5.0, 4.1, 3.3])
    expected = scipy_stats.t.interval(0.9, 5, loc=x.mean(), scale=scipy_stats.sem(x))
    found = jackknife_interval(x.mean(), (x.sum() - x) / 5, 0.9)
    assert found is not None
    assert expected == pytest.approx((found.low, found.high), rel=1e-12)


def test_a_jackknife_interval_ends_at_the_bounds() -> None:
    """A share has no interval below 0 or above 100, and bounds never push out the estimate."""
    left_out = np.array([1.0, 5.0, 2.0])
    found = jackknife_interval(2.0, left_out, 0.95, bounds=(0.0, 3.0))
    assert found is not None
    assert (0.0, 3.0) == (found.low, found.high)
    assert jackknife_interval(2.0, np.array([1.0, np.nan]), 0.95) is None
    assert jackknife_interval(2.0, np.array([1.0]), 0.95) is None


@given(COUNTS)
def test_a_table_has_the_same_resamples_in_any_company(systems) -> None:
    """Other tables, of counts or of fractions, before it or after it, change no bit of a total."""
    rows = np.array(systems[0])
    assume(len(rows) > 1)
    ours = SegmentStats(rows, ("x", "n"))
    thirds = SegmentStats(rows / 3, ("x", "n"))
    large = SegmentStats(rows * 10**7, ("x", "n"))
    resampler = Resampler(keys_of(len(rows)))
    for stats in (ours, thirds, large):
        alone = resampler.bootstrap_totals([stats], 50)[0]
        for company in ([stats, thirds, large], [large, ours, stats], [ours, stats, stats]):
            found = resampler.bootstrap_totals(company, 50)
            assert np.array_equal(alone, found[company.index(stats)])


@pytest.mark.parametrize(("n", "count"), [(30_000, 901), (3_000, 100_003)])
def test_large_totals_are_exact(n, count) -> None:
    """Sums over many blocks, or within one, outgrow single precision, which holds whole numbers to 2²⁴."""
    keys = keys_of(n)
    totals = Resampler(keys).bootstrap_totals([SegmentStats(np.full((n, 1), count), ("x",))], 4)[0]
    expected = count * poisson_weights(keys, 0, 4).sum(axis=0, dtype=np.int64)
    assert expected.tolist() == totals[:, 0].tolist()


def test_units_in_another_order_have_the_same_resamples() -> None:
    """The keys carry the weights, so a shuffled file has the same intervals and p-values."""
    rng = np.random.default_rng(2)
    rows, keys, order = rng.integers(0, 9, (50, 2)), keys_of(50), rng.permutation(50)
    there, back = SegmentStats(rows, ("x", "n")), SegmentStats(rows[order], ("x", "n"))
    other = SegmentStats(rng.integers(0, 9, (50, 2)), ("x", "n"))
    assert interval(there, ratio, keys=keys) == interval(back, ratio, keys=keys[order])
    assert paired_permutation_test(there, other, ratio, keys=keys) == paired_permutation_test(
        back, other.subset(order), ratio, keys=keys[order]
    )


@pytest.mark.parametrize(("n", "n_swaps"), [(1, 2), (16, 65_536), (17, 500), (63, 500), (5000, 500)])
def test_swaps_are_enumerated_up_to_a_hundred_thousand(n, n_swaps) -> None:
    """2¹⁶ are taken one by one, each once; from 17 units on they are drawn."""
    resampler = Resampler(keys_of(n))
    assert n_swaps == resampler.n_swaps(500)
    kept = bits(resampler.swap_words(500), n_swaps)
    assert (n, n_swaps) == kept.shape
    if n <= 16:
        assert n_swaps == len(np.unique(kept, axis=1).T)


def test_minimum_detectable_difference() -> None:
    """z₀.₉₇₅ + z₀.₈ = 1.959964 + 0.841621 standard errors."""
    assert 2 * (1.959964 + 0.841621) == pytest.approx(minimum_detectable_difference(2.0, 0.95), abs=1e-5)
