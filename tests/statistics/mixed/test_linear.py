"""Linear mixed models against lme4, statsmodels, the classical analysis of variance, and simulated truth."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.statistics.mixed.linear import linear_mixed_model

# Davies and Goldsmith (1972), penicillin: diameters of 24 plates (rows) × 6 samples, the data set of lme4
PENICILLIN = """
27 23 26 23 23 21  27 23 26 23 23 21  25 21 25 24 24 20  26 23 25 23 23 20
25 22 26 22 23 20  24 22 25 23 22 19  24 20 23 21 22 19  26 22 26 24 24 21
24 21 24 22 22 20  24 21 24 23 22 19  26 23 26 24 24 21  25 22 26 24 24 20
26 24 26 24 25 22  26 23 26 23 23 20  26 23 25 24 24 22  25 22 25 23 23 20
25 21 24 23 23 20  25 22 24 23 23 19  24 21 23 21 21 19  26 23 26 24 24 21
25 21 24 22 22 18  25 22 25 22 22 20  24 21 24 22 24 19  24 21 24 22 21 18
"""


def study(n_items: int, n_raters: int, sds: dict[str, float], seed: int):
    """A crossed study of two systems that differ by 0.5, with these standard deviations."""
    rng = np.random.default_rng(seed)
    axes = np.meshgrid(range(n_items), range(n_raters), range(2), indexing="ij")
    item, rater, system = (axis.ravel() for axis in axes)
    groups = {
        "item": item,
        "rater": rater,
        "rater:system": rater * 2 + system,
        "item:system": item * 2 + system,
    }
    values = 3 + 0.5 * system + rng.normal(size=len(item)) * sds["residual"]
    for name, codes in groups.items():
        values = values + sds.get(name, 0.0) * rng.normal(size=codes.max() + 1)[codes]
    fixed = {"x": (system == 0).astype(float), "y": (system == 1).astype(float)}
    return values, fixed, groups


def test_penicillin() -> None:
    """Variance components and likelihood of lme4 1.1-31 (lmer, REML) and statsmodels 0.15."""
    groups = {"plate": np.repeat(np.arange(24), 6), "sample": np.tile(np.arange(6), 24)}
    found = linear_mixed_model([int(v) for v in PENICILLIN.split()], {"intercept": np.ones(144)}, groups)
    assert 22.972222222 == pytest.approx(found.effects[0].value, abs=5e-4)
    assert 0.8467025103309 == pytest.approx(found.sd("plate"), abs=5e-4)
    assert 1.931613792223 == pytest.approx(found.sd("sample"), abs=5e-4)
    assert 0.5499226820629 == pytest.approx(found.sd("residual"), abs=5e-4)
    assert -165.430294499802 == pytest.approx(found.log_likelihood, abs=5e-4)
    # the standard error that Bates et al. (2015) print for this model
    assert 0.8086 == pytest.approx(found.effects[0].standard_error, abs=1e-4)
    assert ("ok", "") == (found.status, found.note)


def test_against_statsmodels_on_unbalanced_data() -> None:
    """The same estimates as MixedLM with variance components, where a third of the rows is missing."""
    from statsmodels.regression.mixed_linear_model import MixedLM

    values, fixed, groups = study(12, 5, {"item": 0.6, "rater": 0.4, "residual": 0.7}, 3)
    kept = np.random.default_rng(4).random(len(values)) < 0.67
    values, item, rater = values[kept], groups["item"][kept], groups["rater"][kept]
    found = linear_mixed_model(
        values, {name: column[kept] for name, column in fixed.items()}, {"item": item, "rater": rater}
    )
    design = np.column_stack([column[kept] for column in fixed.values()])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = np.zeros(len(values))
        indicators = [{0: np.eye(codes.max() + 1)[codes]} for codes in (item, rater)]
        from statsmodels.regression.mixed_linear_model import VCSpec

        names = [
            [[f"{kind}{i}" for i in range(codes.max() + 1)]] for kind, codes in (("i", item), ("r", rater))
        ]
        parts = VCSpec(["item", "rater"], names, [[indicator[0]] for indicator in indicators])
        peer = MixedLM(values, design, groups=one, exog_vc=parts).fit(reml=True)
    assert peer.llf == pytest.approx(found.log_likelihood, abs=1e-4)
    assert peer.vcomp == pytest.approx([part.variance for part in found.components[:2]], abs=2e-4)
    assert peer.scale == pytest.approx(found.components[-1].variance, abs=2e-4)
    assert peer.fe_params == pytest.approx([effect.value for effect in found.effects], abs=1e-4)
    # standard errors by generalised least squares with the whole covariance matrix of the rows
    item_sd, rater_sd, sd = (part.sd for part in found.components)
    rows = [indicator[0] @ indicator[0].T for indicator in indicators]
    covariance = item_sd**2 * rows[0] + rater_sd**2 * rows[1] + sd**2 * np.eye(len(values))
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ np.linalg.solve(covariance, design))))
    assert errors == pytest.approx([effect.standard_error for effect in found.effects], rel=1e-8)


def test_balanced_data_give_the_analysis_of_variance() -> None:
    """With positive components REML is the method of moments, and df Satterthwaite's of mean squares."""
    n_items, n_raters = 30, 8
    sds = {"item": 0.5, "rater": 0.5, "rater:system": 0.4, "item:system": 0.6, "residual": 0.7}
    values, fixed, groups = study(n_items, n_raters, sds, 1)
    found = linear_mixed_model(values, fixed, groups)
    gap = found.contrast({"y": 1.0, "x": -1.0})
    # by hand: the two-way table of differences; half its mean squares are those of the interactions
    table = values.reshape(n_items, n_raters, 2)
    # the model has no item × rater term: its residual pools both contrasts over items and raters
    both = [table[..., 1] - table[..., 0], table[..., 1] + table[..., 0]]

    def squares(d):
        rows = n_raters * ((d.mean(1) - d.mean()) ** 2).sum() / 2
        columns = n_items * ((d.mean(0) - d.mean()) ** 2).sum() / 2
        return rows, columns, ((d - d.mean()) ** 2).sum() / 2 - rows - columns

    by_item, by_rater, rest = squares(both[0])
    n_rest = 2 * (n_items - 1) * (n_raters - 1)
    ms_item, ms_rater = by_item / (n_items - 1), by_rater / (n_raters - 1)
    ms_rest = (rest + squares(both[1])[2]) / n_rest
    variance = 2 * (ms_item + ms_rater - ms_rest) / (n_items * n_raters)
    parts = ms_item**2 / (n_items - 1) + ms_rater**2 / (n_raters - 1) + ms_rest**2 / n_rest
    assert both[0].mean() == pytest.approx(gap.value, abs=1e-9)
    assert ms_rest == pytest.approx(found.components[-1].variance, rel=1e-5)
    assert (ms_item - ms_rest) / n_raters == pytest.approx(found.sd("item:system") ** 2, rel=1e-4)
    assert (ms_rater - ms_rest) / n_items == pytest.approx(found.sd("rater:system") ** 2, rel=1e-4)
    assert np.sqrt(variance) == pytest.approx(gap.standard_error, rel=1e-5)
    assert (ms_item + ms_rater - ms_rest) ** 2 / parts == pytest.approx(gap.df, rel=1e-3)


def test_one_group_gives_the_t_test_of_its_means() -> None:
    """A balanced one-way design: the mean's df are the number of groups minus one."""
    values = [3.1, 2.9, 4.2, 4.0, 1.8, 2.2, 3.6, 3.4]
    found = linear_mixed_model(values, {"mean": [1.0] * 8}, {"item": [0, 0, 1, 1, 2, 2, 3, 3]}).effects[0]
    means = np.reshape(values, (4, 2)).mean(axis=1)
    assert means.std(ddof=1) / 2 == pytest.approx(found.standard_error, rel=1e-6)
    assert 3.0 == pytest.approx(found.df, rel=1e-4)


def test_without_random_effects_it_is_least_squares() -> None:
    """Factors that cannot be told from the residual leave ordinary least squares, and the note says so."""
    from scipy import stats

    x, y = [1.0, 2, 3, 4, 5, 6], [2.0, 1, 4, 3, 7, 5]
    found = linear_mixed_model(y, {"one": [1.0] * 6, "x": x}, {"row": list("abcdef"), "all": ["z"] * 6})
    peer = stats.linregress(x, y)
    effect = found.effect("x")
    assert (peer.slope, peer.stderr) == pytest.approx((effect.value, effect.standard_error), abs=1e-12)
    assert peer.pvalue == pytest.approx(effect.p_value, abs=1e-12)
    assert 4.0 == pytest.approx(effect.df)
    assert "row is left out: each of its levels has a single row" in found.note
    assert "all is left out: it has a single level" in found.note


def test_recovers_what_was_simulated() -> None:
    """On 400 items × 15 raters the estimates lie near the truth (fixed seed; four standard errors)."""
    sds = {"item": 0.6, "rater": 0.5, "rater:system": 0.3, "item:system": 0.5, "residual": 0.7}
    values, fixed, groups = study(400, 15, sds, 8)
    found = linear_mixed_model(values, fixed, groups)
    spread = {"item": 0.04, "rater": 0.4, "rater:system": 0.25, "item:system": 0.03, "residual": 0.02}
    for name, sd in sds.items():
        assert sd == pytest.approx(found.sd(name), abs=spread[name])
    gap = found.contrast({"y": 1, "x": -1})
    assert gap.interval.low < 0.5 < gap.interval.high


def test_a_component_of_zero_is_told() -> None:
    """Raters that differ less than chance would have it: a singular fit, named in the note, with results."""
    values = [1.0, 2.0, 2.0, 1.0, 4.0, 5.0, 5.0, 4.0]
    groups = {"item": [0, 0, 1, 1, 2, 2, 3, 3], "rater": [0, 1] * 4}
    found = linear_mixed_model(values, {"mean": np.ones(8)}, groups)
    assert 0.0 == found.sd("rater")
    assert "variance of rater is estimated as 0" in found.note
    assert "ok" == found.status
    alone = linear_mixed_model(values, {"mean": np.ones(8)}, {"item": groups["item"]})
    assert alone.effects[0].standard_error == pytest.approx(found.effects[0].standard_error, rel=1e-6)


@pytest.mark.parametrize(
    ("values", "fixed", "groups", "status"),
    [
        ([3.0, 3, 3, 3], [1.0] * 4, [0, 0, 1, 1], "no_variation"),
        ([3.0, 3, 4, 4, 1, 1], [1.0] * 6, [0, 0, 1, 1, 2, 2], "no_variation"),
        ([3.0], [1.0], [0], "too_few_units"),
        ([], [], [], "too_few_units"),
        ([2.0, 3.0], [0.0, 0.0], [0, 1], "too_few_units"),
    ],
    ids=["all equal", "equal within items", "one row", "no row", "no column"],
)
def test_degenerate_data(values, fixed, groups, status) -> None:
    """No estimate and a status, no exception and no warning."""
    found = linear_mixed_model(values, {"mean": fixed}, {"item": groups})
    assert (status, (), None) == (found.status, found.effects, found.log_likelihood)
    assert None is found.contrast({"mean": 1.0}).value


def test_columns_that_add_up_are_left_out() -> None:
    """A redundant column is dropped and told; its contrast is undefined."""
    values, fixed, groups = study(6, 4, {"item": 0.5, "residual": 0.5}, 2)
    found = linear_mixed_model(values, {**fixed, "sum": fixed["x"] + fixed["y"]}, {"item": groups["item"]})
    assert ["x", "y"] == [effect.name for effect in found.effects]
    assert "sum is left out" in found.note
    assert (None, "incomplete") == (found.contrast({"sum": 1}).value, found.contrast({"sum": 1}).status)


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_order_of_rows_and_names_of_levels_do_not_matter(seed, random) -> None:
    """Shuffled rows and renamed levels give the same fit."""
    values, fixed, groups = study(
        5, 4, {"item": 0.5, "rater": 0.5, "item:system": 0.3, "residual": 0.6}, seed
    )
    found = linear_mixed_model(values, fixed, groups)
    order = list(range(len(values)))
    random.shuffle(order)
    renamed = {name: [f"n{(7 * code) % 101}" for code in codes[order]] for name, codes in groups.items()}
    again = linear_mixed_model(values[order], {k: v[order] for k, v in fixed.items()}, renamed)
    assert found.log_likelihood == pytest.approx(again.log_likelihood, abs=1e-7)
    gap, other = (fit.contrast({"x": 1, "y": -1}) for fit in (found, again))
    assert gap.value == pytest.approx(other.value, abs=1e-9)
    assert gap.standard_error == pytest.approx(other.standard_error, rel=1e-3)
