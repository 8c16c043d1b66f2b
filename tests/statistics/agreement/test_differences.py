"""Differences of agreements on the same units."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from empeval.statistics.agreement import alpha, chance, conger, icc, kendall, pairs, percent
from empeval.statistics.agreement.differences import agreement_difference, paired
from empeval.statistics.design import Ratings


def rated(seed, n=80, noise=1.0, n_raters=3):
    """Ratings 1 to 5 around truths that are the same for every seed of a size."""
    truth = np.random.default_rng(n).normal(3, 1, (n, 1))
    drawn = truth + np.random.default_rng(seed).normal(0, noise, (n, n_raters))
    return np.clip(np.round(drawn), 1, 5)


def test_a_rating_set_never_differs_from_itself() -> None:
    """The same ratings twice: a difference of 0, with an interval of no width."""
    ratings = Ratings.from_matrix(rated(1))
    found = agreement_difference(ratings, ratings, alpha.prepared)
    assert (0.0, 0.0, 0.0) == (found.value, found.interval.low, found.interval.high)


def test_swapping_the_two_changes_the_sign() -> None:
    """First minus second."""
    first, second = Ratings.from_matrix(rated(1, noise=0.5)), Ratings.from_matrix(rated(2))
    one = agreement_difference(first, second, alpha.prepared)
    other = agreement_difference(second, first, alpha.prepared)
    assert one.value == pytest.approx(-other.value)
    assert one.value == pytest.approx(
        alpha.krippendorff_alpha(first).value - alpha.krippendorff_alpha(second).value
    )
    assert one.interval.low == pytest.approx(-other.interval.high, abs=0.03)
    assert one.interval.low > 0


def test_resamples_are_those_of_both() -> None:
    """Weights of joint units are, for each side, the weights of the same drawn units."""
    a, b = rated(1), rated(2)
    a[::7, 1:] = np.nan  # units that only the second side can use
    first, second = (chance.prepared(Ratings.from_matrix(table), "gwet_ac") for table in (a, b))
    units, evaluate = paired(first, second)
    drawn = np.random.default_rng(1).integers(0, 80, 80)
    times = np.bincount(units.kinds[drawn], minlength=len(units.times)).astype(float)
    expected = [
        chance.prepared(Ratings.from_matrix(table[drawn]), "gwet_ac", categories=[1, 2, 3, 4, 5])
        for table in (a, b)
    ]
    expected = [evaluated(known.weights[None, :])[0] for known, evaluated in expected]
    found = evaluate((times @ units.profiles)[None, :])[0]
    assert expected[0] - expected[1] == pytest.approx(found)


def test_two_coefficients_of_the_same_ratings() -> None:
    """Their difference is known better than either, as both follow the same units."""
    ratings = Ratings.from_matrix(rated(3))
    kappa = partial(chance.prepared, coefficient="fleiss_kappa")
    gwet = partial(chance.prepared, coefficient="gwet_ac")
    found = agreement_difference(ratings, ratings, gwet, kappa)
    alone = agreement_width(ratings, kappa)
    assert found.interval.high - found.interval.low < alone / 2


def agreement_width(ratings, prepare):
    """The width of one coefficient's interval."""
    units, evaluate = prepare(ratings)
    low, high = np.quantile(units.bootstrap(evaluate, 1000, np.random.default_rng(0)), [0.025, 0.975])
    return high - low


def test_only_common_units_count_and_the_rest_is_told() -> None:
    """Units of one side alone are left out, whatever their numbers in the tables."""
    a, b = rated(1, n=50), rated(2, n=50)

    def of(table, units):
        rows = [(u, r) for u in units for r in range(3)]
        return Ratings.of(
            [table[u, r] for u, r in rows], items=[f"i{u:02}" for u, _ in rows], raters=[r for _, r in rows]
        )

    found = agreement_difference(of(a, range(40)), of(b, range(5, 50)), alpha.prepared)
    same = agreement_difference(of(a, range(5, 40)), of(b, range(5, 40)), alpha.prepared)
    assert (same.value, same.interval) == (found.value, found.interval)
    assert "15 units that only one side has were left out." == found.note


def test_dialogues_are_drawn_whole() -> None:
    """Units that repeat each other within a dialogue do not narrow the interval."""
    a, b = (np.repeat(rated(seed, n=40), 4, axis=0) for seed in (1, 2))
    unit, rater = (at.ravel().tolist() for at in np.indices(a.shape))

    def of(table, dialogues):
        return Ratings.of(table.ravel().tolist(), items=unit, raters=rater, dialogues=dialogues)

    widths = []
    for dialogues in (unit, [u // 4 for u in unit]):
        found = agreement_difference(of(a, dialogues), of(b, dialogues), alpha.prepared).interval
        widths.append(found.high - found.low)
    assert 1.6 < widths[1] / widths[0] < 2.4


def test_few_units_take_the_jackknife() -> None:
    """Below 30 dialogues, as for one coefficient."""
    found = agreement_difference(
        *(Ratings.from_matrix(rated(seed, n=20)) for seed in (1, 2)), percent.prepared
    )
    assert "jackknife" == found.interval.method
    assert found.interval.low < found.value < found.interval.high


@pytest.mark.parametrize(
    ("table", "status"),
    [
        ([[1, None], [2, None]], "no_pairable_units"),
        ([[3, 3], [3, 3]], "no_variation"),
        ([], "no_pairable_units"),
    ],
)
def test_undefined(table, status) -> None:
    """Where one side is undefined, so is the difference; no common unit at all included."""
    found = agreement_difference(
        Ratings.from_matrix([[1, 2], [2, 2]]), Ratings.from_matrix(table), alpha.prepared
    )
    assert (None, None, status) == (found.value, found.interval, found.status)


@pytest.mark.parametrize(
    "prepare",
    [
        partial(pairs.prepared, name="cohen_kappa"),
        partial(icc.prepared, form="icc_2_1"),
        conger.prepared,
        kendall.prepared,
    ],
)
def test_coefficients_that_know_their_raters(prepare) -> None:
    """Drawn with the same units as alpha, theirs less alpha is known better than if drawn apart."""
    table = rated(1)
    table[::9, 2] = np.nan
    ratings = Ratings.from_matrix(table)
    found = agreement_difference(ratings, ratings, prepare, alpha.prepared)
    units, evaluate = prepare(ratings)
    expected = evaluate(units.weights[None, :])[0] - alpha.krippendorff_alpha(ratings).value
    assert expected == pytest.approx(found.value)
    apart = np.hypot(agreement_width(ratings, prepare), agreement_width(ratings, alpha.prepared))
    assert found.interval.high - found.interval.low < 0.9 * apart
