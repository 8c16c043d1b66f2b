"""``empeval study power``: what it prints, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., Any]

PARTS = ("--components", "item=.4,rater=.3,item:system=.3,rater_system=.1,residual=.8")
SMALL = ("study", "power", *PARTS, "--items", "30,60", "--raters", "3,6", "--simulations", "100")


def test_text_has_a_row_for_each_size(run: Run) -> None:
    """Items × raters, power, the smallest difference, cost, and the two sentences."""
    status, out, err = run(*SMALL, "--effect", "0.4", "--cost", "0.1")
    assert (0, "") == (status, err)
    lines = out.splitlines()
    assert "Power of a crossed study" == lines[0]
    assert [["30", "3"], ["30", "6"], ["60", "3"], ["60", "6"]] == [line.split()[:2] for line in lines[2:6]]
    assert "72.00" in lines[5]
    text = " ".join(out.split())
    assert (
        "Methods: Power was simulated: 100 studies of each size (seed 0) with a true difference of 0.4"
        in text
    )
    assert "item:system 0.3, rater:system 0.1, residual 0.8" in text
    assert "Results: With 60 items and 6 raters for each" in text
    assert "6 raters an item: " in text


def test_json_and_csv_say_the_same(run: Run) -> None:
    """Rows, with keys that scripts may rely on."""
    document = json.loads(run(*SMALL, "--effect", "0.4", "--format", "json").out)
    rows = list(csv.DictReader(io.StringIO(run(*SMALL, "--effect", "0.4", "--format", "csv").out)))
    assert [row["power"] for row in document["rows"]] == [float(row["power"]) for row in rows]
    assert [row["minimum_detectable_difference"] for row in document["rows"]] == [
        float(row["minimum_detectable_difference"]) for row in rows
    ]
    assert ("crossed", 0.4, 0.95, "ok") == tuple(document[k] for k in ("design", "effect", "level", "status"))
    assert {"item", "rater", "item_system", "rater_system", "residual", "scale", "mean"} == set(
        document["components"]
    )
    assert [3, 6] == [row["n_raters_per_item"] for row in document["needed"]]
    assert [180, 360, 360, 720] == [row["n_answers"] for row in document["rows"]]


def test_the_seed_decides(run: Run) -> None:
    """The same seed gives the same bytes, another seed other studies."""
    first, again, other = (run(*SMALL, "--effect", "0.3", "--seed", seed).out for seed in ("1", "1", "2"))
    assert first == again
    assert first != other


def test_a_budget_buys_items(run: Run) -> None:
    """Half a minute at 12 an hour is 0.1 an answer; two systems; 60 pays for 100 items with 3 raters."""
    words = ("--minutes", "0.5", "--pay", "12", "--budget", "60", "--raters", "3,5", "--simulations", "50")
    rows = json.loads(run("study", "power", *PARTS, "--effect", "0.4", *words, "--format", "json").out)[
        "rows"
    ]
    assert [(100, 3, 60.0), (60, 5, 60.0)] == [(r["n_items"], r["n_raters"], r["cost"]) for r in rows]


def test_crowds_and_pairs(run: Run) -> None:
    """A crowd needs more people than raters an item; a pair needs one judgment an item."""
    words = ("--items", "40", "--raters", "3", "--simulations", "50", "--effect", "0.2", "--format", "json")
    crowd = json.loads(run("study", "power", *PARTS, "--design", "crowd", *words).out)["rows"][0]
    assert (6, 240, "clusters of items and raters") == tuple(
        crowd[k] for k in ("n_raters", "n_answers", "method")
    )
    parts = ("--components", "item=.5,rater=.3,ties=.2", "--design", "pairwise")
    pair = json.loads(run("study", "power", *parts, *words).out)["rows"][0]
    assert (3, 120) == (pair["n_raters"], pair["n_answers"])


def test_markdown_and_few_raters(run: Run) -> None:
    """A GitHub table; with fewer than three raters a warning on standard error."""
    words = ("--items", "20", "--raters", "1", "--simulations", "50", "--effect", "0.5", "--scale", "1,5")
    status, out, err = run("study", "power", *PARTS, *words, "--format", "markdown")
    assert 0 == status
    assert "| 20 | 1 | 1 | 40 |" in out
    assert "answers rounded to 1–5" in out
    assert "these_raters_only" in err
    assert "" == run("study", "power", *PARTS, *words, "--quiet").err


def test_a_pilot_gives_the_components(run: Run, folder: Path) -> None:
    """Ratings of a pilot: components near the truth, the file and the count in the document."""
    rng = np.random.default_rng(3)
    lines = ["item,rater,system,value"]
    own = rng.normal(size=(60, 2)) * 0.5
    for i in range(60):
        for r in range(6):
            lines += [f"i{i},r{r},s{s},{3 + own[i, s] + rng.normal() * 0.8:.3f}" for s in range(2)]
    (folder / "pilot.csv").write_text("\n".join(lines) + "\n")
    words = (
        "--pilot",
        "pilot.csv",
        "--effect",
        "0.3",
        "--items",
        "50",
        "--raters",
        "4",
        "--simulations",
        "50",
    )
    document = json.loads(run("study", "power", *words, "--format", "json").out)
    assert 0.8 == pytest.approx(document["components"]["residual"], abs=0.06)
    assert 0.5 == pytest.approx(document["components"]["item_system"], abs=0.1)
    assert ("pilot.csv", 720) == (document["pilot"]["source"], document["pilot"]["n_answers"])
    assert "estimated from a pilot of 720 answers" in document["methods"]


def test_a_pilot_of_judgments(run: Run, folder: Path) -> None:
    """Judgments of one pair give leanings and the share of ties."""
    winners = ["x", "y", "tie", "x", "x", "y"]
    rows = [f"i{i},r{r},x,y,{winners[(i * i + r) % 6]}" for i in range(30) for r in range(3)]
    (folder / "pilot.csv").write_text("item,rater,system_a,system_b,winner\n" + "\n".join(rows) + "\n")
    words = ("--pilot", "pilot.csv", "--design", "pairwise", "--effect", "0.2", "--simulations", "50")
    document = json.loads(run("study", "power", *words, "--items", "30", "--format", "json").out)
    assert {"item", "rater", "ties"} == set(document["components"])
    assert 90 == document["pilot"]["n_answers"]


def test_a_pilot_that_tells_nothing(run: Run, folder: Path) -> None:
    """One system, or ratings all equal: a status, no rows, exit 0."""
    (folder / "one.csv").write_text("item,rater,value\na,r,1\nb,r,2\n")
    status, out, _ = run("study", "power", "--pilot", "one.csv", "--effect", "0.2", "--format", "json")
    assert (0, "too_few_systems", []) == (status, json.loads(out)["status"], json.loads(out)["rows"])
    equal = "".join(f"{i},{r},{s},3\n" for i in "ab" for r in "rs" for s in "xy")
    (folder / "equal.csv").write_text("item,rater,system,value\n" + equal)
    status, out, _ = run("study", "power", "--pilot", "equal.csv", "--effect", "0.2")
    assert 0 == status
    assert "The pilot gives no components: no_variation." in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--effect", "1"), "give either --components or --pilot"),
        ((*PARTS,), "--effect"),
        ((*PARTS, "--effect", "x"), "'x' is not a number of 0 or more"),
        (("--components", "items=1", "--effect", "1"), "there is no component 'items'; did you mean 'item'?"),
        (("--components", "item=1", "--effect", "1"), "the standard deviation of the residual is needed"),
        (("--components", "item", "--effect", "1"), "'item' is not of the form NAME=SD"),
        (("--components", "item=1,item=2", "--effect", "1"), "item is given twice"),
        ((*PARTS, "--effect", "1", "--raters", "0"), "'0' is not a whole number of 1 or more"),
        ((*PARTS, "--effect", "1", "--scale", "5,1"), "5 is not below 1"),
        ((*PARTS, "--effect", "1", "--mean", "3"), "--mean is an average on the --scale"),
        ((*PARTS, "--effect", "1", "--minutes", "3"), "--minutes and --pay belong together"),
        ((*PARTS, "--effect", "1", "--budget", "3"), "--budget needs the cost of an answer"),
        ((*PARTS, "--effect", "1", "--budget", "1", "--cost", "1"), "does not pay for two items"),
        ((*PARTS, "--effect", "1", "--systems", "1"), "nothing to compare with fewer than 2 systems"),
        ((*PARTS, "--effect", "1", "--items-per-rater", "5"), "--items-per-rater belongs to"),
        (
            ("--components", "ties=1", "--design", "pairwise", "--effect", ".1"),
            "the share of ties lies between",
        ),
        (
            ("--components", "item=1", "--design", "pairwise", "--effect", "2"),
            "does not lie between −0.95 and 0.95",
        ),
        (("--pilot", "none.csv", "--effect", "1"), "none.csv"),
        (("--pilot", "none.csv", "--effect", "1", "--scale", "1,5"), "on their scale already"),
    ],
)
def test_refusals(run: Run, words: tuple[str, ...], message: str) -> None:
    """Exit 2 and one message that says what to do."""
    status, out, err = run("study", "power", *words)
    assert (2, "") == (status, out)
    assert message in err
    assert 1 == len(err.splitlines())


def test_several_questions_need_a_name(run: Run, folder: Path) -> None:
    """A pilot with two questions: an error that names them."""
    rows = "".join(f"{i},{q},r,{s},{n}\n" for n, i in enumerate("abc") for q in "ef" for s in "xy")
    (folder / "two.csv").write_text("item,question,rater,system,value\n" + rows)
    status, _, err = run("study", "power", "--pilot", "two.csv", "--effect", "0.2")
    assert 2 == status
    assert "('e', 'f'); name one with --question" in err
