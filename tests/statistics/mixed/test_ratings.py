"""The mixed model of a rating study: its terms, its contrasts, and what it says where they fail."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.statistics.design import Ratings
from empeval.statistics.mixed.rating_odds import rating_odds
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


def test_dialogues_of_several_items_are_random_too() -> None:
    """Systems that differ by dialogue: the error is that of dialogues, not of their many items."""
    rng = np.random.default_rng(9)
    table = crossed(8, (24, 4, 2)) + np.repeat(rng.normal(size=(6, 1, 2)), 4, axis=0)
    item, rater, system = (axis.ravel() for axis in np.indices(table.shape))
    columns = {"items": item, "raters": rater, "systems": ["ab"[s] for s in system]}
    alone = rating_model(Ratings.of(table.ravel().tolist(), **columns))
    found = rating_model(Ratings.of(table.ravel().tolist(), dialogues=item // 4, **columns))
    assert {"dialogue", "dialogue:system"} <= {part.name for part in found.model.components}
    assert alone.differences[0].effect.standard_error < found.differences[0].effect.standard_error
    # six dialogues under two systems have ten degrees of freedom at most
    assert found.differences[0].effect.df <= 10 < alone.differences[0].effect.df
    assert "dialogue:system" in found.methods


def test_repeated_ratings_count_once() -> None:
    """Second passes are left out and counted, as in the table of ratings."""
    table = crossed(9, (8, 3, 2))
    item, rater, system = (axis.ravel() for axis in np.indices(table.shape))
    columns = [np.tile(axis, 2).tolist() for axis in (item, rater, system)]
    values = [*table.ravel().tolist(), *[5.0] * table.size]
    passes = [1] * table.size + [2] * table.size
    twice = rating_model(
        Ratings.of(values, items=columns[0], raters=columns[1], systems=columns[2], passes=passes)
    )
    once = rating_model(Ratings.of(table.ravel().tolist(), items=item, raters=rater, systems=system))
    assert "48 repeated ratings are left out." in twice.note
    assert once.differences[0].effect == twice.differences[0].effect


ROWS = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2), st.integers(1, 4))


@settings(max_examples=50)
@given(st.lists(ROWS, max_size=20))
def test_any_small_study_gives_numbers_or_a_status(rows) -> None:
    """Whatever the holes and the values: no exception, no warning, and no number that is not finite."""
    item, rater, system, value = zip(*rows, strict=True) if rows else ((), (), (), ())
    ratings = Ratings.of(list(value), items=item, raters=rater, systems=system)
    found, odds = rating_model(ratings), rating_odds(ratings, n_nodes=3)
    assert "ok" != found.status or all(np.isfinite(pair.effect.value) for pair in found.differences)
    assert "ok" != odds.status or all(np.isfinite(pair.ratio) for pair in odds.ratios)
    for effect in (pair.effect for pair in (*found.differences, *odds.ratios)):
        assert effect.p_value is None or 0 <= effect.p_value <= 1


def test_large_numbers_are_no_constant() -> None:
    """A million on top of every rating changes the means and nothing else."""
    table = crossed(10, (10, 4, 2))
    low, high = (rating_model(ratings_of(values)).differences[0].effect for values in (table, table + 1e6))
    assert low.value == pytest.approx(high.value, abs=1e-6)
    assert low.standard_error == pytest.approx(high.standard_error, rel=1e-4)
