"""The researcher's page as it is started, in a real browser: the password, a pause, a matrix, a download."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("argon2")

from empeval.study.admin_access import save_password
from empeval.study.material import Material
from empeval.study.protocol import study_from
from empeval.study.service.admin import AdminService
from empeval.study.service.setup import create_study
from empeval.study.serving import admin_command
from empeval.study.store import open_store
from tests.study.conftest import make_material

ROOT = Path(__file__).resolve().parents[2]
SECRET = bytes(range(32))
PASSWORD = "a password for tests"
MARKUP = "*bold* $5 :smile: <b>x</b>"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[AdminService, str]]:
    """The service of a study, and the address of its page, started as the command starts it."""
    from socket import socket

    folder = tmp_path_factory.mktemp("admin")
    systems = ("Ombrevic", MARKUP)
    scale = {"kind": "likert", "name": "warmth", "prompt": "Warm?", "scale": {"low": 1, "high": 5}}
    keys = {"id": "invented", "title": "T", "instructions": "Read.", "questions": [scale]}
    store = open_store(folder / "study.db")
    given: Material = make_material(3, systems)
    create_study(store, study_from({**keys, "systems": dict.fromkeys(systems, "x.jsonl")}), given)
    admin = AdminService.open(store, "invented", SECRET)
    admin.set_state("open")
    with socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
    hashed = save_password(folder / "study.admin", PASSWORD)
    launch = admin_command(str(folder / "study.db"), "invented", SECRET.hex(), hashed, port=port)
    log = folder / "log.txt"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            launch.command, env={**os.environ, **launch.environment}, stdout=stream, stderr=stream, cwd=folder
        )
    url = f"http://127.0.0.1:{port}"
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{url}/healthz", timeout=5).close()
            break
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
    yield admin, url
    process.kill()
    process.wait()
    store.close()
    assert "Traceback" not in log.read_text()
    assert PASSWORD not in log.read_text()


def test_in_a_browser(served: tuple[AdminService, str], page: Any) -> None:
    """Nothing of the study crosses before the password; then it is paused, looked at, and exported."""
    admin, url = served
    frames: list[bytes] = []
    faults: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda f: frames.append(bytes(f))))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if "Content Security" in said.text else None)
    page.goto(url)
    field = page.get_by_label("Password", exact=True)
    field.fill("not the password")
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("That is not the password.").wait_for()
    before = b"".join(frames)
    for secret in (b"invented", b"Ombrevic", str(ROOT).encode(), sys.prefix.encode()):
        assert secret not in before
    field.fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("invented, version 1: open").wait_for()
    page.get_by_text("6 of 6 showings still lack answers.").wait_for()
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("invented, version 1: paused").wait_for()
    assert "paused" == admin.status().state
    assert page.locator("canvas").count() >= 2

    page.get_by_role("tab", name="Exports and audit").click()
    page.get_by_role("button", name="Make the export").click()
    with page.expect_download() as waited:
        page.get_by_role("button", name="Download", exact=True).click()
    assert "invented-export.zip" == waited.value.suggested_filename
    with zipfile.ZipFile(io.BytesIO(Path(waited.value.path()).read_bytes())) as packed:
        assert {"manifest.json", "ratings.csv"} <= set(packed.namelist())

    page.get_by_role("button", name="Log out").click()
    page.get_by_label("Password", exact=True).wait_for()
    assert 0 == page.get_by_text("invented, version 1").count()
    assert [] == faults
    assert sys.prefix.encode() not in b"".join(frames)


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/upload_file/a/b", "/app/static/x", "/pages"])
def test_nothing_else_is_served(served: tuple[AdminService, str], path: str) -> None:
    """Streamlit's uploads and metrics are not there for whoever has no password."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(served[1] + path, timeout=10)
    assert 404 == refused.value.code
    assert "frame-ancestors 'none'" in refused.value.headers["Content-Security-Policy"]
    refused.value.close()


def test_a_name_that_is_not_this_machine_is_refused(served: tuple[AdminService, str]) -> None:
    """A page of another site cannot come by a name that it lets point here, nor by a websocket of its own."""
    host = served[1].removeprefix("http://")
    handshake = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }
    statuses = []
    for headers in (
        {"Host": host, "Origin": served[1]},
        {"Host": "evil.example", "Origin": "http://evil.example"},
        {"Host": host, "Origin": "https://evil.example"},
    ):
        connection = HTTPConnection(host, timeout=10)
        connection.request("GET", "/_stcore/stream", headers={**handshake, **headers})
        answer = connection.getresponse()
        statuses.append(answer.status)
        answer.close()
        connection.close()
    assert [101, 403, 403] == statuses
