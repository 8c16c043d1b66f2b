"""What may stand in one column, and what is best there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.errors import IncomparableScores, InputError, UnknownName
from empeval.report.leaderboard import Leaderboard, differing_parts, leaderboard

#: metric → is higher better?; all but the last are of no real metric, so that two decimals are printed
DIRECTIONS = {"fluency": True, "surprise": False, "size": None, "empathy": True, "bleu": True}


def score(system: str, metric: str, value: float | None, **changes: Any) -> dict[str, Any]:
    """One entry of a score document."""
    return {
        "system": system,
        "metric": metric,
        "value": value,
        "interval": None,
        "n_segments": 50,
        "n_empty": 0,
        "reason": None,
        "signature": f"{metric}|tok:13a|n:50|corpus:00ff",
        "higher_is_better": DIRECTIONS[metric],
        **changes,
    }


def document(scores: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """A score document around these scores."""
    return {
        "corpus": {"name": "tiny", "n_segments": 60, "n_dialogues": 12, "fingerprint": "00ff"},
        "cohort": {"rule": "intersection", "n_segments": 50, "n_dialogues": 10, "dropped": {"old": 10}},
        "systems": list(dict.fromkeys(entry["system"] for entry in scores)),
        "scores": scores,
        "comparisons": [],
        "tiers": {},
        "claims": [],
        "groups": None,
        "warnings": [],
        "manifest": {},
        **changes,
    }


INTERVAL = {"low": 1.5, "high": 2.5, "level": 0.95, "method": "bootstrap"}
THREE = document(
    [
        score("old", "fluency", 2.001, interval=INTERVAL),
        score("old", "surprise", 30.0),
        score("old", "size", 9.0),
        score("old", "empathy", 4.0),
        score("new", "fluency", 2.004, n_empty=3),
        score("new", "surprise", None, reason="missing_field: no nll"),
        score("new", "size", 12.0),
        score("new", "empathy", 4.0),
        score("human", "fluency", 1.0),
        score("human", "surprise", 20.0),
        score("human", "size", 14.0),
        score("human", "empathy", 4.0),
    ],
    tiers={
        "fluency": [["old", "new"], ["human"]],
        "surprise": [["human"], ["old"]],
        "empathy": [["old", "new", "human"]],
    },
)


def column_of(board: Leaderboard, metric: str, field: str) -> list[Any]:
    """One field of the cells of a metric, in the order of the rows."""
    return [getattr(board.cell(row.system, metric), field) for row in board.rows]


def test_rows_are_systems_and_columns_metrics_in_the_order_given() -> None:
    """Nothing is sorted."""
    board = leaderboard(THREE)
    assert ["old", "new", "human"] == [row.system for row in board.rows]
    assert ["fluency", "surprise", "size", "empathy"] == [column.metric for column in board.columns]


def test_values_that_print_alike_are_equally_best() -> None:
    """2.001 and 2.004 both print as 2.00."""
    assert [True, True, False] == column_of(leaderboard(THREE), "fluency", "best")


def test_the_lowest_value_is_best_where_lower_is_better() -> None:
    """Direction comes from the document, and an undefined value is never best."""
    assert [False, False, True] == column_of(leaderboard(THREE), "surprise", "best")


def test_nothing_is_best_without_a_direction() -> None:
    """A long response is not a good one."""
    assert [False, False, False] == column_of(leaderboard(THREE), "size", "best")


def test_negative_values_can_be_best() -> None:
    """The search for the best starts from the values, not from zero."""
    board = leaderboard(document([score("a", "fluency", -0.5), score("b", "fluency", -0.2)]))
    assert [False, True] == column_of(board, "fluency", "best")


def test_a_value_alone_is_not_best() -> None:
    """There is nothing that it is better than."""
    board = leaderboard(document([score("a", "fluency", 3.0), score("b", "fluency", None, reason="x")]))
    assert [False, False] == column_of(board, "fluency", "best")


def test_tiers_become_letters() -> None:
    """The first set is a; a system without a value has no letter."""
    board = leaderboard(THREE)
    assert ["a", "a", "b"] == column_of(board, "fluency", "tier")
    assert ["b", None, "a"] == column_of(board, "surprise", "tier")
    assert [None, None, None] == column_of(board, "size", "tier")


def test_letters_go_on_after_z() -> None:
    """The 27th tier is aa."""
    names = [f"s{i}" for i in range(28)]
    made = document(
        [score(name, "fluency", 28.0 - i) for i, name in enumerate(names)],
        tiers={"fluency": [[name] for name in names]},
    )
    assert ["z", "aa", "ab"] == column_of(leaderboard(made), "fluency", "tier")[25:]


def test_a_cell_carries_its_interval_counts_reason_and_signature() -> None:
    """All that a reader needs to judge one number."""
    board = leaderboard(THREE)
    old = board.cell("old", "fluency")
    assert old.interval is not None
    assert (1.5, 2.5, 0.95, "bootstrap") == (
        old.interval.low,
        old.interval.high,
        old.interval.level,
        old.interval.method,
    )
    assert (50, 3) == (board.cell("new", "fluency").n_segments, board.cell("new", "fluency").n_empty)
    assert "missing_field: no nll" == board.cell("new", "surprise").reason
    assert "size|tok:13a|n:50|corpus:00ff" == board.cell("human", "size").signature


def test_two_signatures_never_share_a_column() -> None:
    """Best values are found on each side alone."""
    other = [
        score(s, "fluency", v, signature="fluency|tok:intl|n:50|corpus:00ff")
        for s, v in (("x", 9.0), ("y", 8.0))
    ]
    board = Leaderboard.from_documents([("one", THREE), ("two", document(other))])
    assert ["fluency", "fluency"] == [column.metric for column in board.columns[:2]]
    cells = {row.system: row.cells[:2] for row in board.rows}
    assert [True, False] == [cell.best for cell in cells["old"]]
    assert [False, True] == [cell.best for cell in cells["x"]]
    assert [2.001, None] == [cell.value for cell in cells["old"]]
    assert "no score of this system under this signature" == cells["old"][1].reason


def test_a_metric_of_two_signatures_has_no_one_column() -> None:
    """The error names the part that differs and both signatures."""
    other = document([score("x", "fluency", 9.0, signature="fluency|tok:intl|n:50|corpus:00ff")])
    board = Leaderboard.from_documents([("one", THREE), ("two", other)])
    with pytest.raises(IncomparableScores, match="tok is 13a and intl") as caught:
        board.column("fluency")
    assert "fluency|tok:intl|n:50|corpus:00ff" in str(caught.value)


def test_a_breakdown_refuses_two_signatures_in_one_column() -> None:
    """A group is held to the same rule."""
    scores = [score("a", "fluency", 1.0), score("b", "fluency", 2.0, signature="fluency|tok:13a|n:49")]
    group = {"group": "sad", "n_segments": 50, "n_dialogues": 10, "scores": scores, "tiers": {}}
    groups = {"by": "emotion", "correction": "holm", "groups": [group]}
    with pytest.raises(IncomparableScores, match="n is 50 and 49; corpus is 00ff and absent"):
        leaderboard(document(scores, groups=groups))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("bleu|n:5", "bleu|n:5", []),
        ("bleu|n:5", "bleu|n:6", [("n", "5", "6")]),
        ("bleu", "chrf", [("metric", "bleu", "chrf")]),
        ("bleu|model:C:/x", "bleu|model:C:/y", [("model", "C:/x", "C:/y")]),
        ("bleu|tok:13a", "bleu", [("tok", "13a", "absent")]),
        ("distinct|n:1|n:5255", "distinct|n:2|n:5255", [("n", "1", "2")]),
        ("distinct|n:1|n:5255", "distinct|n:1|n:5242", [("n", "5255", "5242")]),
    ],
)
def test_differing_parts(one: str, other: str, expected: list[tuple[str, str, str]]) -> None:
    """A part is what stands before its first colon."""
    assert expected == differing_parts(one, other)


def test_a_system_whose_values_agree_is_one_row() -> None:
    """Two runs may hold the same baseline, up to the last bits of a sum."""
    again = document([score("old", "fluency", 2.001 + 1e-13), score("late", "fluency", 1.5)])
    board = Leaderboard.from_documents([("one", THREE), ("two", again)])
    assert ["old", "new", "human", "late"] == [row.system for row in board.rows]


def test_a_system_whose_values_differ_is_a_row_a_run() -> None:
    """Two checkpoints must not hide behind one name, and the other systems keep theirs."""
    again = document([score("old", "fluency", 2.002), score("late", "fluency", 1.5)])
    board = Leaderboard.from_documents([("one", THREE), ("two", again)])
    assert ["one/old", "new", "human", "two/old", "late"] == [row.system for row in board.rows]
    assert [2.001, 2.002] == [board.cell(name, "fluency").value for name in ("one/old", "two/old")]


def test_no_score_is_lost_to_a_name() -> None:
    """Runs of one name, and a system that is called like another's row, stay apart."""
    documents = [document([score("old", "fluency", v)]) for v in (1.0, 2.0)]
    taken = document([score("run/old", "fluency", 3.0)])
    board = Leaderboard.from_documents([("run", documents[0]), ("run", documents[1]), ("run", taken)])
    assert [("run/old (2)", 1.0), ("run (2)/old", 2.0), ("run/old", 3.0)] == [
        (row.system, row.cells[0].value) for row in board.rows
    ]


def test_tiers_of_one_run_say_nothing_about_the_systems_of_another() -> None:
    """Letters are left out where no run compared all systems of the column, and best values stay."""
    late = document(
        [score("late", "fluency", 7.0), score("later", "fluency", 6.0)],
        tiers={"fluency": [["late"], ["later"]]},
    )
    board = Leaderboard.from_documents([("one", THREE), ("two", late)])
    assert [None] * 5 == column_of(board, "fluency", "tier")
    assert [False, False, False, True, False] == column_of(board, "fluency", "best")
    assert board.column("fluency").untested
    assert ["b", None, "a"] == [row.cells[1].tier for row in board.rows[:3]]


def test_tiers_stay_where_one_run_compared_all() -> None:
    """A second run that repeats a system adds nothing to test."""
    again = document([score("old", "fluency", 2.001)], tiers={"fluency": [["old"]]})
    board = Leaderboard.from_documents([("two", again), ("one", THREE)])
    assert {"old": "a", "new": "a", "human": "b"} == {
        row.system: board.cell(row.system, "fluency").tier for row in board.rows
    }


def test_automatic_and_human_columns_of_a_system_share_its_row() -> None:
    """Runs that measure different things are joined by the system's name."""
    automatic = document([score("old", "fluency", 2.0), score("new", "fluency", 3.0)])
    human = document([score("new", "empathy", 3.5), score("old", "empathy", 3.1)])
    board = Leaderboard.from_documents([("run", automatic), ("study", human)])
    assert [("old", [2.0, 3.1]), ("new", [3.0, 3.5])] == [
        (row.system, [cell.value for cell in row.cells]) for row in board.rows
    ]


def test_groups_become_sections_with_best_values_of_their_own() -> None:
    """A group's signature counts its own segments, and its tiers are its own."""
    groups = {
        "by": "emotion",
        "correction": "holm",
        "groups": [
            {
                "group": name,
                "n_segments": n,
                "n_dialogues": n,
                "scores": [score(s, "fluency", v, signature=f"fluency|n:{n}") for s, v in values.items()],
                "comparisons": [],
                "tiers": {"fluency": tiers},
            }
            for name, n, values, tiers in (
                ("sad", 30, {"old": 1.0, "new": 2.0}, [["new"], ["old"]]),
                ("proud", 20, {"old": 3.0, "new": 2.0}, [["old", "new"]]),
            )
        ],
    }
    (breakdown,) = leaderboard(document(THREE["scores"], groups=groups)).breakdowns
    told = [
        (section.group, section.n_segments, row.system, row.cells[0].best, row.cells[0].tier)
        for section in breakdown.sections
        for row in section.rows
    ]
    assert [
        ("sad", 30, "old", False, "b"),
        ("sad", 30, "new", True, "a"),
        ("sad", 30, "human", False, None),
        ("proud", 20, "old", True, "a"),
        ("proud", 20, "new", False, "a"),
        ("proud", 20, "human", False, None),
    ] == told


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({}, "run, which: this is not a score document: it lacks corpus, cohort, systems, scores"),
        ({**THREE, "corpus": {"name": "x"}}, "it lacks corpus.fingerprint"),
        (document([{"system": "a"}]), "score 1 lacks metric, value"),
        ({**THREE, "systems": ["old"]}, "score 5 is of 'new', which is not one of its systems"),
        (document([score("a", "fluency", float("nan"))]), "is nan, where an undefined score is null"),
        (document([score("a", "fluency", 1.0, interval={**INTERVAL, "high": float("inf")})]), "is inf"),
    ],
)
def test_what_is_no_score_document_is_refused(broken: dict[str, Any], message: str) -> None:
    """The message names the run and what is wrong with it."""
    with pytest.raises(InputError, match="run, which: ") as caught:
        Leaderboard.from_documents([("run, which", broken)])
    assert message in str(caught.value)


def test_a_leaderboard_needs_a_run() -> None:
    """An empty list of runs is the caller's mistake."""
    with pytest.raises(InputError, match="at least one run"):
        Leaderboard.from_documents([])


def test_unknown_names_are_told() -> None:
    """The nearest known name is offered."""
    board = leaderboard(THREE)
    with pytest.raises(UnknownName, match="did you mean 'fluency'"):
        board.column("fluent")
    with pytest.raises(UnknownName, match="did you mean 'human'"):
        board.cell("humans", "size")


def test_decimals_come_from_the_metric_where_there_is_one() -> None:
    """A column of ratings, which no metric computes, prints two."""
    from empeval.metrics.base import METRICS

    board = leaderboard(document([score("a", "bleu", 1.0), score("a", "empathy", 1.0)]))
    assert METRICS["bleu"].decimals == board.column("bleu").decimals
    assert 2 == board.column("empathy").decimals


def test_anything_with_a_document_has_a_leaderboard() -> None:
    """Scores are taken as they are."""

    class Held:
        def to_dict(self) -> dict[str, Any]:
            return THREE

    assert leaderboard(THREE) == leaderboard(Held())


@given(st.permutations(["old", "new", "human"]))
def test_the_order_of_systems_changes_no_cell(order: list[str]) -> None:
    """Best values and tiers belong to the numbers."""
    shuffled = {
        **THREE,
        "systems": order,
        "scores": sorted(THREE["scores"], key=lambda entry: order.index(entry["system"])),
    }
    cells = {row.system: row.cells for row in leaderboard(THREE).rows}
    assert cells == {row.system: row.cells for row in leaderboard(shuffled).rows}
