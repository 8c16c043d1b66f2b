"""A database, its clock, and its transactions, which are tried again where another one was in the way."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.orm import Session

from empeval.errors import InputError
from empeval.study.store import upgrading
from empeval.study.store.engines import Engines, open_engines
from empeval.study.store.transaction import Transaction

__all__ = ["Readiness", "Store"]

T = TypeVar("T")

_ATTEMPTS = 6
#: Bytes on disk below which a study is not ready for raters.
_ROOM = 50 * 1024 * 1024


@dataclass(frozen=True)
class Readiness:
    """Whether the database answers, its tables are those that this empeval expects, and its disk has room.

    ``free_bytes`` is None for a database on a server, which looks after itself.
    """

    answers: bool
    revision: str | None
    expected: str
    free_bytes: int | None = None

    @property
    def is_ready(self) -> bool:
        has_room = self.free_bytes is None or self.free_bytes >= _ROOM
        return self.answers and self.revision == self.expected and has_room


class Store:
    """One database; `write` and `read` run a piece of work in one transaction and give back what it returns.

    Work may be run several times before it succeeds, so it must do nothing that cannot be rolled back.
    """

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    @classmethod
    def open(cls, address: str | Path, *, upgrade: bool = True) -> Store:
        """Open a database, and bring its tables up to date."""
        engines = open_engines(address)
        try:
            if upgrade:
                upgrading.upgrade(engines.write)
        except DBAPIError as error:
            place = engines.place
            engines.dispose()
            reason = str(error.orig).strip().splitlines()[0]
            raise InputError(f"the database cannot be used: {reason}", source=place) from None
        return cls(engines)

    @property
    def dialect(self) -> str:
        """``sqlite`` or ``postgresql``."""
        return self._engines.dialect

    @property
    def place(self) -> str:
        """The file, or the server's address without its password."""
        return self._engines.place

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run work that changes something, all of it or nothing."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with Session(self._engines.write, expire_on_commit=False) as session, session.begin():
                    return work(Transaction(session))
            except (OperationalError, IntegrityError):
                if attempt == _ATTEMPTS:
                    raise
                time.sleep(0.02 * 2**attempt)
        raise AssertionError("unreachable")

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run work that only looks."""
        with Session(self._engines.read, expire_on_commit=False, autoflush=False) as session:
            try:
                return work(Transaction(session))
            finally:
                session.expunge_all()  # what was read stays readable
                session.rollback()

    def now(self) -> datetime:
        """The clock that all processes share: the server's, or this machine's where the file lies."""
        if self.dialect == "sqlite":
            return datetime.now(UTC)
        with self._engines.read.connect() as connection:
            moment = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
        assert isinstance(moment, datetime)
        return moment.astimezone(UTC)

    def readiness(self) -> Readiness:
        """Ask the database for a sign of life and its revision."""
        try:
            found = upgrading.version(self._engines.read)
        except DBAPIError:
            return Readiness(False, None, upgrading.head())
        free = shutil.disk_usage(self._engines.place).free if self.dialect == "sqlite" else None
        return Readiness(True, found, upgrading.head(), free)

    def scrub(self) -> None:
        """Leave nothing of deleted rows in the files of a database that is a file."""
        if self.dialect != "sqlite":
            return
        raw = self._engines.write.raw_connection()
        try:
            raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            raw.close()

    def close(self) -> None:
        """Close all connections."""
        self._engines.dispose()
