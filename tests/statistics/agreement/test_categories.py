"""Fleiss, Gwet and Brennan–Prediger against published values, R's irrCAC and irr, and statsmodels."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as reference_kappa

from empeval.errors import InputError
from empeval.statistics.agreement.categories import brennan_prediger, fleiss_kappa, gwet_ac1, gwet_ac2
from empeval.statistics.agreement.chance import category_weights, prepared
from empeval.statistics.agreement.counts import ratings_from_counts
from empeval.statistics.agreement.fleiss import fleiss_kappa_by_category, fleiss_z_test
from empeval.statistics.design import Ratings
from empeval.statistics.resampling import jackknife_error

N = None
SCALE = [1, 2, 3, 4, 5]
#: Fleiss (1971), psychiatric diagnoses: 30 patients, 6 raters, 5 categories.
DIAGNOSES = [
    *([0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0], [2, 0, 4, 0, 0]),
    *([0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6], [1, 0, 0, 5, 0], [1, 1, 0, 4, 0]),
    *([0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1], [0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0]),
    *([0, 2, 0, 4, 0], [1, 0, 2, 0, 3], [0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0]),
    *([1, 0, 0, 4, 1], [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6]),
]
#: Gwet (2014), cac.raw4raters in irrCAC: 12 subjects, 4 raters, some missing.
GWET = [
    *([3, 0, 0, 0, 0], [0, 3, 1, 0, 0], [0, 0, 4, 0, 0], [0, 0, 4, 0, 0], [0, 4, 0, 0, 0], [1, 1, 1, 1, 0]),
    *([0, 0, 0, 4, 0], [3, 1, 0, 0, 0], [0, 4, 0, 0, 0], [0, 0, 0, 0, 3], [2, 0, 0, 0, 0], [0, 0, 1, 0, 0]),
]
EVERY = (fleiss_kappa, gwet_ac1, gwet_ac2, brennan_prediger)


def test_diagnoses_of_fleiss() -> None:
    """Fleiss (1971): .430, z 17.65, .245 .245 .520 .471 .566 by category; R irr, kappam.fleiss."""
    ratings = ratings_from_counts(DIAGNOSES)
    assert 0.4302445200601 == pytest.approx(fleiss_kappa(ratings).value, abs=1e-9)
    assert 17.651830582991 == pytest.approx(fleiss_z_test(ratings).z, abs=1e-9)
    found = fleiss_kappa_by_category(ratings, n_resamples=0)
    assert [1.0, 2.0, 3.0, 4.0, 5.0] == list(found)
    assert [0.245, 0.245, 0.52, 0.471, 0.566] == [
        pytest.approx(estimate.value, abs=5e-4) for estimate in found.values()
    ]


def test_free_marginal_kappa_of_the_diagnoses() -> None:
    """Randolph's kappa on Fleiss (1971): statsmodels, fleiss_kappa(method="randolph")."""
    found = brennan_prediger(ratings_from_counts(DIAGNOSES), categories=SCALE).value
    assert 0.4444444444444443 == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize(
    ("weights", "fleiss", "uniform", "gwet"),
    [
        ("unweighted", 0.76117, 0.77273, 0.77544),
        ("linear", 0.81794, 0.84848, 0.85874),
        ("quadratic", 0.86494, 0.90152, 0.914),
        ("ordinal", 0.85021, 0.88636, None),
    ],
)
def test_missing_ratings_of_gwet(weights, fleiss, uniform, gwet) -> None:
    """Gwet (2014), four raters with gaps, all weights: R irrCAC (2026-05), to five decimals."""
    ratings = ratings_from_counts(GWET)
    options = {"categories": SCALE, "n_resamples": 0}
    assert fleiss == pytest.approx(fleiss_kappa(ratings, weights, **options).value, abs=6e-6)
    assert uniform == pytest.approx(brennan_prediger(ratings, weights, **options).value, abs=6e-6)
    if gwet is not None:
        assert gwet == pytest.approx(gwet_ac2(ratings, weights, **options).value, abs=6e-6)
    if weights == "unweighted":
        assert gwet == pytest.approx(gwet_ac1(ratings, **options).value, abs=6e-6)


def test_ac1_depends_on_the_declared_scale() -> None:
    """Categories 1 and 3 seen, 1 to 5 declared: irrCAC 0.4.4 with and without categories."""
    table = [[3, 3, 3, 3, 3], [3, 3, 3, 3, N], [3, 3, N, 3, 3], [3, 3, N, 3, 3], [3, 3, 3, 1, 3]]
    ratings = Ratings.from_matrix(table)
    assert 0.91334 == pytest.approx(gwet_ac1(ratings).value, abs=1e-5)
    assert 0.91843 == pytest.approx(gwet_ac1(ratings, categories=SCALE).value, abs=1e-5)


@pytest.mark.parametrize(
    ("table", "pi", "ac1", "uniform"),
    [
        ([[40, 9], [6, 45]], 0.6992481203008, 0.7007481296758, 0.7),
        ([[80, 10], [5, 5]], 0.3142857142857, 0.808, 0.7),
        ([[118, 5], [2, 0]], -0.02880658436214, 0.9407763376087, 0.888),
        ([[13, 0, 0], [0, 20, 7], [0, 4, 56]], 0.7962396962119, 0.8493305482313, 0.835),
    ],
)
def test_two_raters(table, pi, ac1, uniform) -> None:
    """Feinstein and Cicchetti (1990) and Gwet (2008), paradoxes included: R irrCAC, two raters.

    Fleiss' kappa of two raters is Scott's pi.
    """
    cells = [(a, b) for a, row in enumerate(table) for b, n in enumerate(row) for _ in range(n)]
    ratings = Ratings.from_matrix(cells)
    found = [f(ratings, n_resamples=0).value for f in (fleiss_kappa, gwet_ac1, brennan_prediger)]
    assert [pi, ac1, uniform] == pytest.approx(found, abs=1e-9)


def test_raters_who_all_differ() -> None:
    """Three raters, three categories, never two alike: −1 / (r − 1)."""
    assert -0.5 == pytest.approx(fleiss_kappa(ratings_from_counts([[1, 1, 1], [1, 1, 1]])).value, abs=1e-12)


@given(
    st.integers(2, 4).flatmap(
        lambda r: st.lists(st.lists(st.integers(0, 2), min_size=r, max_size=r), min_size=1, max_size=9)
    )
)
@settings(max_examples=50, deadline=None)
def test_equals_statsmodels(table) -> None:
    """Complete tables: the fixed- and free-marginal kappa of statsmodels."""
    counts = [[row.count(k) for k in range(3)] for row in table]
    ratings = Ratings.from_matrix(table)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = float(reference_kappa(np.array(counts)))
    found = fleiss_kappa(ratings, categories=[0, 1, 2], n_resamples=0).value
    if found is None:
        assert not np.isfinite(expected)
    else:
        assert expected == pytest.approx(found, abs=1e-9)
    free = float(reference_kappa(np.array(counts), method="randolph"))
    found = brennan_prediger(ratings, categories=[0, 1, 2], n_resamples=0).value
    assert free == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize(
    ("table", "status"),
    [
        ([], "no_pairable_units"),
        ([[N, N]], "no_pairable_units"),
        ([[3], [4]], "no_pairable_units"),
        ([[3, 3], [3, 3]], "no_variation"),
    ],
)
@pytest.mark.parametrize("coefficient", EVERY)
def test_undefined(table, status, coefficient) -> None:
    """No pairs, or one category: no value and why (one category has no chance to agree beyond)."""
    found = coefficient(Ratings.from_matrix(table))
    assert (None, None, status) == (found.value, found.interval, found.status)
    assert status == fleiss_z_test(Ratings.from_matrix(table)).status


def test_constant_ratings_on_a_declared_scale() -> None:
    """Gwet's and the free-marginal coefficient are 1 where a scale is declared; Fleiss' stays undefined."""
    ratings = Ratings.from_matrix([[3, 3], [3, 3]])
    assert [None, 1.0, 1.0, 1.0] == [f(ratings, categories=SCALE).value for f in EVERY]


def test_measurements_are_no_categories() -> None:
    """Hundreds of distinct values give no coefficient for categories, and say so."""
    table = np.random.default_rng(1).uniform(size=(200, 2))
    for coefficient in EVERY:
        assert "too_many_categories" == coefficient(Ratings.from_matrix(table)).status


def test_unequal_raters_have_no_z() -> None:
    """Fleiss' test knows equal numbers of raters only."""
    found = fleiss_z_test(ratings_from_counts(GWET))
    assert (None, None, "incomplete") == (found.z, found.p_value, found.status)


def test_a_category_that_nobody_chose_has_no_kappa() -> None:
    """The others keep theirs."""
    found = fleiss_kappa_by_category(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]]), categories=[1, 2, 3])
    assert "no_variation" == found[3.0].status
    assert found[1.0].value == found[2.0].value == pytest.approx(1 / 3)


def test_weights_follow_the_values() -> None:
    """Values 1, 2 and 5 are no equal steps: 2 is a quarter of the way."""
    found = category_weights(np.array([1.0, 2.0, 5.0]), "linear")
    assert [1.0, 0.75, 0.0] == found[0].tolist()
    with pytest.raises(InputError, match="no weights 'cubic'"):
        category_weights(np.array([1.0, 2.0]), "cubic")  # type: ignore[arg-type]


def test_words_are_weighted_by_their_declared_places() -> None:
    """Good is two steps from bad when fair lies between, whatever the alphabet says."""
    words = ["bad", "good", "fair", "fair", "good", "fair"]
    ratings = Ratings.of(words, items=[1, 1, 2, 2, 3, 3], raters=[1, 2] * 3)
    found = gwet_ac2(ratings, categories=["bad", "fair", "good"])
    numbers = gwet_ac2(Ratings.from_matrix([[1, 3], [2, 2], [3, 2]]), categories=[1, 2, 3])
    assert numbers.value == found.value


@pytest.mark.parametrize("coefficient", EVERY)
def test_intervals_hold_the_value_and_follow_the_seed(coefficient) -> None:
    """Same seed, same interval, with the value inside; a standard error near R's for Gwet's data."""
    table = np.random.default_rng(3).integers(1, 4, (60, 3))
    first, second = (coefficient(Ratings.from_matrix(table), rng=np.random.default_rng(1)) for _ in range(2))
    assert first == second
    assert first.interval.low < first.value < first.interval.high


@pytest.mark.parametrize(
    ("table", "error"),
    [
        ([[40, 9], [6, 45]], 0.07135180335974),
        ([[80, 10], [5, 5]], 0.05212942023848),
        ([[118, 5], [2, 0]], 0.02296455124793),
    ],
)
def test_jackknife_errors_are_close_to_those_of_r(table, error) -> None:
    """R irrCAC's analytic standard errors of AC1 for two raters, within 2 %."""
    cells = [(a, b) for a, row in enumerate(table) for b, n in enumerate(row) for _ in range(n)]
    units, evaluate = prepared(Ratings.from_matrix(cells), "gwet_ac")
    assert error == pytest.approx(jackknife_error(units.leave_one_out(evaluate)), rel=0.02)
