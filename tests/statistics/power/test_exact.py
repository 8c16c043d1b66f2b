"""Exact power against R, statsmodels and direct enumeration."""

from __future__ import annotations

import pytest

from empeval.statistics.power.exact import paired_t_power, paired_t_sample_size, sign_test_power


def test_sign_test() -> None:
    """100 preferences, 60 % for one side (acceptance region 40 … 60; enumerated in R)."""
    found = sign_test_power(100, 0.6)
    assert 0.4620934 == pytest.approx(found.power, abs=1e-6)
    assert 0.0352002 == pytest.approx(found.size, abs=1e-6)


@pytest.mark.parametrize("n", [6, 11, 20])
def test_sign_test_is_that_of_scipy(n: int) -> None:
    """Power is the chance of the outcomes whose binomial test is significant."""
    from scipy import stats

    rejected = [k for k in range(n + 1) if stats.binomtest(k, n).pvalue <= 0.05 + 1e-12]
    found = sign_test_power(n, 0.8)
    assert sum(stats.binom.pmf(k, n, 0.8) for k in rejected) == pytest.approx(found.power, abs=1e-12)
    assert found.size <= 0.05


def test_sign_test_with_too_little() -> None:
    """Five preferences can never be significant at 5 %, none neither."""
    assert (0.0, None) == (sign_test_power(5, 0.9).power, sign_test_power(5, 0.9).reject_below)
    assert 0.0 == sign_test_power(0, 0.9).power


def test_paired_t() -> None:
    """pwr::pwr.t.test(d = .5, type = "paired") and statsmodels' TTestPower, two-sided."""
    assert 33.367129139077 == pytest.approx(paired_t_sample_size(0.5).value, abs=1e-4)
    assert 0.5645044184391 == pytest.approx(paired_t_power(0.5, 20).value, abs=1e-4)
    assert 0.8077775 == pytest.approx(paired_t_power(0.5, 34).value, abs=1e-4)


@pytest.mark.parametrize(
    ("effect", "n", "alpha"), [(0.2, 15, 0.05), (-0.8, 12, 0.01), (0.0, 9, 0.05), (3, 50, 0.05)]
)
def test_paired_t_is_that_of_statsmodels(effect: float, n: int, alpha: float) -> None:
    """Small, negative, zero and huge effects."""
    from statsmodels.stats.power import TTestPower

    expected = TTestPower().power(abs(effect), n, alpha, alternative="two-sided")
    assert expected == pytest.approx(paired_t_power(effect, n, alpha=alpha).value, abs=1e-8)


def test_paired_t_undefined() -> None:
    """One pair has no power, and no number of pairs finds a difference of 0."""
    assert (None, "too_few_units") == (paired_t_power(0.5, 1).value, paired_t_power(0.5, 1).status)
    assert (None, "out_of_reach") == (paired_t_sample_size(0.0).value, paired_t_sample_size(0.0).status)
