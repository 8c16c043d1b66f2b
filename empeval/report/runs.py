"""The run folder: scores, segments and tables of one run, with the manifest that lets anyone repeat it.

A folder appears complete or not at all, and the same inputs and seed give the same bytes, the times in
``manifest.json`` aside.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from empeval.errors import InputError
from empeval.report.leaderboard import Leaderboard
from empeval.report.pipeline import Run, sha256
from empeval.report.segments import write_segments
from empeval.report.shapes import Document, conform

__all__ = [
    "MANIFEST",
    "SCORES",
    "SEGMENTS",
    "check_target",
    "load",
    "load_manifest",
    "read_json",
    "replacing",
    "write",
    "write_manifest",
]

MANIFEST, SCORES, SEGMENTS = "manifest.json", "scores.json", "segments.parquet"
TABLES = {
    "leaderboard.md": "markdown",
    "leaderboard.tex": "latex",
    "leaderboard.csv": "csv",
    "leaderboard.html": "html",
}


def check_target(folder: str | Path) -> Path:
    """The folder that a run may be written to, resolved; asked before scoring, so that no work is lost.

    Raises InputError where it is a file, holds anything but a run, or cannot be made.
    """
    try:
        target = Path(folder).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a working folder that is gone
        raise InputError(f"this leads nowhere: {error}", source=str(folder)) from None
    if target.exists() and not target.is_dir():
        raise InputError("this is a file; name a folder for the run", source=str(folder))
    if target.is_dir() and any(target.iterdir()) and not _is_run(target):
        raise InputError(
            "this folder holds other things than a run of empeval; name a new or an empty folder",
            source=str(folder),
        )
    parent = next(parent for parent in target.parents if parent.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        raise InputError(f"no folder can be made in {parent}; name another one", source=str(folder))
    return target


def write(run: Run, folder: str | Path, *, started_at: datetime, finished_at: datetime) -> Path:
    """Write a run folder and give its path; an earlier run in that place is replaced.

    Files in it that the earlier run did not write stay. Raises InputError naming the folder if it cannot
    be written; then everything is as it was.
    """
    target = check_target(folder)
    try:
        with replacing(target) as made:
            document = run.document()
            board = Leaderboard.from_document(document)
            (made / SCORES).write_text(board.to_json(), encoding="utf-8", newline="\n")
            for name, form in TABLES.items():
                text = board.render(form)
                (made / name).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
            if run.options.segments:
                write_segments(run, made / SEGMENTS)
            times = {"started_at": started_at, "finished_at": finished_at}
            write_manifest(document["manifest"], made, target, times)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"the run cannot be written: {reason}", source=str(folder)) from error
    return target


def write_manifest(
    manifest: Mapping[str, Any], made: Path, target: Path, times: Mapping[str, datetime] | None = None
) -> None:
    """Complete a folder that will stand at ``target``: how it was made, and the digests of its files."""
    whole = {
        **manifest,
        "working_directory": _relative(Path.cwd(), target),
        "files": {path.name: sha256(path) for path in sorted(made.iterdir())},
        **{name: time.isoformat(timespec="seconds") for name, time in (times or {}).items()},
    }
    text = json.dumps(whole, indent=2, ensure_ascii=True, allow_nan=False) + "\n"
    (made / MANIFEST).write_text(text, encoding="utf-8", newline="\n")


def load(folder: str | Path) -> dict[str, Any]:
    """The score document of a finished run; raises InputError where there is none or it is broken."""
    load_manifest(folder)
    path = Path(folder) / SCORES
    document = read_json(path)
    conform(document, Document, source=str(path), saying="this is not a score document")
    Leaderboard.from_document(document)
    return document


def load_manifest(folder: str | Path) -> dict[str, Any]:
    """The manifest of a finished run; raises InputError where the folder is no run or the file is broken."""
    path = Path(folder) / MANIFEST
    if not Path(folder).is_dir():
        what = "this is a file" if Path(folder).exists() else "there is no such folder"
        raise InputError(f"{what}; name the folder of a run", source=str(folder))
    if not path.is_file():
        raise InputError(f"this folder is no run: it has no {MANIFEST}", source=str(folder))
    manifest = read_json(path)
    if "empeval" not in manifest:
        raise InputError("this is not the manifest of a run of empeval", source=str(path))
    return manifest


def read_json(path: Path) -> dict[str, Any]:
    """A file of a run folder; raises InputError where there is none or it is broken."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"), parse_float=_finite, parse_constant=_finite)
    except FileNotFoundError:
        raise InputError("the run lacks this file; score again", source=str(path)) from None
    except json.JSONDecodeError as error:
        raise InputError(f"broken JSON: {error.msg}", source=str(path), line=error.lineno) from None
    except (ValueError, RecursionError) as error:  # not UTF-8, a number of too many digits, nested too deeply
        raise InputError(f"broken JSON: {error}", source=str(path)) from None
    if not isinstance(value, dict):
        raise InputError("broken: a JSON object is expected", source=str(path))
    return value


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text} is no number that was written here")
    return number


def _is_run(folder: Path) -> bool:
    with contextlib.suppress(InputError, OSError):
        return bool(load_manifest(folder))
    return False


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A new folder beside the target, which takes its place, or leaves no trace if anything fails."""
    missing = [parent for parent in target.parents if not parent.exists()]
    made = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
    old = made.with_name(f"{made.name}-old")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made.mkdir()
        yield made
        if target.exists():
            target.rename(old)
        made.rename(target)
        _settle(old, target)
    except BaseException:  # an interruption too, which may come between any two steps
        _settle(old, target)
        shutil.rmtree(made, ignore_errors=True)
        for parent in missing:
            with contextlib.suppress(OSError):
                parent.rmdir()
        raise


def _settle(old: Path, target: Path) -> None:
    """Leave one folder: the old one if nothing took its place, else the new one with what was kept."""
    if not old.exists():
        return
    if not target.exists():
        old.rename(target)
        return
    ours = _written_files(old)
    for entry in old.iterdir():
        if entry.name not in ours and not (target / entry.name).exists():
            entry.rename(target / entry.name)
    shutil.rmtree(old, ignore_errors=True)


def _written_files(folder: Path) -> set[str]:
    """What the run that lies in a folder wrote there."""
    files = load_manifest(folder).get("files") if _is_run(folder) else None
    return {MANIFEST, *(files if isinstance(files, dict) else (SCORES, SEGMENTS, *TABLES))}


def _relative(folder: Path, start: Path) -> str:
    """From one folder to another, so that a repository with its runs can be moved; absolute across drives."""
    try:
        return Path(os.path.relpath(folder.resolve(), start)).as_posix()
    except ValueError:
        return folder.resolve().as_posix()
