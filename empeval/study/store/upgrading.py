"""Bringing a database's tables to what this version of empeval expects."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

from empeval.errors import InputError
from empeval.study.store import models, people  # noqa: F401 - the tables are entered into Base by import

__all__ = ["head", "upgrade", "version"]

_FOLDER = Path(__file__).parent / "migrations"


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def head() -> str:
    """The revision that this version of empeval works with."""
    found = ScriptDirectory.from_config(_config()).get_current_head()
    assert found is not None
    return found


def version(engine: Engine) -> str | None:
    """The revision of a database's tables; None where there are none."""
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Make the tables, or bring them up to date, in one transaction; safe from several processes at once.

    Raises InputError for a database of a later version of empeval.
    """
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    config = _config()
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7301894211)")
        now = MigrationContext.configure(connection).get_current_revision()
        if now is not None and now not in known:
            raise InputError(
                f"the database is of a later version of empeval (revision {now}); upgrade empeval"
            )
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
