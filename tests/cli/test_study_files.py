"""``empeval study init`` and ``validate``: files that are right as they are written, and every fault told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from empeval.study.protocol import load_study

Run = Callable[..., Any]

SYSTEMS = ("--systems", "warm.jsonl", "flat.jsonl", "--corpus", "corpus.jsonl")


@pytest.mark.parametrize("platform", ["lab", "prolific", "open"])
@pytest.mark.parametrize("protocol", [(), ("--protocol", "mime"), ("--protocol", "cem")])
def test_a_new_file_is_valid_as_it_is(run: Run, platform: str, protocol: tuple[str, ...]) -> None:
    """For every platform, from a protocol or from nothing; six segments are all there are."""
    status, out, err = run("study", "init", *SYSTEMS, "--platform", platform, *protocol)
    assert (0, "") == (status, out)
    assert "study.yaml is written" in err
    status, out, _ = run("study", "validate", "study.yaml", "--format", "json")
    document = json.loads(out)
    assert 0 == status
    assert ["study", "version", "faults", "plan", "warnings"] == list(document)
    assert ("study", 1, []) == (document["study"], document["version"], document["faults"])
    assert (["warm", "flat"], 6) == (document["plan"]["systems"], document["plan"]["n_segments"])


def test_without_systems_the_file_names_two_that_are_to_be_replaced(run: Run, folder: Path) -> None:
    """What is missing then is told for each file."""
    assert 0 == run("study", "init", "Pilot One.yaml", "--quiet").status
    assert "pilot-one" == load_study(folder / "Pilot One.yaml").id
    status, out, err = run("study", "validate", "Pilot One.yaml")
    assert (2, "") == (status, out)
    assert [
        "empeval: error: Pilot One.yaml: 2 faults:",
        "  Pilot One.yaml, systems.SystemA: system-a.jsonl: there is no such file",
        "  Pilot One.yaml, systems.SystemB: system-b.jsonl: there is no such file",
    ] == err.splitlines()


def test_paths_are_relative_to_the_study_file(run: Run, folder: Path) -> None:
    """A file in another folder finds the outputs, and a name of one's own is kept."""
    (folder / "studies").mkdir()
    words = ("--systems", "ours=warm.jsonl", "flat.jsonl", "--corpus", "corpus.jsonl")
    assert 0 == run("study", "init", "studies/a.yaml", *words).status
    study = load_study(folder / "studies/a.yaml")
    assert {"ours": "../warm.jsonl", "flat": "../flat.jsonl"} == study.systems
    assert 0 == run("study", "validate", "studies/a.yaml").status


def test_one_system_has_nothing_to_be_compared_with(run: Run, folder: Path) -> None:
    """It is rated alone."""
    assert 0 == run("study", "init", "one.yaml", "--systems", "warm.jsonl", "--corpus", "corpus.jsonl").status
    assert ("rating",) == load_study(folder / "one.yaml").kinds
    assert 0 == run("study", "validate", "one.yaml").status


def test_a_protocol_of_one_s_own_is_found_from_the_study(run: Run, folder: Path) -> None:
    """The path to its file is relative to the study file too, and its own parents are followed."""
    (folder / "studies").mkdir()
    (folder / "ours.yaml").write_text("id: ours\naliases: [own]\nextends: mime.yaml\n", encoding="utf-8")
    status, _, err = run("study", "init", "studies/a.yaml", *SYSTEMS, "--protocol", "ours.yaml")
    assert (0, True) == (status, "is written" in err)
    study = load_study(folder / "studies/a.yaml")
    assert ("../ours.yaml", "empathy") == (study.extends, study.questions[0].name)


def test_a_file_that_is_there_stays(run: Run, folder: Path) -> None:
    """Unless --force is given."""
    (folder / "study.yaml").write_text("mine")
    status, _, err = run("study", "init")
    assert 2 == status
    assert "study.yaml is there already" in err
    assert "mine" == (folder / "study.yaml").read_text()
    assert 0 == run("study", "init", "--force").status
    assert "mine" != (folder / "study.yaml").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--protocol", "mimi"), "did you mean 'mime'"),
        (("--systems", "gone.jsonl"), "gone.jsonl"),
        (("--systems", "warm.jsonl"), "the outputs hold no contexts"),
        (("--platform", "mturk"), "mturk"),
    ],
)
def test_what_init_refuses(run: Run, folder: Path, words: tuple[str, ...], message: str) -> None:
    """One message, and no file."""
    status, out, err = run("study", "init", *words)
    assert (2, "") == (status, out)
    assert message in err
    assert not (folder / "study.yaml").exists()


def test_validate_prints_the_plan_and_warnings(run: Run) -> None:
    """The plan on standard output, warnings on standard error; --quiet leaves them out."""
    run("study", "init", "--systems", "warm.jsonl", "mute.jsonl", "--corpus", "corpus.jsonl")
    status, out, err = run("study", "validate", "study.yaml")
    assert 0 == status
    rows = dict(line.split("  ", 1) for line in out.splitlines() if "  " in line)
    assert "2: warm, mute" == rows["systems"].strip()
    assert "18 (2 single responses and 1 pair of responses an item)" == rows["showings"].strip()
    assert "54 (3 for each showing)" == rows["slots"].strip()
    assert "3 (lab)" == rows["raters needed"].strip()
    assert "1 of 6 responses of mute are empty [empty_response]" in err
    assert "[few_items]" in err
    assert "" == run("study", "validate", "study.yaml", "--quiet").err


def test_the_cost_of_a_crowd(run: Run, folder: Path) -> None:
    """Pay and fee of all raters, and the fee is called an assumption."""
    run("study", "init", *SYSTEMS, "--platform", "prolific")
    text = (folder / "study.yaml").read_text().replace("# pay:", "pay:").replace("# max_raters", "max_raters")
    (folder / "study.yaml").write_text(text)
    out = run("study", "validate", "study.yaml").out
    assert "36.00 GBP (27.00 of pay and 33% fee; 9.00 an hour)" in out
    assert "an assumption" in out


def test_faults_are_told_in_json_as_well(run: Run, folder: Path) -> None:
    """Exit status 2, every fault with file, key and message; the plan is null."""
    run("study", "init", *SYSTEMS)
    text = (folder / "study.yaml").read_text()
    (folder / "study.yaml").write_text(text.replace("title:", "titel:") + "seed: -1\n")
    status, out, err = run("study", "validate", "study.yaml", "--format", "json")
    document = json.loads(out)
    assert (2, None, None) == (status, document["study"], document["plan"])
    assert {("study.yaml", "titel"), ("study.yaml", "title"), ("study.yaml", "seed")} == {
        (fault["file"], fault["key"]) for fault in document["faults"]
    }
    assert "this key is missing" in [fault["message"] for fault in document["faults"]]
    assert 4 == len(err.splitlines())


def test_files_are_looked_at_in_a_study_that_is_wrong(run: Run, folder: Path) -> None:
    """Faults of the study file and files that are missing come together."""
    run("study", "init", *SYSTEMS)
    text = (folder / "study.yaml").read_text().replace("flat.jsonl", "gone.jsonl")
    (folder / "study.yaml").write_text(text + "quota: 0\n")
    err = run("study", "validate", "study.yaml").err
    assert "study.yaml, quota: expected a number from 1 on, found 0" in err
    assert "study.yaml, systems.flat: gone.jsonl: there is no such file" in err


def test_a_file_that_is_not_there(run: Run) -> None:
    """One line."""
    status, out, err = run("study", "validate", "gone.yaml")
    assert (2, "", "empeval: error: gone.yaml: there is no such file\n") == (status, out, err)


def test_a_name_cannot_pass_for_a_message(run: Run, folder: Path) -> None:
    """Line breaks of keys are escaped."""
    (folder / "bad.yaml").write_text('"x\\nempeval: all is well": 1\n')
    err = run("study", "validate", "bad.yaml").err
    assert not [line for line in err.splitlines() if line.startswith("empeval: all")]
