"""The tables' history: databases of earlier versions are brought up to date, later ones are refused."""

from __future__ import annotations

import dataclasses
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.exc import DBAPIError

from empeval.errors import InputError
from empeval.study.service.admin import AdminService
from empeval.study.service.rater import RaterService
from empeval.study.service.views import Blocked, ItemView
from empeval.study.store import open_store, upgrading
from empeval.study.store.columns import Base
from empeval.study.store.database import Store
from empeval.study.store.models import Study
from tests.study.conftest import SECRET

FIRST = Path(__file__).with_name("fixtures") / "revision_0001.sql"


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A database as the first revision of the tables had it, with a study that two raters have worked in."""
    path = tmp_path / "earlier.db"
    connection = sqlite3.connect(path)
    connection.executescript(FIRST.read_text(encoding="utf-8"))
    connection.close()
    return path


def test_an_earlier_database_is_brought_up_to_date(earlier: Path) -> None:
    """Every answer is still there, work goes on, and what is new can be used."""
    before = open_store(earlier, upgrade=False)
    assert before.readiness().revision == "0001"
    assert not before.readiness().is_ready
    before.close()
    store = open_store(earlier)
    assert store.readiness().is_ready
    admin = AdminService.open(store, "invented", SECRET)
    assert admin.status().slots == {"open": 4, "held": 0, "done": 8, "void": 0}
    [simulated, ann] = admin.raters()
    assert (simulated.kind, simulated.n_answers, ann.state, ann.n_answers) == ("simulated", 6, "blocked", 2)
    assert ann.block_reason is None
    [(_, link)] = admin.invite(("ann",))
    service = RaterService(store, admin.context)
    assert isinstance(service.screen(link), Blocked)
    admin.unblock(ann.rater)
    assert isinstance(service.screen(link), ItemView)
    admin.block(ann.rater, "two checks failed")
    assert admin.raters()[1].block_reason == "two checks failed"
    store.close()


def test_migrations_make_the_tables_that_the_code_has(store: Store) -> None:
    """On both databases, nothing that the models state is missing from the migrated tables."""
    with store._engines.write.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        assert compare_metadata(context, Base.metadata) == []


def test_upgrading_twice_changes_nothing(address: str) -> None:
    """A second opening finds the tables as they should be."""
    first = open_store(address)
    first.close()
    second = open_store(address)
    assert second.readiness().revision == upgrading.head()
    second.close()


def test_four_processes_may_make_the_tables_at_once(address: str) -> None:
    """Each ends well, and the tables are there once."""
    code = f"from empeval.study.store import open_store; open_store({address!r}).close()"
    started = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [process.wait(timeout=120) for process in started] == [0] * 4
    store = open_store(address, upgrade=False)
    assert store.readiness().is_ready
    store.close()


def test_a_database_of_a_later_version_is_refused(earlier: Path) -> None:
    """The message says what to do, and nothing is touched."""
    connection = sqlite3.connect(earlier)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="later version of empeval"):
        open_store(earlier)


def test_the_audit_only_grows(store: Store) -> None:
    """Neither an update nor a deletion gets through, on either database."""
    from sqlalchemy import text

    store.write(lambda tx: tx.record(None, store.now(), "test", "look"))
    for statement in ("UPDATE audit SET actor = 'nobody'", "DELETE FROM audit"):
        with pytest.raises(DBAPIError, match="only grows"), store._engines.write.begin() as connection:
            connection.execute(text(statement))


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    """A text in the place of the database is left as it is."""
    path = tmp_path / "study.db"
    path.write_text("no database at all, but long enough to be mistaken for one" * 20, encoding="utf-8")
    with pytest.raises(InputError, match=r"study\.db: the database cannot be used"):
        open_store(path)


def test_a_full_disk_is_no_place_for_a_study(store: Store) -> None:
    """Right tables on a disk without room are not ready; a server sees to its own."""
    now = store.readiness()
    assert now.is_ready
    assert (now.free_bytes is None) == (store.dialect == "postgresql")
    assert not dataclasses.replace(now, free_bytes=1_000_000).is_ready
    assert not dataclasses.replace(now, revision="0001").is_ready


def test_work_that_a_constraint_stops_is_tried_again(store: Store) -> None:
    """A row that somebody else was first to make: the second try finds it, and nothing is doubled."""
    tries = []

    def work(tx: Any) -> int:
        tries.append(len(tries))
        name = "taken" if len(tries) == 1 else "free"
        now = store.now()
        tx.add_study(
            Study(id=name, slug=name, version=1, config_json={}, config_sha256="0", seed=0, created_at=now)
        )
        return len(tries)

    store.write(
        lambda tx: tx.add_study(
            Study(
                id="taken",
                slug="x",
                version=1,
                config_json={},
                config_sha256="0",
                seed=0,
                created_at=store.now(),
            )
        )
    )
    assert store.write(work) == 2
    assert [study.id for study in store.read(lambda tx: tx.studies())] == ["free", "taken"]
