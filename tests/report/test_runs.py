"""The run folder: complete or absent, the same bytes for the same run, never at the cost of other files."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from empeval import example
from empeval.errors import InputError
from empeval.report import runs
from empeval.report.pipeline import Options, Run, execute
from empeval.report.verify import verify

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
FILES = [
    "leaderboard.csv",
    "leaderboard.html",
    "leaderboard.md",
    "leaderboard.tex",
    "manifest.json",
    "scores.json",
    "segments.parquet",
]
OPTIONS = Options(
    tuple(str(path) for path in example.system_files()),
    corpus=str(example.corpus_file()),
    metrics="bleu,length,distinct(n=2)",
    n_resamples=20,
)


@pytest.fixture(scope="module")
def finished() -> Run:
    """The bundled example, scored."""
    return execute(OPTIONS)


def write(run: Run, folder: Path, hours: int = 0) -> Path:
    """Write a run that took an hour and started that many hours after noon."""
    start = NOON + timedelta(hours=hours)
    return runs.write(run, folder, started_at=start, finished_at=start + timedelta(hours=1))


def names(folder: Path) -> list[str]:
    """What lies in a folder, hidden files included."""
    return sorted(path.name for path in folder.iterdir())


def test_a_run_folder_holds_the_documented_files_and_nothing_else(finished, tmp_path):
    """Beside it nothing stays behind."""
    assert tmp_path / "results/one" == write(finished, tmp_path / "results/one")
    assert FILES == names(tmp_path / "results/one")
    assert ["one"] == names(tmp_path / "results")


def test_equal_runs_give_equal_bytes_the_times_aside(finished, tmp_path):
    """Scored and written again at another time, only the two times in the manifest differ."""
    one, two = write(finished, tmp_path / "one"), write(execute(OPTIONS), tmp_path / "two", hours=5)
    for name in FILES:
        if name != runs.MANIFEST:
            assert (one / name).read_bytes() == (two / name).read_bytes(), name
    first, second = ((path / runs.MANIFEST).read_text() for path in (one, two))
    different = [
        (a.strip(), b.strip()) for a, b in zip(first.splitlines(), second.splitlines(), strict=True) if a != b
    ]
    assert [
        ('"started_at": "2030-01-01T12:00:00+00:00",', '"started_at": "2030-01-01T17:00:00+00:00",'),
        ('"finished_at": "2030-01-01T13:00:00+00:00"', '"finished_at": "2030-01-01T18:00:00+00:00"'),
    ] == different


def test_the_manifest_says_what_was_done(finished, tmp_path):
    """Command, options with the metrics resolved, inputs with fingerprints, versions, signatures."""
    manifest = runs.load_manifest(write(finished, tmp_path / "one"))
    assert ["empeval", "score"] == manifest["command"][:2]
    assert manifest["command"][-4:] == ["--metrics", "bleu,length,distinct(n=2)", "--resamples", "20"]
    assert [str(path) for path in [*example.system_files(), example.corpus_file()]] == [
        entry["path"] for entry in manifest["inputs"]
    ]
    corpus = manifest["inputs"][-1]
    assert (example.corpus_file().stat().st_size, "jsonl") == (corpus["bytes"], corpus["reader"])
    assert {"python", "numpy", "scipy", "pyarrow"} <= set(manifest["versions"])
    assert ["bleu", "length", "distinct(n=2)"] == list(manifest["signatures"])
    assert (0, 20, 0.95) == (manifest["seed"], manifest["n_resamples"], manifest["level"])


def test_the_segment_file_sums_up_to_the_scores(finished, tmp_path):
    """One row for each system and segment; the mean of the length columns is the score."""
    table = pq.read_table(write(finished, tmp_path / "one") / runs.SEGMENTS)
    systems = [path.stem for path in example.system_files()]
    assert [system for system in systems for _ in range(101)] == table["system"].to_pylist()
    assert ["system", "id", "dialogue_id", "emotion", "hypothesis"] == table.column_names[:5]
    assert not [name for name in table.column_names if name.startswith("distinct")]
    frame = table.to_pandas()
    columns = [name for name in table.column_names if name.startswith("length:")]
    assert 2 == len(columns)
    for system, rows in frame.groupby("system"):
        tokens, n = (rows[name].sum() for name in columns)
        assert finished.scores.value(system, "length") == pytest.approx(tokens / n, abs=1e-12)
        assert tokens == rows["hypothesis"].str.split().str.len().sum()


def test_other_columns_of_the_files_are_carried(tmp_path):
    """Numbers stay numbers; a column that mixes types is written as JSON."""
    records = [
        {"id": "a", "hypothesis": "oh", "turn": 1, "note": "x", "mixed": 1},
        {"id": "b", "hypothesis": "no", "turn": 2, "note": None, "mixed": ["y", None]},
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    table = pq.read_table(
        write(execute(Options((str(path),), metrics="length")), tmp_path / "run") / runs.SEGMENTS
    )
    assert [1, 2] == table["turn"].to_pylist()
    assert ["x", None] == table["note"].to_pylist()
    assert ["1", '["y", null]'] == table["mixed"].to_pylist()


def test_a_run_is_replaced_and_foreign_files_stay(finished, tmp_path):
    """What the earlier run wrote goes, what somebody else put there does not."""
    folder = write(finished, tmp_path / "one")
    manifest = json.loads((folder / runs.MANIFEST).read_text())
    manifest["files"]["leaderboard.old"] = ""
    (folder / runs.MANIFEST).write_text(json.dumps(manifest))
    (folder / "leaderboard.old").write_text("ours, from an earlier version")
    (folder / "study.db").write_text("answers")
    (folder / "plots").mkdir()
    write(finished, folder, hours=2)
    assert sorted([*FILES, "plots", "study.db"]) == names(folder)
    assert "answers" == (folder / "study.db").read_text()
    assert ["one"] == names(tmp_path)
    assert "2030-01-01T14:00:00+00:00" == runs.load_manifest(folder)["started_at"]


def test_a_run_without_segments_holds_no_text(finished, tmp_path):
    """The manifest remembers it, the run verifies, and the segments of an earlier run do not stay."""
    folder = write(finished, tmp_path / "one")
    numbers = execute(replace(OPTIONS, segments=False))
    write(numbers, folder)
    assert [name for name in FILES if name != runs.SEGMENTS] == names(folder)
    manifest = runs.load_manifest(folder)
    assert ("--no-segments", False) == (manifest["command"][-1], manifest["options"]["segments"])
    assert runs.SEGMENTS not in manifest["files"]
    assert verify(folder).confirmed
    written = " ".join(path.read_text() for path in folder.iterdir())
    texts = {
        text for outputs in numbers.cohort.systems for text in outputs.hypotheses if len(text.split()) > 3
    }
    assert 100 < len(texts)
    assert [] == [text for text in texts if text in written]


def test_an_empty_folder_is_taken(finished, tmp_path):
    """mkdir before --out is common."""
    (tmp_path / "one").mkdir()
    assert FILES == names(write(finished, tmp_path / "one"))


def test_a_linked_folder_is_written_where_it_is(finished, tmp_path):
    """The link stays a link."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    write(finished, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert FILES == names(tmp_path / "disk")


@pytest.mark.parametrize("name", ["taken", "taken/below", "photos"])
def test_what_is_no_run_is_never_overwritten(finished, tmp_path, name):
    """A file, a path below a file, a folder with other things: an error that names it, and all as before."""
    (tmp_path / "taken").write_text("mine")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos/cat.png").write_text("cat")
    with pytest.raises(InputError, match=name):
        write(finished, tmp_path / name)
    assert ["photos", "taken"] == names(tmp_path)
    assert ("mine", ["cat.png"]) == ((tmp_path / "taken").read_text(), names(tmp_path / "photos"))


@pytest.mark.parametrize("earlier", [False, True])
def test_a_disk_that_fills_up_leaves_everything_as_it_was(finished, tmp_path, monkeypatch, earlier):
    """The error names the folder; no half of a run, no new parent folder, the earlier run untouched."""
    folder = tmp_path / "results/one"
    before = names(write(finished, folder)) if earlier else []
    content = (folder / runs.MANIFEST).read_text() if earlier else ""

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(InputError, match="results/one: the run cannot be written: No space left on device"):
        write(finished, folder, hours=3)
    if earlier:
        assert (before, ["one"]) == (names(folder), names(folder.parent))
        assert content == (folder / runs.MANIFEST).read_text()
    else:
        assert [] == names(tmp_path)
