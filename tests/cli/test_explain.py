"""``empeval explain``: what it prints, and where."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

FILES = ("warm.jsonl", "flat.jsonl", "mute.jsonl", "--corpus", "corpus.jsonl")


@pytest.mark.parametrize("metric", ["bleu", "distinct", "accuracy"])
def test_every_variant_stands_in_a_row(metric: str, run: Run) -> None:
    """Text: values with ranks, who used it; then Kendall's tau where there are rankings."""
    status, out, err = run("explain", metric, *FILES)
    assert (0, "") == (status, err)
    lines = out.splitlines()
    assert f"{metric} on 6 segments" == lines[0]
    assert ["variant", "warm", "flat", "mute", "best", "used", "by"] == lines[1].split()
    assert (metric != "accuracy") == ("How far the variants agree" in lines)


def test_a_single_variant_leads(run: Run) -> None:
    """Others follow, to be compared with it."""
    lines = run("explain", "distinct(n=3)", *FILES).out.splitlines()
    assert "distinct(n=3)" == lines[2].split()[0]
    assert 10 < len(lines)


def test_json_and_csv_say_the_same(run: Run) -> None:
    """Values, ranks and best systems."""
    document = json.loads(run("explain", "bleu", *FILES, "--format", "json").out)
    rows = csv.DictReader(io.StringIO(run("explain", "bleu", *FILES, "--format", "csv").out))
    values = {(row["metric"], row["system"]): float(row["value"]) for row in rows}
    assert {
        (variant["metric"], system): value
        for variant in document["variants"]
        for system, value in variant["values"].items()
    } == values
    assert ["warm", "flat", "mute"] == document["systems"]
    assert {"tau", "n", "status", "variant_a", "variant_b"} == set(document["agreement"][0])


def test_markdown(run: Run) -> None:
    """A table as GitHub shows it."""
    out = run("explain", "distinct", *FILES, "--format", "markdown").out
    assert out.startswith("**distinct on 6 segments**\n\n| variant | warm | flat | mute | best | used by |\n")


def test_what_was_left_out_is_told(run: Run, folder: Path) -> None:
    """On standard error as every warning, and below the table."""
    lines = (folder / "flat.jsonl").read_text().splitlines(keepends=True)
    (folder / "flat.jsonl").write_text("".join(lines[:4]))
    status, out, err = run("explain", "distinct", *FILES)
    assert 0 == status
    assert "[cohort_reduced]" in err
    assert "warm: 2 of its segments are left out, others lack them." in out
    assert "" == run("explain", "distinct", *FILES, "--quiet").err


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("blue", "there is no metric with common variants named 'blue'; did you mean 'bleu'?"),
        ("length", "there is no metric with common variants named 'length'"),
        ("bleu(order=7)", "bleu(order=7): expected one of 4, 3, 2, 1"),
        ("distinct(m=2)", "there is no field of metric 'distinct' named 'm'"),
    ],
)
def test_what_is_wrong_is_one_message(metric: str, expected: str, run: Run) -> None:
    """Status 2 and nothing on standard output."""
    status, out, err = run("explain", metric, *FILES)
    assert (2, "", 1) == (status, out, err.count("\n"))
    assert expected in err
