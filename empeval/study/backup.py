"""A copy of a study's database that is whole, taken while raters work."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from empeval.errors import InputError
from empeval.study.preparing import Prepared

__all__ = ["BackedUp", "back_up"]


@dataclass(frozen=True)
class BackedUp:
    """The copy, its size in bytes, and how many answers are in it."""

    path: Path
    n_bytes: int
    n_answers: int


def back_up(study: Prepared, to: str | Path) -> BackedUp:
    """Copy a SQLite database with its own online backup, and check the copy.

    Raises InputError for a PostgreSQL database (``pg_dump`` copies those), for a file that is there
    already, and for one that cannot be written.
    """
    if study.store.dialect != "sqlite":
        raise InputError("this study is in PostgreSQL; copy it with: pg_dump --format=custom DATABASE > FILE")
    path = Path(to)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise InputError("the file is there already; a backup replaces nothing", source=str(path)) from None
    except OSError as error:
        raise InputError(
            f"the backup cannot be written: {error.strerror or error}", source=str(path)
        ) from None
    try:
        with (
            contextlib.closing(sqlite3.connect(study.store.place)) as source,
            contextlib.closing(sqlite3.connect(path.absolute())) as copy,
        ):
            source.backup(copy, pages=256)
            copy.execute("PRAGMA journal_mode=DELETE")
            [(verdict,)] = copy.execute("PRAGMA integrity_check").fetchall()
            [(n_answers,)] = copy.execute("SELECT count(*) FROM rating").fetchall()
    except sqlite3.Error as error:
        path.unlink(missing_ok=True)
        raise InputError(f"the backup failed: {error}", source=str(path)) from None
    if verdict != "ok":
        path.unlink(missing_ok=True)
        raise InputError(f"the copy is damaged: {verdict}", source=str(path))
    return BackedUp(path, path.stat().st_size, int(n_answers))
