"""A folder with a reproduction: numbers, tables, and a manifest with the command that remakes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from empeval.errors import InputError
from empeval.report.grids import as_markdown
from empeval.report.pipeline import sha256, versions
from empeval.report.reproduce import Reproduction
from empeval.report.reproduction_text import reproduction_csv, reproduction_grids
from empeval.report.runs import MANIFEST, check_target, replacing
from empeval.version import __version__

__all__ = ["write"]


def write(
    found: Reproduction, command: Sequence[str], inputs: Sequence[Mapping[str, object]], folder: str
) -> Path:
    """Write the folder and give its path; what an earlier run left there is replaced.

    Equal inputs give equal bytes: nothing says when it was made, and no text of the outputs is in it.
    Raises InputError naming the folder if it cannot be written; then everything is as it was.
    """
    target = check_target(folder)
    files = {
        "reproduction.json": json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        + "\n",
        "reproduction.md": as_markdown(reproduction_grids(found)),
        "reproduction.csv": reproduction_csv(found),
    }
    try:
        with replacing(target) as made:
            for name, text in files.items():
                (made / name).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
            manifest = {
                "empeval": __version__,
                "command": list(command),
                "inputs": list(inputs),
                "versions": versions(),
                "files": {name: sha256(made / name) for name in sorted(files)},
            }
            text = json.dumps(manifest, indent=2, allow_nan=False) + "\n"
            (made / MANIFEST).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"the reproduction cannot be written: {reason}", source=folder) from error
    return target
