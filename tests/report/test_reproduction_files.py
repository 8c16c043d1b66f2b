"""The folder of a reproduction: complete or absent, equal bytes, no text, and it can be repeated."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from empeval import example
from empeval.errors import InputError
from empeval.report import reproduction_files, runs
from empeval.report.reproduce import Reproduction, reproduce
from empeval.report.verify import verify

FILES = ["manifest.json", "reproduction.csv", "reproduction.json", "reproduction.md"]


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reproduction:
    """MIME's numbers on a bundled system, from the working directory."""
    for file in (example.system_files()[0], example.corpus_file()):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return reproduce("mime", [example.system_files()[0].name], corpus="corpus.jsonl")


def names(folder: Path) -> list[str]:
    """What lies in a folder, hidden files included."""
    return sorted(path.name for path in folder.iterdir())


def test_the_documented_files_and_nothing_else(found: Reproduction, tmp_path: Path) -> None:
    """Beside the folder nothing stays behind."""
    folder = reproduction_files.write(found, "results/mime")
    assert (tmp_path / "results/mime", FILES) == (folder, names(folder))
    assert ["mime"] == names(tmp_path / "results")


def test_equal_reproductions_give_equal_bytes(found: Reproduction) -> None:
    """Nothing says when it was made."""
    one = reproduction_files.write(found, "results/one")
    two = reproduction_files.write(reproduce(**found.manifest["options"]), "results/two")
    assert [(one / name).read_bytes() for name in FILES] == [(two / name).read_bytes() for name in FILES]


def test_every_file_holds_every_number(found: Reproduction) -> None:
    """JSON as printed; CSV with a row a number; Markdown with both tables."""
    folder = reproduction_files.write(found, "results/mime")
    document = json.loads((folder / "reproduction.json").read_text())
    assert json.loads(reproduction_files.as_json(found)) == document
    rows = list(csv.DictReader(io.StringIO((folder / "reproduction.csv").read_text())))
    assert len(found.cells) == len(rows) == len(document["cells"])
    assert [str(cell["published"] or "") for cell in document["cells"]] == [row["published"] for row in rows]
    text = (folder / "reproduction.md").read_text()
    assert (
        "| Multi-TR | BLEU | Majumder et al. (2020), Table 2 | 2.92 | – | – | – | 5,255 | not checkable |"
        in text
    )
    assert "impossible" in text


def test_the_manifest_says_how_it_was_made(found: Reproduction) -> None:
    """Command, inputs with fingerprints, versions; paths as they were given, relative to the run's place."""
    folder = reproduction_files.write(found, "results/mime")
    manifest = runs.load_manifest(folder)
    system = example.system_files()[0].name
    assert ["empeval", "reproduce", "mime", system, "--corpus", "corpus.jsonl"] == manifest["command"]
    assert [system, "corpus.jsonl"] == [entry["path"] for entry in manifest["inputs"]]
    assert "../.." == manifest["working_directory"]
    assert FILES[1:] == sorted(manifest["files"])
    assert not {"started_at", "finished_at"} & set(manifest)


def test_no_file_holds_a_text(found: Reproduction) -> None:
    """Numbers only: neither a response nor a reference nor a context."""
    folder = reproduction_files.write(found, "results/mime")
    written = "".join((folder / name).read_text() for name in FILES)
    records = [json.loads(line) for line in example.corpus_file().read_text().splitlines()]
    texts = {text for record in records for text in (record.get("reference"), *record["context"]) if text}
    responses = (
        json.loads(line)["hypothesis"] for line in example.system_files()[0].read_text().splitlines()
    )
    texts |= {text for text in responses if len(text) > 12}
    assert 200 < len(texts)
    assert [] == [text for text in texts if text in written]


def test_it_can_be_verified_from_anywhere(
    found: Reproduction, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every number is recomputed; a changed one and a changed input are found."""
    folder = reproduction_files.write(found, "results/mime")
    monkeypatch.chdir("/")
    confirmed = verify(folder)
    assert confirmed.confirmed
    assert len(found.cells) * 10 < confirmed.n_values
    path = folder / "reproduction.json"
    text = path.read_text()
    right = json.loads(text)["cells"][0]["recomputed"]
    path.write_text(text.replace(repr(right), repr(right + 0.01)))
    changed = verify(folder)
    # two decodes of the standard way share the number with the authors' way, or not; the first cell does
    assert (right + 0.01, right) == (changed.differences[0].stored, changed.differences[0].recomputed)
    assert ("reproduction.json",) == changed.changed_files
    system = tmp_path / example.system_files()[0].name
    system.write_text(system.read_text().replace("!", "!!"))
    assert (system.name,) == verify(folder).changed_inputs


@pytest.mark.parametrize(
    "options", [{}, {"protocol": "mime", "files": "x"}, {"files": [], "metrics": "bleu"}]
)
def test_options_of_another_kind_are_refused(options: dict[str, object], found: Reproduction) -> None:
    """A manifest of another version, or one that somebody edited."""
    folder = reproduction_files.write(found, "results/mime")
    manifest = runs.load_manifest(folder)
    (folder / "manifest.json").write_text(json.dumps({**manifest, "options": options}))
    with pytest.raises(InputError, match="the options of the manifest are not those"):
        verify(folder)


def test_an_earlier_folder_is_replaced_and_foreign_files_stay(found: Reproduction) -> None:
    """What is no run or reproduction is never overwritten."""
    folder = reproduction_files.write(found, "results/mime")
    (folder / "notes.txt").write_text("mine")
    reproduction_files.write(found, "results/mime")
    assert [*FILES[:1], "notes.txt", *FILES[1:]] == names(folder)
    Path("photos").mkdir()
    Path("photos/cat.png").write_text("cat")
    with pytest.raises(InputError, match="photos: this folder holds other things"):
        reproduction_files.write(found, "photos")


def test_a_disk_that_fills_up_leaves_no_trace(found: Reproduction, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the folder."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(InputError, match="results/mime: the reproduction cannot be written: No space left"):
        reproduction_files.write(found, "results/mime")
    assert not Path("results").exists()
