"""A small invented study, and databases of both kinds to keep it in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from empeval.study.material import Material, StudySegment
from empeval.study.protocol import StudyProtocol, study_from
from empeval.study.store import open_store
from empeval.study.store.database import Store

SECRET = b"a secret for tests only, 32 bytes"


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2030, 1, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> None:
        self.now += timedelta(**by)


def rate(name: str = "empathy") -> dict[str, Any]:
    """A question on a scale."""
    return {"kind": "likert", "name": name, "prompt": f"How much {name}?", "scale": {"low": 1, "high": 5}}


def compare(name: str = "overall") -> dict[str, Any]:
    """A question about a pair."""
    return {"kind": "pairwise", "name": name, "prompt": "Which reply is better?", "tie": True}


def make_protocol(**keys: Any) -> StudyProtocol:
    """A study of two invented systems; ``keys`` replace what is there."""
    return study_from(
        {
            "id": "invented",
            "title": "Replies to people",
            "systems": ["Ombrevic=o.jsonl", "Tiskarel=t.jsonl"],
            "instructions": "Read the dialogue, then rate the reply.",
            "questions": [rate()],
            "ratings_per_item": 3,
            **keys,
        }
    )


def make_material(n_segments: int = 4, systems: tuple[str, ...] = ("Ombrevic", "Tiskarel")) -> Material:
    """Segments whose texts say where they belong, so that tests can tell what was shown."""
    return Material(
        systems,
        tuple(
            StudySegment(f"s{i:03}", f"d{i:03}", (f"My day number {i} was long.", "Oh?", "Yes."), "sad")
            for i in range(n_segments)
        ),
        tuple(
            tuple(f"Reply {s} to day {i}: that sounds tiring." for i in range(n_segments))
            for s in range(len(systems))
        ),
    )


@pytest.fixture
def clock() -> Clock:
    """A clock of the test's own."""
    return Clock()


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    return fresh_database(request.getfixturevalue("postgres"))


def fresh_database(server: str) -> str:
    """An empty database on a PostgreSQL server."""
    from sqlalchemy import create_engine, text
    from sqlalchemy.engine import make_url

    name = "t" + os.urandom(6).hex()
    url = make_url(server).set(drivername="postgresql+psycopg")
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return url.set(database=name).render_as_string(hide_password=False)


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    """An open database of each kind."""
    opened = open_store(address)
    yield opened
    opened.close()
