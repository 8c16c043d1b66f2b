"""The researcher's page as it is started, in a real browser: the password, a pause, a matrix, a download."""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("argon2")
pytest.importorskip("websockets")

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
    said = log.read_text()
    assert PASSWORD not in said
    assert "Traceback" not in said
    assert "Did you forget" not in said


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
    page.locator("canvas").nth(1).wait_for()

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


def run(coroutine: Coroutine[Any, Any, list[Any]]) -> list[Any]:
    """Run it beside the browser, whose own loop is this thread's."""
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, coroutine).result()


async def frames_of(url: str, *runs: dict[str, Any]) -> list[Any]:
    """Every message that comes back when the script is run with values for widgets by their ids."""
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from websockets.asyncio.client import connect

    told = []
    async with connect(f"{url.replace('http', 'ws')}/_stcore/stream", max_size=None) as socket:
        for values in runs:
            message = BackMsg()
            message.rerun_script.query_string = ""
            for name, value in values.items():
                state = message.rerun_script.widget_states.widgets.add()
                state.id = name
                setattr(state, "string_value" if isinstance(value, str) else "trigger_value", value)
            await socket.send(message.SerializeToString())
            while True:
                told.append(ForwardMsg.FromString(await asyncio.wait_for(socket.recv(), 30)))
                ended = told[-1].WhichOneof("type") == "script_finished"
                if ended and told[-1].script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                    break
    return told


def ids(frames: list[Any], kind: str, label: str) -> list[str]:
    """The ids of the widgets of a label."""
    drawn = [getattr(frame.delta.new_element, kind) for frame in frames]
    return [one.id for one in drawn if one.label == label]


def test_forged_messages_do_nothing(served: tuple[AdminService, str]) -> None:
    """The id of a button that somebody who is in sees, sent by somebody who is not, moves nothing."""
    admin, url = served
    admin.set_state("open")
    first = run(frames_of(url, {}))
    field, enter = ids(first, "text_input", "Password")[0], ids(first, "button", "Log in")[0]
    inside = run(frames_of(url, {}, {field: PASSWORD, enter: True}))
    [pause] = ids(inside, "button", "Pause")
    assert b"invented" in b"".join(frame.SerializeToString() for frame in inside)

    outside = run(frames_of(url, {pause: True}, {}, {pause: True, field: "guess", enter: True}))
    assert "open" == admin.status().state
    told = b"".join(frame.SerializeToString() for frame in outside)
    for word in (b"invented", b"Ombrevic", b"Places filled"):
        assert word not in told
    assert b"That is not the password." in told


def test_a_fault_is_a_number_on_the_page_and_in_the_log(served: tuple[AdminService, str]) -> None:
    """A message that no browser sends makes Streamlit fail: its words reach neither."""
    frames = run(frames_of(served[1], {"admitted": "yes"}))
    told = b"".join(frame.SerializeToString() for frame in frames)
    assert b"The log says more under the number" in told
    for word in (b"Did you forget", b"Traceback", b"invented", str(ROOT).encode()):
        assert word not in told
