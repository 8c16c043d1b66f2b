"""``empeval reproduce``: what it prints, where, and what it leaves behind."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

WORDS = ("reproduce", "mime", "warm.jsonl", "--corpus", "corpus.jsonl")


def test_the_table_and_the_check_of_human_tables(run: Run) -> None:
    """A row for each system and number, notes, then the GRIM check; nothing on standard error."""
    status, out, err = run(*WORDS)
    assert (0, "") == (status, err)
    lines = out.splitlines()
    assert "mime: MIME: MIMicking Emotions for Empathetic Response Generation" == lines[0]
    assert ["system", "metric", "source", "published"] == lines[1].split()[:4]
    assert ["warm", "BLEU"] == lines[2].split()[:2]
    assert "Human tables: can so many answers give these numbers (GRIM; Brown and Heathers, 2017)?" in lines
    assert "10 of 12 rows are possible." == lines[-1]


def test_json(run: Run) -> None:
    """The documented keys of every cell, and verdicts as codes."""
    status, out, _ = run(*WORDS, "--format", "json")
    document = json.loads(out)
    assert (0, "mime", ["warm"]) == (status, document["protocol"], document["systems"])
    keys = ("system", "metric", "published", "source", "source_kind", "n_published", "recomputed", "standard")
    assert all({*keys, "difference", "verdict"} <= set(cell) for cell in document["cells"])
    verdicts = {cell["verdict"] for cell in document["cells"]}
    assert {None, "not_checkable"} == verdicts


def test_csv(run: Run) -> None:
    """One row a number."""
    document = json.loads(run(*WORDS, "--format", "json").out)
    rows = list(csv.DictReader(io.StringIO(run(*WORDS, "--format", "csv").out)))
    assert [cell["metric"] for cell in document["cells"]] == [row["metric"] for row in rows]


def test_markdown(run: Run) -> None:
    """Tables as GitHub shows them."""
    out = run(*WORDS, "--format", "markdown").out
    assert out.startswith("**mime: MIME: MIMicking")
    assert "| Multi-TR | win 42.25, lose 24.60, tie 33.15 | 128 | impossible |" in out


def test_warnings_go_to_standard_error_and_quiet_silences_them(run: Run, folder: Path) -> None:
    """Such as a file that may have been cut."""
    (folder / "cut.txt").write_text("oh no .\nthat is great !")
    status, out, err = run("reproduce", "cem", "cut.txt")
    assert 0 == status
    assert "empeval: warning: cut.txt does not end with a newline" in err
    assert (0, out, "") == run("reproduce", "cem", "cut.txt", "--quiet")


def test_out_is_a_folder_that_verifies(run: Run, folder: Path) -> None:
    """What is printed is the same; `empeval verify` recomputes every number, from anywhere."""
    printed = run(*WORDS, "--format", "json").out
    status, out, err = run(*WORDS, "--format", "json", "--out", "results/mime")
    assert (0, printed, "empeval: the reproduction is in results/mime\n") == (status, out, err)
    assert printed == (folder / "results/mime/reproduction.json").read_text(encoding="utf-8")
    status, out, _ = run("verify", "results/mime")
    assert 0 == status
    assert "values recomputed, all as stored" in out
    (folder / "warm.jsonl").write_text((folder / "flat.jsonl").read_text())
    status, out, _ = run("verify", "results/mime")
    assert 1 == status
    assert "cells[warm, BLEU].recomputed" in out
    assert "input warm.jsonl is not the file that was scored" in out


def test_a_folder_that_cannot_be_written_is_refused_before_reading(run: Run, folder: Path) -> None:
    """The input is not even looked at."""
    (folder / "taken").write_text("mine")
    status, out, err = run("reproduce", "mime", "missing.txt", "--out", "taken")
    assert (2, "", "empeval: error: taken: this is a file; name a folder for the run\n") == (status, out, err)


def test_columns_and_reader(run: Run, folder: Path) -> None:
    """A response under another name; the manifest has the same command."""
    text = (folder / "warm.jsonl").read_text().replace('"hypothesis"', '"response"')
    (folder / "other.jsonl").write_text(text)
    words = ("reproduce", "mime", "ours=other.jsonl", "--corpus", "corpus.jsonl", "--reader", "jsonl")
    found = json.loads(run(*words, "--columns", "hypothesis=response", "--format", "json").out)
    plain = json.loads(run(*WORDS, "--format", "json").out)
    assert [c["recomputed"] for c in plain["cells"]] == [c["recomputed"] for c in found["cells"]]
    assert ["--reader", "jsonl", "--columns", "hypothesis=response"] == found["manifest"]["command"][-4:]


def test_standard_input(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read once: where the authors' parser damages text, that is not known of it."""
    for protocol, skipped in (("mime", False), ("cem", True)):
        text = (folder / "flat.jsonl").read_bytes()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        status, out, err = run("reproduce", protocol, "piped=-", "warm.jsonl", "--format", "json")
        assert (0, ["piped", "warm"]) == (status, json.loads(out)["systems"])
        assert skipped == ("[authors_parser_skipped]" in err)
    assert {"warm": 0} == json.loads(out)["parser"]["changed"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("mine", "warm.jsonl"), "there is no protocol 'mine'; did you mean 'mime'?"),
        (("mime", "missing.txt"), "missing.txt: there is no such file"),
        (("missing.yaml", "warm.jsonl"), "missing.yaml: there is no such file"),
        (("mime",), "the following arguments are required: FILE"),
        (("mime", "warm.jsonl", "--format", "latex"), "there is no value of --format 'latex'"),
        (("mime", "warm.jsonl", "--corpus", "missing.jsonl"), "missing.jsonl: there is no such file"),
        (("mime", "warm.jsonl", "warm.jsonl"), "two files name a system 'warm'"),
    ],
)
def test_what_is_wrong_is_one_message(words: tuple[str, ...], expected: str, run: Run) -> None:
    """Status 2 and nothing on standard output."""
    status, out, err = run("reproduce", *words)
    assert (2, "", 1) == (status, out, err.count("\n"))
    assert expected in err


def test_a_header_stands_where_the_text_cannot_tell(run: Run, folder: Path) -> None:
    """The authors' way to a perplexity is to read it from the log."""
    record = "emotion:sad\tvader-score: 0.1\tpredicted_emotion: sad\nContext:['x']\nGreedy:oh \nRef:no\n"
    record += "-" * 70 + "\n"
    (folder / "log.txt").write_text("EVAL\tPPL\ntest\t36.50\n" + 2 * record)
    assert "36.50 (header)" in run("reproduce", "mime", "log.txt").out
