"""Rankings: intervals of strengths and ranks, and what cannot be ranked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.statistics.design import Judgments
from empeval.statistics.preference.davidson import davidson
from empeval.statistics.preference.ranking import rank_systems


def study(
    n_dialogues: int, strengths: dict[str, float], *, tie: float = 0.3, n_raters: int = 3, seed: int = 0
):
    """Judgments of all pairs, every rater on every dialogue, drawn from Davidson's model; rows as columns."""
    rng = np.random.default_rng(seed)
    names = sorted(strengths)
    rows = []
    for item in range(n_dialogues):
        for rater in range(n_raters):
            for i, a in enumerate(names):
                for b in names[i + 1 :]:
                    shares = np.exp([strengths[a], 0, strengths[b]])
                    shares[1] = tie * np.sqrt(shares[0] * shares[2])
                    winner = rng.choice([a, "tie", b], p=shares / shares.sum())
                    rows.append((a, b, winner, item, rater))
    return rows


def judgments(rows) -> Judgments:
    """Judgments from rows."""
    a, b, winners, items, raters = (list(column) for column in zip(*rows, strict=True))
    return Judgments.of(a, b, winners, items=items, raters=raters)


def matrices(rows) -> tuple[np.ndarray, np.ndarray]:
    """Wins and ties counted one by one, systems in the order of their names."""
    names = sorted({name for row in rows for name in row[:2]})
    wins, ties = np.zeros((2, len(names), len(names)))
    for a, b, winner, *_ in rows:
        at = names.index(a), names.index(b)
        if winner == "tie":
            ties[at] += 1
            ties[at[::-1]] += 1
        else:
            wins[at if winner == a else at[::-1]] += 1
    return wins, ties


CLEAR = study(60, {"good": 1.5, "fair": 0.0, "poor": -1.5})


def test_ranking_of_clearly_different_systems() -> None:
    """Each has its rank for certain, intervals hold the estimates, and the fit is the one on counts."""
    found = rank_systems(judgments(CLEAR), n_resamples=500)
    assert ["good", "fair", "poor"] == [row.system for row in found.systems]
    assert [(1, 1), (2, 2), (3, 3)] == [(row.rank_low, row.rank_high) for row in found.systems]
    assert ("Davidson", "ok", 60, 0) == (found.model, found.status, found.n_dialogues, found.n_undefined)
    names, (wins, ties) = ["fair", "good", "poor"], matrices(CLEAR)
    fit = davidson(wins, ties)
    for row in found.systems:
        assert fit.strengths[names.index(row.system)] == pytest.approx(row.strength.value, abs=1e-9)
        assert row.strength.interval.low < row.strength.value < row.strength.interval.high
        assert "bootstrap" == row.strength.interval.method
    assert fit.nu == pytest.approx(found.nu.value, abs=1e-9)
    assert found.nu.interval.low < found.nu.value < found.nu.interval.high


def test_bootstrap_errors_agree_with_the_information() -> None:
    """With independent judgments the interval is as wide as the inverse Hessian says."""
    rows = [
        (a, b, winner, i, 0) for i, (a, b, winner, *_) in enumerate(study(150, {"x": 0.4, "y": 0, "z": -0.2}))
    ]
    found = rank_systems(judgments(rows), n_resamples=2000)
    names, (wins, ties) = ["x", "y", "z"], matrices(rows)
    errors = dict(zip(names, davidson(wins, ties).standard_errors, strict=True))
    for row in found.systems:
        width = row.strength.interval.high - row.strength.interval.low
        assert 2 * 1.96 * errors[row.system] == pytest.approx(width, rel=0.08)


def test_ranking_of_systems_that_cannot_be_told_apart() -> None:
    """Equal systems may have any rank."""
    found = rank_systems(judgments(study(40, {"x": 0, "y": 0, "z": 0}, seed=5)), n_resamples=500)
    assert [(1, 3)] * 3 == [(row.rank_low, row.rank_high) for row in found.systems]


def test_chances_hold_against_the_shares_seen() -> None:
    """Two systems leave the model no room: its chances are the shares of wins, ties and losses."""
    rows = [("a", "b", winner, i, 0) for i, winner in enumerate(["a"] * 5 + ["tie"] * 3 + ["b"] * 2)]
    found = rank_systems(judgments(rows), n_resamples=0)
    assert (0.5, 0.3, 0.2) == pytest.approx(found.chances("a", "b"), abs=1e-9)
    assert (0.2, 0.3, 0.5) == pytest.approx(found.chances("b", "a"), abs=1e-9)
    assert None is rank_systems(judgments(rows[:5])).chances("a", "b")


def test_few_dialogues_take_the_jackknife() -> None:
    """Below 30 dialogues: jackknife-t."""
    found = rank_systems(judgments(study(12, {"x": 0.5, "y": -0.5})), n_resamples=200)
    assert ["jackknife"] * 2 == [row.strength.interval.method for row in found.systems]
    assert "jackknife" in found.method


def test_no_tie_is_bradley_terry() -> None:
    """Without ties ν is not estimated."""
    found = rank_systems(judgments(study(40, {"x": 0.3, "y": -0.3}, tie=0.0)), n_resamples=100)
    assert ("Bradley–Terry", None) == (found.model, found.nu.value)


def test_rankings_that_do_not_exist() -> None:
    """Separated, disconnected, only ties, only "neither", one dialogue, no judgments: None and a status."""
    separated = [("a", "b", "a", i, 0) for i in range(40)]
    disconnected = [
        (a, b, winner, i, 0) for a, b in (("a", "b"), ("c", "d")) for winner in (a, b) for i in range(20)
    ]
    ties = [("a", "b", "tie", i, 0) for i in range(40)]
    neither = [("a", "b", "neither", i, 0) for i in range(40)]
    for rows, status, groups in (
        (separated, "separated", (("a",), ("b",))),
        (disconnected, "disconnected", (("a", "b"), ("c", "d"))),
        (ties, "only_ties", (("a", "b"),)),
        (neither, "no_judgments", ()),
    ):
        found = rank_systems(judgments(rows))
        assert (status, groups) == (found.status, found.groups)
        for row in found.systems:
            assert (None, status, None, None) == (
                row.strength.value,
                row.strength.status,
                row.rank_low,
                row.rank_high,
            )
    none = rank_systems(Judgments.of([], [], [], items=[], raters=[]))
    assert ("no_judgments", ()) == (none.status, none.systems)


def test_one_dialogue_has_strengths_without_intervals() -> None:
    """There is nothing to resample."""
    rows = [("a", "b", winner, 0, i) for i, winner in enumerate(["a", "a", "b", "tie"])]
    found = rank_systems(judgments(rows))
    assert np.log(2) / 2 == pytest.approx(found.systems[0].strength.value, abs=1e-9)
    assert [(None, "too_few_items")] * 2 == [
        (row.strength.interval, row.strength.interval_status) for row in found.systems
    ]


def test_equal_dialogues_have_no_interval() -> None:
    """Every dialogue with the same counts: no variation to take an interval from."""
    rows = [("a", "b", winner, i, r) for i in range(40) for r, winner in enumerate(["a", "a", "b"])]
    found = rank_systems(judgments(rows), n_resamples=50)
    assert ["no_variation"] * 2 == [row.strength.interval_status for row in found.systems]
    assert [(1, 2)] * 2 == [(row.rank_low, row.rank_high) for row in found.systems]


def test_strong_systems_that_resamples_separate() -> None:
    """One loss in forty dialogues: too many resamples without it, so no bootstrap interval and a status."""
    rows = [("a", "b", "b" if i == 0 else "a", i, 0) for i in range(40)]
    found = rank_systems(judgments(rows), n_resamples=300)
    assert "ok" == found.status
    assert found.n_undefined > 15
    assert [(None, "separated")] * 2 == [
        (row.strength.interval, row.strength.interval_status) for row in found.systems
    ]


SMALL = study(8, {"x": 0.5, "y": 0.1, "z": -0.5}, seed=3)
LARGE = study(30, {"x": 0.5, "y": 0.1, "z": -0.5}, n_raters=1, seed=3)


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([SMALL, LARGE]), st.booleans())
def test_rows_and_sides_and_names_change_nothing(random, rows, swap) -> None:
    """Rows shuffled, A and B swapped, systems renamed: the same strengths, intervals and ranks."""
    other = {"x": "q", "y": "a", "z": "m", "tie": "tie"}
    moved = [(other[a], other[b], other[w], i, r) for a, b, w, i, r in rows]
    if swap:
        moved = [(b, a, w, i, r) for a, b, w, i, r in moved]
    random.shuffle(moved)
    found = rank_systems(judgments(rows), n_resamples=50)
    after = rank_systems(judgments(moved), n_resamples=50)
    assert [other[row.system] for row in found.systems] == [row.system for row in after.systems]
    for row, same in zip(found.systems, after.systems, strict=True):
        assert row.strength.value == pytest.approx(same.strength.value, abs=1e-7)
        assert row.strength.interval.low == pytest.approx(same.strength.interval.low, abs=1e-7)
        assert row.strength.interval.high == pytest.approx(same.strength.interval.high, abs=1e-7)
        assert (row.rank_low, row.rank_high) == (same.rank_low, same.rank_high)
