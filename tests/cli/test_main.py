"""The command line as a whole: help, exit status, messages and streams."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import empeval

COMMANDS = ["score", "compare", "train-emotion", "leaderboard", "metrics", "readers", "verify", "demo"]
ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}


def start(*words: str, **settings: object) -> subprocess.Popen[bytes]:
    """Start ``python -m empeval`` with these words."""
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENVIRONMENT, **settings}
    return subprocess.Popen([sys.executable, "-m", "empeval", *words], **settings)  # type: ignore[call-overload]


def test_help_lists_every_command(run):
    """A command that the help forgets is never found."""
    status, out, err = run("--help")
    assert (0, "") == (status, err)
    assert COMMANDS == [name for name in COMMANDS if f"\n    {name} " in out]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself(run, command):
    """With --help a command succeeds and names its own usage."""
    status, out, err = run(command, "--help")
    assert (0, "") == (status, err)
    assert out.startswith(f"usage: empeval {command} ")


def test_version(run):
    """The version is that of the package."""
    assert (0, f"empeval {empeval.__version__}\n", "") == run("--version")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "no command is given"),
        (["scor", "warm.jsonl"], "there is no command 'scor'; did you mean 'score'?"),
        (["score"], "FILE"),
        (["--quite", "demo"], "there is no option --quite"),
        (["verify", "a", "b"], "unexpected argument 'b'"),
        (
            ["score", "warm.jsonl", "--metric", "length"],
            "there is no option --metric; did you mean --metrics?",
        ),
        (["score", "warm.jsonl", "--metric=length"], "there is no option --metric; did you mean --metrics?"),
        (
            ["score", "warm.jsonl", "--level", "1.5"],
            "argument --level: '1.5' does not lie between 0 and 1",
        ),
        (["score", "warm.jsonl", "--level", "nan"], "argument --level: 'nan' does not lie"),
        (["score", "warm.jsonl", "--level", "0"], "argument --level: '0' does not lie"),
        (["score", "warm.jsonl", "--resamples", "-1"], "--resamples"),
        (["score", "warm.jsonl", "--resamples", "1e3"], "argument --resamples: '1e3' is not a whole number"),
        (["score", "warm.jsonl", "--seed", "x"], "argument --seed: 'x' is not a whole number"),
        (["score", "warm.jsonl", "--out", ""], "argument --out: the name of the folder is empty"),
        (["score", "warm.jsonl", "--format", "latx"], "value of --format 'latx'; did you mean 'latex'?"),
        (["score", "warm.jsonl", "--cohort", "loose"], "value of --cohort 'loose'"),
        (
            ["score", "warm.jsonl", "--parser", "author"],
            "value of --parser 'author'; did you mean 'authors'?",
        ),
        (["score", "warm.jsonl", "--by", "topic"], "value of --by 'topic'"),
        (
            ["score", "warm.jsonl", "--columns", "id"],
            "argument --columns: 'id' is not of the form FIELD=COLUMN",
        ),
        (
            ["score", "warm.jsonl", "--columns", "id=a,id=b"],
            "argument --columns: the field 'id' is given twice",
        ),
        (["score", "warm.jsonl", "--columns", "hypotesis=a"], "did you mean 'hypothesis'?"),
        (["score", "warm.jsonl", "--metrics", "blue"], "there is no metric 'blue'; did you mean 'bleu'?"),
        (["score", "warm.jsonl", "--metrics", "bleu(odrer=2)"], "'odrer'; did you mean 'order'?"),
        (["score", "warm.jsonl", "--metrics", "bleu(order=5)"], "bleu(order=5): expected one of"),
        (["score", "warm.jsonl", "--metrics", ","], "no metric is named"),
        (["score", "warm.jsonl", "--reader", "json"], "there is no reader 'json'; did you mean 'jsonl'?"),
        (["metrics", "lenght"], "there is no metric 'lenght'; did you mean 'length'?"),
        (["readers", "mimes"], "there is no reader 'mimes'; did you mean 'mime'?"),
    ],
)
def test_a_wrong_command_line_is_answered_with_one_message(run, words, expected):
    """Status 2, nothing on standard output, and one line that names what is wrong."""
    status, out, err = run(*words)
    assert (2, "") == (status, out)
    assert err.startswith("empeval: error: ")
    assert 1 == err.count("\n"), err
    assert expected in err


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "bad.jsonl: there is no such file"),
        (b"", "bad.jsonl: the file is empty"),
        (b'{"id": "1", "hypothesis": "a"}\n{"id": "2", "hypothesis": \n', "bad.jsonl, line 2"),
        (b'{"id": "1", "hypothesis": null}\n', "null"),
        (b'{"id": "1", "response": "a"}\n', "'hypothesis'"),
        (b'{"id": "1", "hypothesis": "\xff"}\n', "UTF-8"),
        (b"\x1f\x8b\x08\x00broken", "gzip"),
        (b'{"id": "x9", "hypothesis": "a"}\n', "'bad' shares no segment"),
    ],
)
def test_a_wrong_file_is_answered_with_one_message(run, folder, content, expected):
    """Status 2, and one line that names the file, and the line where there is one."""
    if content is not None:
        (folder / "bad.jsonl").write_bytes(content)
    status, out, err = run("score", "warm.jsonl", "bad.jsonl", "--corpus", "corpus.jsonl")
    assert (2, "") == (status, out)
    assert 1 == err.count("\n"), err
    assert "bad" in err
    assert expected in err


def test_python_m_empeval_is_the_command():
    """The module runs as the script does."""
    child = start("--version")
    out, err = child.communicate()
    assert (0, f"empeval {empeval.__version__}\n".encode(), b"") == (child.returncode, out, err)


def test_output_is_utf8_whatever_the_locale():
    """An ASCII locale changes no byte."""
    ascii_locale = {**ENVIRONMENT, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    child = start("metrics", "length", env=ascii_locale)
    out, err = child.communicate()
    assert (0, b"") == (child.returncode, err)
    assert "∞" in out.decode("utf-8")


def test_a_file_name_that_is_not_utf8_is_scored_and_printed(folder: Path):
    """Linux file names are bytes; those that are no text are shown as escapes."""
    (folder / os.fsdecode(b"w\xff.jsonl")).write_bytes((folder / "warm.jsonl").read_bytes())
    child = start("score", b"w\xff.jsonl", "--metrics", "length", "--out", "run", cwd=folder)  # type: ignore[arg-type]
    out, err = child.communicate()
    assert 0 == child.returncode, err
    assert b"\\udcff" in out
    child = start("verify", "run", cwd=folder)
    out, err = child.communicate()
    assert 0 == child.returncode, err


def test_a_reader_that_leaves_early_is_no_error():
    """``empeval metrics | head -0`` is silent."""
    child = start("metrics", "bleu")
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    assert (b"", 0) == (child.stderr.read(), child.wait())
    child.stderr.close()


def test_a_full_disk_is_reported():
    """Output that could not be written is no success."""
    with Path("/dev/full").open("wb") as full:
        child = start("metrics", stdout=full)
        _, err = child.communicate()
    assert (2, b"empeval: error: No space left on device\n") == (child.returncode, err)


def test_progress_is_shown_on_a_terminal(folder: Path):
    """One line, rewritten, and cleared before the first warning; standard output stays clean."""
    ours, theirs = os.openpty()
    child = start("score", "warm.jsonl", "--metrics", "length", "--format", "csv", cwd=folder, stderr=theirs)
    out, _ = child.communicate()
    shown = os.read(ours, 10_000)
    os.close(theirs)
    os.close(ours)
    assert out.startswith(b"system,")
    assert shown.startswith(b"\rreading\rlength: warm\r")
    assert b"\rpaired tests\r            \rempeval: warning: " in shown


def test_an_interrupt_ends_quietly_with_130(folder: Path):
    """Ctrl-C while a file is read; the named pipe tells when that is so."""
    os.mkfifo(folder / "pipe.jsonl")
    child = start("score", "pipe.jsonl", cwd=folder)
    with (folder / "pipe.jsonl").open("wb"):
        child.send_signal(signal.SIGINT)
        _, err = child.communicate()
    assert (130, b"") == (child.returncode, err)
