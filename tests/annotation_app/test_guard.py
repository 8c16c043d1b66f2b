"""What passes between browsers and the app."""

from __future__ import annotations

import re
import socket
import urllib.error
import urllib.request
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from annotation_app.guard import cleaned, is_expected


def get(url: str, **headers: str) -> Any:
    """Ask for an address."""
    request = urllib.request.Request(url, headers=headers)
    return urllib.request.urlopen(request, timeout=10)


def test_health_and_headers(study: Any) -> None:
    """Both health pages answer, and every answer carries the security headers."""
    for path, body in (("/healthz", b"ok"), ("/readyz", b"ready"), ("/", b"<!DOCTYPE html>")):
        with get(study.url + path) as answer:
            assert body in answer.read()
            assert "no-referrer" == answer.headers["Referrer-Policy"]
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/_stcore/metrics",
        "/_stcore/upload_file/a/b",
        "/_stcore/agent/openapi.json",
        "/_stcore/agent/interact",
        "/media/x",
        "/component/x",
        "/app/static/x",
        "/admin",
        "/rater.py",
        "/../study.db",
    ],
)
def test_other_paths_are_not_served(study: Any, path: str) -> None:
    """Neither Streamlit's metrics, uploads and agents nor any file is to be had."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        get(study.url + path)
    assert 404 == refused.value.code
    refused.value.close()


@pytest.mark.parametrize("kind", ["load_git_info", "clear_cache", "debug_shutdown_runtime"])
def test_messages_that_no_page_sends_are_dropped(kind: str) -> None:
    """A forged message reaches nothing but the script."""
    assert is_expected(BackMsg(stop_script=True).SerializeToString())
    assert not is_expected(BackMsg(**{kind: True}).SerializeToString())
    assert not is_expected(b"\xff\xff")


def test_no_path_of_the_machine_goes_out() -> None:
    """Streamlit's greeting names the script's absolute path; it goes out without."""
    message = ForwardMsg()
    message.new_session.main_script_path = "/srv/secret/place/rater.py"
    passed = cleaned(message.SerializeToString())
    assert passed is not None
    assert b"/srv/" not in passed
    told = ForwardMsg()
    told.git_info_changed.repository = "lab/paper"
    assert None is cleaned(told.SerializeToString())


def test_a_foreign_page_cannot_open_the_socket(study: Any) -> None:
    """A websocket from another origin is refused."""
    with socket.create_connection(("127.0.0.1", study.port), timeout=10) as wire:
        wire.sendall(
            b"GET /_stcore/stream HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://evil.example\r\n"
            b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" % study.port
        )
        assert re.match(rb"HTTP/1.1 4\d\d", wire.recv(100))


def test_a_fault_shows_a_number_and_no_more(serve: Any, page: Any) -> None:
    """A database without its tables: the page says so in words; neither it nor the log tells any detail."""
    from sqlalchemy import create_engine, text

    study = serve()
    link = study.link("unlucky")
    engine = create_engine(f"sqlite:///{study.address}")
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE rater RENAME TO elsewhere"))
    page.goto(link)
    shown = page.get_by_text("tell the researchers this number").inner_text()
    number = shown.strip().rpartition(" ")[2]
    log = study.log.read_text()
    assert f"fault {number}: OperationalError at " in log
    for word in ("elsewhere", "SELECT", "no such table", link.partition("t=")[2], study.address):
        assert word not in log.partition("fault ")[2]
        assert word not in page.content()
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE elsewhere RENAME TO rater"))
    engine.dispose()
    page.reload()
    page.get_by_text("I am 18 or older.").wait_for()


def test_logs_hold_no_token_and_no_id(serve: Any, page: Any) -> None:
    """What a rater and a platform are called stays out of the log."""
    study = serve(
        platform="prolific",
        completion={"done": "A", "screened_out": "B", "problem": "C"},
    )
    page.goto(f"{study.url}/?PROLIFIC_PID=person-0815&SESSION_ID=session-4711&STUDY_ID=x")
    page.get_by_text("I am 18 or older.").wait_for()
    token = page.url.partition("t=")[2]
    assert len(token) >= 32
    log = study.log.read_text()
    for secret in (token, "person-0815", "session-4711"):
        assert secret not in log
