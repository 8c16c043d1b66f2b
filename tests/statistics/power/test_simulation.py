"""Simulated power against formulas, and what must hold for any design."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.statistics.means import two_way_mean
from empeval.statistics.power.analyses import each
from empeval.statistics.power.components import Components, PreferenceComponents
from empeval.statistics.power.exact import paired_t_power, sign_test_power
from empeval.statistics.power.plans import Cost, affordable, plan, power_table
from empeval.statistics.power.simulation import (
    Size,
    minimum_detectable_effect,
    sample_size,
    simulate_power,
)

#: differences of one rater with a standard deviation of 1
PLAIN = Components(residual=0.5**0.5)


def test_simulation_gives_the_power_of_the_paired_t_test() -> None:
    """d = .5, 34 items, 4,000 simulations: .8078 within Monte-Carlo error (R: .8115 with seed 1)."""
    found = simulate_power(PLAIN, n_items=34, n_raters=1, effect=0.5, n_simulations=4000)
    assert 0.8078 == pytest.approx(found.power, abs=0.02)
    assert found.interval.low < 0.8078 < found.interval.high
    assert "random items" == found.method


def test_two_way_power_is_that_of_its_mean_squares() -> None:
    """Independent route: mean squares of the crossed design drawn from their chi-squared distributions."""
    from scipy import stats

    n_items, n_raters, effect, n = 40, 5, 0.4, 20_000
    parts = Components(item_system=0.3, rater_system=0.15, residual=0.7)
    rng = np.random.default_rng(11)
    rest = 2 * parts.residual**2
    by_item, by_rater = (rest + k * 2 * sd**2 for k, sd in ((n_raters, 0.3), (n_items, 0.15)))
    df_item, df_rater = n_items - 1, n_raters - 1
    ms_item = by_item * rng.chisquare(df_item, n) / df_item
    ms_rater = by_rater * rng.chisquare(df_rater, n) / df_rater
    ms_rest = rest * rng.chisquare(df_item * df_rater, n) / (df_item * df_rater)
    cells = n_items * n_raters
    mean = rng.normal(effect, np.sqrt((by_item + by_rater - rest) / cells), n)
    squared = np.maximum(np.maximum(ms_item + ms_rater - ms_rest, ms_item), ms_rater) / cells
    df = np.where(ms_rater >= ms_rest, df_rater, df_item)
    expected = (2 * stats.t.sf(np.abs(mean) / np.sqrt(squared), df) <= 0.05).mean()
    found = simulate_power(
        parts,
        n_items=n_items,
        n_raters=n_raters,
        effect=effect,
        n_simulations=4000,
        rng=np.random.default_rng(5),
    )
    assert expected == pytest.approx(found.power, abs=0.025)


def test_preferences_of_one_rater_have_the_power_of_the_sign_test() -> None:
    """Without ties and leanings a judgment is a coin; the t test of its mean comes close to the sign test."""
    parts = PreferenceComponents()
    found = simulate_power(parts, n_items=100, n_raters=1, effect=0.3, n_simulations=4000)
    assert sign_test_power(100, 0.65, alpha=0.06).power == pytest.approx(found.power, abs=0.04)
    assert 0.3 == pytest.approx(found.mean, abs=0.01)


@pytest.mark.parametrize(
    "parts", [PreferenceComponents(item=1.0, rater=0.5, ties=0.3), PreferenceComponents(ties=0.1)]
)
def test_judgments_are_drawn_as_stated(parts: PreferenceComponents) -> None:
    """Net preference and, of systems alike, the share of ties."""
    raters = Size(50, 8).raters(np.random.default_rng(0))
    draw = parts.draw(raters, 400, np.random.default_rng(2))
    assert parts.ties == pytest.approx((draw(0.0) == 0).mean(), abs=0.02)
    assert 0.25 == pytest.approx(draw(0.25).mean(), abs=0.03)
    assert {-1.0, 0.0, 1.0} == set(np.unique(draw(0.25)))


@pytest.mark.parametrize(
    ("parts", "items_per_rater", "most"),
    [
        (Components(item_system=0.5, rater_system=0.3, residual=0.8), None, 0.06),
        (Components(item=0.5, rater=0.5, item_system=0.5, rater_system=0.3, scale=(1, 5)), None, 0.06),
        (Components(item_system=0.5, rater_system=0.3, residual=0.8), 20, 0.075),
        (PreferenceComponents(item=1.0, rater=0.5, ties=0.2), None, 0.07),
    ],
    ids=["ratings", "rounded ratings", "crowd", "preferences"],
)
def test_nothing_is_found_where_nothing_is(parts, items_per_rater, most) -> None:
    """The power for no effect is the type-I error, at its level (1,000 simulations, fixed seed)."""
    found = simulate_power(parts, n_items=60, n_raters=5, effect=0.0, items_per_rater=items_per_rater)
    assert found.power <= most


def test_rounded_ratings_keep_to_the_scale() -> None:
    """Whole differences between 1 − 5 and 5 − 1, and smaller on average than the effect near the end."""
    parts = Components(item=0.5, residual=0.8, scale=(1, 5), mean=4.8)
    values = parts.draw(Size(30, 4).raters(np.random.default_rng(0)), 50, np.random.default_rng(1))(1.0)
    assert set(np.unique(values)) <= set(range(-4, 5))
    assert 0.3 < values.mean() < 0.9


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_power_grows_with_effect_and_seeds_decide(seed: int) -> None:
    """On the same random studies a larger effect is found more often; the same seed gives the same power."""
    parts = Components(item_system=0.3, rater_system=0.1, residual=0.7)

    def power(effect: float) -> float:
        rng = np.random.default_rng(seed)
        return simulate_power(parts, n_items=30, n_raters=4, effect=effect, n_simulations=200, rng=rng).power

    found = [power(effect) for effect in (0.2, 0.4, 0.8)]
    assert sorted(found) == found
    assert power(0.4) == found[1]


def test_detectable_effect_and_sample_size_meet_the_formula() -> None:
    """Paired t test: d = .4939 with 34 pairs, 33.4 pairs for d = .5 (pwr), within Monte-Carlo error."""
    found = minimum_detectable_effect(PLAIN, n_items=34, n_raters=1, n_simulations=4000)
    assert 0.8 == pytest.approx(paired_t_power(found.value, 34).value, abs=0.02)
    size = sample_size(PLAIN, n_raters=1, effect=0.5, n_simulations=4000)
    assert 33.4 == pytest.approx(size.value, abs=2)


def test_another_analysis_can_be_simulated() -> None:
    """An analysis of one study, such as a stricter level's, is run on every simulated study."""
    given_one = each(lambda values, _: two_way_mean(values))
    settings_ = {"n_items": 20, "n_raters": 4, "effect": 0.5, "n_simulations": 200}
    found = simulate_power(PLAIN, analysis=given_one, **settings_)
    assert simulate_power(PLAIN, **settings_).power == found.power
    assert "given analysis" == found.method


def test_out_of_reach() -> None:
    """Raters who disagree about the systems set a limit that items do not lift."""
    parts = Components(rater_system=0.8, residual=0.5)
    found = sample_size(parts, n_raters=3, effect=0.3, n_simulations=100)
    assert (None, "out_of_reach") == (found.value, found.status)
    found = minimum_detectable_effect(PLAIN, n_items=1, n_raters=3, n_simulations=50)
    assert (None, "out_of_reach") == (found.value, found.status)


def test_degenerate_components() -> None:
    """No variation at all: nothing has a p-value, which is counted, and no warning is given."""
    found = simulate_power(Components(residual=0.0), n_items=10, n_raters=3, effect=1.0, n_simulations=20)
    assert (0.0, 20) == (found.power, found.n_undefined)
    found = minimum_detectable_effect(Components(residual=0.0), n_items=10, n_raters=3, n_simulations=20)
    assert "out_of_reach" == found.status


def test_costs() -> None:
    """Answers are items × raters × systems for ratings, × pairs for judgments, within the budget."""
    sizes = [Size(50, 3), Size(100, 5, 20)]
    rows = power_table(PLAIN, sizes, effect=0.3, cost=Cost(0.2), n_systems=3, n_simulations=50)
    assert [(450, 90.0), (1500, 300.0)] == [(row.n_answers, row.cost) for row in rows]
    judged = power_table(PreferenceComponents(), sizes, effect=0.3, n_systems=3, n_simulations=50)
    assert [(450, None), (1500, None)] == [(row.n_answers, row.cost) for row in judged]
    assert [50, 30, 15] == [s.n_items for s in affordable(PLAIN, [3, 5, 10], budget=30, cost=Cost(0.1))]
    assert [] == affordable(PLAIN, [3], budget=0.5, cost=Cost(0.1))
    assert 0.1 == pytest.approx(Cost.of_time(minutes=0.5, pay_per_hour=12).per_answer)


def test_a_plan_trades_items_for_raters() -> None:
    """At one cost, where raters differ in what they think of systems, more of them beat more items."""
    parts = Components(item_system=0.2, rater_system=0.4, residual=0.7)
    rows = plan(parts, budget=200, cost=Cost(0.1), effect=0.5, raters=[3, 10], n_simulations=400)
    assert [(333, 3), (100, 10)] == [(row.size.n_items, row.size.n_raters) for row in rows]
    assert rows[0].power.power < rows[1].power.power
    assert rows[0].detectable.value > rows[1].detectable.value
    assert all(row.cost <= 200 for row in rows)


def test_more_systems_ask_for_more() -> None:
    """With four systems each pair is tested at a sixth of 5 %."""
    two, four = (
        power_table(PLAIN, [Size(40, 4)], effect=0.3, n_systems=n, n_simulations=300)[0].power.power
        for n in (2, 4)
    )
    assert four < two
