"""The recipe of deploy/nginx.conf, run: HTTPS before the raters' pages, web sockets passed on."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.annotation_app.conftest import Person, Study, free_port

CONFIGURATION = Path(__file__).resolve().parents[2] / "deploy/nginx.conf"


@pytest.fixture
def secure(study: Study, tmp_path: Path) -> Iterator[str]:
    """The address of an nginx of this test's own, before the pages."""
    for program in ("nginx", "openssl"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    port = free_port()
    make = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    subprocess.run(
        ["openssl", *make, "-keyout", tmp_path / "privkey.pem", "-out", tmp_path / "fullchain.pem"],
        check=True,
        capture_output=True,
    )
    text = CONFIGURATION.read_text(encoding="utf-8")
    for old, new in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/letsencrypt/live/rate.example.org", str(tmp_path)),
        ("server_name rate.example.org", "server_name 127.0.0.1"),
        ("http://127.0.0.1:8501", study.url),
    ):
        assert old in text
        text = text.replace(old, new)
    folders = "".join(
        f"{name}_temp_path {tmp_path}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = tmp_path / "nginx.conf"
    whole.write_text(
        f"pid {tmp_path}/pid;\nerror_log {tmp_path}/log;\nevents {{}}\nhttp {{\n{folders}{text}}}\n",
        encoding="utf-8",
    )
    running = subprocess.Popen(["nginx", "-e", tmp_path / "log", "-c", whole, "-g", "daemon off;"])
    address = f"https://127.0.0.1:{port}"
    for _ in range(100):
        try:
            if status(f"{address}/readyz") == 200:
                break
        except OSError:
            assert running.poll() is None, (tmp_path / "log").read_text(encoding="utf-8")
            time.sleep(0.1)
    yield address
    running.terminate()
    running.wait()


def status(address: str) -> int:
    """The status of an answer, whoever signed the certificate."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(address, timeout=5, context=trusting) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_an_item_is_rated_over_https(secure: str, study: Study, browser: Any) -> None:
    """A rater comes by the secure address, and the answer is in the database; metrics stay hidden."""
    context = browser.new_context(ignore_https_errors=True)
    person = Person(study, context.new_page(), "behind nginx")
    link = person.link
    person.link = link.replace(study.url, secure)
    person.come().answer(3).submit().has(1)
    person.link = link
    assert len(person.ratings()) == 1
    context.close()
    assert status(f"{secure}/_stcore/metrics") == 404
