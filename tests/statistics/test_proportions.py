"""Shares, accuracies on the same segments, and effect sizes against published values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from empeval.statistics.effect_sizes import (
    cliffs_delta,
    cohen_d_av,
    cohen_d_z,
    hedges_g_av,
    probability_of_superiority,
)
from empeval.statistics.mcnemar import mcnemar_test
from empeval.statistics.proportions import clopper_pearson, sign_test, wilson

#: Student (1908), hours of sleep gained under two drugs by ten patients.
SLEEP = (
    np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2]),
    np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]),
)


@pytest.mark.parametrize(
    ("x", "n", "by_wilson", "by_clopper"),
    [
        (81, 263, (0.2552885198783, 0.3662095769828), (0.2527367455853, 0.3676219226014)),
        (1, 29, (0.006113214292763, 0.1717552187932), (0.0008726468835799, 0.1776442954887)),
    ],
)
def test_intervals_of_shares_are_newcombes(
    x: int, n: int, by_wilson: tuple[float, float], by_clopper: tuple[float, float]
) -> None:
    """Examples of Newcombe (1998), values of R's binom.test and prop.test without correction."""
    for found, expected in ((wilson(x, n), by_wilson), (clopper_pearson(x, n), by_clopper)):
        assert found.interval is not None
        assert (found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("wins", "losses", "p_value", "interval"),
    [
        (14, 6, 0.1153182983398, (0.4572108177237, 0.8810684095943)),
        (0, 10, 0.001953125, (0, 0.3084971078188)),
    ],
)
def test_sign_test_is_rs_binom_test(
    wins: int, losses: int, p_value: float, interval: tuple[float, float]
) -> None:
    """Values of R's binom.test."""
    assert sign_test(wins, losses) == pytest.approx(p_value)
    found = clopper_pearson(wins, wins + losses).interval
    assert found is not None
    assert (found.low, found.high) == pytest.approx(interval, abs=1e-12)


def test_nothing_to_test_is_no_error() -> None:
    """scipy's binomtest raises for 0 of 0; here p is 1 and the share is undefined."""
    assert sign_test(0, 0) == 1.0
    assert (wilson(0, 0).value, clopper_pearson(0, 0).status) == (None, "no_judgments")


def test_mcnemar_is_agrestis_example() -> None:
    """Approval of the prime minister at two times (Agresti, 2002), values of R."""
    found = mcnemar_test(150, 86)
    assert found.chi2 == pytest.approx(17.35593220339)
    assert found.p_chi2 == pytest.approx(3.099293441045e-05)
    assert found.chi2_corrected == pytest.approx(16.817796610169)
    assert found.p_chi2_corrected == pytest.approx(4.114562281346e-05)
    assert found.exact == pytest.approx(3.715936139571e-05)
    assert found.mid_p == pytest.approx(2.893389517615e-05)


def test_mcnemar_without_discordant_pairs_has_p_of_one() -> None:
    """statsmodels gives p = 0.0 for the chi-squared form; here that form is undefined."""
    found = mcnemar_test(0, 0)
    assert (found.exact, found.mid_p, found.p_chi2) == (1.0, 1.0, None)


def test_effect_sizes_of_students_sleep() -> None:
    """Values of R's effectsize; pingouin calls d_av what it prints for paired data."""
    first, second = SLEEP
    d_z = cohen_d_z(first - second)
    assert d_z.value == pytest.approx(-1.284557562591)
    assert d_z.interval is not None
    assert (d_z.interval.low, d_z.interval.high) == pytest.approx(
        (-2.118016595223, -0.4146276620554), abs=1e-6
    )
    assert cohen_d_av(first, second).value == pytest.approx(-0.8321810813495)
    assert hedges_g_av(first, second).value == pytest.approx(-0.7969352391911)
    assert (d_z.value or 0) * 10**0.5 == pytest.approx(stats.ttest_rel(first, second).statistic)


def test_cliffs_delta_and_superiority() -> None:
    """The worked example of Cliff (1993) as R's effectsize has it."""
    x, y = np.array([10, 10, 20, 20, 20, 30, 30, 30, 40, 50]), np.array([10, 20, 30, 40, 40, 50])
    assert cliffs_delta(x, y).value == -0.25
    assert probability_of_superiority(x, y).value == 0.375


def test_effect_sizes_without_variation_are_undefined() -> None:
    """A constant difference has no standard deviation to be measured by."""
    assert cohen_d_z(np.full(5, 0.3)).status == "no_variation"
    assert cohen_d_av(np.ones(4), np.ones(4)).status == "no_variation"
    assert cohen_d_z(np.ones(1)).status == "too_few_items"
    assert cliffs_delta(np.zeros(0), np.ones(2)).status == "no_judgments"
