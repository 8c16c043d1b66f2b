"""Faults of other libraries that must not occur here, those that no other test pins down.

Elsewhere: scipy's exact Wilcoxon with ties (test_rank_tests), statsmodels' families with a NaN and McNemar
without discordant pairs (test_families, test_proportions), scikit-learn's weights by label position,
pingouin's dropped units and krippendorff's numbered categories (agreement/test_coefficients), crowd-kit's
early stop and choix's silent separation (preference).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters

from empeval import statistics as s
from empeval.statistics.agreement.alpha import prepared
from empeval.statistics.resampling import Resampler


def _mean(totals: np.ndarray) -> np.ndarray:
    return totals[..., 0] / totals[..., 1]


def _stats(values: np.ndarray) -> s.SegmentStats:
    return s.SegmentStats(np.stack([values, np.ones_like(values)], axis=1), ("sum", "n"))


def test_paired_means_are_tested_in_pairs() -> None:
    """deepsig draws the sides of a "paired" bootstrap independently: p = 0.27 for a paired t-test's 3e-5."""
    rng = np.random.default_rng(1)
    common = rng.normal(0, 1, 200)
    a, b = common + rng.normal(0.06, 0.1, 200), common + rng.normal(0, 0.1, 200)
    found = s.paired_permutation_test(_stats(a), _stats(b), _mean, n_resamples=5000)
    unpaired = abs(a.mean() - b.mean()) / math.sqrt(a.var(ddof=1) / 200 + b.var(ddof=1) / 200)
    assert unpaired < 1
    assert found.p_value < 0.01


@pytest.mark.parametrize("n", [10, 300])
def test_identical_systems_have_p_of_one(n: int) -> None:
    """sacreBLEU's paired tests give 1 / (B + 1) for systems that are the same byte for byte."""
    values = np.arange(n, dtype=float) % 7
    assert s.paired_permutation_test(_stats(values), _stats(values), _mean, n_resamples=300).p_value == 1.0


def test_a_seed_of_zero_is_a_seed() -> None:
    """sacreBLEU takes SACREBLEU_SEED=0 for no seed, and two calls differ."""
    rng = np.random.default_rng(0)
    a, b = _stats(rng.normal(0, 1, 60)), _stats(rng.normal(0.2, 1, 60))
    first, second = (
        s.paired_permutation_test(a, b, _mean, n_resamples=300, seed=0).p_value for _ in range(2)
    )
    assert first == second
    assert first != s.paired_permutation_test(a, b, _mean, n_resamples=300, seed=1).p_value


def test_a_missing_rating_is_no_category() -> None:
    """statsmodels' aggregate_raters counts NaN as a category of its own, and kappa changes."""
    table = np.array([[1.0, 1, 1], [2, 2, np.nan], [1, 2, np.nan], [2, 2, 2]])
    assert aggregate_raters(table)[0].shape[1] == 3
    found = s.fleiss_kappa(s.Ratings.from_matrix(table), n_resamples=0).value
    # p_a = 3/4; shares 1: (1 + 0 + 1/2 + 0) / 4 = 3/8, 2: 5/8; p_e = 34/64
    assert found == pytest.approx((3 / 4 - 34 / 64) / (1 - 34 / 64))


def test_alphas_interval_is_as_wide_as_resampled_units_make_it() -> None:
    """Resampling pairs of values, D_e fixed, gives two thirds of the width, and covers 70–82 %."""
    rng = np.random.default_rng(6)
    units = np.clip(np.rint(rng.normal(3, 1, (150, 1)) + rng.normal(0, 1, (150, 3))), 1, 5)
    found = s.krippendorff_alpha(s.Ratings.from_matrix(units), "interval", rng=np.random.default_rng(2))
    assert found.interval is not None
    at, evaluate = prepared(s.Ratings.from_matrix(units), "interval")
    error = np.sqrt(149 / 150 * ((at.leave_one_out(evaluate) - found.value) ** 2).sum())
    assert found.interval.high - found.interval.low == pytest.approx(2 * 1.96 * error, rel=0.15)


def test_bootstrap_draws_are_the_same_for_both_systems() -> None:
    """A difference of a system with itself is 0 in every draw."""
    stats = _stats(np.arange(50.0))
    one, other = Resampler(np.arange(50, dtype=np.uint64)).bootstrap_totals([stats, stats], 200)
    assert (_mean(one) - _mean(other)).tolist() == [0.0] * 200
