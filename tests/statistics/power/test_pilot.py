"""Components from a pilot: what was simulated comes back, and what a pilot cannot know is said."""

from __future__ import annotations

import numpy as np
import pytest

from empeval.statistics.design import Judgments, Ratings
from empeval.statistics.power.components import PreferenceComponents
from empeval.statistics.power.pilot import components_from, preference_components_from
from empeval.statistics.power.simulation import Size


def pilot(shape=(200, 20, 2), seed: int = 2) -> Ratings:
    """Ratings with item .6, rater .5, item:system .4, rater:system .3, residual .7; systems .5 apart."""
    rng = np.random.default_rng(seed)
    item, rater, system = (axis.ravel() for axis in np.indices(shape))
    values = 3 + 0.5 * system + 0.7 * rng.normal(size=len(item))
    values += 0.6 * rng.normal(size=shape[0])[item] + 0.5 * rng.normal(size=shape[1])[rater]
    values += (
        0.4 * rng.normal(size=shape[::2])[item, system] + 0.3 * rng.normal(size=shape[1:])[rater, system]
    )
    return Ratings.of(values.tolist(), items=item, raters=rater, systems=[f"s{s}" for s in system])


def test_recovers_what_was_simulated() -> None:
    """All five components, from 8,000 ratings (fixed seed)."""
    found = components_from(pilot())
    parts = found.components
    assert (0.6, 0.4, 0.7) == pytest.approx((parts.item, parts.item_system, parts.residual), abs=0.05)
    assert (0.5, 0.3) == pytest.approx((parts.rater, parts.rater_system), abs=0.17)
    assert 0.5 == pytest.approx(found.effect, abs=0.25)
    assert ("ok", "") == (found.status, found.note)


def test_what_a_pilot_cannot_know_is_said() -> None:
    """One rater: raters' disagreement about systems is unknown, and so is the items' part of the residual."""
    found = components_from(pilot((30, 1, 2)))
    assert (0.0, 0.0) == (found.components.rater_system, found.components.item_system)
    assert "not known from this pilot" in found.note
    assert "part of the residual here" in found.note


def test_degenerate_pilots() -> None:
    """One system, no variation, nothing at all: a status and no components."""
    one = components_from(pilot((10, 3, 1)))
    assert (None, "too_few_systems") == (one.components, one.status)
    same = Ratings.of([3.0] * 8, items=[0, 0, 1, 1] * 2, raters=[0] * 4 + [1] * 4, systems=["x", "y"] * 4)
    assert (None, "no_variation") == (components_from(same).components, components_from(same).status)
    none = components_from(Ratings.of([], items=[], raters=[]))
    assert (None, "no_judgments") == (none.components, none.status)


def test_recovers_leanings_of_judgments() -> None:
    """Judgments drawn from leanings give these leanings back (20,000 judgments, fixed seed)."""
    parts = PreferenceComponents(item=0.8, rater=0.5, ties=0.2)
    raters = Size(400, 50).raters(np.random.default_rng(0))
    outcomes = parts.draw(raters, 1, np.random.default_rng(4))(0.2)[0]
    items, who = np.indices(outcomes.shape)
    winners = [{1.0: "x", 0.0: "tie", -1.0: "y"}[value] for value in outcomes.ravel().tolist()]
    n = len(winners)
    found = preference_components_from(
        Judgments.of(["x"] * n, ["y"] * n, winners, items=items.ravel(), raters=who.ravel())
    )
    assert 0.8 == pytest.approx(found.components.item, abs=0.1)
    assert 0.5 == pytest.approx(found.components.rater, abs=0.15)
    assert 0.2 == pytest.approx(found.components.ties, abs=0.03)
    assert outcomes.mean() == pytest.approx(found.effect)


@pytest.mark.parametrize(
    ("winners", "items", "status"),
    [
        (["tie"] * 4, [0, 0, 1, 1], "no_variation"),
        (["x", "y"], [0, 0], "too_few_items"),
        (["neither"] * 2, [0, 1], "no_judgments"),
        ([], [], "no_judgments"),
    ],
)
def test_degenerate_judgments(winners, items, status) -> None:
    """Only ties, one item, only "neither", nothing: a status and no components."""
    n = len(winners)
    judgments = Judgments.of(["x"] * n, ["y"] * n, winners, items=items, raters=list(range(n)))
    found = preference_components_from(judgments)
    assert (None, status) == (found.components, found.status)
