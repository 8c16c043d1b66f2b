"""Intervals of agreement: resampled units, degenerate tables, invariances, and rater reports."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from empeval.statistics.agreement import alpha, pairs, percent
from empeval.statistics.agreement.alpha import krippendorff_alpha
from empeval.statistics.agreement.categories import brennan_prediger, fleiss_kappa, gwet_ac1, gwet_ac2
from empeval.statistics.agreement.conger import conger_kappa
from empeval.statistics.agreement.differences import agreement_difference
from empeval.statistics.agreement.icc import FORMS, icc
from empeval.statistics.agreement.kendall import kendall_w
from empeval.statistics.agreement.pairs import agreement_of_pairs, cohen_kappa, mean_over_pairs, scott_pi
from empeval.statistics.agreement.percent import percent_agreement, percent_agreement_all
from empeval.statistics.agreement.raters import rater_reports, self_consistency
from empeval.statistics.agreement.units import Units
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate

N = None
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
COEFFICIENTS: dict[str, Callable[..., Estimate]] = {
    "alpha nominal": lambda ratings, **s: krippendorff_alpha(ratings, "nominal", **s),
    "alpha ordinal": lambda ratings, **s: krippendorff_alpha(ratings, "ordinal", **s),
    "alpha interval": lambda ratings, **s: krippendorff_alpha(ratings, "interval", **s),
    "alpha ratio": lambda ratings, **s: krippendorff_alpha(ratings, "ratio", **s),
    "fleiss": fleiss_kappa,
    "ac1": gwet_ac1,
    "ac2": gwet_ac2,
    "brennan_prediger": brennan_prediger,
    "conger": conger_kappa,
    "cohen": cohen_kappa,
    "scott": scott_pi,
    "spearman": lambda ratings, **s: mean_over_pairs(ratings, "spearman", **s),
    "percent": percent_agreement,
    "unanimous": percent_agreement_all,
    "kendall": lambda ratings, **s: kendall_w(ratings, **s).w,
    **{form: (lambda ratings, form=form, **s: icc(ratings, **s)[form]) for form in FORMS},
}


def by_rater(rows: list[list[int | None]]) -> Ratings:
    """Ratings from a table with a row for each rater."""
    return Ratings.from_matrix([list(column) for column in zip(*rows, strict=True)])


def study(seed: int, n_units: int = 60, n_raters: int = 3) -> np.ndarray:
    """Ratings 1–5 with a common part."""
    rng = np.random.default_rng(seed)
    common = rng.normal(3, 1, (n_units, 1))
    return np.clip(np.rint(common + rng.normal(0, 0.8, (n_units, n_raters))), 1, 5)


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
def test_every_coefficient_has_an_interval_around_it(name: str) -> None:
    """60 units by three raters, and the same in dialogues of two units, which are resampled together."""
    found = COEFFICIENTS[name](Ratings.from_matrix(study(1)))
    assert found.value is not None
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high
    unit, rater = np.indices((60, 3)).reshape(2, -1)
    clustered = Ratings.of(
        study(1).ravel().tolist(), items=unit.tolist(), raters=rater.tolist(), dialogues=(unit // 2).tolist()
    )
    joint = COEFFICIENTS[name](clustered)
    assert joint.value == pytest.approx(found.value)
    assert joint.interval is not None
    assert joint.interval != found.interval


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
@pytest.mark.parametrize(
    "table",
    [
        [[3, 3, 3]] * 4,
        [[3], [4], [3]],
        [[1, 2]],
        [[N, N], [N, N]],
        [[1, N], [N, 2]],
        [],
    ],
    ids=["all equal", "one rater", "one unit", "all missing", "no pairs", "nothing"],
)
def test_degenerate_tables_give_a_status_instead_of_a_number(
    name: str, table: list[list[int | None]]
) -> None:
    """No exception, no warning and no NaN; a value that is given is a finite number."""
    found = COEFFICIENTS[name](Ratings.from_matrix(table))
    assert (found.value is None) == (found.status != "ok")
    assert found.value is None or np.isfinite(found.value)
    if table == [[3], [4], [3]] or not table:
        assert found.value is None


def test_no_variation_is_undefined_and_percent_agreement_is_not() -> None:
    """Three raters who always say 3 agree in all units, and beyond chance nobody can tell."""
    same = Ratings.from_matrix([[3, 3, 3]] * 4)
    assert krippendorff_alpha(same, "nominal").status == "no_variation"
    assert fleiss_kappa(same).status == "no_variation"
    assert icc(same)["icc_2_1"].status == "no_variation"
    assert percent_agreement(same).value == 1.0


@settings(max_examples=25, deadline=None)
@given(
    arrays(np.int64, st.tuples(st.integers(3, 8), st.integers(2, 4)), elements=st.integers(0, 4)),
    st.sampled_from(sorted(COEFFICIENTS)),
    st.randoms(use_true_random=False),
)
def test_order_of_units_and_raters_changes_nothing(table: np.ndarray, name: str, random: object) -> None:
    """Any permutation of rows and columns gives the same value; zeros are gaps."""
    matrix = np.where(table == 0, np.nan, table)
    rng = np.random.default_rng(table.sum())
    shuffled = matrix[rng.permutation(len(matrix))][:, rng.permutation(matrix.shape[1])]
    one = COEFFICIENTS[name](Ratings.from_matrix(matrix), n_resamples=0)
    other = COEFFICIENTS[name](Ratings.from_matrix(shuffled), n_resamples=0)
    assert one.status == other.status
    assert one.value == pytest.approx(other.value, abs=1e-6)


def test_intervals_do_not_depend_on_the_order_of_units() -> None:
    """The same seed and the same units in another order: the same interval to the last bit."""
    matrix = study(2)
    one, other = (
        krippendorff_alpha(Ratings.from_matrix(table), rng=np.random.default_rng(7))
        for table in (matrix, matrix[::-1])
    )
    assert one.interval == other.interval


def test_percentile_interval_of_few_units_is_the_published_one() -> None:
    """Ordinal alpha of Krippendorff's example, 11 units, 20,000 resamples of units: 0.445 to 1."""
    units, evaluate = alpha.prepared(by_rater(OBSERVERS), "ordinal")
    drawn = units.bootstrap(evaluate, 20_000, np.random.default_rng(0))
    low, high = np.quantile(drawn[np.isfinite(drawn)], [0.025, 0.975])
    assert (low, high) == pytest.approx((0.44480913614257955, 1.0), abs=0.02)


def test_few_units_have_a_jackknife_interval() -> None:
    """Below 30 units percentiles cover too little."""
    found = krippendorff_alpha(by_rater(OBSERVERS), "ordinal")
    assert found.interval is not None
    assert found.interval.method == "jackknife"


def test_resampling_distinct_rows_is_resampling_units() -> None:
    """The bootstrap's spread equals that of drawing units one by one, within its own error."""
    matrix = study(3, 40)
    units, evaluate = alpha.prepared(Ratings.from_matrix(matrix), "interval")
    fast = units.bootstrap(evaluate, 4000, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    slow = [
        krippendorff_alpha(
            Ratings.from_matrix(matrix[rng.integers(0, 40, 40)]), "interval", n_resamples=0
        ).value
        for _ in range(600)
    ]
    assert fast.std() == pytest.approx(np.std(slow), rel=0.12)
    assert fast.mean() == pytest.approx(np.mean(slow), abs=4 * np.std(slow) / 600**0.5)


def test_difference_of_a_coefficient_with_itself_is_exactly_nothing() -> None:
    """Paired resamples leave no spread where both sides are the same."""
    ratings = Ratings.from_matrix(study(4))
    found = agreement_difference(ratings, ratings, alpha.prepared)
    assert found.value == 0.0
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (0.0, 0.0)


def test_differences_are_paired() -> None:
    """Two questions that share their noise differ by less than their own intervals would say."""
    matrix = study(5)
    other = matrix.copy()
    other[:6] = np.roll(other[:6], 1, axis=0)
    found = agreement_difference(
        Ratings.from_matrix(matrix), Ratings.from_matrix(other), lambda r: alpha.prepared(r, "interval")
    )
    alone = krippendorff_alpha(Ratings.from_matrix(matrix), "interval")
    assert found.interval is not None
    assert alone.interval is not None
    assert found.interval.high - found.interval.low < alone.interval.high - alone.interval.low
    same = Ratings.from_matrix(matrix)
    mixed = agreement_difference(same, same, lambda r: pairs.prepared(r, "cohen_kappa"), percent.prepared)
    assert mixed.value is not None
    assert mixed.value < 0


def test_leave_one_out_correlations_with_gaps() -> None:
    """R's cor with the mean of the other raters present."""
    found = [report.leave_one_out.value for report in rater_reports(by_rater(OBSERVERS))]
    assert found == pytest.approx([0.7900302, 0.9837025, 0.9379875, 0.8853699], abs=1e-7)


def test_reports_show_the_rater_who_answers_at_random() -> None:
    """A reversed rater follows nobody, and the others agree better without him."""
    matrix = study(6, n_raters=4)
    matrix[:, 3] = 6 - matrix[:, 3]

    def ordinal(ratings: Ratings) -> Estimate:
        return krippendorff_alpha(ratings, n_resamples=0)

    reports = rater_reports(Ratings.from_matrix(matrix), ordinal)
    assert [report.rater for report in reports] == ["0", "1", "2", "3"]
    assert reports[3].leave_one_out.value is not None
    assert reports[3].leave_one_out.value < 0
    assert reports[3].influence.value is not None
    assert reports[3].influence.value < 0 < (reports[0].influence.value or 0)
    assert reports[0].mean == pytest.approx(matrix[:, 0].mean())
    assert reports[0].sd == pytest.approx(matrix[:, 0].std(ddof=1))


def test_a_rater_who_never_varies_has_no_correlation() -> None:
    """All threes: a status, a spread of 0 and a commonest share of 1."""
    report = rater_reports(Ratings.from_matrix([[3, 1], [3, 4], [3, 5]]))[0]
    assert report.leave_one_out.status == "no_variation"
    assert (report.sd, report.commonest) == (0.0, 1.0)


def test_self_consistency_compares_the_first_two_passes() -> None:
    """Four repeats, three exact and one off by one; a single rating counts for nothing."""
    ratings = Ratings.of(
        [1, 1, 4, 4, 2, 3, 5, 5, 2],
        items=list("aabbccdde"),
        raters=["r"] * 9,
        passes=[1, 2, 1, 2, 1, 2, 1, 2, 1],
    )
    found = self_consistency(ratings, "r")
    assert (found.n, found.exact.value, found.within_1.value) == (4, 0.75, 1.0)
    assert found.kappa.value == pytest.approx(
        cohen_kappa(Ratings.from_matrix([[1, 1], [4, 4], [2, 3], [5, 5]]), "quadratic").value
    )
    assert self_consistency(Ratings.from_matrix([[1, 2]])).exact.status == "no_pairable_units"


def test_pairs_with_too_few_common_units_are_told() -> None:
    """Three raters of whom two never met: the mean is over the pairs that did."""
    table = [[1, 1, N], [2, 2, N], [1, 2, N], [N, 1, 1], [N, 2, 2], [N, 3, 1]]
    found = cohen_kappa(Ratings.from_matrix(table))
    assert found.note.startswith("mean over 2 of 3 pairs")
    assert [pair.n for pair in agreement_of_pairs(Ratings.from_matrix(table), "cohen_kappa")] == [3, 0, 3]


def test_dialogues_of_several_units_are_one_resampling_unit() -> None:
    """Ten dialogues of three units are ten draws."""
    units = Units.of(np.arange(30)[:, None] % 4, np.arange(30) // 3)
    assert units.n == 10
    assert units.weights.sum() == 30
