"""Places made in advance: as many as were asked for, with sides in balance; checks where they belong."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.study import design


@settings(max_examples=50, deadline=None)
@given(
    n_segments=st.integers(1, 9),
    n_systems=st.integers(2, 4),
    n_ratings=st.integers(1, 5),
    seed=st.integers(0, 99),
    both=st.booleans(),
)
def test_slots_are_exact_and_sides_balanced(
    n_segments: int, n_systems: int, n_ratings: int, seed: int, both: bool
) -> None:
    """Every showing has N slots; AB and BA differ by one at most, in a showing, in a pair, and over all."""
    planned = design.showings(["rating", "pair"] if both else ["pair"], n_segments, n_systems)
    made = design.slots(planned, n_ratings, np.random.default_rng(seed))
    assert {(i, rep) for i in range(len(planned)) for rep in range(n_ratings)} == {
        (slot.showing, slot.rep) for slot in made
    }
    assert sorted(slot.shuffle for slot in made) == list(range(len(made)))
    gaps: Counter[tuple[object, ...]] = Counter()
    for slot in made:
        showing = planned[slot.showing]
        if showing.kind == "rating":
            assert "low" == slot.first
            continue
        sign = 1 if slot.first == "low" else -1
        for group in (("all",), ("pair", showing.low, showing.high), ("showing", slot.showing)):
            gaps[group] += sign
    assert all(abs(gap) <= 1 for gap in gaps.values())


def test_the_seed_decides() -> None:
    """The same seed gives the same places, another one others."""
    planned = design.showings(["pair"], 20, 3)
    first, again, other = (design.slots(planned, 3, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_the_first_side_of_a_repetition_is_random() -> None:
    """Over many seeds the first place of the first showing begins with either side equally often."""
    planned = design.showings(["pair"], 3, 2)
    firsts = [design.sides(planned, 3, np.random.default_rng(seed))[0][0] for seed in range(400)]
    assert 200 == pytest.approx(firsts.count("low"), abs=50)  # five standard errors of a fair coin


def test_showings_are_each_response_and_each_pair() -> None:
    """Three systems: three responses and three pairs a segment, or the pairs that were chosen."""
    planned = design.showings(["rating", "pair"], 2, 3)
    assert (6, 6) == tuple(sum(one.kind == kind for one in planned) for kind in ("rating", "pair"))
    chosen = design.showings(["pair"], 1, 3, [(2, 0), (0, 2), (1, 2)])
    assert [(0, 2), (1, 2)] == [(one.low, one.high) for one in chosen]
    assert [] == design.showings(["rating"], 0, 3)


@settings(max_examples=50, deadline=None)
@given(
    n_main=st.integers(0, 30),
    attention=st.integers(0, 4),
    n_duplicates=st.integers(0, 3),
    min_gap=st.integers(1, 8),
    seed=st.integers(0, 99),
)
def test_checks_stand_apart_and_after_the_first_item(
    n_main: int, attention: int, n_duplicates: int, min_gap: int, seed: int
) -> None:
    """Practice before everything, no check before the first item, no repeat before its gap."""
    made = design.controls_for(
        n_main,
        n_practice=2,
        attention=(attention, 3),
        n_duplicates=n_duplicates,
        min_gap=min_gap,
        rng=np.random.default_rng(seed),
    )
    practice = [one for one in made if one.purpose == "practice"]
    checks = [one for one in made if one.purpose != "practice"]
    assert [-2, -1] == [one.position for one in practice]
    assert made == [*practice, *checks]
    assert all(1 <= one.position < n_main for one in checks)
    assert all(one.position >= min_gap for one in checks if one.purpose == "duplicate")
    shown = [one.index for one in checks if one.purpose == "attention"]
    assert len(set(shown)) == len(shown)
    if n_main > min_gap + attention + n_duplicates:
        assert min(attention, 3) + n_duplicates == len(checks)
        assert len({one.position for one in checks}) == len(checks)
