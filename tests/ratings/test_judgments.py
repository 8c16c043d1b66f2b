"""Tables of pairwise judgments: coded by system, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from empeval.errors import InputError
from empeval.ratings import QuestionJudgments, read_judgments

HEAD = "item,rater,system_a,system_b,winner\n"


def table(tmp_path: Path, text: str) -> Path:
    """A CSV file with this text."""
    path = tmp_path / "judgments.csv"
    path.write_text(text, encoding="utf-8")
    return path


def read(tmp_path: Path, text: str) -> QuestionJudgments:
    """The one question of a table."""
    (found,) = read_judgments([table(tmp_path, text)]).questions.values()
    return found


def test_a_winner_may_be_named_in_several_ways(tmp_path: Path) -> None:
    """A name, a letter for its column, tie and neither; the side changes nothing."""
    found = read(
        tmp_path,
        HEAD + "i1,r,x,y,x\ni2,r,y,x,x\ni3,r,x,y,A\ni4,r,y,x,a\ni5,r,y,x,B\ni6,r,x,y,Tie\ni7,r,x,y,neither\n",
    )
    outcomes = found.judgments.outcomes.tolist()
    assert ("x", "y") == found.judgments.systems
    assert [1, 1, 1, -1, 1, 0] == outcomes[:6]
    assert math.isnan(outcomes[6])


def test_a_name_comes_before_a_letter(tmp_path: Path) -> None:
    """A system that is named A wins where A is written, on whichever side it was."""
    found = read(tmp_path, HEAD + "i1,r,B,A,A\n")
    assert (("A", "B"), [1.0]) == (found.judgments.systems, found.judgments.outcomes.tolist())


def test_what_was_shown_first(tmp_path: Path) -> None:
    """A name or a letter; unknown where it is blank."""
    text = "item,rater,system_a,system_b,winner,first_shown\n"
    found = read(tmp_path, text + "i1,r,y,x,y,A\ni2,r,y,x,y,x\ni3,r,y,x,y,\n")
    assert [-1, 1, 0] == found.judgments.shown.tolist()


def test_what_does_not_count_is_left_out(tmp_path: Path) -> None:
    """By reason; of several passes the first counts."""
    text = "item,rater,system_a,system_b,winner,purpose,counted,revision,pass,dialogue\n"
    found = read(
        tmp_path,
        text + "i1,r,x,y,x,main,true,1,1,d\ni1,r,y,x,y,main,true,1,2,d\ni2,r,x,y,y,main,true,1,1,d\n"
        "i2,r,x,y,x,main,true,2,1,d\ni3,r,x,y,x,gold,true,1,1,d\ni4,r,x,y,x,main,false,1,1,d\n"
        "i5,r,x,y,,main,true,1,1,d\n",
    )
    assert [1, 1] == found.judgments.outcomes.tolist()
    assert 1 == len(found.judgments.dialogues)
    assert {"not_counted": 1, "purpose": 1, "older_revision": 1, "missing_value": 1, "repeat": 1} == dict(
        found.left_out
    )


def test_questions_are_read_apart(tmp_path: Path) -> None:
    """In the order of their names."""
    text = "question,item,rater,system_a,system_b,winner\nwarm,i1,r,x,y,x\nclear,i1,r,x,y,y\n"
    found = read_judgments([table(tmp_path, text)])
    assert ["clear", "warm"] == list(found.questions)
    assert ["warm"] == list(read_judgments([table(tmp_path, text)], questions=["warm"]).questions)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("item,rater,winner\ni1,r,x\n", "there is no column 'system_a'"),
        (HEAD + "i1,r,x,y,z\n", "line 2: the winner is 'z', and must be 'x', 'y', A (= system_a), B"),
        (HEAD + "i1,r,x,x,x\n", "line 2: system_a and system_b are both 'x'"),
        (HEAD + "i1,r,x,tie,x\n", "line 2: a system is named 'tie', which is an answer; rename the system"),
        (HEAD + "i1,r,x,,x\n", "line 2: the system_b is blank"),
        (HEAD + "i1,,x,y,x\n", "line 2: the rater is blank"),
        (
            HEAD + "i1,r,x,y,x\ni1,r,y,x,tie\n",
            "line 3: the same item, pair of systems, question and rater stands",
        ),
        (
            "item,rater,system_a,system_b,winner,first_shown\ni1,r,x,y,x,left\n",
            "line 2: first_shown is 'left', and must be 'x', 'y', A, B or blank",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, expected: str) -> None:
    """One message: the file, the line, what is wrong and what to do."""
    with pytest.raises(InputError) as caught:
        read_judgments([table(tmp_path, text)])
    assert expected in str(caught.value)


def test_a_header_without_rows_is_a_question_without_judgments(tmp_path: Path) -> None:
    """An export of a study that nobody has taken part in yet."""
    assert 0 == len(read(tmp_path, HEAD).judgments.outcomes)
    with pytest.raises(InputError, match="no file is given"):
        read_judgments([])
