"""Pairs of systems: counts, net preference with its interval, companions, position."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.statistics.design import Judgments
from empeval.statistics.preference.net import crossed_cells
from empeval.statistics.preference.pairs import compare_pairs
from empeval.statistics.preference.position import net_without_position, position_effect
from empeval.statistics.preference.ratings import judgments_as_ratings

#: Item, rater, winner, shown first: four items, three raters, x against y.
CROSSED = [
    *((1, "r", "x", "x"), (1, "s", "x", "y"), (1, "t", "tie", "x")),
    *((2, "r", "x", "y"), (2, "s", "y", "x"), (2, "t", "x", "x")),
    *((3, "r", "y", "y"), (3, "s", "x", "x"), (3, "t", "tie", "y")),
    *((4, "r", "x", "x"), (4, "s", "x", "y"), (4, "t", "y", "y")),
]


def judgments(rows, a="x", b="y", **more) -> Judgments:
    """Judgments of one pair from rows of item, rater, winner, shown first."""
    items, raters, winners, first = (list(column) for column in zip(*rows, strict=True))
    n = len(rows)
    return Judgments.of([a] * n, [b] * n, winners, items=items, raters=raters, first_shown=first, **more)


def test_pair_of_a_complete_design_by_hand() -> None:
    """Net (7 − 3)/12; the error from the mean squares of items, raters and the rest."""
    (found,) = compare_pairs(judgments(CROSSED))
    assert (7, 2, 3) == (found.wins, found.ties, found.losses)
    assert (4, 4, 3, 12, 0) == (found.n_items, found.n_dialogues, found.n_raters, found.n, found.n_neither)
    assert 1 / 3 == pytest.approx(found.net.value, abs=1e-12)
    assert (0.7, 8 / 12) == pytest.approx((found.win_rate.value, found.half_win_rate.value), abs=1e-12)
    cells = np.array([[1, 1, 0], [1, -1, 1], [-1, 1, 0], [1, 1, -1]])
    rest = cells - cells.mean(axis=1, keepdims=True) - cells.mean(axis=0) + cells.mean()
    ms_item = 3 * cells.mean(axis=1).var(ddof=1)
    ms_rater = 4 * cells.mean(axis=0).var(ddof=1)
    ms_rest = (rest**2).sum() / 6
    expected = np.sqrt(max(ms_item + ms_rater - ms_rest, ms_item, ms_rater) / 12)
    assert expected == pytest.approx(found.standard_error, abs=1e-12)
    assert -1 <= found.net.interval.low < 1 / 3 < found.net.interval.high <= 1


def test_companions_by_hand() -> None:
    """Dialogue sums 2, 1, 0, 1: flips of 16, majorities 3 to 0, no trinomial test with several judgments."""
    (found,) = compare_pairs(judgments(CROSSED))
    # totals ±2±1±1: 4 twice (sign of the zero), 2 four times, 0 four times and the mirror images
    assert 2 * 2 / 16 == pytest.approx(found.sign_flip_p, abs=1e-12)
    assert 0.25 == pytest.approx(found.majority_p, abs=1e-12)
    assert None is found.trinomial_p


def test_one_judgment_a_dialogue_has_a_trinomial_test() -> None:
    """30 wins, 15 losses, 55 ties on a hundred items: Bian, McAleer and Wong's p by enumeration."""
    winners = ["x"] * 30 + ["y"] * 15 + ["tie"] * 55
    (found,) = compare_pairs(judgments([(i, i % 10, winner, None) for i, winner in enumerate(winners)]))
    assert 0.030408992089333207 == pytest.approx(found.trinomial_p, abs=1e-9)
    assert 0.03569780355519 == pytest.approx(found.sign_flip_p, abs=1e-9)
    assert 0.15 == pytest.approx(found.net.value, abs=1e-12)


def test_neither_is_counted_and_left_out() -> None:
    """It is no tie: the rates are those of the other judgments."""
    (found,) = compare_pairs(judgments([*CROSSED, (5, "r", "neither", None), (6, "r", "neither", "x")]))
    (without,) = compare_pairs(judgments(CROSSED))
    assert 2 == found.n_neither
    assert (without.net, without.p_value, without.n_items) == (found.net, found.p_value, found.n_items)


def test_judgments_are_coded_by_system_never_by_side() -> None:
    """Columns A and B swapped, rows shuffled: the very same result."""
    swapped = judgments(CROSSED[::-1], a="y", b="x")
    assert compare_pairs(judgments(CROSSED)) == compare_pairs(swapped)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 4),
            st.integers(0, 3),
            st.sampled_from(["x", "y", "tie", "neither"]),
            st.sampled_from(["x", "y", None]),
        ),
        min_size=1,
        max_size=25,
        unique_by=lambda row: row[:2],
    ),
    st.randoms(use_true_random=False),
)
def test_renamed_systems_turn_the_signs(rows, random) -> None:
    """Exchanging the names exchanges wins and losses; p-values and errors stay, whatever the data."""
    other = {"x": "y", "y": "x"}
    moved = [(i, r, other.get(winner, winner), other.get(first)) for i, r, winner, first in rows]
    random.shuffle(moved)
    (found,), (after,) = compare_pairs(judgments(rows)), compare_pairs(judgments(moved))
    assert (found.wins, found.ties, found.losses) == (after.losses, after.ties, after.wins)
    for name in ("standard_error", "p_value", "sign_flip_p", "majority_p"):
        assert getattr(found, name) == pytest.approx(getattr(after, name), abs=1e-9), name
    assert (found.net.status, found.net.interval_status) == (after.net.status, after.net.interval_status)
    if found.net.value is not None:
        assert found.net.value == pytest.approx(-after.net.value, abs=1e-12)
    assert found.position.n_first_won == after.position.n_first_won


def test_pairs_that_nobody_judged_are_listed() -> None:
    """Of three systems one pair has no judgments: counts 0, no value, and no part in the correction."""
    rows = [
        ("x", "y", "x", 1),
        ("x", "y", "y", 2),
        ("x", "y", "x", 3),
        ("x", "z", "x", 1),
        ("x", "z", "x", 2),
    ]
    rows += [("x", "z", "z", 3)]
    a, b, winners, items = (list(column) for column in zip(*rows, strict=True))
    found = compare_pairs(Judgments.of(a, b, winners, items=items, raters=["r"] * 6))
    assert [("x", "y"), ("x", "z"), ("y", "z")] == [(pair.system_a, pair.system_b) for pair in found]
    missing = found[2]
    assert (0, 0, 0, None, "no_judgments") == (
        missing.wins,
        missing.ties,
        missing.losses,
        missing.net.value,
        missing.net.status,
    )
    assert (None, None, None) == (missing.p_value, missing.p_adjusted, missing.sign_flip_p)
    assert min(1.0, 2 * found[0].p_value) == pytest.approx(found[0].p_adjusted)


def test_unanimous_raters_are_evidence_though_nothing_varies() -> None:
    """Ten dialogues, all for x: no interval, p = 2 / 2^10 by exact flips of dialogues."""
    (found,) = compare_pairs(judgments([(i, r, "x", None) for i in range(10) for r in "rst"]))
    assert (1.0, None, "no_variation") == (found.net.value, found.net.interval, found.net.interval_status)
    assert 2 / 2**10 == pytest.approx(found.p_value, abs=1e-15)
    assert "exact sign flips over dialogues" == found.method


def test_pairs_of_little_data() -> None:
    """Only ties, one item, one rater, only "neither": values where they exist, statuses elsewhere."""
    (ties,) = compare_pairs(judgments([(i, r, "tie", None) for i in range(4) for r in "rst"]))
    assert (0.0, 1.0, "only_ties") == (ties.net.value, ties.p_value, ties.win_rate.status)
    (one,) = compare_pairs(judgments([(1, "r", "x", "y")]))
    assert (1.0, None, 1.0) == (one.net.value, one.net.interval, one.sign_flip_p)
    assert "ok" != one.net.interval_status
    (item,) = compare_pairs(judgments([(1, r, w, None) for r, w in zip("rst", "xxy", strict=True)]))
    assert 1 / 3 == pytest.approx(item.net.value)
    assert None is item.net.interval
    (rater,) = compare_pairs(judgments([(i, "r", w, None) for i, w in enumerate("xxyxyx")]))
    assert rater.net.interval.low < 1 / 3 < rater.net.interval.high
    (neither,) = compare_pairs(judgments([(1, "r", "neither", None), (2, "r", "neither", "x")]))
    assert (2, None, "no_judgments") == (neither.n_neither, neither.net.value, neither.net.status)
    assert () == compare_pairs(Judgments.of([], [], [], items=[], raters=[]))


def test_two_raters_of_an_incomplete_design_speak_for_themselves() -> None:
    """R's vcovCL (one way, 6 items): error .1217161 of a share of wins, twice that of the net preference."""
    won = [1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1]
    rows = [(i // 3, "rs"[i % 3 == 2], "x" if w else "y", None) for i, w in enumerate(won)]
    (found,) = compare_pairs(judgments(rows))
    assert 2 * 0.1217161 == pytest.approx(found.standard_error, abs=2e-6)
    assert (5, 2) == (found.df, found.n_raters)
    assert "for these raters only" in found.net.note


def test_repeated_judgments_are_no_replicates() -> None:
    """Every judgment three times over: the same error, not a third of the variance."""
    (once,) = compare_pairs(judgments(CROSSED))
    (thrice,) = compare_pairs(judgments(CROSSED * 3))
    assert once.standard_error == pytest.approx(thrice.standard_error, abs=1e-12)
    assert once.net.interval == thrice.net.interval
    incomplete = CROSSED[:-1]
    (once,) = compare_pairs(judgments(incomplete))
    (thrice,) = compare_pairs(judgments(incomplete * 3))
    assert once.standard_error == pytest.approx(thrice.standard_error, abs=1e-12)


def test_items_of_a_dialogue_are_taken_together() -> None:
    """Four items in two dialogues of two are two units, not four."""
    judged = judgments(CROSSED, dialogues=["d" if row[0] <= 2 else "e" for row in CROSSED])
    cells = crossed_cells(judged.outcomes, judged)
    assert [[1.0, 0.0, 0.5], [0.0, 1.0, -0.5]] == cells.tolist()
    (found,) = compare_pairs(judged)
    assert (4, 2) == (found.n_items, found.n_dialogues)
    uneven = judgments(CROSSED, dialogues=["d" if row[0] <= 3 else "e" for row in CROSSED])
    assert None is crossed_cells(uneven.outcomes, uneven)


def test_position_effect_by_hand() -> None:
    """Ten judgments chose a response; six chose the one shown first."""
    found = position_effect(judgments(CROSSED))
    assert (10, 6) == (found.n, found.n_first_won)
    assert 0.6 == pytest.approx(found.share.value)
    assert 0 <= found.share.interval.low < 0.6 < found.share.interval.high <= 1


def test_position_effect_of_raters_who_take_the_first() -> None:
    """All chose what was shown first: share 1, and no variation to take an interval from."""
    rows = [(i, r, first, first) for i in range(6) for r in "rs" for first in ["x" if i % 2 else "y"]]
    found = position_effect(judgments(rows))
    assert (12, 1.0, None, "no_variation") == (
        found.n,
        found.share.value,
        found.share.interval,
        found.share.interval_status,
    )
    (pair,) = compare_pairs(judgments(rows))
    assert (0.0, 0.0) == (pair.net.value, pair.net_without_position.value)


def test_position_effect_without_orders() -> None:
    """Nobody noted what was shown first."""
    judged = judgments([(*row[:3], None) for row in CROSSED])
    assert (0, None, "no_judgments") == (
        position_effect(judged).n,
        position_effect(judged).share.value,
        position_effect(judged).share.status,
    )
    assert "no_judgments" == net_without_position(judged).status
    one_order = judgments([(*row[:3], "x") for row in CROSSED])
    assert (None, "no_variation") == (
        net_without_position(one_order).value,
        net_without_position(one_order).status,
    )


def test_net_without_position_is_least_squares() -> None:
    """statsmodels: the intercept of a regression on the order, coded ±1, with robust errors."""
    rng = np.random.default_rng(4)
    rows = [(i, "r", rng.choice(["x", "y", "tie"]), "x" if rng.random() < 0.7 else "y") for i in range(40)]
    judged = judgments(rows)
    fit = sm.OLS(judged.outcomes, sm.add_constant(judged.shown)).fit(cov_type="HC1", use_t=True)
    found = net_without_position(judged)
    assert fit.params[0] == pytest.approx(found.value, abs=1e-12)
    margin = (found.interval.high - found.interval.low) / 2
    # HC1 divides by n − 2 and takes t of n − 2, ours by n − 1
    assert fit.bse[0] * 2.0244 == pytest.approx(margin, rel=0.02)


def test_judgments_become_ratings_of_item_and_pair() -> None:
    """The favourite of each pair is 1; a rater who contradicts themselves in the two orders says tie."""
    rows = [
        ("x", "y", "y", 1, "r"),
        ("y", "x", "x", 1, "r"),
        ("x", "y", "y", 1, "s"),
        ("x", "y", "y", 2, "s"),
        ("x", "z", "x", 1, "r"),
        ("x", "z", "neither", 2, "r"),
    ]
    a, b, winners, items, raters = (list(column) for column in zip(*rows, strict=True))
    found = judgments_as_ratings(Judgments.of(a, b, winners, items=items, raters=raters))
    assert ((1, ("x", "y")), (1, ("x", "z")), (2, ("x", "y"))) == found.units.names
    expected = np.array([[0.0, 1.0], [1.0, np.nan], [np.nan, 1.0]])
    np.testing.assert_array_equal(expected, found.matrix())


def test_ratings_without_judgments() -> None:
    """No rows, no units."""
    assert 0 == judgments_as_ratings(Judgments.of([], [], [], items=[], raters=[])).n_units
    assert 0 == judgments_as_ratings(judgments([(1, "r", "neither", None)])).n_units
