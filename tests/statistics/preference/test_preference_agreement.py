"""Agreement on which system is better."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest

from empeval.statistics.design import Judgments
from empeval.statistics.preference.agreement import preference_agreement
from empeval.statistics.preference.ratings import judgments_as_ratings


def judged(seed: int = 0, names: str = "abc", turn: bool = False) -> Judgments:
    """Judgments of three pairs on 12 items by four raters, some missing, with a favourite in each pair."""
    rng = np.random.default_rng(seed)
    a, b, winners, items, raters = [], [], [], [], []
    for item in range(12):
        for x, y in ((0, 1), (0, 2), (1, 2)):
            merit = rng.normal(0.5)
            for rater in range(4):
                verdict = merit + rng.normal(0, 0.8)
                if rng.random() < 0.2:
                    continue
                won = "tie" if abs(verdict) < 0.3 else names[x] if verdict > 0 else names[y]
                a.append(names[y if turn else x])
                b.append(names[x if turn else y])
                winners.append(won)
                items.append(item)
                raters.append(rater)
    return Judgments.of(a, b, winners, items=items, raters=raters)


def test_alpha_of_preferences_is_alpha_of_the_table() -> None:
    """The library krippendorff on the table of units and raters gives the same two numbers."""
    table = judgments_as_ratings(judged()).matrix().T
    found = {(row.name, row.level): row.estimate for row in preference_agreement(judged(), n_resamples=100)}
    for level in ("nominal", "ordinal"):
        expected = krippendorff.alpha(table, level_of_measurement=level, value_domain=[-1, 0, 1])
        estimate = found["krippendorff_alpha", level]
        assert expected == pytest.approx(estimate.value, abs=1e-9)
        assert estimate.interval.low < estimate.value < estimate.interval.high


def test_kappa_of_preferences_is_that_of_statsmodels() -> None:
    """statsmodels on the counts of complete data, two pairs."""
    from statsmodels.stats.inter_rater import fleiss_kappa

    rng = np.random.default_rng(7)
    won = rng.choice(["a", "b", "tie"], size=30, p=[0.5, 0.2, 0.3]).tolist()
    data = Judgments.of(["a"] * 30, ["b"] * 30, won, items=np.arange(30) // 3, raters=[0, 1, 2] * 10)
    counts = np.array([[won[3 * i : 3 * i + 3].count(name) for name in ("a", "b", "tie")] for i in range(10)])
    kappa = preference_agreement(data, n_resamples=0)[1]
    assert "fleiss_kappa" == kappa.name
    assert fleiss_kappa(counts) == pytest.approx(kappa.estimate.value, abs=1e-12)


@pytest.mark.parametrize(("names", "turn"), [("zyx", False), ("bca", True), ("abc", True)])
def test_agreement_knows_no_names_and_no_sides(names, turn) -> None:
    """Systems renamed, A and B swapped: the same coefficients and intervals."""
    expected = preference_agreement(judged(), n_resamples=50)
    assert expected == preference_agreement(judged(names=names, turn=turn), n_resamples=50)


def test_agreement_of_little_data() -> None:
    """One rater, only ties, nothing: None and a status."""
    none = Judgments.of([], [], [], items=[], raters=[])
    one = Judgments.of(["a", "a"], ["b", "b"], ["a", "b"], items=[1, 2], raters=["r", "r"])
    ties = Judgments.of(["a"] * 4, ["b"] * 4, ["tie"] * 4, items=[1, 1, 2, 2], raters=["r", "s"] * 2)
    for data, status in ((none, "no_pairable_units"), (one, "no_pairable_units"), (ties, "no_variation")):
        exact, *beyond_chance = preference_agreement(data)
        assert (1.0 if data is ties else None) == exact.estimate.value
        for row in beyond_chance:
            assert (None, status) == (row.estimate.value, row.estimate.status)
