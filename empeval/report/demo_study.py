"""A study of the demo's systems, ready for raters: its file, and the outputs beside it."""

from __future__ import annotations

import shutil
from pathlib import Path

from empeval import example
from empeval.errors import InputError
from empeval.study.template import study_template

__all__ = ["STUDY_FILE", "write_demo_study"]

STUDY_FILE = "study.yaml"
_OUTPUTS = "outputs"
_N_ITEMS = 20


def write_demo_study(folder: str | Path) -> Path:
    """Write study.yaml and the outputs that it names into a folder; a study.yaml that is there stays.

    Its database will be study.db in the same folder. Raises InputError where nothing can be written.
    """
    place = Path(folder)
    path = place / STUDY_FILE
    try:
        (place / _OUTPUTS).mkdir(parents=True, exist_ok=True)
        for file in example.files():
            shutil.copyfile(file, place / _OUTPUTS / file.name)
        if not path.exists():
            path.write_text(_text(), encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"the study cannot be written: {reason}", source=str(folder)) from None
    return path


def _text() -> str:
    return study_template(
        id="demo",
        title="Replies to people who tell something",
        systems={file.stem: f"{_OUTPUTS}/{file.name}" for file in example.system_files()},
        corpus=f"{_OUTPUTS}/{example.corpus_file().name}",
        n_items=_N_ITEMS,
        ratings_per_item=3,
        keys_set={"database": "study.db"},
    )
