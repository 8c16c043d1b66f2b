"""A study by its commands: simulated, looked at, exported, analysed, topped up, copied, forgotten."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.study.conftest import fresh_database

Run = Callable[..., Any]


@pytest.fixture
def study(run: Run, folder: Path) -> str:
    """A study of six items and two systems, filled by simulated raters."""
    run("study", "init", "--systems", "warm.jsonl", "flat.jsonl", "--corpus", "corpus.jsonl", "--quiet")
    status, out, err = run("study", "simulate", "study.yaml", "--raters", "careful=3,straight_lining=1")
    assert (0, "") == (status, err)
    assert out == "SIMULATED: 4 raters handed in 54 answers; 54 of 54 places are filled\n"
    return "study.yaml"


def people(run: Run, study: str) -> list[dict[str, Any]]:
    """The raters as status lists them."""
    listed: list[dict[str, Any]] = json.loads(run("study", "status", study, "--format", "json").out)["people"]
    return listed


def test_status_has_the_keys_that_scripts_read(run: Run, study: str) -> None:
    """Slots, raters, holes and sides, by their documented names."""
    document = json.loads(run("study", "status", study, "--format", "json").out)
    assert document["state"] == "open"
    assert document["slots"] == {"open": 0, "held": 0, "done": 54, "void": 0}
    assert document["raters"] == {"finished": 4}
    assert document["holes"] == []
    assert document["sides"] == {"ab": 9, "ba": 9}
    assert document["n_simulated"] == 4


def test_the_export_is_analysed_as_it_is(run: Run, study: str, folder: Path) -> None:
    """agreement and preference read it; every row and the manifest say that raters were simulated."""
    status, out, err = run("study", "export", study, "--out", "out")
    assert 0 == status
    assert "SIMULATED" in err
    assert "ratings.csv" in out
    with (folder / "out" / "ratings.csv").open(encoding="utf-8", newline="") as stream:
        assert {row["rater_kind"] for row in csv.DictReader(stream)} == {"simulated"}
    manifest = json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["simulated"] is True
    assert manifest["counts"]["counted"] == 54
    agreement = json.loads(
        run("agreement", "out/ratings.csv", "--categories", "1,2,3,4,5", "--format", "json").out
    )
    assert set(agreement["questions"]) == {"empathy", "relevance", "fluency"}
    assert agreement["questions"]["empathy"]["n_ratings"] == 36
    preference = json.loads(run("preference", "out/preferences.csv", "--format", "json").out)
    [pair] = preference["questions"]["overall"]["pairs"]
    assert pair["wins"] + pair["ties"] + pair["losses"] == 18


def test_blocking_and_topping_up_opens_places(run: Run, study: str) -> None:
    """The straight-lining rater is found by the checks, blocked, and replaced by another one."""
    [bad] = [line["rater"] for line in people(run, study) if "straight_lining" in line["failed_checks"]]
    said = run("study", "status", study, "--block", bad, "--reason", "straight lines").out
    assert "blocked (straight lines)" in said
    status, out, _ = run("study", "topup", study)
    assert 0 == status
    assert f"excluded {bad}" in out
    n_open = json.loads(run("study", "status", study, "--format", "json").out)["slots"]["open"]
    assert n_open > 0
    run("study", "simulate", study, "--raters", "careful=2", "--seed", "7")
    assert json.loads(run("study", "status", study, "--format", "json").out)["slots"]["done"] == 54


def test_the_state_is_set_and_a_closed_study_stays_closed(run: Run, study: str) -> None:
    """Pause, soft launch, close; then opening is an error that says what can be done."""
    assert "paused" in run("study", "status", study, "--pause").out
    assert "pauses   by itself" in run("study", "status", study, "--soft-launch", "5").out
    assert "closed" in run("study", "status", study, "--close").out
    status, out, err = run("study", "status", study, "--open")
    assert (2, "") == (status, out)
    assert "is closed; a new version of it can be opened" in err


def test_a_backup_is_whole_and_replaces_nothing(run: Run, study: str, folder: Path) -> None:
    """The copy opens by itself and holds every answer; a second backup to the same file is refused."""
    assert run("study", "backup", study, "copy.db").out.endswith("54 answers, checked\n")
    connection = sqlite3.connect(folder / "copy.db")
    assert connection.execute("SELECT count(*) FROM rating").fetchall() == [(54,)]
    connection.close()
    assert (folder / "copy.db").stat().st_mode & 0o777 == 0o600
    status, _, err = run("study", "backup", study, "copy.db")
    assert 2 == status
    assert "copy.db: the file is there already" in err


def test_forgetting_says_what_it_removed(run: Run, study: str, folder: Path) -> None:
    """Counts before and after, and no byte of the name is left in the database's file."""
    name = people(run, study)[0]["rater"]
    status, out, _ = run("study", "forget", study, name)
    assert 0 == status
    assert "rating" in out
    for path in folder.glob("study.db*"):
        assert name.encode() not in path.read_bytes()
    status, _, err = run("study", "forget", study, name)
    assert 2 == status
    assert f"there is no rater {name!r}" in err


def test_export_and_import_give_the_same_export(run: Run, study: str, folder: Path) -> None:
    """Into another database of the same study, and out again: the same bytes."""
    run("study", "export", study, "--out", "one")
    (folder / "again.yaml").write_text(
        (folder / study).read_text(encoding="utf-8") + "\ndatabase: again.db\n", encoding="utf-8"
    )
    status, out, _ = run("study", "import", "again.yaml", "one")
    assert (0, "imported 54 answers of 4 raters\n") == (status, out)
    run("study", "export", "again.yaml", "--out", "two")
    for path in (folder / "one").iterdir():
        assert path.read_bytes() == (folder / "two" / path.name).read_bytes(), path.name


def test_reconciling_tells_whom_to_pay(run: Run, folder: Path) -> None:
    """Raters by their status there and here; who is not known is told; only Prolific's list is read."""
    run(
        "study", "init", "--systems", "warm.jsonl", "flat.jsonl", "--corpus", "corpus.jsonl", "--quiet",
        "--platform", "prolific",
    )  # fmt: skip
    from empeval.study.preparing import prepare
    from empeval.study.service.views import Arrival, Entered

    prepared = prepare(folder / "study.yaml")
    prepared.admin().set_state("open")
    entered = prepared.raters().enter(Arrival(platform_id="p1", session_ref="s1"))
    assert isinstance(entered, Entered)
    prepared.store.close()
    (folder / "list.csv").write_text(
        "Submission id,Participant id,Status\na,p1,AWAITING REVIEW\nb,p2,AWAITING REVIEW\nc,p3,RETURNED\n",
        encoding="utf-8",
    )
    document = json.loads(run("study", "reconcile", "study.yaml", "list.csv", "--format", "json").out)
    assert {name: [one["person"] for one in found] for name, found in document.items()} == {
        "unfinished": ["p1"],
        "gone": ["p3"],
        "unknown": ["p2"],
    }
    status, _, err = run("study", "reconcile", "study.yaml", "corpus.jsonl")
    assert 2 == status
    assert "expected Prolific's list of submissions" in err


def test_what_is_asked_for_wrongly_is_told(run: Run, folder: Path) -> None:
    """No database yet, no such persona, a format that Excel has not: exit 2, one message each."""
    run("study", "init", "--systems", "warm.jsonl", "flat.jsonl", "--corpus", "corpus.jsonl", "--quiet")
    for command, message in (
        (("status", "study.yaml"), "there is no database yet"),
        (("simulate", "study.yaml", "--raters", "lazy=3"), "there is no persona 'lazy'"),
        (("simulate", "study.yaml", "--raters", "careful"), "expected PERSONA=N"),
        (
            ("export", "study.yaml", "--out", "o", "--format", "jsonl", "--excel"),
            "--excel is for --format csv",
        ),
        (("import", "study.yaml", "nowhere"), "is this an export?"),
    ):
        status, out, err = run("study", *command)
        assert (2, "") == (status, out), command
        assert message in err


def test_a_study_in_postgresql_by_its_address(
    run: Run, folder: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """EMPEVAL_DATABASE_URL names the server; the commands work, and backup says which program copies it."""
    run("study", "init", "--systems", "warm.jsonl", "flat.jsonl", "--corpus", "corpus.jsonl", "--quiet")
    monkeypatch.setenv("EMPEVAL_DATABASE_URL", fresh_database(postgres))
    assert "54 of 54 places" in run("study", "simulate", "study.yaml").out
    assert 0 == run("study", "export", "study.yaml", "--out", "out", "--quiet").status
    assert not list(folder.glob("study.db*"))
    status, _, err = run("study", "backup", "study.yaml", "copy.db")
    assert 2 == status
    assert "pg_dump" in err


def test_people_and_metrics_share_a_leaderboard(run: Run, study: str, folder: Path) -> None:
    """The report's folder beside a run's: one row a system, a column a question, marked as simulated."""
    run(
        "score",
        "warm.jsonl",
        "flat.jsonl",
        "--corpus",
        "corpus.jsonl",
        "--metrics",
        "bleu",
        "--out",
        "run",
        "--quiet",
    )
    assert 0 == run("study", "report", study, "--out", "people", "--resamples", "100", "--quiet").status
    status, out, _ = run("leaderboard", "run", "people", "--format", "json")
    assert 0 == status
    people = json.loads(out)["runs"]["people"]
    assert {score["metric"] for score in people["scores"]} == {
        "SIMULATED empathy",
        "SIMULATED relevance",
        "SIMULATED fluency",
        "SIMULATED overall (strength)",
    }
    for form in ("text", "markdown", "latex", "csv", "html"):
        status, out, _ = run("leaderboard", "run", "people", "--format", form)
        assert 0 == status
        assert "SIMULATED" in out
    report = json.loads((folder / "people" / "report.json").read_text(encoding="utf-8"))
    [mean] = [one["mean"] for one in report["questions"]["empathy"]["systems"] if one["system"] == "warm"]
    [cell] = [
        one["value"]
        for one in people["scores"]
        if (one["system"], one["metric"]) == ("warm", "SIMULATED empathy")
    ]
    assert mean == cell
    status, _, err = run("verify", "people")
    assert 2 == status
    assert "empeval study report STUDY.yaml" in err
    (folder / "people" / "report.json").write_text("{}", encoding="utf-8")
    status, _, err = run("leaderboard", "run", "people")
    assert 2 == status
    assert "this is no report of a study" in err
