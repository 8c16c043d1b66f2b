"""The mixed model of a rating study: its terms, its contrasts, and what it says where they fail."""

from __future__ import annotations

import numpy as np
import pytest

from empeval.statistics.design import Ratings
from empeval.statistics.mixed.ratings import rating_model


def ratings_of(table, **columns) -> Ratings:
    """Ratings from an array (n_items, n_raters, n_systems), NaN where there is none."""
    table = np.asarray(table, dtype=float)
    item, rater, system = np.nonzero(~np.isnan(table))
    return Ratings.of(
        table[item, rater, system].tolist(),
        items=[f"i{i}" for i in item],
        raters=[f"r{i}" for i in rater],
        systems=["abc"[i] for i in system],
        **columns,
    )


def crossed(seed: int, shape=(12, 4, 3)):
    """A crossed study with all components, systems one apart."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=shape) * 0.7 + np.arange(shape[2])
    table += rng.normal(size=(shape[0], 1, 1)) * 0.5 + rng.normal(size=(1, shape[1], 1)) * 0.5
    return table + rng.normal(size=(shape[0], 1, shape[2])) * 0.4


def test_complete_designs_give_differences_of_means() -> None:
    """In a complete crossed design contrasts are differences of the systems' means."""
    table = crossed(1)
    found = rating_model(ratings_of(table))
    means = table.mean(axis=(0, 1))
    assert means == pytest.approx([mean.value for mean in found.means], abs=1e-9)
    pairs = [(pair.system_a, pair.system_b, pair.effect.value) for pair in found.differences]
    expected = [
        ("a", "b", means[0] - means[1]),
        ("a", "c", means[0] - means[2]),
        ("b", "c", means[1] - means[2]),
    ]
    assert [name for *name, _ in expected] == [[a, b] for a, b, _ in pairs]
    assert [value for *_, value in expected] == pytest.approx([value for *_, value in pairs], abs=1e-9)
    assert "144 ratings of 3 systems on 12 items by 4 raters" in found.methods
    assert "item, rater, rater:system, item:system" in found.methods


def test_holm_covers_the_pairs() -> None:
    """Adjusted p-values are never below the raw ones and at most three times as large."""
    for pair in rating_model(ratings_of(crossed(2))).differences:
        assert pair.effect.p_value <= pair.p_adjusted <= min(1.0, 3 * pair.effect.p_value)


def test_terms_without_support_are_named() -> None:
    """One rater: no rater terms, and item:system is the residual; the note says so."""
    found = rating_model(ratings_of(crossed(3, (15, 1, 2))))
    assert ["item", "residual"] == [part.name for part in found.model.components]
    for text in ("rater is left out", "rater:system is left out", "item:system is left out"):
        assert text in found.note
    assert "ok" == found.status


def test_one_rater_is_the_paired_t_test() -> None:
    """With one rater and two systems the contrast is the paired t test over items, where items differ."""
    from scipy import stats

    table = crossed(4, (15, 1, 2)) + np.arange(15)[:, None, None] / 3
    effect = rating_model(ratings_of(table)).differences[0].effect
    peer = stats.ttest_rel(table[:, 0, 0], table[:, 0, 1])
    assert peer.pvalue == pytest.approx(effect.p_value, abs=1e-6)
    assert 14 == pytest.approx(effect.df, rel=1e-4)


def test_incomplete_designs_have_contrasts() -> None:
    """Half of the ratings missing: adjusted means, and missing values counted in the note."""
    table = crossed(5)
    holes = np.random.default_rng(6).random(table.shape) < 0.5
    full = ratings_of(np.where(holes, np.nan, table))
    found = rating_model(full)
    assert 3 == len(found.differences)
    assert all(pair.effect.interval is not None for pair in found.differences)
    item, rater, system = (axis.ravel() for axis in np.indices(table.shape))
    values = np.where(holes, np.nan, table).ravel().tolist()
    told = rating_model(Ratings.of(values, items=item, raters=rater, systems=["abc"[i] for i in system]))
    assert f"{holes.sum()} missing ratings are left out" in told.note
    expected = [pair.effect.value for pair in found.differences]
    assert expected == pytest.approx([pair.effect.value for pair in told.differences], abs=1e-8)


@pytest.mark.parametrize(
    ("table", "status"),
    [
        (np.full((3, 2, 2), 4.0), "no_variation"),
        (np.full((3, 2, 2), np.nan), "no_judgments"),
        ([[[3.0, 4.0], [2.0, 5.0]]], "too_few_items"),
    ],
    ids=["all equal", "all missing", "one item"],
)
def test_degenerate_studies(table, status) -> None:
    """A status and no numbers."""
    found = rating_model(ratings_of(table))
    assert (status, (), ()) == (found.status, found.means, found.differences)


def test_one_system_has_a_mean_and_no_difference() -> None:
    """A single system: its mean with an interval."""
    found = rating_model(ratings_of(crossed(7, (10, 3, 1))))
    assert (1, 0, "ok") == (len(found.means), len(found.differences), found.status)


def test_words_have_no_mean() -> None:
    """Ratings that are words are told, not averaged."""
    found = rating_model(Ratings.of(["good", "bad"], items=["i", "j"], raters=["r", "r"]))
    assert ("incomplete", "Ratings that are words have no mean.") == (found.status, found.note)
