"""A folder with a reproduction: numbers, tables, and the manifest with the command that remakes them."""

from __future__ import annotations

import json
from pathlib import Path

from empeval.errors import InputError
from empeval.report.grids import as_markdown
from empeval.report.reproduce import Reproduction
from empeval.report.reproduction_text import reproduction_csv, reproduction_grids
from empeval.report.runs import check_target, replacing, write_manifest

__all__ = ["REPRODUCTION", "as_json", "write"]

REPRODUCTION = "reproduction.json"


def write(found: Reproduction, folder: str | Path) -> Path:
    """Write the folder and give its path; what an earlier run left there is replaced.

    Equal inputs give equal bytes: nothing says when it was made, and no text of the outputs is in it.
    Raises InputError naming the folder if it cannot be written; then everything is as it was.
    """
    target = check_target(folder)
    files = {
        REPRODUCTION: as_json(found),
        "reproduction.md": as_markdown(reproduction_grids(found)),
        "reproduction.csv": reproduction_csv(found),
    }
    try:
        with replacing(target) as made:
            for name, text in files.items():
                (made / name).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
            write_manifest(found.manifest, made, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"the reproduction cannot be written: {reason}", source=str(folder)) from error
    return target


def as_json(found: Reproduction) -> str:
    """The document that ``empeval reproduce --format json`` prints."""
    return json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
