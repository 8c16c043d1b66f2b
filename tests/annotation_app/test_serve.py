"""``empeval study serve``: from a file to pages that answer, and links that stay the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from empeval.errors import InputError
from empeval.study.serving import links_base, serve_command

ROOT = Path(__file__).resolve().parents[2]
FILE = """
id: tiny
title: Replies
systems: {Ombrevic: o.jsonl, Tiskarel: t.jsonl}
instructions: Read, then rate.
questions:
  - {kind: likert, name: warmth, prompt: How warm?, scale: {low: 1, high: 5}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A study file with the outputs that it names."""
    for name, text in (("o", "I see."), ("t", "Good.")):
        rows = [
            {
                "id": f"s{i}",
                "dialogue_id": f"d{i}",
                "context": [f"Day {i}."],
                "hypothesis": text,
                "references": ["x"],
            }
            for i in range(2)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    path = tmp_path / "tiny.yaml"
    path.write_text(FILE)
    return path


def serve(file: Path, *words: str) -> subprocess.Popen[str]:
    """Start the command, from a folder that holds misleading names."""
    (file.parent / "streamlit.py").write_text("raise SystemExit('the wrong streamlit')\n")
    env = {key: value for key, value in os.environ.items() if not key.startswith("EMPEVAL_")}
    return subprocess.Popen(
        [sys.executable, "-m", "empeval", "study", "serve", file.name, *words],
        cwd=file.parent,
        env={**env, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(url: str, process: subprocess.Popen[str]) -> None:
    """Until the pages are ready."""
    import time

    for _ in range(300):
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=5):
                return
        except OSError:
            assert process.poll() is None, process.communicate()
            time.sleep(0.1)


def test_the_command_serves_prints_links_and_stops(file: Path, free: int) -> None:
    """Links for the lab's raters, the same at every start; a terminated command stops its pages."""
    seen = []
    for _ in range(2):
        process = serve(file, "--port", str(free), "--rater", "ann", "--rater", "bob")
        url = f"http://127.0.0.1:{free}"
        wait_for(url, process)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
        assert 0 == process.returncode, err
        assert "Traceback" not in err
        seen.append(out)
        with pytest.raises(urllib.error.URLError):
            urllib.request.urlopen(f"{url}/healthz", timeout=2)
    assert seen[0] == seen[1]
    lines = dict(line.split(None, 1) for line in seen[0].splitlines())
    assert ["preview", "ann", "bob"] == list(lines)
    assert lines["ann"].startswith(f"http://127.0.0.1:{free}/?t=")
    assert 0o600 == (file.parent / "tiny.secret").stat().st_mode & 0o777


def test_a_port_that_is_taken_is_said(file: Path, study: object) -> None:
    """Nothing is made where nobody could be served."""
    taken = study.port  # type: ignore[attr-defined]
    process = serve(file, "--port", str(taken))
    out, err = process.communicate(timeout=60)
    assert (2, "") == (process.returncode, out)
    assert f"port {taken}" in err


@pytest.mark.parametrize(
    ("host", "public", "names"),
    [
        ("127.0.0.1", None, ["127.0.0.1", "localhost", "::1"]),
        ("127.0.0.1", "https://rate.example.org", ["127.0.0.1", "localhost", "::1", "rate.example.org"]),
        ("0.0.0.0", None, []),
    ],
)
def test_pages_answer_to_known_names_only(host: str, public: str | None, names: list[str]) -> None:
    """Behind a name or on this machine alone, no other name reaches the pages (DNS rebinding)."""
    command = serve_command("study.db", "x", "00" * 16, host=host, public_url=public).command
    assert names == [command[i + 1] for i, word in enumerate(command) if word == "--allowed-host"]


@pytest.mark.parametrize(
    "url", ["rate.example.org", "ftp://x", "https://", "https://x/path", "https://x/?t=1"]
)
def test_a_public_address_that_is_none_is_refused(url: str) -> None:
    """Links are made of it, so it is checked before."""
    with pytest.raises(InputError):
        links_base("127.0.0.1", 8501, url)
    with pytest.raises(InputError):
        serve_command("study.db", "x", "00" * 16, public_url=url)


def test_the_secret_is_in_no_command_line() -> None:
    """Command lines are seen by everybody on a machine; the environment is not."""
    launch = serve_command("postgresql://user:password@host/db", "x", "ab" * 16)
    words = " ".join(launch.command)
    assert "ab" * 16 not in words
    assert "password" not in words
