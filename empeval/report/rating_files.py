"""What reports on ratings share: their manifest, their output in every format, and their folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from empeval import __version__
from empeval.errors import InputError
from empeval.records import Notice
from empeval.report.grid_formats import render_grids
from empeval.report.grids import Grid
from empeval.report.pipeline import sha256, versions
from empeval.report.runs import check_target, replacing, write_manifest

__all__ = ["SUFFIXES", "RatingReport", "as_json", "manifest_of", "render", "write"]

#: Format → how its file ends.
SUFFIXES: Mapping[str, str] = {"markdown": ".md", "latex": ".tex", "csv": ".csv", "html": ".html"}


class RatingReport(Protocol):
    """A report on tables of ratings: a document, and the same as grids and as one table."""

    @property
    def command(self) -> str:
        """The command that makes it, which also names its files."""
        ...

    @property
    def warnings(self) -> Sequence[Notice]:
        """What is to be told about the data."""
        ...

    @property
    def manifest(self) -> Mapping[str, Any]:
        """How it was made."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """The document that ``--format json`` prints."""
        ...

    def grids(self) -> list[Grid]:
        """The tables for people."""
        ...

    def to_csv(self) -> str:
        """One row a value, unrounded."""
        ...


def manifest_of(
    command: str, files: Sequence[str | Path], sources: Sequence[str], options: Mapping[str, Any]
) -> dict[str, Any]:
    """The version, the command line that asks for the same, the files' fingerprints, library versions.

    ``options`` are the keyword arguments of the report; None stands for a default.
    """
    words = ["empeval", command, *map(str, files)]
    for name, value in options.items():
        if value is None:
            continue
        if isinstance(value, Mapping):
            text = ",".join(f"{ours}={theirs}" for ours, theirs in value.items())
        elif isinstance(value, Sequence) and not isinstance(value, str):
            text = ",".join(map(str, value))
        else:
            text = str(value)
        words += [f"--{name.removeprefix('n_')}", text]
    return {
        "empeval": __version__,
        "command": words,
        "options": {"files": list(map(str, files)), **options},
        "inputs": [_fingerprint(Path(source)) for source in sources],
        "versions": versions(),
    }


def _fingerprint(path: Path) -> dict[str, Any]:
    whole = path.is_file()
    size, digest = (path.stat().st_size, sha256(path)) if whole else (None, None)
    return {"path": str(path), "bytes": size, "sha256": digest}


def as_json(report: RatingReport) -> str:
    """The document, keys in their order, never NaN."""
    return json.dumps(report.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def render(report: RatingReport, format: str) -> str:
    """The report in any format of the command line."""
    if format == "json":
        return as_json(report)
    if format == "csv":
        return report.to_csv()
    return render_grids(report.grids(), format, heading=report.command.capitalize())


def write(report: RatingReport, folder: str | Path) -> Path:
    """Write the document, the tables in every format and the manifest; give the folder's path.

    Equal inputs give equal bytes. Raises InputError naming the folder if it cannot be written; then
    everything is as it was.
    """
    target = check_target(folder)
    files = {f"{report.command}.json": as_json(report)}
    files |= {f"{report.command}{suffix}": render(report, form) for form, suffix in SUFFIXES.items()}
    try:
        with replacing(target) as made:
            for name, text in files.items():
                (made / name).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
            write_manifest(report.manifest, made, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"the report cannot be written: {reason}", source=str(folder)) from error
    return target
