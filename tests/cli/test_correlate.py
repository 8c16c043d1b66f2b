"""``empeval correlate``: a run and ratings of its responses, what does not join, what is not defined."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from empeval.report.rating_files import SUFFIXES

Run = Callable[..., Any]
SYSTEMS = ("ash", "birch", "cedar")


@pytest.fixture
def scored(run: Run, folder: Path) -> Path:
    """A run of three systems on twelve segments: ash repeats the reference, cedar says little."""
    rng = random.Random(4)
    words = list("abcdefghijklmnop")
    corpus = [
        {
            "id": f"s{i}",
            "dialogue_id": f"d{i // 2}",
            "context": [f"turn {i}"],
            "reference": " ".join(rng.sample(words, 8)),
        }
        for i in range(12)
    ]
    answers = {
        "ash": lambda text: text,
        "birch": lambda text: " ".join([*text.split()[:5], "so", "sorry"]),
        "cedar": lambda _: "oh i see",
    }
    for system, answer in answers.items():
        lines = [json.dumps({**segment, "hypothesis": answer(segment["reference"])}) for segment in corpus]
        (folder / f"{system}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = [f"{system}.jsonl" for system in SYSTEMS]
    status, _, error = run("score", *files, "--metrics", "bleu,distinct(n=1),length", "--out", "run")
    assert 0 == status, error
    return folder / "run"


def ratings(
    folder: Path, rows: list[tuple[object, ...]], head: str = "item,system,rater,question,value"
) -> None:
    """Write ratings.csv."""
    lines = [head, *(",".join(map(str, row)) for row in rows)]
    (folder / "ratings.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def faithful(n_raters: int = 3) -> list[tuple[object, ...]]:
    """Raters who like ash best and cedar least, but for a whim."""
    rng = random.Random(7)
    return [
        (f"s{i}", system, f"r{r}", "empathy", min(5, max(1, 5 - 2 * s + rng.choice((-1, 0, 0, 1)))))
        for i in range(12)
        for s, system in enumerate(SYSTEMS)
        for r in range(n_raters)
    ]


def as_json(run: Run, *words: str) -> dict[str, Any]:
    """The document of a command that succeeds."""
    status, out, error = run("correlate", *words, "--format", "json", "--resamples", "200")
    assert 0 == status, error
    return json.loads(out)


def test_the_document_has_its_stable_keys(run: Run, folder: Path, scored: Path) -> None:
    """Every metric at both levels, the ceiling and the comparisons; corpus metrics at system level alone."""
    ratings(folder, faithful())
    document = as_json(run, "run", "ratings.csv", "--categories", "1,2,3,4,5")
    entries = document["questions"]["empathy"]
    assert {"metric", "level", "statistic", "value", "interval", "n", "status"} <= set(entries[0])
    found = {(e["metric"], e["level"], e["statistic"]): e for e in entries}
    tau = found["bleu", "segment", "kendall_tau_b"]
    assert (12, "ok") == (tau["n"], tau["status"])
    assert tau["value"] > 0.8
    assert tau["interval"]["low"] > 0
    assert 1.0 == found["bleu", "system", "pairwise_accuracy"]["value"]
    assert "too_few_systems" == found["bleu", "system", "pearson"]["status"]
    assert ("distinct(n=1)", "segment", "kendall_tau_b") not in found
    assert "no_segment_values" == found["distinct(n=1)", "system", "soft_pairwise_accuracy"]["status"]
    assert 0 < document["ceiling"]["empathy"]["kendall_tau_b"]["value"] <= 1
    assert {"metric_a", "metric_b", "difference", "p_value", "p_adjusted"} <= set(
        document["comparisons"]["empathy"][0]
    )
    assert [] == document["warnings"]


def test_every_format_and_the_folder(run: Run, folder: Path, scored: Path) -> None:
    """The same report in all formats; --out writes them with a manifest that hashes its inputs."""
    ratings(folder, faithful())
    for form in ("text", "markdown", "latex", "csv", "html", "json"):
        status, out, _ = run("correlate", "run", "ratings.csv", "--format", form, "--resamples", "50")
        assert 0 == status
        assert "bleu" in out
    status, _, _ = run("correlate", "run", "ratings.csv", "--out", "report", "--resamples", "50")
    assert 0 == status
    names = {path.name for path in (folder / "report").iterdir()}
    assert {
        "manifest.json",
        "correlate.json",
        *(f"correlate{suffix}" for suffix in SUFFIXES.values()),
    } == names
    manifest = json.loads((folder / "report" / "manifest.json").read_text(encoding="utf-8"))
    assert all(one["sha256"] for one in manifest["inputs"])


def test_the_text_says_what_was_done_and_found(run: Run, folder: Path, scored: Path) -> None:
    """A methods and a results sentence, and never a word for what was not found."""
    ratings(folder, faithful())
    _, out, _ = run("correlate", "run", "ratings.csv", "--resamples", "100")
    flat = " ".join(out.split())
    assert "Methods: Metrics were held against the mean ratings of 36 responses of 3 systems" in flat
    assert "Results: bleu follows the ratings of empathy most closely within items" in flat
    assert "trend" not in flat


def test_what_does_not_join_is_counted_with_its_names(run: Run, folder: Path, scored: Path) -> None:
    """An unknown item and an unknown system are left out and told."""
    extra = [("s99", "ash", "r0", "empathy", 3), ("s1", "dogwood", "r0", "empathy", 3)]
    ratings(folder, [*faithful(), *extra])
    document = as_json(run, "run", "ratings.csv", "--categories", "1,2,3,4,5")
    told = {notice["code"]: notice["ids"] for notice in document["warnings"]}
    assert {"items_not_in_run": ["s99"], "systems_not_in_run": ["dogwood"]} == told


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (
            [("x1", "ash", "r0", "empathy", 3)],
            "no item is a segment of run: the ratings have 'x1', the run has 's0'",
        ),
        ([("s1", "elm", "r0", "empathy", 3)], "no system of the ratings is in run: they have 'elm'"),
        ([("s1", "ash", "r0", "empathy", "good")], "are words"),
    ],
)
def test_nothing_in_common_is_one_message(
    run: Run, folder: Path, scored: Path, rows: list[tuple[object, ...]], says: str
) -> None:
    """What both sides have, and status 2."""
    ratings(folder, rows)
    status, out, error = run("correlate", "run", "ratings.csv")
    assert (2, "") == (status, out)
    assert says in error
    assert "Traceback" not in error


def test_ratings_without_systems_need_a_run_of_one(run: Run, folder: Path, scored: Path) -> None:
    """Three systems and no column: the message asks for it."""
    ratings(folder, [("s1", "r0", 3), ("s2", "r0", 4)], head="item,rater,value")
    status, _, error = run("correlate", "run", "ratings.csv")
    assert 2 == status
    assert "add a column `system`" in error


@pytest.mark.parametrize(
    ("rows", "statuses"),
    [
        ([("s1", "ash", "r0", "empathy", 3)], {"too_few_systems"}),
        ([(f"s{i}", s, "r0", "empathy", 3) for i in range(6) for s in SYSTEMS], {"no_variation"}),
        ([("s1", s, "r0", "empathy", v) for v, s in enumerate(SYSTEMS)], {"ok"}),
    ],
    ids=["one response", "all alike", "one item"],
)
def test_ratings_that_say_nothing_have_a_status(
    run: Run, folder: Path, scored: Path, rows: list[tuple[object, ...]], statuses: set[str]
) -> None:
    """Status 0, null and why, in every format."""
    ratings(folder, rows)
    document = as_json(run, "run", "ratings.csv", "--categories", "0,1,2,3,4,5")
    taus = [
        e
        for e in document["questions"]["empathy"]
        if e["statistic"] == "kendall_tau_b" and e["level"] == "segment"
    ]
    assert statuses == {e["status"] for e in taus if e["metric"] == "bleu"}
    assert all((e["value"] is None) == (e["status"] != "ok") for e in taus)
    assert "too_few_raters" == document["ceiling"]["empathy"]["kendall_tau_b"]["status"]
    assert 0 == run("correlate", "run", "ratings.csv")[0]


def test_a_run_without_segments_cannot_be_joined(run: Run, folder: Path, scored: Path) -> None:
    """--no-segments leaves out what ratings join to."""
    ratings(folder, faithful())
    (scored / "segments.parquet").unlink()
    status, _, error = run("correlate", "run", "ratings.csv")
    assert 2 == status
    assert "score again without --no-segments" in error


def test_verify_repeats_the_report(run: Run, folder: Path, scored: Path) -> None:
    """The folder's options give the same document; a changed number is found."""
    ratings(folder, faithful())
    assert 0 == run("correlate", "run", "ratings.csv", "--out", "report", "--resamples", "50")[0]
    assert 0 == run("verify", "report")[0]
    path = folder / "report" / "correlate.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["questions"]["empathy"][0]["value"] = 0.123
    path.write_text(json.dumps(document), encoding="utf-8")
    assert 1 == run("verify", "report")[0]
