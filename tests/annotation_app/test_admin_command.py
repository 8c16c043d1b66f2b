"""``empeval study admin``: from a file to a page that is served, and a password that opens it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("streamlit")
pytest.importorskip("argon2")

from empeval.cli import main
from empeval.study.admin_access import HASH_VARIABLE, Door, load_hash

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A study that was started."""
    for name, text in (("o", "I see."), ("t", "Good.")):
        (tmp_path / f"{name}.jsonl").write_text(
            f'{{"id": "1", "context": ["Hi."], "references": ["x"], "hypothesis": "{text}"}}\n'
        )
    path = tmp_path / "tiny.yaml"
    path.write_text(
        "id: tiny\ntitle: T\nsystems: {o: o.jsonl, t: t.jsonl}\ninstructions: Read.\n"
        "questions: [{kind: likert, name: warmth, prompt: Warm?, scale: {low: 1, high: 5}}]\n"
    )
    assert main(["study", "simulate", str(path), "--raters", "careful=1", "--quiet"]) == 0
    return path


def started(file: Path, port: int, *words: str, given: str = "") -> tuple[list[str], str]:
    """The lines that the command prints, and what the page's health says; then it is told to stop."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("EMPEVAL_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "empeval", "study", "admin", file.name, "--port", str(port), *words],
        cwd=file.parent,
        env={**env, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(given)
    process.stdin.close()
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if line.startswith("page"):
            break
    health = ""
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
                health = answer.read().decode()
                break
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    process.stdin = None
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    return lines, health


def test_a_first_start_prints_a_password_and_another_can_be_set(
    file: Path, free: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each opens the door; the file holds a hash alone, for its owner alone; what was set is not printed."""
    monkeypatch.delenv(HASH_VARIABLE, raising=False)
    kept = file.with_suffix(".admin")
    lines, health = started(file, free)
    assert "ok" == health
    [password] = [line.split()[1] for line in lines if line.startswith("password")]
    assert 0o600 == kept.stat().st_mode & 0o777
    assert password not in kept.read_text()
    assert Door(load_hash(kept) or "").opens(password, 0.0)

    lines, health = started(file, free, "--set-password", given="one of my own making\n")
    assert "ok" == health
    assert [f"page      http://127.0.0.1:{free}"] == lines
    door = Door(load_hash(kept) or "")
    assert not door.opens(password, 0.0)
    assert door.opens("one of my own making", 0.0)
