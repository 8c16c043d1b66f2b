"""Cumulative-link mixed models against R's ordinal, statsmodels, direct integration and simulated truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.statistics.design import Ratings
from empeval.statistics.mixed._cumulative import Cumulative
from empeval.statistics.mixed.ordinal import cumulative_link_mixed_model
from empeval.statistics.mixed.rating_odds import rating_odds

# Randall (1989): bitterness of wines by 9 judges (rows), as in the R package ordinal
WINE = "23344455 12132354 23325544 32323253 23433333 32322454 11222323 22233334 12323244"
RATINGS = [int(digit) for row in WINE.split() for digit in row]
JUDGES = np.repeat(np.arange(9), 8)
FIXED = {"temp": [0, 0, 0, 0, 1, 1, 1, 1] * 9, "contact": [0, 0, 1, 1, 0, 0, 1, 1] * 9}


def test_wine_by_laplace() -> None:
    """Estimates of clmm (ordinal 2022.11-16), standard errors of Christensen's tutorial on clmm2."""
    found = cumulative_link_mixed_model(RATINGS, FIXED, JUDGES, n_nodes=1)
    assert [3.062996625844, 1.834884922284] == pytest.approx([e.value for e in found.effects], abs=1e-4)
    assert 1.131132578107 == pytest.approx(found.sd, abs=1e-4)
    assert -81.565409292127 == pytest.approx(found.log_likelihood, abs=1e-4)
    thresholds = [-1.623666924069, 1.513365182919, 4.228526688495, 6.088772558481]
    assert thresholds == pytest.approx([e.value for e in found.thresholds], abs=2e-4)
    assert [0.5954, 0.5125] == pytest.approx([e.standard_error for e in found.effects], abs=2e-4)
    assert ["1|2", "2|3", "3|4", "4|5"] == [e.name for e in found.thresholds]


def test_wine_by_quadrature() -> None:
    """Estimates of clmm with nAGQ = 10."""
    found = cumulative_link_mixed_model(RATINGS, FIXED, JUDGES, n_nodes=10)
    assert [3.061890993469, 1.833433365394] == pytest.approx([e.value for e in found.effects], abs=1e-4)
    assert 1.134783298397 == pytest.approx(found.sd, abs=1e-4)
    assert -81.532460711692 == pytest.approx(found.log_likelihood, abs=1e-4)


def test_the_likelihood_is_the_integral() -> None:
    """Twenty nodes give what scipy's integration over the random intercept gives, group by group."""
    from scipy import integrate

    rng = np.random.default_rng(5)
    category, x, group = rng.integers(0, 3, 24), rng.normal(size=24), np.repeat(np.arange(4), 6)
    cuts, beta, sigma = np.array([-0.4, 1.1]), 0.7, 1.6
    data = Cumulative.of(category, x[:, None], group, 20)
    found = data.log_likelihood(np.array([[*cuts, beta, sigma]]))[0]

    def density(u: float, rows: np.ndarray) -> float:
        edges = np.concatenate([[-np.inf], cuts, [np.inf]])
        at = edges[:, None] - beta * x[rows] - sigma * u
        cdf = 1.0 / (1.0 + np.exp(-np.clip(at, -500, 500)))
        chances = cdf[category[rows] + 1, range(len(rows))] - cdf[category[rows], range(len(rows))]
        return float(np.prod(chances) * np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi))

    expected = sum(
        np.log(integrate.quad(density, -10, 10, args=(np.flatnonzero(group == g),))[0]) for g in range(4)
    )
    assert expected == pytest.approx(found, abs=1e-5)


def test_without_differences_between_groups_it_is_the_fixed_model() -> None:
    """Groups of equal content: σ = 0, told in the note, and estimates of statsmodels' OrderedModel."""
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    x, y = [0, 0, 0, 0, 1, 1, 1, 1], [1, 1, 2, 3, 1, 2, 3, 3]
    found = cumulative_link_mixed_model(y * 5, {"x": x * 5}, np.repeat(np.arange(5), 8))
    peer = OrderedModel(np.array(y * 5), np.array(x * 5, dtype=float)[:, None], distr="logit").fit(
        method="bfgs", disp=False
    )
    assert 0.0 == found.sd
    assert "estimated as 0" in found.note
    assert peer.params[0] == pytest.approx(found.effects[0].value, abs=1e-3)
    assert peer.bse[0] == pytest.approx(found.effects[0].standard_error, abs=1e-3)
    assert peer.llf == pytest.approx(found.log_likelihood, abs=1e-5)


def test_recovers_what_was_simulated() -> None:
    """250 items × 2 systems × 4 answers (fixed seed; within four standard errors)."""
    rng = np.random.default_rng(3)
    items, systems = np.repeat(np.arange(250), 8), np.tile([0, 1], 1000)
    latent = 1.2 * rng.normal(size=250)[items] + 0.8 * systems + rng.logistic(size=2000)
    found = cumulative_link_mixed_model(np.digitize(latent, [-1, 0.5, 2]), {"x": systems}, items)
    effect = found.effects[0]
    assert 0.8 == pytest.approx(effect.value, abs=4 * effect.standard_error)
    assert 1.2 == pytest.approx(found.sd, abs=0.3)
    assert [-1, 0.5, 2] == pytest.approx([cut.value for cut in found.thresholds], abs=0.5)


@pytest.mark.parametrize(
    ("values", "x", "groups", "status"),
    [
        ([2] * 6, [0, 1] * 3, [0, 0, 1, 1, 2, 2], "no_variation"),
        ([1, 2] * 3, [0, 1] * 3, [0, 0, 1, 1, 2, 2], "separated"),
        ([1, 2, 3, 3, 2, 3, 1, 3], [0, 0, 0, 1] * 2, [0, 0, 0, 0, 1, 1, 1, 1], "separated"),
        ([1, 1, 2, 2, 1, 1, 2, 2], [0, 1] * 4, [0, 0, 1, 1, 2, 2, 3, 3], "separated"),
        ([1, 2, 1, 2], [0, 1, 1, 0], [0, 0, 0, 0], "too_few_units"),
        (list(range(30)), [0, 1] * 15, [0, 1, 2] * 10, "too_many_categories"),
        ([], [], [], "no_judgments"),
    ],
    ids=["equal", "by effect", "one category by effect", "by groups", "one group", "continuous", "empty"],
)
def test_degenerate_data(values, x, groups, status) -> None:
    """No estimate and a status, no exception and no warning."""
    found = cumulative_link_mixed_model(values, {"x": x}, groups)
    assert (status, (), None) == (found.status, found.effects, found.log_likelihood)
    assert None is found.contrast({"x": 1}).value


@settings(max_examples=10)
@given(st.permutations(range(72)))
def test_order_and_names_do_not_matter(order) -> None:
    """Shuffled rows, renamed judges and stretched numbers give the same fit."""
    found = cumulative_link_mixed_model(
        [10 * RATINGS[i] ** 2 for i in order],
        {name: [column[i] for i in order] for name, column in FIXED.items()},
        [f"j{5 * JUDGES[i] % 9}" for i in order],
        n_nodes=1,
    )
    assert [3.0630, 1.8349] == pytest.approx([e.value for e in found.effects], abs=1e-3)


def test_swapped_systems_swap_the_odds() -> None:
    """The ratio of (x, y) is one over that of (y, x), whichever is the reference; raters are spoken of."""
    rng = np.random.default_rng(1)
    items, values = [i for i in range(30) for _ in range(4)], rng.integers(1, 6, 120).tolist()
    found = [
        rating_odds(Ratings.of(values, items=items, raters=[0, 0, 1, 1] * 30, systems=names * 60)).ratios[0]
        for names in (["x", "y"], ["y", "x"])
    ]
    assert 1.0 == pytest.approx(found[0].ratio * found[1].ratio, abs=1e-4)
    assert 1.0 == pytest.approx(found[0].interval.low * found[1].interval.high, abs=1e-3)
    note = rating_odds(
        Ratings.of(values, items=items, raters=[0, 0, 1, 1] * 30, systems=["x", "y"] * 60)
    ).note
    assert "Raters have no random effect here" in note


def test_one_system_has_no_odds_ratio() -> None:
    """A single system: a status."""
    found = rating_odds(Ratings.of([1, 2, 3], items=[0, 1, 2], raters=[0, 0, 0]))
    assert ("too_few_systems", ()) == (found.status, found.ratios)
