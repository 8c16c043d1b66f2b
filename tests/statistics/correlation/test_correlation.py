"""Metrics against people: published values, scipy as oracle, resampling and ties, and who is the limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from empeval.statistics.correlation.accuracy import (
    accuracy_with_ties,
    calibrated_accuracy,
    one_sided_p_values,
    pair_differences,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)
from empeval.statistics.correlation.ceiling import human_ceiling, mean_ratings
from empeval.statistics.correlation.coefficients import (
    Correlation,
    correlation,
    kendall_tau_b,
    pearson,
    spearman,
    williams_test,
)
from empeval.statistics.correlation.resampled import Resampled
from empeval.statistics.correlation.segment_level import compare_within_items, segment_level
from empeval.statistics.correlation.system_level import item_means, outlier_systems, system_level
from empeval.statistics.design import Ratings


def people_and_metric(
    n_items: int, n_systems: int, noise: float, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Mean ratings and a metric that follows them but for noise."""
    rng = np.random.default_rng(seed)
    people = np.round(rng.normal(3, 1, (n_items, n_systems)), 1)
    return people, people + rng.normal(0, noise, people.shape)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=12))
def test_correlations_are_scipys(pairs: list[tuple[int, int]]) -> None:
    """Pearson, Spearman and τ_b with ties; what scipy calls NaN has a status."""
    x, y = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    constant = len(set(x)) < 2 or len(set(y)) < 2
    oracles = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall_tau_b": stats.kendalltau}
    for name, oracle in oracles.items():
        found = correlation(name, x, y)  # type: ignore[arg-type]
        if constant:
            assert (found.value, found.status) == (None, "no_variation")
        else:
            assert found.value == pytest.approx(oracle(x, y).statistic, abs=1e-9)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall_tau_b"])
def test_a_constant_has_no_correlation(name: Correlation) -> None:
    """Constant input is undefined in every coefficient, and so is a single point."""
    assert correlation(name, np.ones(3), np.arange(3)).status == "no_variation"
    assert correlation(name, np.full(3, 0.1), np.arange(3)).status == "no_variation"
    assert correlation(name, np.ones(1), np.ones(1)).status == "too_few_units"


def test_williams_test_is_that_of_rs_psych() -> None:
    """psych's r.test: t 1.2959, p .19798."""
    found = williams_test(0.5, 0.4, 0.6, 103)
    assert (found.t, found.df, found.p_value) == pytest.approx(
        (1.295927088619, 100, 0.1979837405598), abs=1e-9
    )
    assert williams_test(0.5, 0.5, 1.0, 50).status == "no_variation"
    assert williams_test(0.5, 0.4, 0.6, 3).status == "too_few_units"


def test_pairwise_accuracies_are_those_of_mt_metrics_eval() -> None:
    """Five of six pairs; acc_eq 0.8 with ties, whose τ is 0.6; soft accuracy 0.82."""
    assert pairwise_accuracy(np.arange(1, 5), np.array([0.1, 0.3, 0.2, 0.4])).value == pytest.approx(5 / 6)
    people, metric = np.array([1, 1, 2, 3, 3, 5]), np.array([0.5, 0.5, 0.4, 0.9, 0.8, 1.0])
    accuracy = accuracy_with_ties(people, metric).value
    assert accuracy is not None
    assert (accuracy, 2 * accuracy - 1) == pytest.approx((0.8, 0.6))
    soft = soft_pairwise_accuracy(np.array([0.01, 0.2, 0.4]), np.array([0.05, 0.6, 0.3]))
    assert soft.value == pytest.approx(0.82)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(-4, 4)), min_size=1, max_size=10))
def test_calibrated_threshold_is_the_best_of_all(pairs: list[tuple[int, int]]) -> None:
    """No threshold among the differences gives more, by trying every one."""
    people, metric = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    best = max(
        float((np.where(np.abs(metric) <= t, 0.0, np.sign(metric)) == np.sign(people)).mean())
        for t in [0.0, *np.abs(metric)]
    )
    found = calibrated_accuracy(people, metric)
    assert found.accuracy.value == pytest.approx(best)
    predicted = np.where(np.abs(metric) <= found.threshold, 0.0, np.sign(metric))
    assert float((predicted == np.sign(people)).mean()) == pytest.approx(best)


def test_one_sided_p_values_of_a_pair_and_its_reverse_sum_to_one() -> None:
    """Identical systems have p = ½; a clear winner has a small one."""
    rng = np.random.default_rng(4)
    base = rng.normal(size=(30, 1))
    values = np.concatenate([base, base, base - 1], axis=1)
    p = one_sided_p_values(values)
    assert p[0] == pytest.approx(0.5)
    assert p[1] < 0.01
    reverse = one_sided_p_values(values[:, ::-1])
    assert p[1] + reverse[1] == pytest.approx(1.0, abs=2e-3)


def test_grouped_tau_is_the_mean_of_scipys_over_items() -> None:
    """Items on which people tie all systems are skipped and counted."""
    people, metric = people_and_metric(12, 4, 0.8)
    people[3] = 2.0
    draws = Resampled.of(np.arange(12), 4)
    found = segment_level(people, metric, draws)[0]
    taus = [
        stats.kendalltau(a, b).statistic
        for i, (a, b) in enumerate(zip(people, metric, strict=True))
        if i != 3
    ]
    assert (found.n, found.n_skipped) == (11, 1)
    assert found.estimate.value == pytest.approx(np.mean(taus))
    assert found.estimate.interval is not None
    assert found.estimate.interval.low < np.mean(taus) < found.estimate.interval.high


def test_pooled_correlations_are_scipys_over_all_responses() -> None:
    """Missing responses are left out."""
    people, metric = people_and_metric(20, 3, 1.0, seed=2)
    people[0, 0] = np.nan
    there = np.isfinite(people)
    found = {part.statistic: part for part in segment_level(people, metric, Resampled.of(np.arange(20), 3))}
    assert found["pearson_pooled"].estimate.value == pytest.approx(
        stats.pearsonr(people[there], metric[there]).statistic
    )
    assert found["spearman_pooled"].estimate.value == pytest.approx(
        stats.spearmanr(people[there], metric[there]).statistic
    )
    assert found["pearson_pooled"].n == 59
    assert pearson(people[there], metric[there]).value == pytest.approx(
        found["pearson_pooled"].estimate.value
    )
    assert spearman(people[there], metric[there]).value == pytest.approx(
        found["spearman_pooled"].estimate.value
    )


def test_resampling_systems_too_widens_the_interval() -> None:
    """Other systems are a source of uncertainty of their own."""
    people, metric = people_and_metric(40, 8, 1.5, seed=3)
    people += np.linspace(-1, 1, 8)
    narrow, wide = (
        segment_level(people, metric, Resampled.of(np.arange(40), 8, resample=kind))[2].estimate.interval
        for kind in ("items", "both")
    )
    assert narrow is not None
    assert wide is not None
    assert wide.high - wide.low > narrow.high - narrow.low


def test_dialogues_are_drawn_whole() -> None:
    """Twenty items of four dialogues are four draws, too few for percentiles."""
    people, metric = people_and_metric(20, 3, 1.0)
    draws = Resampled.of(np.arange(20) // 5, 3)
    assert draws.status == "too_few_items"
    assert segment_level(people, metric, draws)[0].estimate.interval_status == "too_few_items"


def test_system_level_needs_eight_systems_for_a_correlation() -> None:
    """With fewer there are pairwise accuracy and its soft form alone."""
    people, metric = people_and_metric(30, 5, 0.5)
    people += np.arange(5)
    metric += np.arange(5)
    found = {
        part.statistic: part.estimate
        for part in system_level(people, item_means(metric), Resampled.of(np.arange(30), 5), segments=metric)
    }
    assert found["pairwise_accuracy"].value == 1.0
    assert found["soft_pairwise_accuracy"].value == pytest.approx(1.0, abs=0.02)
    assert (found["pearson"].value, found["pearson"].status) == (None, "too_few_systems")
    people, metric = people_and_metric(30, 9, 0.5)
    many = system_level(people, item_means(metric), Resampled.of(np.arange(30), 9), segments=metric)
    expected = stats.pearsonr(people.mean(axis=0), metric.mean(axis=0)).statistic
    assert many[2].estimate.value == pytest.approx(expected)
    assert many[3].estimate.value == pytest.approx(
        kendall_tau_b(people.mean(axis=0), metric.mean(axis=0)).value
    )
    assert many[2].estimate.interval is not None


def test_metrics_without_values_of_responses_take_part_by_their_scores() -> None:
    """A corpus metric has scores of systems alone; soft accuracy is then undefined."""
    people, _ = people_and_metric(10, 4, 0.5)
    scores = people.mean(axis=0)
    found = system_level(
        people, lambda items: np.repeat(scores[None, :], len(items), axis=0), Resampled.of(np.arange(10), 4)
    )
    assert found[0].estimate.value == 1.0
    assert found[1].estimate.value is None


def test_an_outlying_system_is_told() -> None:
    """A system far from all others would make any metric correlate."""
    assert outlier_systems(np.array([3.1, 3.2, 3.0, 3.15, 1.2])) == [4]
    assert outlier_systems(np.array([3.1, 3.2, 3.0])) == []
    assert outlier_systems(np.array([3.0, 3.0, 3.0, 1.0])) == []


def test_two_metrics_are_compared_item_by_item() -> None:
    """A metric with less noise follows people better; one beside itself does not."""
    people, good = people_and_metric(60, 4, 0.3)
    _, poor = people_and_metric(60, 4, 3.0, seed=9)
    better = compare_within_items(people, good, poor, np.arange(60))
    same = compare_within_items(people, good, good, np.arange(60))
    assert better is not None
    assert same is not None
    assert better.difference > 0
    assert better.p_value < 0.01
    assert same.p_value == 1.0


def study(noise: float, n_raters: int = 4) -> Ratings:
    """Ratings of three systems on 40 items whose raters differ by noise."""
    rng = np.random.default_rng(8)
    truth = rng.normal(3, 1, (40, 3, 1))
    values = truth + rng.normal(0, noise, (40, 3, n_raters))
    i, s, r = np.indices(values.shape).reshape(3, -1)
    return Ratings.of(
        values.ravel().tolist(), items=i.tolist(), systems=[f"s{n}" for n in s], raters=r.tolist()
    )


def test_raters_are_the_ceiling_of_metrics() -> None:
    """Careful raters leave more to reach than careless ones; √reliability bounds what follows their means."""
    draws = Resampled.of(np.arange(40), 3, n_resamples=100)
    careful, careless = human_ceiling(study(0.3), draws), human_ceiling(study(2.0), draws)
    assert careful.n_raters == 4
    for name in ("kendall_tau_b", "pearson_pooled"):
        assert (careful.statistics[name].value or 0) > (careless.statistics[name].value or 0)  # type: ignore[index]
    assert careful.attenuated is not None
    assert careful.attenuated > (careless.attenuated or 0)


def test_one_rater_is_no_ceiling() -> None:
    """Without others there is nobody to be compared with."""
    found = human_ceiling(study(0.5, n_raters=1), Resampled.of(np.arange(40), 3, n_resamples=10))
    assert found.statistics["kendall_tau_b"].status == "too_few_raters"
    assert mean_ratings(study(0.5)).shape == (40, 3)


@pytest.mark.parametrize("shape", [(0, 3), (5, 1), (1, 3), (0, 0)])
def test_degenerate_tables_have_a_status(shape: tuple[int, int]) -> None:
    """No items, one system, one item: no exception, and what is defined is finite."""
    people = np.ones(shape)
    draws = Resampled.of(np.arange(shape[0]), shape[1], n_resamples=20)
    parts = [part.estimate for part in segment_level(people, people, draws)]
    parts += [part.estimate for part in system_level(people, item_means(people), draws, segments=people)]
    assert all(part.value is None and part.status != "ok" for part in parts if part.value is None)
    assert all(np.isfinite(part.value) for part in parts if part.value is not None)
    assert len(pair_differences(np.zeros(3))) == 3
