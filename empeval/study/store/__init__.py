"""Where studies are kept: the only place with SQL. SQLite in one file, or PostgreSQL by its address."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from empeval.errors import MissingExtra

if TYPE_CHECKING:
    from empeval.study.store.database import Store

__all__ = ["ADDRESS_VARIABLE", "database_address", "open_store"]

#: The environment variable that names the database, before the study file does.
ADDRESS_VARIABLE = "EMPEVAL_DATABASE_URL"


def open_store(address: str | Path, *, upgrade: bool = True) -> Store:
    """Open a database by the path of its file or by its address, and bring its tables up to date.

    Raises InputError for a database that cannot be used, MissingExtra where SQLAlchemy, Alembic or
    PostgreSQL's driver is not installed.
    """
    try:
        from empeval.study.store.database import Store
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in ("sqlalchemy", "alembic"):
            raise
        raise MissingExtra(package, "study") from None
    return Store.open(address, upgrade=upgrade)


def database_address(database: str | None, folder: str | Path, study_id: str = "study") -> str:
    """The address to use: the environment's, else the study file's, else ``study.db`` beside it.

    A path is relative to ``folder``, that of the study file.

    >>> database_address(None, "/tmp/s")
    '/tmp/s/study.db'
    """
    named = os.environ.get(ADDRESS_VARIABLE) or database
    if named is None:
        return str(Path(folder) / f"{study_id}.db")
    return named if "://" in named else str(Path(folder) / Path(named).expanduser())
