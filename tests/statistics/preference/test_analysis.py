"""The whole analysis of one question: its shape, its sentences, and what it makes of little data."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.statistics.design import Judgments
from empeval.statistics.preference.analysis import preference_analysis


def judgments(rows) -> Judgments:
    """Judgments from rows of system, system, winner, item, rater, first shown."""
    columns = [list(column) for column in zip(*rows, strict=True)] or [[]] * 6
    a, b, winners, items, raters, first = columns
    return Judgments.of(a, b, winners, items=items, raters=raters, first_shown=first)


def study(n_items: int = 40, n_raters: int = 3, favour: float = 0.8, seed: int = 1) -> list[tuple]:
    """Three systems, each pair judged by every rater on every item; "a" is preferred, "c" is not."""
    rng = np.random.default_rng(seed)
    strength = {"a": favour, "b": 0.0, "c": -favour}
    rows = []
    for item in range(n_items):
        for rater in range(n_raters):
            for x, y in (("a", "b"), ("a", "c"), ("b", "c")):
                shares = np.exp([strength[x], -0.5, strength[y]])
                winner = rng.choice([x, "tie", y], p=shares / shares.sum())
                rows.append((x, y, str(winner), item, rater, x if rng.random() < 0.5 else y))
    return rows


ROWS = study()


def test_document_of_a_question() -> None:
    """The keys that scripts rely on, and valid JSON without NaN."""
    found = preference_analysis(judgments(ROWS), n_resamples=100).to_dict()
    json.dumps(found, allow_nan=False)
    assert {"pairs", "ranking", "agreement", "status"} <= found.keys()
    keys = {"system_a", "system_b", "wins", "ties", "losses", "net", "interval", "p_value", "p_adjusted"}
    assert keys | {"method"} <= found["pairs"][0].keys()
    assert {"system", "strength", "interval", "rank_low", "rank_high"} <= found["ranking"][0].keys()
    assert {"low", "high", "level", "method"} == found["ranking"][0]["interval"].keys()
    names = ["percent_agreement", "fleiss_kappa", "krippendorff_alpha", "krippendorff_alpha"]
    assert names == [row["name"] for row in found["agreement"]]
    assert ["nominal", "nominal", "nominal", "ordinal"] == [row["level"] for row in found["agreement"]]
    assert ("ok", 360, 0, 40, 40, 3) == tuple(
        found[key] for key in ("status", "n_judgments", "n_neither", "n_items", "n_dialogues", "n_raters")
    )


def test_analysis_with_a_favourite() -> None:
    """The favourite is found ahead in pairs, ranking and sentences."""
    found = preference_analysis(judgments(ROWS), n_resamples=200)
    assert ["a", "b", "c"] == [row.system for row in found.ranking.systems]
    assert all(pair.p_adjusted < 0.05 for pair in found.pairs)
    assert re.search(
        r"a was preferred in \d+ %, c in \d+ %, tie in \d+ % of 120 judgments \(40 items, 3 raters\)",
        found.results,
    )
    assert "net preference for a +" in found.results
    assert "cannot distinguish" not in found.results
    assert "Davidson" in found.methods
    assert "Holm" in found.methods


def test_what_was_not_found_is_not_called_absent() -> None:
    """Two systems without a difference: not distinguished, with what could have been detected."""
    rows = [row for row in study(favour=0.0, seed=3) if row[:2] == ("a", "b")]
    found = preference_analysis(judgments(rows), n_resamples=100)
    assert "We cannot distinguish" in found.results
    assert "could detect" in found.results


@pytest.mark.parametrize("favour", [0.0, 0.2, 1.0])
def test_sentences_keep_clear_of_claims(favour) -> None:
    """No sentence says that systems are equal or that there is a trend."""
    found = preference_analysis(judgments(study(12, favour=favour)), n_resamples=50)
    for text in (found.methods, found.results):
        assert not re.search(r"equal|trend|same quality|no difference|nan|None", text, re.IGNORECASE)


def test_names_come_in_the_sentence_of_the_winner_first() -> None:
    """A pair that its second system wins is told from the winner's side."""
    other = {"a": "z", "b": "m", "c": "d"}
    rows = [(other[x], other[y], other.get(w, w), i, r, other[first]) for x, y, w, i, r, first in ROWS]
    found = preference_analysis(judgments(rows), n_resamples=50)
    pair = next(pair for pair in found.pairs if (pair.system_a, pair.system_b) == ("d", "z"))
    assert pair.net.value < 0
    assert "z was preferred in" in found.results
    assert "net preference for z +" in found.results


NEITHER = [("a", "b", "neither", i, r, "a") for i in range(3) for r in range(2)]
TIES = [("a", "b", "tie", i, r, "a") for i in range(40) for r in range(3)]


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ([], "no_judgments"),
        (NEITHER, "no_judgments"),
        (TIES, "only_ties"),
        ([("a", "b", "a", 1, 1, "a")], "separated"),
        ([("a", "b", "a", i, r, "a") for i in range(5) for r in range(3)], "separated"),
        ([("a", "b", w, 1, i, None) for i, w in enumerate(["a", "b", "a", "tie"])], "ok"),
        ([("a", "b", w, i, 1, None) for i, w in enumerate(["a", "b", "a", "tie"])], "ok"),
        ([(x, y, w, i, 1, None) for x, y in ("ab", "cd") for w in (x, y) for i in range(9)], "disconnected"),
        ([(x, y, w, w, 1, None) for x, y in ("ab", "bc") for w in (x, y)], "ok"),
    ],
)
def test_analyses_of_little_data(rows, status) -> None:
    """Nothing, only "neither", only ties, one judgment, all for one, one item, one rater, no common systems,
    a pair without judgments: a status, a document and sentences, without warnings.
    """
    found = preference_analysis(judgments(rows), n_resamples=40)
    assert status == found.status
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.methods
    assert found.results
    assert found.n_neither == sum(row[2] == "neither" for row in rows)
    if status != "ok":
        assert all(row.strength.value is None for row in found.ranking.systems)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ab", "ac", "bc"]),
            st.integers(0, 5),
            st.integers(0, 3),
            st.sampled_from([0, 1, "tie", "neither"]),
            st.sampled_from([0, 1, None]),
        ),
        max_size=40,
        unique_by=lambda row: row[:3],
    ),
    st.randoms(use_true_random=False),
)
def test_order_of_rows_and_sides_change_nothing(drawn, random) -> None:
    """Any judgments, shuffled and with sides exchanged at random: the same document and sentences."""
    rows, moved = [], []
    for pair, item, rater, chosen, side in drawn:
        winner = pair[chosen] if isinstance(chosen, int) else chosen
        first = None if side is None else pair[side]
        rows.append((pair[0], pair[1], winner, item, rater, first))
        sides = pair[::-1] if random.random() < 0.5 else pair
        moved.append((sides[0], sides[1], winner, item, rater, first))
    random.shuffle(moved)
    found = preference_analysis(judgments(rows), n_resamples=20)
    after = preference_analysis(judgments(moved), n_resamples=20)
    assert rounded(found.to_dict()) == rounded(after.to_dict())


def rounded(found):
    """Numbers to nine digits, which sums in another order may differ beyond."""
    if isinstance(found, dict):
        return {key: rounded(value) for key, value in found.items()}
    if isinstance(found, list):
        return [rounded(value) for value in found]
    return round(found, 9) + 0.0 if isinstance(found, float) else found
