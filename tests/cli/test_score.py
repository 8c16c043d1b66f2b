"""``empeval score``: what it prints, and where."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
import sacrebleu

FILES = ("warm.jsonl", "flat.jsonl", "mute.jsonl", "--corpus", "corpus.jsonl")


def column(path: Path, name: str) -> list[str]:
    """One field of a JSONL file."""
    return [json.loads(line)[name] for line in path.read_text(encoding="utf-8").splitlines()]


def test_json_is_the_score_document(run):
    """Standard output holds one JSON document with the stable keys, system by system, metric by metric."""
    status, out, _ = run("score", *FILES, "--metrics", "length,bleu(order=2)", "--format", "json")
    document = json.loads(out)
    expected = ["corpus", "cohort", "systems", "scores", "comparisons", "tiers", "warnings", "manifest"]
    assert 0 == status
    assert expected == [key for key in document if key in expected]
    assert ["warm", "flat", "mute"] == document["systems"]
    assert [(system, metric) for system in document["systems"] for metric in ("length", "bleu(order=2)")] == [
        (score["system"], score["metric"]) for score in document["scores"]
    ]


def test_bleu_is_that_of_sacrebleu(run, folder):
    """The command scores as sacreBLEU 2.6 does in process."""
    _, out, _ = run("score", *FILES, "--metrics", "bleu", "--format", "json")
    references = column(folder / "corpus.jsonl", "reference")
    for score in json.loads(out)["scores"]:
        hypotheses = column(folder / f"{score['system']}.jsonl", "hypothesis")
        expected = sacrebleu.corpus_bleu(hypotheses, [references]).score
        assert expected == pytest.approx(score["value"], abs=1e-9)


def test_equal_commands_print_equal_bytes(run):
    """The document on standard output holds no time."""
    assert run("score", *FILES, "--format", "json") == run("score", *FILES, "--format", "json")


def test_files_may_stand_before_and_after_options(run):
    """The order of words that are files is the order of the systems."""
    _, out, _ = run(
        "score", "warm.jsonl", "--metrics", "length", "--format", "json", "flat.jsonl", "mute.jsonl"
    )
    assert ["warm", "flat", "mute"] == json.loads(out)["systems"]


def test_name_equals_file_names_the_system(run):
    """NAME=FILE goes before the stem."""
    _, out, _ = run("score", "ours=warm.jsonl", "flat.jsonl", "--metrics", "length", "--format", "json")
    assert ["ours", "flat"] == json.loads(out)["systems"]


def test_standard_input_is_a_file(run, folder, monkeypatch):
    """``-`` reads JSONL from standard input, here under a name of its own."""
    text = (folder / "flat.jsonl").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    _, out, _ = run("score", "piped=-", "--metrics", "length", "--format", "json")
    document = json.loads(out)
    # 4 + 5 + 4 + 4 + 3 + 3 tokens in 6 responses
    assert [("piped", pytest.approx(23 / 6))] == [(s["system"], s["value"]) for s in document["scores"]]
    assert [None] == [entry["sha256"] for entry in document["manifest"]["inputs"]]


def test_columns_map_names(run, folder):
    """A field under another name is found, and the corpus need not have that column."""
    text = (folder / "warm.jsonl").read_text().replace('"hypothesis"', '"response"')
    (folder / "other.jsonl").write_text(text)
    words = ("--corpus", "corpus.jsonl", "--metrics", "bleu", "--format", "json")
    _, mapped, _ = run("score", "other.jsonl", *words, "--columns", "hypothesis=response")
    _, plain, _ = run("score", "other=warm.jsonl", *words)
    assert json.loads(plain)["scores"] == json.loads(mapped)["scores"]


def test_warnings_go_to_standard_error_and_quiet_silences_them(run):
    """An empty response is worth a warning; the document holds it either way."""
    words = ("score", *FILES, "--metrics", "length", "--format", "json")
    _, out, err = run(*words)
    assert any("[empty_response]" in line for line in err.splitlines())
    assert (0, out, "") == run(*words, "--quiet")


def test_no_resamples_no_intervals(run):
    """With --resamples 0 there is neither interval nor test, and the scores stay."""
    _, out, _ = run("score", *FILES, "--metrics", "bleu,distinct", "--resamples", "0", "--format", "json")
    document = json.loads(out)
    assert {None} == {score["interval"] for score in document["scores"]}
    assert {None} == {test["p_value"] for test in document["comparisons"]}
    assert None not in {score["value"] for score in document["scores"]}


def test_level_and_seed_are_used(run):
    """The interval is at the level asked for; another seed gives another one."""
    words = ("score", "warm.jsonl", "--corpus", "corpus.jsonl", "--metrics", "length", "--format", "json")
    (narrow,), (wide,) = (json.loads(run(*words, "--level", level)[1])["scores"] for level in ("0.5", "0.99"))
    assert (0.5, 0.99) == (narrow["interval"]["level"], wide["interval"]["level"])
    assert wide["interval"]["low"] < narrow["interval"]["low"] < narrow["interval"]["high"]


@pytest.mark.parametrize(
    ("form", "beginning"),
    [
        ("text", "corpus: 6 segments"),
        ("markdown", "**"),
        ("latex", "%"),
        ("csv", "system,"),
        ("html", "<!doctype html>"),
        ("json", "{"),
    ],
)
def test_every_format_prints_the_table(run, form, beginning):
    """Each names the systems and carries no escape sequence when it is not for a terminal."""
    status, out, _ = run("score", *FILES, "--format", form)
    assert 0 == status
    assert out.lower().startswith(beginning), out[:60]
    assert all(system in out for system in ("warm", "flat", "mute"))
    assert "\x1b" not in out


def test_a_breakdown_and_the_human_row(run):
    """--by emotion adds a table for each emotion, --human the references as a system."""
    words = ("--metrics", "length", "--by", "emotion", "--human", "--format", "json")
    document = json.loads(run("score", *FILES, *words)[1])
    assert ["warm", "flat", "mute", "human"] == document["systems"]
    assert ["afraid", "proud", "sad"] == [group["group"] for group in document["groups"]["groups"]]


def test_out_writes_the_run_and_still_prints(run, folder):
    """The folder appears with its parents; standard output is the same as without."""
    words = ("score", *FILES, "--metrics", "length", "--format", "json")
    _, printed, _ = run(*words)
    status, out, err = run(*words, "--out", "results/mine")
    assert (0, printed) == (status, out)
    assert "empeval: the run is in results/mine\n" in err
    assert printed == (folder / "results/mine/scores.json").read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_written_is_refused_before_scoring(run, folder):
    """The input is not even looked at."""
    (folder / "taken").write_text("mine")
    status, out, err = run("score", "missing.jsonl", "--out", "taken")
    assert (2, "") == (status, out)
    assert "empeval: error: taken: this is a file; name a folder for the run\n" == err
    assert "mine" == (folder / "taken").read_text()
