"""The folder of a small classifier: one JSON file, and one with its numbers, which JSON names by content.

Nothing in it is executed when it is read. The JSON file is replaced last and at once, so that a folder holds
the old classifier or the new one, whenever the writing is interrupted.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import os
import re
import secrets
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from empeval.classifiers.evaluation import HeldOut
from empeval.classifiers.features import TOKEN, Features
from empeval.classifiers.tfidf import SETTINGS, TfidfClassifier
from empeval.errors import InputError

__all__ = ["DESCRIPTION", "check_target", "is_ours", "read", "write"]

DESCRIPTION = "classifier.json"
KIND, VERSION = "empeval-emotion-classifier", 1
_ARRAYS = ("weights", "coefficients", "intercepts")
_NUMBERS = re.compile(r"numbers-[0-9a-f]{16}\.npz")
_PARTIAL = re.compile(r"\.partial-[0-9a-f]{8}")
_AGAIN = "train it again, or copy the whole folder again"


def check_target(folder: str | Path) -> Path:
    """The folder that a classifier may be written to; asked before training, so that no work is lost.

    Raises InputError where it is a file, holds anything that is no classifier of ours, or cannot be made.
    """
    try:
        target = Path(folder).resolve()
        if target.exists() and not target.is_dir():
            raise InputError("this is a file; name a folder for the classifier", source=str(folder))
        if target.is_dir() and not is_ours(target):
            raise InputError(
                "this folder holds other things than a classifier of empeval; name a new or an empty folder",
                source=str(folder),
            )
        there = target if target.exists() else next(p for p in target.parents if p.exists())
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a name with a NUL character
        if isinstance(error, InputError):
            raise
        raise InputError(f"this leads nowhere: {error}", source=str(folder)) from None
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"nothing can be written in {there}; name another folder", source=str(folder))
    return target


def is_ours(folder: Path) -> bool:
    """Whether a folder holds a classifier that was written here, the beginning of one, or nothing."""
    path = folder / DESCRIPTION
    if path.exists():
        with contextlib.suppress(InputError, OSError):
            return _description(path).get("kind") == KIND
        return False
    return all(_NUMBERS.fullmatch(entry.name) or _PARTIAL.fullmatch(entry.name) for entry in folder.iterdir())


def write(classifier: TfidfClassifier, folder: str | Path, about: Mapping[str, Any]) -> TfidfClassifier:
    """Write a classifier; gives it with its fingerprint. Equal classifiers give equal bytes.

    ``about`` says what else the JSON file tells of its making. Raises InputError naming the folder if it
    cannot be written; then a classifier that was there is as it was.
    """
    target = check_target(folder)
    packed = io.BytesIO()
    np.savez(
        packed,
        weights=classifier.features.weights,
        coefficients=classifier.coefficients,
        intercepts=classifier.intercepts,
    )
    digest = hashlib.sha256(packed.getvalue()).hexdigest()
    name = f"numbers-{digest[:16]}.npz"
    description = _described(classifier, {"numbers": {"file": name, "sha256": digest}, **about})
    try:
        target.mkdir(parents=True, exist_ok=True)
        _put(target / name, packed.getvalue())
        _put(target / DESCRIPTION, description)
        for entry in target.iterdir():
            stale = _NUMBERS.fullmatch(entry.name) and entry.name != name
            if stale or _PARTIAL.fullmatch(entry.name):
                entry.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"the classifier cannot be written: {reason}", source=str(folder)) from error
    return replace(classifier, fingerprint=_fingerprint(description))


def _described(classifier: TfidfClassifier, about: Mapping[str, Any]) -> bytes:
    held_out = classifier.held_out
    description = {
        "kind": KIND,
        "version": VERSION,
        "settings": {**SETTINGS, "token": TOKEN},
        **about,
        "labels": list(classifier.labels),
        "held_out": held_out.to_dict() if held_out else None,
        "vocabulary": list(classifier.features.numbers),
    }
    # escapes, because an odd text may hold half a surrogate pair, which UTF-8 cannot
    text = json.dumps(description, indent=1, ensure_ascii=True, allow_nan=False) + "\n"
    return text.encode("ascii")


def _put(path: Path, content: bytes) -> None:
    """A file that is there whole, or not at all."""
    made = path.with_name(f".partial-{secrets.token_hex(4)}")
    try:
        with made.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        made.replace(path)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def read(folder: Path) -> TfidfClassifier:
    """The classifier in a folder; InputError says which of its files is missing, damaged or no classifier."""
    whole = folder.resolve()
    files = [whole / DESCRIPTION, *sorted(whole.glob("numbers-*.npz"))]
    return _read(folder, tuple((file, file.stat().st_size, file.stat().st_mtime_ns) for file in files))


@functools.lru_cache(maxsize=4)
def _read(folder: Path, _: tuple[tuple[Path, int, int], ...]) -> TfidfClassifier:
    """The classifier; the stamps make sure that a file changed since is read again."""
    path = folder / DESCRIPTION
    given = _description(path)
    if given.get("kind") != KIND:
        raise InputError(
            f"this is not the description of a classifier of empeval; {_AGAIN}", source=str(path)
        )
    settings = given.get("settings")
    token = settings.get("token") if isinstance(settings, dict) else None
    if given.get("version") != VERSION or token != TOKEN:
        raise InputError("this classifier is of another version of empeval; train it again", source=str(path))
    labels, vocabulary = _texts(given, "labels", path), _texts(given, "vocabulary", path)
    if len(labels) < 2:
        raise InputError(
            f"there are {len(labels)} labels, and at least 2 are needed; {_AGAIN}", source=str(path)
        )
    weights, coefficients, intercepts = _arrays(given, folder, len(labels), len(vocabulary))
    return TfidfClassifier(
        labels=labels,
        features=Features({gram: i for i, gram in enumerate(vocabulary)}, weights),
        coefficients=coefficients,
        intercepts=intercepts,
        fingerprint=_fingerprint(path.read_bytes()),
        held_out=_held_out(given, path),
    )


def _fingerprint(description: bytes) -> str:
    """Of the description, which holds the digest of the numbers."""
    return hashlib.sha256(description).hexdigest()[:16]


def _description(path: Path) -> dict[str, Any]:
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is no JSON ({error}); {_AGAIN}", source=str(path)) from None
    if not isinstance(given, dict):
        raise InputError(f"expected a JSON object; {_AGAIN}", source=str(path))
    return given


def _texts(given: Mapping[str, Any], key: str, path: Path) -> tuple[str, ...]:
    found = given.get(key)
    if not isinstance(found, list) or not all(isinstance(entry, str) for entry in found):
        raise InputError(f"{key!r} is missing or is no list of texts; {_AGAIN}", source=str(path))
    if len(set(found)) < len(found):
        raise InputError(f"an entry of {key!r} stands twice; {_AGAIN}", source=str(path))
    return tuple(found)


def _arrays(given: Mapping[str, Any], folder: Path, n_labels: int, n_features: int) -> list[Any]:
    """The numbers, of the digest and the shapes that the description calls for."""
    named = given.get("numbers")
    if not isinstance(named, dict) or not _NUMBERS.fullmatch(str(named.get("file"))):
        raise InputError(
            f"it does not name the file of its numbers; {_AGAIN}", source=str(folder / DESCRIPTION)
        )
    path = folder / str(named["file"])
    if not path.is_file():
        raise InputError(
            f"this is not a whole classifier: it lacks {path.name}; {_AGAIN}", source=str(folder)
        )
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != named.get("sha256"):
        raise InputError(
            f"the file is damaged or cut: its SHA-256 is not the one that {DESCRIPTION} states; {_AGAIN}",
            source=str(path),
        )
    shapes = dict(zip(_ARRAYS, [(n_features,), (n_labels, n_features), (n_labels,)], strict=True))
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in _ARRAYS}
    except (ValueError, KeyError, EOFError, OSError, TypeError, zipfile.BadZipFile) as error:
        raise InputError(
            f"this holds no numbers of a classifier ({error}); {_AGAIN}", source=str(path)
        ) from None
    for name, array in found.items():
        if array.shape != shapes[name] or array.dtype != np.float64 or not np.isfinite(array).all():
            raise InputError(
                f"{name} should be finite numbers of the shape {shapes[name]}, found {array.dtype} of the "
                f"shape {array.shape}; {_AGAIN}",
                source=str(path),
            )
    return [found[name] for name in _ARRAYS]


def _held_out(given: Mapping[str, Any], path: Path) -> HeldOut | None:
    if given.get("held_out") is None:
        return None
    try:
        return HeldOut.from_dict(given["held_out"])
    except (TypeError, ValueError, KeyError) as error:
        raise InputError(f"'held_out' is no report ({error}); {_AGAIN}", source=str(path)) from None
