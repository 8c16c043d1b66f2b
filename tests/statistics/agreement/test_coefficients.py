"""Coefficients of agreement against the published and recomputed values of their textbook examples.

Values marked R are those of R 4.2 with irr 0.84, irrCAC (2026-05) and psych 2.2.9.
"""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score

from empeval.statistics.agreement.alpha import Measurement, krippendorff_alpha
from empeval.statistics.agreement.categories import brennan_prediger, fleiss_kappa, gwet_ac1, gwet_ac2
from empeval.statistics.agreement.chance import Weights
from empeval.statistics.agreement.conger import conger_kappa
from empeval.statistics.agreement.counts import looks_transposed, ratings_from_counts
from empeval.statistics.agreement.fleiss import fleiss_kappa_by_category, fleiss_z_test
from empeval.statistics.agreement.icc import FORMS, icc
from empeval.statistics.agreement.kendall import kendall_w
from empeval.statistics.agreement.pairs import cohen_kappa, mean_over_pairs, scott_pi
from empeval.statistics.agreement.percent import percent_agreement, percent_agreement_all
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate

N = None
#: Krippendorff (2011), four observers by twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
ALPHA: dict[Measurement, float] = {
    "nominal": 0.7434210526316,
    "ordinal": 0.8153875037549,
    "interval": 0.8491071428571,
    "ratio": 0.7974027747116,
}
#: Fleiss (1971), diagnoses of 30 patients by 6 psychiatrists in 5 categories.
FLEISS = [
    *([0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0], [2, 0, 4, 0, 0]),
    *([0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6], [1, 0, 0, 5, 0], [1, 1, 0, 4, 0]),
    *([0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1], [0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0]),
    *([0, 2, 0, 4, 0], [1, 0, 2, 0, 3], [0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0]),
    *([1, 0, 0, 4, 1], [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6]),
]
#: Shrout and Fleiss (1979), six targets by four judges.
JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
#: irr's anxiety data, 20 persons by 3 raters.
ANXIETY = [
    *([3, 3, 2], [3, 6, 1], [3, 4, 4], [4, 6, 4], [5, 2, 3], [5, 4, 2], [2, 2, 1], [3, 4, 6], [5, 3, 1]),
    *([2, 3, 1], [2, 2, 1], [6, 3, 2], [1, 3, 3], [5, 3, 3], [2, 2, 1], [2, 2, 1], [1, 1, 3], [2, 3, 3]),
    *([4, 3, 2], [3, 4, 2]),
]


def by_rater(rows: list[list[int | None]]) -> Ratings:
    """Ratings from a table with a row for each rater."""
    return Ratings.from_matrix([list(column) for column in zip(*rows, strict=True)])


def table_of(counts: list[list[int]]) -> Ratings:
    """Two raters from a table whose rows are the first rater's categories."""
    pairs = [(i + 1, j + 1) for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(n)]
    return Ratings.from_matrix([list(pair) for pair in pairs])


def value(estimate: Estimate) -> float:
    """The value, which is there."""
    assert estimate.status == "ok"
    assert estimate.value is not None
    return estimate.value


@pytest.mark.parametrize("measurement", sorted(ALPHA))
def test_alpha_is_krippendorffs_example(measurement: Measurement) -> None:
    """Published as .743, .815, .849 and .797; units without ratings and unused categories change nothing."""
    found = krippendorff_alpha(by_rater(OBSERVERS), measurement, n_resamples=0)
    assert value(found) == pytest.approx(ALPHA[measurement], abs=1e-9)
    longer = by_rater([[*row, N, N] for row in OBSERVERS])
    wide = krippendorff_alpha(longer, measurement, categories=[0, 1, 2, 3, 4, 5, 6], n_resamples=0)
    assert value(wide) == pytest.approx(ALPHA[measurement], abs=1e-9)


def test_alpha_of_counts_knows_the_values_of_its_categories() -> None:
    """krippendorff's value_counts numbers categories from 0 unless told: 0.734 instead of 0.797 (ratio)."""
    counts = [
        *(
            [3, 0, 0, 0, 0],
            [0, 3, 1, 0, 0],
            [0, 0, 4, 0, 0],
            [0, 0, 4, 0, 0],
            [0, 4, 0, 0, 0],
            [1, 1, 1, 1, 0],
        ),
        *(
            [0, 0, 0, 4, 0],
            [3, 1, 0, 0, 0],
            [0, 4, 0, 0, 0],
            [0, 0, 0, 0, 3],
            [2, 0, 0, 0, 0],
            [0, 0, 1, 0, 0],
        ),
    ]
    found = krippendorff_alpha(ratings_from_counts(counts, [1, 2, 3, 4, 5]), "ratio", n_resamples=0)
    assert value(found) == pytest.approx(0.7974027747116, abs=1e-9)


def test_alpha_of_binary_and_continuous_ratings() -> None:
    """Krippendorff's binary example is .095; two continuous columns have the moment form's value."""
    binary = by_rater([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]])
    assert value(krippendorff_alpha(binary, "nominal")) == pytest.approx(1 - 19 * 4 / 84)
    continuous = Ratings.from_matrix([[1.25, 1.5], [2.5, 2.25], [3.75, 3.5], [4.0, 4.5], [2.2, 2.0]])
    assert value(krippendorff_alpha(continuous, "interval")) == pytest.approx(0.9615513654968798, abs=1e-9)


@pytest.mark.parametrize("measurement", ["nominal", "ordinal", "interval"])
def test_one_deviating_value_gives_an_alpha_of_nothing(measurement: Measurement) -> None:
    """One 1 among 21 threes: exactly 0, whatever percent agreement says."""
    rows = [[3, 3, 3, 3, 3], [3, 3, 3, 3, 3], [3, 3, N, N, 3], [3, 3, 3, 3, 1], [3, N, 3, 3, 3]]
    assert value(krippendorff_alpha(by_rater(rows), measurement)) == pytest.approx(0.0, abs=1e-12)
    assert value(gwet_ac1(by_rater(rows))) == pytest.approx(0.91334, abs=1e-5)
    assert value(gwet_ac1(by_rater(rows), categories=[1, 2, 3, 4, 5])) == pytest.approx(0.91843, abs=1e-5)


@settings(max_examples=40, deadline=None)
@given(
    arrays(np.int64, st.tuples(st.integers(2, 12), st.integers(2, 5)), elements=st.integers(0, 6)),
    st.sampled_from(sorted(ALPHA)),
)
def test_alpha_is_that_of_the_krippendorff_package(table: np.ndarray, measurement: Measurement) -> None:
    """Zeros are gaps; the package is the oracle wherever it gives a number, to 1e-9."""
    matrix = np.where(table == 0, np.nan, table)
    mine = krippendorff_alpha(Ratings.from_matrix(matrix), measurement, n_resamples=0)
    seen = np.unique(matrix[:, :][~np.isnan(matrix)])
    pairable = ((~np.isnan(matrix)).sum(axis=1) > 1).any()
    if not pairable or len(seen) < 2:
        assert mine.value is None
        return
    with np.errstate(all="ignore"):
        theirs = krippendorff.alpha(matrix.T, level_of_measurement=measurement)
    if np.isfinite(theirs):
        assert value(mine) == pytest.approx(theirs, abs=1e-9)
    else:
        assert mine.value is None


def test_fleiss_kappa_is_his_example() -> None:
    """Published .430 and .245 .245 .520 .471 .566; kappa and z are R's."""
    ratings = ratings_from_counts(FLEISS)
    assert value(fleiss_kappa(ratings, n_resamples=0)) == pytest.approx(0.4302445200601)
    assert fleiss_z_test(ratings).z == pytest.approx(17.651830582991)
    found = fleiss_kappa_by_category(ratings, n_resamples=0)
    assert [value(of) for of in found.values()] == pytest.approx([0.245, 0.245, 0.52, 0.471, 0.566], abs=5e-4)
    assert value(brennan_prediger(ratings, n_resamples=0)) == pytest.approx(4 / 9)


def test_raters_who_all_differ_disagree() -> None:
    """Three raters, three categories, each chosen once: −1 / (3 − 1), not +1."""
    assert value(fleiss_kappa(ratings_from_counts([[1, 1, 1], [1, 1, 1]]))) == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("weights", "gwet", "fleiss", "bp", "p_a"),
    [
        ("unweighted", 0.77544, 0.76117, 0.77273, 0.8181818181818),
        ("linear", 0.85874, 0.81794, 0.84848, 0.9393939393939),
        ("quadratic", 0.914, 0.86494, 0.90152, 0.9753787878788),
        ("ordinal", None, 0.85021, 0.88636, None),
    ],
)
def test_coefficients_with_gaps_are_irrcacs(
    weights: Weights, gwet: float | None, fleiss: float, bp: float, p_a: float | None
) -> None:
    """Gwet's 12 subjects by 4 raters with gaps, R's irrCAC."""
    ratings = by_rater(OBSERVERS)
    assert value(fleiss_kappa(ratings, weights, n_resamples=0)) == pytest.approx(fleiss, abs=6e-6)
    assert value(brennan_prediger(ratings, weights, n_resamples=0)) == pytest.approx(bp, abs=6e-6)
    if gwet is not None:
        assert value(gwet_ac2(ratings, weights, n_resamples=0)) == pytest.approx(gwet, abs=6e-6)
    if weights == "unweighted":
        assert value(percent_agreement(ratings, n_resamples=0)) == pytest.approx(p_a)


def test_conger_kappa_is_irrcacs() -> None:
    """The example of the R package without its single ratings: 0.76282."""
    rows = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, N],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ]
    assert value(conger_kappa(by_rater(rows), n_resamples=0)) == pytest.approx(0.76282, abs=1e-5)


@pytest.mark.parametrize(
    ("counts", "p_o", "kappa", "pi", "ac1", "bp"),
    [
        ([[40, 9], [6, 45]], 0.85, 0.6995192307692, 0.6992481203008, 0.7007481296758, 0.7),
        ([[80, 10], [5, 5]], 0.85, 0.3181818181818, 0.3142857142857, 0.808, 0.7),
        ([[118, 5], [2, 0]], 0.944, -0.0233918128655, -0.02880658436214, 0.9407763376087, 0.888),
        ([[13, 0, 0], [0, 20, 7], [0, 4, 56]], 0.89, 0.796409402184, 0.7962396962119, 0.8493305482313, 0.835),
    ],
)
def test_two_raters_and_the_kappa_paradox(
    counts: list[list[int]], p_o: float, kappa: float, pi: float, ac1: float, bp: float
) -> None:
    """Tables of Gwet's Handbook: the same agreement, and kappas from 0.70 down to below 0."""
    ratings = table_of(counts)
    assert value(percent_agreement(ratings, n_resamples=0)) == pytest.approx(p_o)
    assert value(cohen_kappa(ratings, n_resamples=0)) == pytest.approx(kappa)
    assert value(scott_pi(ratings, n_resamples=0)) == pytest.approx(pi)
    assert value(gwet_ac1(ratings, n_resamples=0)) == pytest.approx(ac1)
    assert value(brennan_prediger(ratings, n_resamples=0)) == pytest.approx(bp)
    assert value(conger_kappa(ratings, n_resamples=0)) == pytest.approx(kappa)


@pytest.mark.parametrize(
    ("weights", "kappa"),
    [("unweighted", 0.1194968553459), ("linear", 0.1891891891892), ("quadratic", 0.2967651195499)],
)
def test_weighted_kappa_of_anxiety(weights: Weights, kappa: float) -> None:
    """irr's anxiety data, first two raters; scikit-learn is a second authority."""
    pairs = [row[:2] for row in ANXIETY]
    found = cohen_kappa(Ratings.from_matrix(pairs), weights, n_resamples=0)
    assert value(found) == pytest.approx(kappa)
    columns = np.array(pairs).T
    named = None if weights == "unweighted" else weights
    assert cohen_kappa_score(*columns, weights=named, labels=[1, 2, 3, 4, 5, 6]) == pytest.approx(kappa)


def test_weights_follow_the_scale_not_the_labels_seen() -> None:
    """Labels 1, 2, 5: scikit-learn's weights by position give 0.8, the values 0.597."""
    found = cohen_kappa(
        Ratings.from_matrix([[1, 1], [2, 5], [5, 5]]), "quadratic", categories=[1, 2, 3, 4, 5]
    )
    assert value(found) == pytest.approx(0.5970149253731343)


def test_correlations_of_raters_are_numpys_and_scipys() -> None:
    """Pearson and Spearman of the first two judges."""
    from scipy import stats

    pair = np.array(JUDGES)[:, [0, 3]]
    ratings = Ratings.from_matrix(pair.tolist())
    assert value(mean_over_pairs(ratings, "pearson")) == pytest.approx(np.corrcoef(pair.T)[0, 1])
    assert value(mean_over_pairs(ratings, "spearman")) == pytest.approx(stats.spearmanr(*pair.T).statistic)


def test_icc_is_shrout_and_fleiss() -> None:
    """Six forms and the intervals of McGraw and Wong, R's psych."""
    expected = {
        "icc_1_1": (0.1657417684055, -0.1329323248748, 0.7225600623281),
        "icc_2_1": (0.2897637795276, 0.01878651337471, 0.761084369649),
        "icc_3_1": (0.7148407148407, 0.3424647650339, 0.9458582599554),
        "icc_1_k": (0.4427971336793, -0.8844421552381, 0.9124154203408),
        "icc_2_k": (0.620050547599, 0.0711368153025, 0.9272320401677),
        "icc_3_k": (0.9093155423771, 0.6756747138163, 0.9858916781691),
    }
    for form, found in icc(Ratings.from_matrix(JUDGES)).items():
        assert found.interval is not None
        assert (value(found), found.interval.low, found.interval.high) == pytest.approx(
            expected[form], abs=1e-6
        )


def test_icc_with_a_gap_leaves_no_unit_out() -> None:
    """Values of R's psych with lme4; pingouin drops the unit and gives 0.264 for ICC(1)."""
    table = [list(row) for row in JUDGES]
    table[0] = [9, 2, 5, N]  # type: ignore[list-item]
    found = icc(Ratings.from_matrix(table))
    assert [value(found[form]) for form in FORMS[:3]] == pytest.approx(
        [0.1667373, 0.2895057, 0.7049737], abs=1e-4
    )
    assert all(estimate.interval is not None for estimate in found.values())


def test_units_with_one_mean_have_no_shared_variance() -> None:
    """Between units nothing varies: ICC(1) is −1 for two raters, and the interval is left out."""
    found = icc(Ratings.from_matrix([[1, 3], [3, 1], [2, 2]]))
    assert value(found["icc_1_1"]) == pytest.approx(-1.0)
    assert found["icc_1_k"].status == "no_variation"


def test_kendall_w_with_ties_is_irrs() -> None:
    """W, χ² and p of irr's kendall with correction for ties."""
    found = kendall_w(Ratings.from_matrix(ANXIETY))
    assert value(found.w) == pytest.approx(0.5396568759544, abs=1e-9)
    assert (found.chi2, found.p_value) == pytest.approx((30.760441929399, 0.04288347312695), abs=1e-9)


def test_percent_agreement_all_within_a_tolerance_is_irrs_agree() -> None:
    """irr's agree: none exactly, 35 % within 1."""
    ratings = Ratings.from_matrix(ANXIETY)
    assert value(percent_agreement_all(ratings)) == 0.0
    assert value(percent_agreement_all(ratings, 1)) == pytest.approx(0.35)


def test_a_transposed_table_is_suspected() -> None:
    """More raters than units, each with nearly all: transposed alpha would be −0.055 instead of 0.743."""
    transposed = Ratings.from_matrix(OBSERVERS)
    assert value(krippendorff_alpha(transposed, "nominal")) == pytest.approx(-0.05485893416927867)
    assert looks_transposed(Ratings.from_matrix([[1] * 12, [2] * 12]))
    assert not looks_transposed(by_rater(OBSERVERS))


def test_lights_kappa_is_the_mean_over_pairs() -> None:
    """Six raters of Fleiss's patients as irr has them: mean of 15 kappas .4594."""
    rows = [
        [4, 2, 2, 5, 2, 1, 3, 1, 1, 5, 1, 1, 2, 1, 2, 3, 1, 1, 2, 1, 5, 2, 2, 1, 1, 2, 1, 2, 1, 5],
        [4, 2, 3, 5, 2, 1, 3, 1, 1, 5, 4, 2, 2, 4, 2, 3, 1, 1, 2, 3, 5, 4, 2, 1, 4, 2, 1, 2, 3, 5],
        [4, 2, 3, 5, 2, 3, 3, 3, 4, 5, 4, 4, 2, 4, 4, 3, 1, 1, 4, 3, 5, 4, 4, 4, 4, 2, 1, 4, 3, 5],
        [4, 5, 3, 5, 4, 3, 3, 3, 4, 5, 4, 4, 3, 4, 4, 3, 4, 1, 4, 5, 5, 4, 5, 4, 4, 2, 1, 4, 3, 5],
        [4, 5, 3, 5, 4, 3, 5, 3, 4, 5, 4, 4, 3, 4, 4, 3, 5, 1, 4, 5, 5, 4, 5, 4, 4, 2, 5, 4, 3, 5],
        [4, 5, 5, 5, 4, 3, 5, 4, 4, 5, 4, 4, 3, 4, 5, 5, 5, 2, 4, 5, 5, 4, 5, 4, 5, 4, 5, 4, 3, 5],
    ]
    assert value(cohen_kappa(by_rater(rows), n_resamples=0)) == pytest.approx(0.4594121444346)
