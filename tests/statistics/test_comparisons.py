"""Systems compared on ratings: the analysis follows the design, the words claim no more than was shown."""

from __future__ import annotations

import re

import numpy as np
import pytest

from empeval.statistics.comparisons import compare_ratings
from empeval.statistics.design import Ratings
from empeval.statistics.means import two_way_mean


def crossed(values: np.ndarray) -> Ratings:
    """A complete study from a table (n_systems, n_items, n_raters)."""
    s, i, r = np.indices(values.shape).reshape(3, -1)
    return Ratings.of(
        values.ravel().tolist(),
        items=[f"i{n}" for n in i],
        raters=[f"r{n}" for n in r],
        systems=[f"s{n}" for n in s],
    )


def study(seed: int, n_items: int = 20, n_raters: int = 5, gap: float = 0.0) -> np.ndarray:
    """Ratings 1–5 of two systems under item and rater effects."""
    rng = np.random.default_rng(seed)
    latent = 3 + rng.normal(0, 0.6, (1, n_items, 1)) + rng.normal(0, 0.4, (1, 1, n_raters))
    latent = latent + rng.normal(0, 0.7, (2, n_items, n_raters))
    latent[0] += gap
    return np.clip(np.rint(latent), 1, 5)


def test_complete_designs_test_the_table_of_differences() -> None:
    """The difference, its error and its p-value are those of the differences by item and rater."""
    values = study(1)
    pair = compare_ratings(crossed(values)).pairs[0]
    expected = two_way_mean(values[0] - values[1])
    assert pair.difference.value == pytest.approx(expected.value)
    assert pair.difference.standard_error == pytest.approx(expected.standard_error)
    assert pair.difference.p_value == pytest.approx(expected.p_value)


def test_crowds_who_saw_one_system_each_are_compared_by_clusters() -> None:
    """Each rater saw every item under one system only: dialogues and raters are clusters."""
    values = study(2, gap=1.5)
    ratings = crossed(values)
    half = ratings.subset((ratings.raters.codes + ratings.systems.codes + ratings.items.codes) % 2 == 0)
    pair = compare_ratings(half).pairs[0]
    assert pair.difference.method == "clusters of dialogues and raters"
    assert pair.superiority.status == "no_pairable_units"
    assert pair.difference.value is not None
    assert 0.5 < pair.difference.value < 2.5
    assert "s0 was rated" in pair.results


def test_only_items_rated_under_both_systems_are_compared() -> None:
    """An item that one system alone was rated on cannot tilt the difference."""
    values = study(3)
    ratings = crossed(values)
    without = ratings.subset(~((ratings.systems.codes == 1) & (ratings.items.codes == 0)))
    kept = np.delete(values, [0], axis=1)
    pair = compare_ratings(without).pairs[0]
    assert pair.difference.value == pytest.approx(float((kept[0] - kept[1]).mean()))


def test_names_of_systems_only_turn_the_sign() -> None:
    """Swapping two systems' names gives the opposite difference with the same p-value."""
    values = study(4, gap=0.4)
    one, other = compare_ratings(crossed(values)), compare_ratings(crossed(values[::-1]))
    assert one.pairs[0].difference.value == -(other.pairs[0].difference.value or 0)
    assert one.pairs[0].difference.p_value == pytest.approx(other.pairs[0].difference.p_value)
    assert one.systems[0].mean.value == other.systems[0].mean.value


def test_families_are_corrected_and_lettered() -> None:
    """Three systems have three pairs; a clear loser gets a letter of its own."""
    values = np.concatenate([study(5), study(6)[:1] - 1.5])
    found = compare_ratings(crossed(values))
    assert len(found.pairs) == 3
    assert all((p.p_adjusted or 0) >= (p.difference.p_value or 0) for p in found.pairs)
    assert found.systems[-1].system == "s2"
    assert set(found.systems[-1].letters).isdisjoint(found.systems[0].letters)


@pytest.mark.parametrize("seed", range(6))
def test_sentences_never_call_systems_equal_or_speak_of_trends(seed: int) -> None:
    """The words stay within what was found; what was not comes with what could have been."""
    found = compare_ratings(crossed(study(seed, gap=0.1 * seed)), question="empathy")
    sentence = found.pairs[0].results
    assert not re.search(r"equal|trend|tendency|no difference", f"{sentence} {found.methods}")
    assert sentence.startswith("On empathy, ")
    if not found.pairs[0].significant():
        assert "could detect" in sentence
    assert "200 ratings of 2 systems on 20 items by 5 raters" in found.methods


@pytest.mark.parametrize(
    ("values", "status"),
    [
        (np.ones((2, 1, 3)), "too_few_items"),
        (np.full((2, 4, 3), 3.0), "no_variation"),
        (np.ones((1, 4, 3)), ""),
    ],
)
def test_degenerate_studies_have_no_interval_and_say_why(values: np.ndarray, status: str) -> None:
    """One item, all alike, one system: no exception and no invented number."""
    found = compare_ratings(crossed(values))
    assert [pair.difference.status for pair in found.pairs] == ([status] if status else [])
    assert all(pair.difference.interval is None for pair in found.pairs)
    assert found.status == ("ok" if status else "too_few_systems")


def test_systems_without_a_common_item_cannot_be_compared() -> None:
    """Nothing is made up from different items."""
    ratings = Ratings.of([1, 2, 3, 4], items=list("abcd"), raters=["r"] * 4, systems=["x", "x", "y", "y"])
    pair = compare_ratings(ratings).pairs[0]
    assert (pair.difference.value, pair.difference.status) == (None, "no_pairable_units")
    assert "cannot be compared" in pair.results


def test_no_ratings_at_all() -> None:
    """An empty question has a status."""
    assert compare_ratings(Ratings.of([], items=[], raters=[], systems=[])).status == "no_judgments"
