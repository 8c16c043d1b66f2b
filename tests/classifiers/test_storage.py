"""Folders of the small classifier: whole, broken, somebody else's, interrupted."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from empeval.classifiers import load, storage
from empeval.classifiers.tfidf import TfidfClassifier
from empeval.errors import InputError

TEXTS = ["i miss my dog", "i won", "a noise in the dark", ""]


@pytest.fixture
def folder(small_folder: Path, tmp_path: Path) -> Path:
    """A copy of the small classifier's folder, to be broken."""
    return Path(shutil.copytree(small_folder, tmp_path / "copy"))


@pytest.fixture
def small(small_folder: Path) -> TfidfClassifier:
    """The small classifier itself."""
    return storage.read(small_folder)


def numbers(folder: Path) -> Path:
    """The file that holds the numbers."""
    (path,) = folder.glob("numbers-*.npz")
    return path


def changed(folder: Path, **values: Any) -> None:
    """Write other values into the description."""
    path = folder / "classifier.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **values}), encoding="utf-8")


def with_arrays(folder: Path, **arrays: Any) -> None:
    """Replace the numbers, and name them correctly in the description."""
    import hashlib

    path = numbers(folder)
    with np.load(path) as file:
        kept = {**{name: file[name] for name in file.files}, **arrays}
    np.savez(path, **{name: array for name, array in kept.items() if array is not None})
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    changed(folder, numbers={"file": path.name, "sha256": digest})


def test_a_folder_holds_two_files_and_no_pickle(small_folder: Path) -> None:
    """JSON, and arrays that are read without unpickling anything."""
    assert ["classifier.json", numbers(small_folder).name] == sorted(p.name for p in small_folder.iterdir())
    with np.load(numbers(small_folder), allow_pickle=False) as arrays:
        assert {"weights", "coefficients", "intercepts"} == set(arrays.files)


def test_the_fingerprint_belongs_to_the_content(small: TfidfClassifier, folder: Path, tmp_path: Path) -> None:
    """A copy has the same one, another classifier has not."""
    assert small.fingerprint == load(str(folder)).fingerprint
    other = TfidfClassifier(small.labels, small.features, small.coefficients * 2, small.intercepts)
    assert small.fingerprint != storage.write(other, tmp_path / "other", {}).fingerprint
    assert load(str(tmp_path / "other")).fingerprint == storage.read(tmp_path / "other").fingerprint


def break_json(folder: Path) -> None:
    """Half of the description."""
    path = folder / "classifier.json"
    path.write_bytes(path.read_bytes()[:200])


def no_object(folder: Path) -> None:
    """JSON, but a list."""
    (folder / "classifier.json").write_text("[1, 2]", encoding="utf-8")


def cut_numbers(folder: Path) -> None:
    """Half of the numbers."""
    numbers(folder).write_bytes(numbers(folder).read_bytes()[:-100])


def no_description(folder: Path) -> None:
    """Numbers alone, as an interrupted training leaves them."""
    (folder / "classifier.json").unlink()


def pickled(folder: Path) -> None:
    """Numbers that would run code if they were unpickled."""
    with_arrays(folder, weights=np.array([print], dtype=object))


def no_archive(folder: Path) -> None:
    """Numbers that are a pickle and no archive."""
    import hashlib

    content = pickle.dumps([1.0])
    numbers(folder).write_bytes(content)
    named = {"file": numbers(folder).name, "sha256": hashlib.sha256(content).hexdigest()}
    changed(folder, numbers=named)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (break_json, "classifier.json: this is no JSON"),
        (no_object, "classifier.json: expected a JSON object"),
        (no_description, "its training was not finished; train it again"),
        (cut_numbers, "npz: the file is damaged or cut"),
        (lambda folder: numbers(folder).unlink(), "this is not a whole classifier: it lacks numbers-"),
        (lambda folder: changed(folder, labels=None), "'labels' is missing"),
        (lambda folder: changed(folder, labels=["sad", 3]), "'labels' is missing or is no list of texts"),
        (lambda folder: changed(folder, labels=["sad", "sad", "proud"]), "an entry of 'labels' stands twice"),
        (lambda folder: changed(folder, labels=["sad"]), "there are 1 labels"),
        (lambda folder: changed(folder, vocabulary={}), "'vocabulary' is missing"),
        (lambda folder: changed(folder, vocabulary=["a"]), r"weights should be .* of the shape \(1,\)"),
        (lambda folder: changed(folder, labels=["a", "b"]), r"coefficients should be .* of the shape \(2, "),
        (lambda folder: changed(folder, numbers={"file": "/etc/passwd"}), "does not name the file"),
        (lambda folder: changed(folder, kind="other"), "not the description of a classifier of empeval"),
        (lambda folder: changed(folder, version=2), "of another version of empeval"),
        (lambda folder: changed(folder, settings=[]), "of another version of empeval"),
        (lambda folder: changed(folder, held_out={"accuracy": 5}), "'held_out' is no report"),
        (
            lambda folder: with_arrays(folder, intercepts=np.array([np.nan] * 3)),
            "intercepts should be finite",
        ),
        (lambda folder: with_arrays(folder, intercepts=np.zeros(3, np.float32)), "found float32"),
        (lambda folder: with_arrays(folder, intercepts=None), "this holds no numbers of a classifier"),
        (pickled, "this holds no numbers of a classifier"),
        (no_archive, "this holds no numbers of a classifier"),
    ],
)
def test_a_broken_folder_says_what_is_wrong(
    damage: Callable[[Path], None], message: str, folder: Path
) -> None:
    """One message that names the folder or file; and what was read before is not used instead."""
    load(str(folder))
    damage(folder)
    with pytest.raises(InputError, match=message) as caught:
        load(str(folder))
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "no classifier is named"),
        ("nothing/here/at/all", "there is no folder"),
        ("file.txt", "is a file"),
        (".", "this folder holds no classifier"),
    ],
)
def test_what_is_no_folder_of_a_classifier(
    name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each mistake has its message."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.txt").touch()
    with pytest.raises(InputError, match=message):
        load(name)


def test_a_classifier_replaces_a_classifier(small: TfidfClassifier, folder: Path) -> None:
    """Numbers of the old one are gone, what else the user put beside them stays; so do the bytes."""
    (folder / "notes.md").write_text("mine", encoding="utf-8")
    other = TfidfClassifier(small.labels, small.features, small.coefficients * 2, small.intercepts)
    storage.write(other, folder, {})
    assert 3 == len(list(folder.iterdir()))
    assert not np.allclose(small.scores(TEXTS), load(str(folder)).scores(TEXTS))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    storage.write(other, folder, {})
    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}


def test_other_folders_are_left_alone(small: TfidfClassifier, tmp_path: Path) -> None:
    """A folder with anything else, a network's folder, and a file are refused and stay as they are."""
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("words", encoding="utf-8")
    (tmp_path / "network").mkdir()
    (tmp_path / "network" / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "classifier.json").write_text('{"kind": "another"}', encoding="utf-8")
    for name in ("thesis", "network", "foreign"):
        before = sorted((tmp_path / name).iterdir())
        with pytest.raises(InputError, match=f"{name}: this folder holds other things than a classifier"):
            storage.write(small, tmp_path / name, {})
        assert before == sorted((tmp_path / name).iterdir())
    with pytest.raises(InputError, match="this is a file"):
        storage.write(small, tmp_path / "thesis" / "chapter.tex", {})
    with pytest.raises(InputError, match="leads nowhere"):
        storage.check_target("a\0b")


def test_a_place_that_cannot_be_written(small: TfidfClassifier, tmp_path: Path) -> None:
    """Below a file no folder can be made; the message names the target."""
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"nothing can be written in|leads nowhere"):
        storage.check_target(tmp_path / "file" / "made")
    if os.geteuid():  # the superuser may write anywhere
        tmp_path.chmod(0o500)
        with pytest.raises(InputError, match="nothing can be written in"):
            storage.check_target(tmp_path / "made")


def test_a_kill_leaves_the_old_classifier_or_the_new_one(small_folder: Path, tmp_path: Path) -> None:
    """A process that writes two classifiers in turn is killed at many moments; the folder is always whole."""
    script = textwrap.dedent(
        """
        import dataclasses, sys
        from pathlib import Path
        from empeval.classifiers import storage
        one = storage.read(Path(sys.argv[1]))
        other = dataclasses.replace(one, coefficients=one.coefficients * 2)
        print("ready", flush=True)
        while True:
            storage.write(one, sys.argv[2], {})
            storage.write(other, sys.argv[2], {})
        """
    )
    target = tmp_path / "target"
    one = storage.read(small_folder)
    known = [one.scores(TEXTS), TfidfClassifier(*_doubled(one)).scores(TEXTS)]
    for attempt in range(3):
        command = [sys.executable, "-c", script, str(small_folder), str(target)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            while not (target / "classifier.json").exists():
                assert process.poll() is None
                time.sleep(0.001)
            time.sleep(0.01 + 0.0037 * attempt)
            process.send_signal(signal.SIGKILL)
        found = load(str(target)).scores(TEXTS)
        assert any(np.array_equal(found, scores) for scores in known)
    storage.write(one, target, {})
    assert 2 == len(list(target.iterdir()))


def _doubled(small: TfidfClassifier) -> tuple[Any, ...]:
    return small.labels, small.features, small.coefficients * 2, small.intercepts
