"""A folder with a small invented test set and three systems, and a way to run commands in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from empeval.cli import main

SITUATIONS = [
    ("sad", "my old dog died last night .", "i am so sorry . how old was she ?"),
    ("sad", "nobody came to my birthday .", "that must hurt . i would have come !"),
    ("proud", "i ran ten miles today !", "well done ! how do you feel now ?"),
    ("proud", "my son learned to swim .", "you must be so proud of him ."),
    ("afraid", "there is a bat in my room .", "oh no ! is the window open ?"),
    ("afraid", "i hear steps in the attic .", "that is scary . do you live alone ?"),
]
ANSWERS = {
    "warm": [
        "i am so sorry to hear that . how old was she ?",
        "that must hurt . what happened ?",
        "well done ! how do you feel ?",
        "you must be so proud .",
        "oh no ! open the window .",
        "that is scary . do you live alone ?",
    ],
    "flat": ["i am sorry .", "that is too bad .", "that is great .", "that is great .", "oh no .", "oh no ."],
    "mute": ["i am sorry .", "", "great .", "great .", "oh .", "oh ."],
}


class Result(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str


@pytest.fixture(scope="session")
def test_set() -> Callable[[Path], None]:
    """Writes the test set and the systems into a folder."""
    return write_test_set


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: corpus.jsonl, warm.jsonl, flat.jsonl and mute.jsonl."""
    write_test_set(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run a command in the folder."""

    def command(*words: str) -> Result:
        status = main(words)
        out, err = capsys.readouterr()
        return Result(status, out, err)

    return command


def write_test_set(folder: Path) -> None:
    """Write corpus.jsonl and one file a system."""
    corpus = [
        {"id": f"s{i}", "context": [context], "reference": reference, "emotion": emotion}
        for i, (emotion, context, reference) in enumerate(SITUATIONS)
    ]
    write_lines(folder / "corpus.jsonl", corpus)
    for system, answers in ANSWERS.items():
        records = [{"id": f"s{i}", "hypothesis": text} for i, text in enumerate(answers)]
        write_lines(folder / f"{system}.jsonl", records)


def write_lines(path: Path, records: list[dict[str, object]]) -> None:
    """Write records as JSONL."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
