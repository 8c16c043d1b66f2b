"""The other commands: leaderboard, verify, compare, metrics, readers, demo."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from empeval import example
from empeval.cli import main
from empeval.metrics import METRICS
from empeval.readers import READERS


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory, test_set: Callable[[Path], None]) -> Path:
    """Two finished runs, written once: results/one with warm and flat, results/two with mute."""
    folder = tmp_path_factory.mktemp("scored")
    test_set(folder)
    words = ("--corpus", "corpus.jsonl", "--metrics", "length,bleu", "--resamples", "50", "--quiet")
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        assert 0 == main(["score", "warm.jsonl", "flat.jsonl", *words, "--out", "results/one"])
        assert 0 == main(["score", "mute.jsonl", *words, "--out", "results/two"])
    return folder / "results"


@pytest.fixture
def results(scored: Path, folder: Path) -> None:
    """Those runs in the working directory."""
    shutil.copytree(scored, folder / "results")


def test_leaderboard_joins_runs(run, results):
    """The systems of both runs stand in one table, in the order given."""
    status, out, err = run("leaderboard", "results/two", "results/one", "--format", "csv")
    assert (0, "") == (status, err)
    order = [out.index(f"\n{system},") for system in ("mute", "warm", "flat")]
    assert sorted(order) == order


def test_leaderboard_of_one_run_prints_its_document(run, results, folder):
    """JSON of one run is the file itself."""
    _, out, _ = run("leaderboard", "results/one", "--format", "json")
    assert (folder / "results/one/scores.json").read_text(encoding="utf-8") == out


@pytest.mark.parametrize("command", ["leaderboard", "verify"])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("missing", "missing: there is no such folder"),
        ("warm.jsonl", "warm.jsonl: this is a file"),
        (".", "this folder is no run: it has no manifest.json"),
        ("broken", "broken/manifest.json, line 1: broken JSON"),
        ("foreign", "foreign/manifest.json: this is not the manifest of a run"),
        ("half", "half/scores.json: the run lacks this file"),
        ("list", "list/manifest.json: broken: a JSON object is expected"),
    ],
)
def test_what_is_no_run_is_refused(run, folder, command, name, expected):
    """Status 2 and one message that names the folder or the file."""
    manifests = {"broken": '{"empeval": ', "foreign": "{}", "half": '{"empeval": "0.1.0"}', "list": "[]"}
    for folder_name, text in manifests.items():
        (folder / folder_name).mkdir()
        (folder / folder_name / "manifest.json").write_text(text)
    status, out, err = run(command, name)
    assert (2, "") == (status, out)
    assert 1 == err.count("\n")
    assert expected in err


def test_a_run_with_a_broken_document_is_refused(run, results, folder):
    """A document cut in the middle is named with its line."""
    path = folder / "results/one/scores.json"
    path.write_text(path.read_text()[:200])
    for command in ("verify", "leaderboard"):
        status, _, err = run(command, "results/one")
        assert 2 == status
        assert "results/one/scores.json, line " in err


@pytest.mark.parametrize(
    "text", ['{"scores": 1}', '{"corpus": 1, "cohort": 1, "systems": ["a"], "scores": [{"value": "x"}]}']
)
def test_a_document_of_another_shape_is_refused(run, results, folder, text):
    """JSON that is no score document is named as such."""
    (folder / "results/one/scores.json").write_text(text)
    for command in ("verify", "leaderboard"):
        status, _, err = run(command, "results/one")
        assert 2 == status
        assert "this is not" in err
        assert 1 == err.count("\n")


def test_verify_confirms_an_untouched_run(run, results):
    """Status 0, and the number of values that were compared."""
    status, out, err = run("verify", "results/one")
    assert (0, "") == (status, err)
    assert out.startswith("results/one: ")
    assert out.endswith("values recomputed, all as stored\n")


def test_verify_finds_a_changed_number(run, results, folder):
    """Status 1; the message says where it stands, what is stored and what is right."""
    path = folder / "results/one/scores.json"
    document = json.loads(path.read_text())
    right = document["scores"][0]["value"]
    document["scores"][0]["value"] = right + 0.001
    path.write_text(json.dumps(document))
    status, out, _ = run("verify", "results/one")
    assert 1 == status
    assert f"scores[warm, length].value: stored {right + 0.001!r}, recomputed {right!r}" in out
    assert "scores.json is not the file that the run wrote" in out


def test_verify_finds_a_changed_input(run, results, folder):
    """Status 1; the input and the numbers that it changes are named. JSON says the same."""
    path = folder / "flat.jsonl"
    path.write_text(path.read_text().replace("great", "really great"))
    status, out, _ = run("verify", "results/one")
    assert 1 == status
    assert "input flat.jsonl is not the file that was scored" in out
    assert "scores[flat, length].value" in out
    status, out, _ = run("verify", "results/one", "--format", "json")
    document = json.loads(out)
    assert (1, False, ["flat.jsonl"]) == (status, document["confirmed"], document["changed_inputs"])


def test_verify_names_a_missing_input(run, results, folder):
    """Without its input a run cannot be repeated: status 2."""
    (folder / "warm.jsonl").unlink()
    status, out, err = run("verify", "results/one")
    assert (2, "") == (status, out)
    assert "cannot be repeated without its input: warm.jsonl" in err


def test_verify_works_from_anywhere(run, results, folder, monkeypatch):
    """Relative inputs are found from the folder of the run, also after all was moved."""
    folder.rename(folder.with_name("moved"))
    elsewhere = folder.with_name("elsewhere")
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert 0 == run("verify", str(folder.with_name("moved") / "results/one")).status


def test_compare_prints_tests_segments_and_ngrams(run):
    """The text names the tests, the segment with the largest gap and what each system says more."""
    words = ("warm.jsonl", "flat.jsonl", "mute.jsonl", "--corpus", "corpus.jsonl", "--systems", "warm,flat")
    status, out, _ = run("compare", *words, "--resamples", "50", "--segments", "1")
    assert 0 == status
    assert out.startswith("warm (A) against flat (B): 6 segments in 6 dialogues\n")
    assert "\n  s5: 100.00 against " in out
    assert "n-grams that warm (A) uses more" in out


def test_compare_prints_json(run):
    """Both sides of the segments and n-grams, with the scores and comparisons of ``score``."""
    words = (
        "warm.jsonl",
        "flat.jsonl",
        "--metrics",
        "length",
        "--segment-metric",
        "length",
        "--format",
        "json",
    )
    status, out, _ = run("compare", *words)
    document = json.loads(out)
    assert 0 == status
    # tokens of warm: 13 7 8 6 7 9, of flat: 4 5 4 4 3 3; differences 9 2 4 2 4 6
    assert ["s0", "s5", "s2", "s4", "s1"] == [gap["id"] for gap in document["segments"]["a_higher"]]
    assert [9, 6, 4, 4, 2] == [gap["difference"] for gap in document["segments"]["a_higher"]]
    assert (6, 0, 0) == tuple(document["segments"][key] for key in ("n_a_higher", "n_b_higher", "n_equal"))
    assert [("length", "warm", "flat")] == [
        (test["metric"], test["system_a"], test["system_b"]) for test in document["comparisons"]
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--systems", "warm,flatt"), "there is no system 'flatt'; did you mean 'flat'?"),
        (("--systems", "warm"), "--systems names two systems, A,B, and not 'warm'"),
        (("--systems", "warm,warm"), "--systems names 'warm' twice"),
        ((), "two systems can be compared, and the files hold 3"),
        (("--systems", "warm,flat", "--segment-metric", "distinct"), "segments cannot be ranked by distinct"),
        (("--systems", "warm,flat", "--segment-metric", "bleu"), "no references"),
        (("--systems", "warm,flat", "--format", "html"), "value of --format 'html'"),
        (("--systems", "warm,flat", "--segments", "x"), "argument --segments: 'x' is not a whole number"),
    ],
)
def test_a_wrong_comparison_is_answered_with_one_message(run, words, expected):
    """Status 2 and one line."""
    status, out, err = run("compare", "warm.jsonl", "flat.jsonl", "mute.jsonl", *words)
    assert (2, "") == (status, out)
    assert 1 == err.count("\n"), err
    assert expected in err


@pytest.mark.parametrize(("command", "registry"), [("metrics", METRICS), ("readers", READERS)])
def test_listings_have_one_line_each(run, command, registry):
    """Every name, then what it is; JSON lists the same names."""
    status, out, err = run(command)
    assert (0, "") == (status, err)
    assert registry.names() == [line.split()[0] for line in out.splitlines()]
    assert registry.names() == [entry["name"] for entry in json.loads(run(command, "--format", "json").out)]


@pytest.mark.parametrize(
    ("command", "name"),
    [*(("metrics", name) for name in METRICS.names()), *(("readers", name) for name in READERS.names())],
)
def test_everything_about_one_thing(run, command, name):
    """With a name: its description without code examples, its fields, its declarations."""
    status, out, err = run(command, name)
    assert (0, "") == (status, err)
    assert out.startswith(name)
    assert ">>>" not in out
    assert ("direction: " in out) == (command == "metrics")


def test_fields_are_shown_with_defaults_and_choices(run):
    """What ``bleu`` can be asked for, as the manual lists it."""
    _, out, _ = run("metrics", "bleu", "--format", "json")
    fields = {field["name"]: field for field in json.loads(out)["fields"]}
    assert (4, [4, 3, 2, 1]) == (fields["order"]["default"], fields["order"]["choices"])
    assert (False, "True or False") == (fields["lowercase"]["default"], fields["lowercase"]["type"])


def test_needs_are_fields_of_the_files(run):
    """Not the plural names of columns inside."""
    _, out, _ = run("metrics", "perplexity")
    assert "needs: nll, n_tokens" in out


def test_demo_is_a_run_that_verifies_and_can_be_repeated(run, folder):
    """Into results/demo, twice, with the table on standard output; what else lies there stays."""
    status, out, err = run("demo")
    assert 0 == status
    assert all(path.stem in out for path in example.system_files())
    assert "the run is in results/demo" in err
    (folder / "results/demo/notes.txt").write_text("mine")
    assert (0, out) == run("demo", "--quiet")[:2]
    assert "mine" == Path("results/demo/notes.txt").read_text()
    assert 0 == run("verify", "results/demo").status
    assert "study simulate results/demo/study.yaml" in err
    assert "study serve results/demo/study.yaml" in err
    assert "study admin results/demo/study.yaml" in err
    assert 0 == run("study", "validate", "results/demo/study.yaml").status
    assert [Path("results/demo")] == list(Path("results").iterdir())
