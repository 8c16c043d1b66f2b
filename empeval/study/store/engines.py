"""Connections: SQLite in one file, written by one at a time and read by many, or PostgreSQL by address."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from empeval.errors import InputError, MissingExtra

__all__ = ["Engines", "open_engines"]

#: File systems on which SQLite's locks cannot be trusted.
_NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afs", "ceph", "glusterfs", "lustre", "beegfs",
     "gpfs", "fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "fuse.rclone", "davfs", "fuse.davfs2"}
)  # fmt: skip
_MOUNTS = Path("/proc/self/mounts")
_BUSY_MS = 30_000
#: NUL, and half of a surrogate pair.
_IMPOSSIBLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Engines:
    """One engine for transactions that write, one for those that only read."""

    write: Engine
    read: Engine

    @property
    def dialect(self) -> str:
        return self.write.dialect.name

    @property
    def place(self) -> str:
        """The file, or the server's address without its password."""
        url = self.write.url
        return url.database or "" if self.dialect == "sqlite" else url.render_as_string(hide_password=True)

    def dispose(self) -> None:
        """Close all connections."""
        self.write.dispose()
        self.read.dispose()


def open_engines(address: str | Path) -> Engines:
    """Engines for a file's path, ``sqlite:///FILE`` or ``postgresql://…``; nothing is connected yet.

    A new file belongs to its owner alone (mode 0600). Raises InputError for an address that is none and for a
    file on a network file system, MissingExtra without PostgreSQL's driver.
    """
    text = str(address)
    if _IMPOSSIBLE.search(text):
        raise InputError("the database's address holds a character that no address can hold")
    if "://" not in text:
        return _sqlite(Path(text))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise InputError(
            "the database's address is not of the form sqlite:///FILE or postgresql://…"
        ) from None
    if url.get_backend_name() == "sqlite":
        if not url.database or url.database == ":memory:":
            raise InputError("a study needs a database in a file: sqlite:///FILE")
        return _sqlite(Path(url.database))
    if url.get_backend_name() in ("postgresql", "postgres"):
        return _postgresql(url)
    raise InputError(f"a study's database is SQLite or PostgreSQL, not {url.get_backend_name()!r}")


def _sqlite(file: Path) -> Engines:
    file = file.expanduser().resolve()
    if not file.parent.is_dir():
        raise InputError("there is no such folder for the database", source=str(file.parent))
    _refuse_network(file.parent)
    _own_alone(file)
    return Engines(write=_sqlite_engine(file, "BEGIN IMMEDIATE"), read=_sqlite_engine(file, "BEGIN"))


def _sqlite_engine(file: Path, begin: str) -> Engine:
    engine = create_engine(
        URL.create("sqlite+pysqlite", database=str(file)),
        connect_args={"timeout": _BUSY_MS / 1000, "check_same_thread": False},
    )

    def connected(connection: Any, _record: Any) -> None:
        # Without this the driver begins transactions itself, deferred, and only at the first write.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (
            f"busy_timeout={_BUSY_MS}",
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "foreign_keys=ON",
            "secure_delete=ON",  # what is forgotten must not stay in free pages
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    def begun(connection: Any) -> None:
        connection.exec_driver_sql(begin)

    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", begun)
    return engine


def _own_alone(file: Path) -> None:
    """Make the file, readable by its owner alone; SQLite gives its companions the same mode."""
    try:
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        if stat.S_IMODE(file.stat().st_mode) & 0o077:
            file.chmod(0o600)
    except OSError as error:
        raise InputError(
            f"the database cannot be opened: {error.strerror or error}", source=str(file)
        ) from None


def _refuse_network(folder: Path) -> None:
    kind = _file_system(folder)
    if kind in _NETWORK:
        raise InputError(
            f"the database would lie on a network file system ({kind}), where SQLite loses data; name a "
            "local folder, or a PostgreSQL database (database: postgresql://…)",
            source=str(folder),
        )


def _file_system(folder: Path, mounts: Path = _MOUNTS) -> str | None:
    """The type of the file system that holds a folder, where the operating system tells."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    best: tuple[int, str] | None = None
    for line in lines:
        _, point, kind, *_ = line.split(" ")
        place = Path(point.replace("\\040", " "))
        if folder.is_relative_to(place) and (best is None or len(place.parts) >= best[0]):
            best = len(place.parts), kind
    return best[1] if best else None


def _postgresql(url: URL) -> Engines:
    url = url.set(drivername="postgresql+psycopg")
    options = {
        "pool_size": 5,
        "pool_pre_ping": True,
        "isolation_level": "READ COMMITTED",
        "connect_args": {"options": "-c statement_timeout=30000 -c timezone=UTC"},
    }
    try:
        engine = create_engine(url, **options)
    except ModuleNotFoundError:
        raise MissingExtra("psycopg", "postgres") from None
    return Engines(write=engine, read=engine)
