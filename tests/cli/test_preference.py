"""``empeval preference``: what it prints, what it refuses, and what it says of data that decide nothing."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

HEAD = "item,rater,system_a,system_b,winner,first_shown\n"
ROWS = [
    *("i1,ann,x,y,A,A", "i1,ben,y,x,x,A", "i2,ann,x,y,tie,B", "i2,ben,x,y,B,B", "i3,ann,x,y,A,B"),
    *("i3,ben,x,y,neither,A", "i4,ann,x,z,A,", "i4,ben,x,z,,A", "i5,ann,z,x,A,", "i5,ben,z,y,z,"),
]


@pytest.fixture
def judgments(folder: Path) -> Path:
    """judgments.csv."""
    path = folder / "judgments.csv"
    path.write_text(HEAD + "\n".join(ROWS) + "\n", encoding="utf-8")
    return path


def as_json(run: Run, *words: str) -> dict[str, Any]:
    """The document of a command that succeeds."""
    status, out, _ = run("preference", *words, "--format", "json")
    assert 0 == status
    return json.loads(out)


def test_the_document_has_its_stable_keys(run: Run, judgments: Path) -> None:
    """Counted by hand: wins, ties and losses of x against y, whichever side it stood on."""
    document = as_json(run, "judgments.csv")
    assert ["questions", "warnings", "manifest"] == list(document)
    question = document["questions"]["rating"]
    assert {"pairs", "ranking", "agreement", "status", "n_left_out"} <= set(question)
    first = question["pairs"][0]
    assert ("x", "y", 3, 1, 1, 1) == tuple(
        first[key] for key in ("system_a", "system_b", "wins", "ties", "losses", "neither")
    )
    assert 0.4 == pytest.approx(first["net"])
    assert {"interval", "p_value", "p_adjusted", "method"} <= set(first)
    assert {"system", "strength", "interval", "rank_low", "rank_high"} <= set(question["ranking"][0])
    assert {"missing_value": 1} == question["left_out"]
    assert {"methods", "results"} <= set(question)


def test_sides_and_the_order_of_rows_change_nothing(run: Run, judgments: Path, folder: Path) -> None:
    """Every row turned about, and the rows too."""
    turned = []
    for row in reversed(ROWS):
        item, rater, a, b, winner, shown = row.split(",")
        other = {"A": "B", "B": "A"}
        turned.append(",".join((item, rater, b, a, other.get(winner, winner), other.get(shown, shown))))
    (folder / "turned.csv").write_text(HEAD + "\n".join(turned) + "\n")
    assert as_json(run, "judgments.csv")["questions"] == as_json(run, "turned.csv")["questions"]


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "csv", "html", "json"])
def test_every_format(run: Run, judgments: Path, format: str) -> None:
    """Each ends in one line break; a seed gives the same bytes again."""
    status, out, err = run("preference", "judgments.csv", "--format", format)
    assert (0, "") == (status, err)
    assert out.endswith("\n")
    assert out == run("preference", "judgments.csv", "--format", format).out


def test_csv_has_what_json_has(run: Run, judgments: Path) -> None:
    """The net preference of each pair and the strength of each system, unrounded."""
    rows = list(csv.DictReader(io.StringIO(run("preference", "judgments.csv", "--format", "csv").out)))
    question = as_json(run, "judgments.csv")["questions"]["rating"]
    net = {(row["system_a"], row["system_b"]): float(row["value"]) for row in rows if row["name"] == "net"}
    assert {(pair["system_a"], pair["system_b"]): pair["net"] for pair in question["pairs"]} == net
    strengths = {row["system_a"]: float(row["value"]) for row in rows if row["name"] == "strength"}
    assert {row["system"]: row["strength"] for row in question["ranking"]} == strengths


def test_the_folder_holds_everything(run: Run, judgments: Path, folder: Path) -> None:
    """The document, a table in every format, and the manifest."""
    assert 0 == run("preference", "judgments.csv", "--out", "found", "--quiet").status
    names = {path.name for path in (folder / "found").iterdir()}
    files = {f"preference.{suffix}" for suffix in ("json", "md", "tex", "csv", "html")}
    assert files | {"manifest.json"} == names
    assert json.loads((folder / "found" / "preference.json").read_text()) == as_json(run, "judgments.csv")
    assert 0 == run("verify", "found").status


DEGENERATE = {
    "only ties": ["i1,a,x,y,tie,", "i2,a,x,y,tie,"],
    "only neither": ["i1,a,x,y,neither,", "i2,a,x,y,neither,"],
    "one judgment": ["i1,a,x,y,x,"],
    "one item": ["i1,a,x,y,x,", "i1,b,x,y,y,"],
    "one rater": ["i1,a,x,y,x,", "i2,a,x,y,y,", "i3,a,x,y,x,"],
    "separated": ["i1,a,x,y,x,", "i2,a,x,y,x,", "i3,b,x,y,x,"],
    "disconnected": ["i1,a,w,x,x,", "i2,a,w,x,w,", "i1,a,y,z,y,", "i2,a,y,z,z,"],
    "all missing": ["i1,a,x,y,,", "i2,a,x,y,,"],
    "no rows": [],
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_data_that_decide_nothing_give_a_status(run: Run, folder: Path, name: str) -> None:
    """Exit status 0, null and why; every format prints it."""
    (folder / "j.csv").write_text(HEAD + "".join(f"{row}\n" for row in DEGENERATE[name]))
    (question,) = as_json(run, "j.csv")["questions"].values()
    expected = {
        "only ties": "only_ties",
        "only neither": "no_judgments",
        "separated": "separated",
        "disconnected": "disconnected",
        "all missing": "no_judgments",
        "no rows": "no_judgments",
        "one judgment": "separated",
    }
    assert expected.get(name, "ok") == question["status"]
    for row in question["ranking"]:
        assert (row["strength"] is None) == (question["status"] != "ok")
    for form in ("text", "markdown", "latex", "csv", "html"):
        assert 0 == run("preference", "j.csv", "--format", form).status


@pytest.mark.parametrize(
    ("row", "words", "expected"),
    [
        ("i1,a,x,y,w,", (), "j.csv, line 2: the winner is 'w', and must be 'x', 'y', A (= system_a)"),
        ("i1,a,x,x,x,", (), "j.csv, line 2: system_a and system_b are both 'x'"),
        ("i1,a,x,y,x,\ni1,a,y,x,x,", (), "j.csv, line 3: the same item, pair of systems, question and rater"),
        ("i1,,x,y,x,", (), "j.csv, line 2: the rater is blank"),
        ("i1,a,x,y,x", (), "j.csv, line 2: 5 cells, but the header has 6"),
        (
            "i1,a,x,y,x,",
            ("--columns", "winner=choice"),
            "j.csv: there is no column 'choice' to read as 'winner'",
        ),
        ("i1,a,x,y,x,", ("--level", "95"), "'95' does not lie between 0 and 1"),
    ],
)
def test_what_is_wrong_is_one_message(
    run: Run, folder: Path, row: str, words: tuple[str, ...], expected: str
) -> None:
    """Status 2, nothing on standard output, file and line."""
    (folder / "j.csv").write_text(HEAD + row + "\n")
    status, out, err = run("preference", "j.csv", *words)
    assert (2, "", 1) == (status, out, err.count("\n"))
    assert expected in err
