"""Rank and sign tests: exact values with ties and zeros, and the faults of other libraries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from empeval.statistics.friedman import friedman_test, nemenyi_critical_difference, nemenyi_p_values
from empeval.statistics.sign_flip import sign_flip_test
from empeval.statistics.signed_rank import wilcoxon_signed_rank

LIKERT = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, -1, -1, 3, 0, 1, -2, 1, 0, 1], dtype=float)
#: Demšar (2006), accuracies of four classifiers on 14 data sets; one printed .975 is .9755 to give his ranks.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.59, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.0, 1.0, 1.0, 1.0],
        [0.94, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9755, 0.975],
        [0.957, 0.978, 0.946, 0.97],
    ]
)


@pytest.mark.parametrize(
    ("zeros", "statistic", "p_value"), [("drop", 82, 0.0689697265625), ("pratt", 148, 0.0440673828125)]
)
def test_wilcoxon_is_exact_with_ties_and_zeros(zeros: str, statistic: float, p_value: float) -> None:
    """Values of R's coin; scipy's exact method gives 0.0676 and 0.1140 here without a word."""
    found = wilcoxon_signed_rank(LIKERT, zeros=zeros)
    assert (found.statistic, found.n_nonzero) == (statistic, 14)
    assert found.p_value == pytest.approx(p_value, abs=1e-12)


def test_wilcoxon_by_the_normal_approximation() -> None:
    """Values of R's coin and wilcox.test."""
    assert wilcoxon_signed_rank(LIKERT, zeros="drop", method="normal").p_value == pytest.approx(
        0.05309267845553
    )
    corrected = wilcoxon_signed_rank(LIKERT, zeros="drop", method="normal", correct=True)
    assert corrected.p_value == pytest.approx(0.05725175101401)
    assert wilcoxon_signed_rank(LIKERT, method="normal").p_value == pytest.approx(0.03927285322805)


def test_wilcoxon_without_a_difference() -> None:
    """All zero: p is 1, with a status."""
    found = wilcoxon_signed_rank(np.zeros(10))
    assert (found.p_value, found.n_nonzero, found.status) == (1.0, 0, "no_variation")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-30, 30).filter(bool), min_size=1, max_size=25, unique_by=abs))
def test_wilcoxon_without_ties_is_scipys(values: list[int]) -> None:
    """Without ties and zeros scipy's exact distribution is the oracle."""
    differences = np.array(values, dtype=float)
    expected = stats.wilcoxon(differences, method="exact").pvalue
    assert wilcoxon_signed_rank(differences).p_value == pytest.approx(expected, abs=1e-12)


def test_wilcoxon_of_many_differences_is_exact_in_no_time() -> None:
    """400 differences with ties still have a distribution; the normal approximation is near."""
    rng = np.random.default_rng(5)
    differences = rng.integers(-3, 5, size=400).astype(float)
    exact, normal = (wilcoxon_signed_rank(differences, method=m).p_value for m in ("exact", "normal"))
    assert exact == pytest.approx(normal, rel=0.05)


def test_sign_flip_enumerates_darwins_plants() -> None:
    """Fisher's test of Darwin's 15 pairs: 1,726 of 32,768 sign patterns are as extreme (Fisher, 1935)."""
    darwin = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48], dtype=float)
    found = sign_flip_test(darwin)
    assert found is not None
    assert found.method == "exact sign-flip"
    assert found.p_value == pytest.approx(1726 / 32768)


def test_sign_flip_gives_dialogues_one_sign() -> None:
    """Three dialogues of two items allow 8 patterns, of which 2 are as extreme."""
    found = sign_flip_test(np.array([1.0, 1, 2, 2, 3, 3]), np.array([0, 0, 1, 1, 2, 2]))
    assert found is not None
    assert found.p_value == 0.25


def test_sign_flip_draws_count_the_observed_pattern() -> None:
    """Drawn p-values are never 0: 1 / (n + 1) is the least."""
    found = sign_flip_test(np.ones(40), n_resamples=99, rng=np.random.default_rng(0))
    assert found is not None
    assert found.p_value == 0.01


def test_sign_flip_without_a_difference_has_p_of_one() -> None:
    """Identical ratings do not speak against no difference."""
    found = sign_flip_test(np.zeros(30))
    assert found is not None
    assert found.p_value == 1.0


def test_friedman_is_demsars_example_with_and_without_ties() -> None:
    """Published 9.28, 3.69 and CD 1.25; scipy's tie-corrected value is 10.228."""
    found = friedman_test(DEMSAR)
    assert found.mean_ranks == pytest.approx((3.142857143, 2.0, 2.892857143, 1.964285714))
    assert found.chi2 == pytest.approx(9.278571429)
    assert found.f == pytest.approx(3.686313032)
    assert found.chi2_ties == pytest.approx(stats.friedmanchisquare(*DEMSAR.T).statistic)
    assert found.p_value == pytest.approx(stats.friedmanchisquare(*DEMSAR.T).pvalue)
    assert nemenyi_critical_difference(4, 14) == pytest.approx(1.253559, abs=2e-5)


def test_nemenyi_is_scikit_posthocs() -> None:
    """p-values of scikit-posthocs for Demšar's example, first classifier against the others."""
    found = nemenyi_p_values(np.array(friedman_test(DEMSAR).mean_ranks), 14)
    assert found[0].tolist() == pytest.approx([1.0, 0.0887, 0.9562, 0.0742], abs=5e-5)


@pytest.mark.parametrize(
    ("scores", "status"),
    [
        (np.ones((5, 3)), "no_variation"),
        (np.ones((0, 3)), "too_few_items"),
        (np.ones((4, 1)), "too_few_systems"),
    ],
)
def test_friedman_of_nothing_says_why(scores: np.ndarray, status: str) -> None:
    """Equal scores, no items and one system have no test."""
    found = friedman_test(scores)
    assert (found.status, found.p_value) == (status, None)
