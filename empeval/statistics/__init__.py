"""Numbers only: functions in, small result objects out.

>>> from empeval.statistics import Ratings, krippendorff_alpha
>>> krippendorff_alpha(Ratings.from_matrix([[1, 1], [2, 2], [3, 3], [1, 2]]), "interval").status
'ok'

The names below load their modules when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from empeval.statistics.agreement.alpha import krippendorff_alpha
    from empeval.statistics.agreement.categories import brennan_prediger, fleiss_kappa, gwet_ac1, gwet_ac2
    from empeval.statistics.agreement.conger import conger_kappa
    from empeval.statistics.agreement.counts import looks_transposed, ratings_from_counts
    from empeval.statistics.agreement.differences import agreement_difference
    from empeval.statistics.agreement.fleiss import fleiss_kappa_by_category, fleiss_z_test
    from empeval.statistics.agreement.icc import icc
    from empeval.statistics.agreement.kendall import kendall_w
    from empeval.statistics.agreement.pairs import agreement_of_pairs, cohen_kappa, mean_over_pairs, scott_pi
    from empeval.statistics.agreement.percent import (
        percent_agreement,
        percent_agreement_all,
        percent_agreement_within,
    )
    from empeval.statistics.agreement.raters import rater_reports, self_consistency
    from empeval.statistics.comparisons import compare_ratings
    from empeval.statistics.correlation.accuracy import (
        accuracy_with_ties,
        calibrated_accuracy,
        pairwise_accuracy,
        soft_pairwise_accuracy,
    )
    from empeval.statistics.correlation.ceiling import human_ceiling, mean_ratings
    from empeval.statistics.correlation.coefficients import kendall_tau_b, pearson, spearman, williams_test
    from empeval.statistics.correlation.resampled import Resampled
    from empeval.statistics.correlation.segment_level import compare_within_items, segment_level
    from empeval.statistics.correlation.system_level import outlier_systems, system_level
    from empeval.statistics.design import Judgments, Ratings
    from empeval.statistics.effect_sizes import (
        cliffs_delta,
        cohen_d_av,
        cohen_d_z,
        hedges_g_av,
        probability_of_superiority,
    )
    from empeval.statistics.equivalence import equivalence_test
    from empeval.statistics.friedman import friedman_test, nemenyi_critical_difference, nemenyi_p_values
    from empeval.statistics.letters import compact_letters, rank_ranges
    from empeval.statistics.mcnemar import mcnemar_test
    from empeval.statistics.means import (
        MeanResult,
        clustered_mean,
        design_mean,
        one_way_clustered_mean,
        two_way_mean,
    )
    from empeval.statistics.mixed.linear import linear_mixed_model
    from empeval.statistics.mixed.ordinal import cumulative_link_mixed_model
    from empeval.statistics.mixed.rating_odds import rating_odds
    from empeval.statistics.mixed.ratings import rating_model
    from empeval.statistics.multiplicity import (
        adjust,
        benjamini_hochberg,
        benjamini_yekutieli,
        bonferroni,
        holm,
        hommel,
        tiers,
    )
    from empeval.statistics.power.components import Components, PreferenceComponents
    from empeval.statistics.power.exact import paired_t_power, paired_t_sample_size, sign_test_power
    from empeval.statistics.power.pilot import components_from, preference_components_from
    from empeval.statistics.power.plans import plan, power_table
    from empeval.statistics.power.simulation import minimum_detectable_effect, sample_size, simulate_power
    from empeval.statistics.preference.analysis import preference_analysis
    from empeval.statistics.preference.bradley_terry import bradley_terry
    from empeval.statistics.preference.counts import preference_summary, trinomial_test
    from empeval.statistics.preference.davidson import davidson
    from empeval.statistics.preference.pairs import compare_pairs
    from empeval.statistics.preference.position import position_effect
    from empeval.statistics.preference.ranking import rank_systems
    from empeval.statistics.proportions import clopper_pearson, sign_test, wilson
    from empeval.statistics.resampling import Interval, TestResult, interval, paired_permutation_test
    from empeval.statistics.results import Estimate, Status
    from empeval.statistics.segments import SegmentStats, TypeStats
    from empeval.statistics.sign_flip import sign_flip_test
    from empeval.statistics.signed_rank import wilcoxon_signed_rank

_HOME = {
    "agreement.alpha": ("krippendorff_alpha",),
    "agreement.categories": (
        "brennan_prediger",
        "fleiss_kappa",
        "gwet_ac1",
        "gwet_ac2",
    ),
    "agreement.conger": ("conger_kappa",),
    "agreement.counts": (
        "looks_transposed",
        "ratings_from_counts",
    ),
    "agreement.differences": ("agreement_difference",),
    "agreement.fleiss": (
        "fleiss_kappa_by_category",
        "fleiss_z_test",
    ),
    "agreement.icc": ("icc",),
    "agreement.kendall": ("kendall_w",),
    "agreement.pairs": (
        "agreement_of_pairs",
        "cohen_kappa",
        "mean_over_pairs",
        "scott_pi",
    ),
    "agreement.percent": (
        "percent_agreement",
        "percent_agreement_all",
        "percent_agreement_within",
    ),
    "agreement.raters": (
        "rater_reports",
        "self_consistency",
    ),
    "comparisons": ("compare_ratings",),
    "correlation.accuracy": (
        "accuracy_with_ties",
        "calibrated_accuracy",
        "pairwise_accuracy",
        "soft_pairwise_accuracy",
    ),
    "correlation.ceiling": (
        "human_ceiling",
        "mean_ratings",
    ),
    "correlation.coefficients": (
        "kendall_tau_b",
        "pearson",
        "spearman",
        "williams_test",
    ),
    "correlation.resampled": ("Resampled",),
    "correlation.segment_level": (
        "compare_within_items",
        "segment_level",
    ),
    "correlation.system_level": (
        "outlier_systems",
        "system_level",
    ),
    "design": (
        "Judgments",
        "Ratings",
    ),
    "effect_sizes": (
        "cliffs_delta",
        "cohen_d_av",
        "cohen_d_z",
        "hedges_g_av",
        "probability_of_superiority",
    ),
    "equivalence": ("equivalence_test",),
    "friedman": (
        "friedman_test",
        "nemenyi_critical_difference",
        "nemenyi_p_values",
    ),
    "letters": (
        "compact_letters",
        "rank_ranges",
    ),
    "mcnemar": ("mcnemar_test",),
    "means": (
        "MeanResult",
        "clustered_mean",
        "design_mean",
        "one_way_clustered_mean",
        "two_way_mean",
    ),
    "mixed.linear": ("linear_mixed_model",),
    "mixed.ordinal": ("cumulative_link_mixed_model",),
    "mixed.rating_odds": ("rating_odds",),
    "mixed.ratings": ("rating_model",),
    "multiplicity": (
        "adjust",
        "benjamini_hochberg",
        "benjamini_yekutieli",
        "bonferroni",
        "holm",
        "hommel",
        "tiers",
    ),
    "power.components": (
        "Components",
        "PreferenceComponents",
    ),
    "power.exact": (
        "paired_t_power",
        "paired_t_sample_size",
        "sign_test_power",
    ),
    "power.pilot": (
        "components_from",
        "preference_components_from",
    ),
    "power.plans": (
        "plan",
        "power_table",
    ),
    "power.simulation": (
        "minimum_detectable_effect",
        "sample_size",
        "simulate_power",
    ),
    "preference.analysis": ("preference_analysis",),
    "preference.bradley_terry": ("bradley_terry",),
    "preference.counts": (
        "preference_summary",
        "trinomial_test",
    ),
    "preference.davidson": ("davidson",),
    "preference.pairs": ("compare_pairs",),
    "preference.position": ("position_effect",),
    "preference.ranking": ("rank_systems",),
    "proportions": (
        "clopper_pearson",
        "sign_test",
        "wilson",
    ),
    "resampling": (
        "Interval",
        "TestResult",
        "interval",
        "paired_permutation_test",
    ),
    "results": (
        "Estimate",
        "Status",
    ),
    "segments": (
        "SegmentStats",
        "TypeStats",
    ),
    "sign_flip": ("sign_flip_test",),
    "signed_rank": ("wilcoxon_signed_rank",),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Components",
    "Estimate",
    "Interval",
    "Judgments",
    "MeanResult",
    "PreferenceComponents",
    "Ratings",
    "Resampled",
    "SegmentStats",
    "Status",
    "TestResult",
    "TypeStats",
    "accuracy_with_ties",
    "adjust",
    "agreement_difference",
    "agreement_of_pairs",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "bradley_terry",
    "brennan_prediger",
    "calibrated_accuracy",
    "cliffs_delta",
    "clopper_pearson",
    "clustered_mean",
    "cohen_d_av",
    "cohen_d_z",
    "cohen_kappa",
    "compact_letters",
    "compare_pairs",
    "compare_ratings",
    "compare_within_items",
    "components_from",
    "conger_kappa",
    "cumulative_link_mixed_model",
    "davidson",
    "design_mean",
    "equivalence_test",
    "fleiss_kappa",
    "fleiss_kappa_by_category",
    "fleiss_z_test",
    "friedman_test",
    "gwet_ac1",
    "gwet_ac2",
    "hedges_g_av",
    "holm",
    "hommel",
    "human_ceiling",
    "icc",
    "interval",
    "kendall_tau_b",
    "kendall_w",
    "krippendorff_alpha",
    "linear_mixed_model",
    "looks_transposed",
    "mcnemar_test",
    "mean_over_pairs",
    "mean_ratings",
    "minimum_detectable_effect",
    "nemenyi_critical_difference",
    "nemenyi_p_values",
    "one_way_clustered_mean",
    "outlier_systems",
    "paired_permutation_test",
    "paired_t_power",
    "paired_t_sample_size",
    "pairwise_accuracy",
    "pearson",
    "percent_agreement",
    "percent_agreement_all",
    "percent_agreement_within",
    "plan",
    "position_effect",
    "power_table",
    "preference_analysis",
    "preference_components_from",
    "preference_summary",
    "probability_of_superiority",
    "rank_ranges",
    "rank_systems",
    "rater_reports",
    "rating_model",
    "rating_odds",
    "ratings_from_counts",
    "sample_size",
    "scott_pi",
    "segment_level",
    "self_consistency",
    "sign_flip_test",
    "sign_test",
    "sign_test_power",
    "simulate_power",
    "soft_pairwise_accuracy",
    "spearman",
    "system_level",
    "tiers",
    "trinomial_test",
    "two_way_mean",
    "wilcoxon_signed_rank",
    "williams_test",
    "wilson",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module 'empeval.statistics' has no attribute {name!r}")
    return getattr(importlib.import_module(f"empeval.statistics.{_MODULE[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
