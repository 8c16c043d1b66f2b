"""Krippendorff's alpha against published values, the krippendorff library, and its own definition."""

from __future__ import annotations

import time
import tracemalloc
import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.errors import InputError
from empeval.statistics.agreement import alpha as alpha_module
from empeval.statistics.agreement.alpha import krippendorff_alpha, prepared
from empeval.statistics.agreement.counts import ratings_from_counts
from empeval.statistics.design import Ratings
from empeval.statistics.resampling import percentile_interval

N = None
#: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability: 4 observers, 12 units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
UNITS = [list(unit) for unit in zip(*OBSERVERS, strict=True)]
PUBLISHED = {
    "nominal": 0.7434210526316,
    "ordinal": 0.8153875037549,
    "interval": 0.8491071428571,
    "ratio": 0.7974027747116,
}
LEVELS = tuple(PUBLISHED)

TABLES = st.integers(2, 5).flatmap(
    lambda n_raters: st.lists(
        st.lists(st.none() | st.integers(0, 4), min_size=n_raters, max_size=n_raters), min_size=1, max_size=9
    )
)


def value(table, measurement="ordinal", **options):
    """Alpha alone."""
    return krippendorff_alpha(Ratings.from_matrix(table), measurement, n_resamples=0, **options).value


def library(table, measurement):
    """What the krippendorff library gives, None where it gives NaN or refuses."""
    matrix = np.array(table, dtype=float).T
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = krippendorff.alpha(matrix, level_of_measurement=measurement)
        except ValueError:
            return None
    return None if np.isnan(found) else float(found)


@pytest.mark.parametrize("few_values", [64, 0])
@pytest.mark.parametrize("measurement", LEVELS)
def test_published_example(measurement, few_values, monkeypatch) -> None:
    """Krippendorff (2011) at four levels: R irr 0.84.1, kripp.alpha; by counts and by lists alike."""
    monkeypatch.setattr(alpha_module, "_FEW_VALUES", few_values)
    assert PUBLISHED[measurement] == pytest.approx(value(UNITS, measurement), abs=1e-9)


@pytest.mark.parametrize("measurement", LEVELS)
def test_unused_categories_and_empty_units_change_nothing(measurement) -> None:
    """Declared but unused categories, and units without ratings, leave alpha as it is."""
    padded = [*UNITS, [N] * 4, [N] * 4]
    assert PUBLISHED[measurement] == pytest.approx(
        value(padded, measurement, categories=[0, 1, 2, 3, 4, 5, 6]), abs=1e-9
    )


def test_ratio_takes_the_values_from_their_names() -> None:
    """Counts of values 1 to 5 on a ratio scale: .797, not .734, which values from 0 on would give."""
    counts = [
        *(
            [3, 0, 0, 0, 0],
            [0, 3, 1, 0, 0],
            [0, 0, 4, 0, 0],
            [0, 0, 4, 0, 0],
            [0, 4, 0, 0, 0],
            [1, 1, 1, 1, 0],
        ),
        *(
            [0, 0, 0, 4, 0],
            [3, 1, 0, 0, 0],
            [0, 4, 0, 0, 0],
            [0, 0, 0, 0, 3],
            [2, 0, 0, 0, 0],
            [0, 0, 1, 0, 0],
        ),
    ]
    found = krippendorff_alpha(ratings_from_counts(counts), "ratio", n_resamples=0).value
    assert 0.7974027747116 == pytest.approx(found, abs=1e-9)


def test_two_observers_with_two_values() -> None:
    """Krippendorff (2011), the binary example: 1 − 19 · 4 / 84."""
    table = [[0, 1], [1, 1], [0, 1], [0, 0], [0, 0], [0, 1], [0, 0], [0, 0], [1, 0], [0, 0]]
    assert 0.09523809523809523 == pytest.approx(value(table, "nominal"), abs=1e-12)


@pytest.mark.parametrize("measurement", ["nominal", "ordinal", "interval"])
def test_one_deviating_rating_gives_exactly_zero(measurement) -> None:
    """One deviating value among 22 is what chance alone would give."""
    table = [[3, 3, 3, 3, 3], [3, 3, 3, 3, N], [3, 3, N, 3, 3], [3, 3, N, 3, 3], [3, 3, 3, 1, 3]]
    assert 0.0 == pytest.approx(value(table, measurement), abs=1e-12)


def test_continuous_values() -> None:
    """Five units, two raters, interval: the coincidence matrix and the moments give .96155."""
    table = [[1.25, 1.5], [2.5, 2.25], [3.75, 3.5], [4.0, 4.5], [2.2, 2.0]]
    assert 0.9615513654968798 == pytest.approx(value(table, "interval"), abs=1e-9)


@given(TABLES, st.sampled_from(LEVELS), st.booleans())
@settings(max_examples=50, deadline=None)
def test_equals_the_library(table, measurement, few) -> None:
    """The krippendorff library to 1e-9, and None exactly where it has no value; both ways of counting."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alpha_module, "_FEW_VALUES", 64 if few else 0)
        found = value(table, measurement)
    expected = library(table, measurement)
    assert (expected is None) == (found is None)
    if expected is not None:
        assert expected == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("measurement", LEVELS)
@pytest.mark.parametrize("draw", ["uniform", "near", "wide", "zeros"])
def test_many_values_equal_the_library(measurement, draw) -> None:
    """Close, widely spread and partly zero continuous values with gaps, to 1e-9."""
    rng = np.random.default_rng(7)
    made = {
        "uniform": rng.uniform(0, 100, (40, 3)),
        "near": 1000 + rng.normal(0, 0.1, (40, 3)),
        "wide": np.exp(rng.normal(0, 5, (40, 3))),
        "zeros": rng.uniform(0, 9, (40, 3)) * (rng.random((40, 3)) < 0.7),
    }[draw]
    made[rng.random(made.shape) < 0.2] = np.nan
    assert library(made, measurement) == pytest.approx(value(made, measurement), abs=1e-9)


@given(TABLES, st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_nothing_depends_on_order(table, random) -> None:
    """Shuffled raters and units give the same value and the same interval."""
    shuffled = [list(row) for row in table]
    random.shuffle(shuffled)
    order = list(range(len(table[0])))
    random.shuffle(order)
    shuffled = [[row[i] for i in order] for row in shuffled]
    found = [krippendorff_alpha(Ratings.from_matrix(t), n_resamples=50) for t in (table, shuffled)]
    assert found[0].status == found[1].status
    if found[0].value is not None:
        assert found[0].value == pytest.approx(found[1].value, abs=1e-12)
        assert (found[0].interval is None) == (found[1].interval is None)
    if found[0].interval is not None:
        assert found[0].interval.low == pytest.approx(found[1].interval.low, abs=1e-9)
        assert found[0].interval.high == pytest.approx(found[1].interval.high, abs=1e-9)


@pytest.mark.parametrize(
    ("table", "status"),
    [
        ([], "no_pairable_units"),
        ([[N, N], [N, N]], "no_pairable_units"),
        ([[3], [4], [3]], "no_pairable_units"),
        ([[3, N], [N, 4]], "no_pairable_units"),
        ([[3, 3], [3, 3]], "no_variation"),
        ([[3, 3], [3, 3], [1, N]], "no_variation"),
    ],
)
@pytest.mark.parametrize("measurement", LEVELS)
@pytest.mark.parametrize("few_values", [64, 0])
def test_undefined(table, status, measurement, few_values, monkeypatch) -> None:
    """No pairs, or no variation in pairable units: no value, no interval, and why."""
    monkeypatch.setattr(alpha_module, "_FEW_VALUES", few_values)
    found = krippendorff_alpha(Ratings.from_matrix(table), measurement)
    assert (None, None, status) == (found.value, found.interval, found.status)


def test_one_unit_has_a_value_without_an_interval() -> None:
    """One unit is a sample of one."""
    found = krippendorff_alpha(Ratings.from_matrix([[1, 2, 2]]), "nominal")
    assert found.value is not None
    assert (None, "too_few_units") == (found.interval, found.interval_status)


def test_words_need_an_order() -> None:
    """Words are nominal; ordinal words are declared in their order, which reversal does not change."""
    words = ["bad", "good", "good", "fair", "bad", "fair"]
    ratings = Ratings.of(words, items=[1, 1, 2, 2, 3, 3], raters=[1, 2] * 3)
    numbers = [[1, 3], [3, 2], [1, 2]]
    scale = ["bad", "fair", "good"]
    assert value(numbers, "nominal") == pytest.approx(krippendorff_alpha(ratings, "nominal").value)
    for order in (scale, scale[::-1]):
        found = krippendorff_alpha(ratings, "ordinal", categories=order)
        assert value(numbers, "ordinal") == pytest.approx(found.value)
    with pytest.raises(InputError, match="words have no order"):
        krippendorff_alpha(ratings, "ordinal")
    with pytest.raises(InputError, match="words have no distances"):
        krippendorff_alpha(ratings, "interval", categories=scale)
    with pytest.raises(InputError, match="'good' is none of the declared categories"):
        krippendorff_alpha(ratings, "nominal", categories=scale[:2])


def test_values_that_do_not_fit() -> None:
    """An undeclared value, a category declared twice, an unknown level and a negative ratio are told."""
    with pytest.raises(InputError, match=r"the rating 7 is none of the declared categories \(1, 2, 3\)"):
        value([[1, 7]], categories=[1, 2, 3])
    with pytest.raises(InputError, match="declared twice"):
        value([[1, 2]], categories=[1, 2, 2])
    with pytest.raises(InputError, match="no level of measurement"):
        value([[1, 2]], "cardinal")
    with pytest.raises(InputError, match="no values below 0"):
        value([[1, -2]], "ratio")


def test_declared_numbers_may_come_in_any_order() -> None:
    """Numbers are ordered by size, whatever the order of the declaration."""
    assert PUBLISHED["ordinal"] == pytest.approx(value(UNITS, categories=[5, 3, 1, 4, 2]), abs=1e-9)


def test_the_first_pass_counts() -> None:
    """A rater's second look at a unit is no second rater."""
    ratings = Ratings.of(
        [1, 2, 1, 2, 2], items=[1, 2, 1, 2, 1], raters=["r", "r", "s", "s", "r"], passes=[1, 1, 1, 1, 2]
    )
    assert 1.0 == krippendorff_alpha(ratings, "nominal").value


def test_bootstrap_of_units_on_the_published_example() -> None:
    """20,000 resampled sets of 11 units, percentile: .445 to 1.0 by an independent loop (± .02)."""
    units, evaluate = prepared(Ratings.from_matrix(UNITS))
    resampled = units.bootstrap(evaluate, 20_000, np.random.default_rng(5))
    found = percentile_interval(PUBLISHED["ordinal"], resampled, 0.95)
    assert found is not None
    assert (0.4448, 1.0) == (pytest.approx(found.low, abs=0.02), pytest.approx(found.high, abs=0.02))


@pytest.mark.parametrize("few_values", [64, 0])
@pytest.mark.parametrize("measurement", LEVELS)
def test_bootstrap_equals_the_library_on_resampled_units(measurement, few_values, monkeypatch) -> None:
    """Weights of distinct rows stand for repeated units: the library on the repeated units agrees."""
    monkeypatch.setattr(alpha_module, "_FEW_VALUES", few_values)
    units, evaluate = prepared(Ratings.from_matrix(UNITS), measurement)
    values = np.unique([v for unit in UNITS for v in unit if v is not None])
    drawn = np.random.default_rng(1).multinomial(11, units.times / 11, size=20)
    for weights, found in zip(drawn, evaluate(drawn.astype(float)), strict=True):
        repeated = np.repeat(units.rows, weights, axis=0)
        if few_values:
            lists = [np.repeat(values, row.astype(int)) for row in repeated]
        else:
            lists = [values[row[row >= 0].astype(int)] for row in repeated]
        table = [[*row, *[np.nan] * (4 - len(row))] for row in lists]
        expected = library(table, measurement)
        assert (np.nan if expected is None else expected) == pytest.approx(found, abs=1e-9, nan_ok=True)


def test_below_30_units_jackknife_from_there_on_bootstrap() -> None:
    """The method of the interval follows the number of pairable units, single ratings not counted."""
    rng = np.random.default_rng(2)
    table = rng.integers(1, 6, (30, 3)).astype(float)
    methods = []
    for n_pairable in (29, 30):
        found = table.copy()
        found[n_pairable:, 1:] = np.nan
        interval = krippendorff_alpha(Ratings.from_matrix(found)).interval
        methods.append(interval.method)
    assert ["jackknife", "bootstrap"] == methods


def test_units_of_one_dialogue_are_drawn_together() -> None:
    """Dialogues whose units repeat each other: the interval is that of the dialogues, not of the units."""
    rng = np.random.default_rng(4)
    truth = rng.integers(1, 6, 40)
    once = np.clip(truth[:, None] + rng.integers(-1, 2, (40, 3)), 1, 5).astype(float)
    four = np.repeat(once, 4, axis=0)
    unit, rater = np.indices(four.shape)

    def of(dialogues):
        return Ratings.of(
            four.ravel().tolist(),
            items=unit.ravel().tolist(),
            raters=rater.ravel().tolist(),
            dialogues=dialogues.ravel().tolist(),
        )

    apart, together = (krippendorff_alpha(of(d)).interval for d in (unit, unit // 4))
    alone = krippendorff_alpha(Ratings.from_matrix(once)).interval
    width = [found.high - found.low for found in (apart, together, alone)]
    assert 1.6 < width[1] / width[0] < 2.4
    assert 1.0 == pytest.approx(width[1] / width[2], abs=0.15)


@pytest.mark.parametrize("measurement", LEVELS)
def test_continuous_values_take_little_memory(measurement) -> None:
    """20,000 distinct values need no table of all pairs of values, which would be 3.2 GB."""
    table = np.random.default_rng(3).uniform(1, 9, (10_000, 2))
    tracemalloc.start()
    began = time.perf_counter()
    found = krippendorff_alpha(Ratings.from_matrix(table), measurement, n_resamples=10)
    seconds = time.perf_counter() - began
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert abs(found.value) < 0.05
    assert peak < 200e6
    assert seconds < 10
