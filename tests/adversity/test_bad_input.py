"""What a user can get wrong, by mistake or on purpose: one message, or a leaderboard after all."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from empeval import Corpus, SystemOutputs, score
from empeval.errors import AlignmentError, InputError

FORMATS = ("text", "markdown", "latex", "csv", "html", "json")
PLAIN = ("--resamples", "0", "--metrics", "length")


def jsonl(*records: dict) -> bytes:
    """Records as JSONL."""
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def segment(name: str, hypothesis: object = "oh no .", **others: object) -> dict:
    """A record with everything."""
    texts = {"context": [f"my cat {name} ran away ."], "reference": f"poor {name} !", "emotion": "sad"}
    return {"id": name, **texts, "hypothesis": hypothesis} | others


GOOD = jsonl(segment("a"), segment("b", "that is great !"), segment("c", "i am sorry ."))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, with good.jsonl."""
    (tmp_path / "good.jsonl").write_bytes(GOOD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def assert_one_message(result, *expected: str) -> None:
    """Status 2, nothing on standard output, one line that holds what is expected."""
    status, out, err = result
    assert (2, "") == (status, out), err
    assert err.startswith("empeval: error: ")
    assert 1 == len(err.splitlines()), err
    for text in expected:
        assert text in err


# ------------------------------------------------------------------------------------------- files


def one(**fields: object) -> bytes:
    """A file of one record with these fields."""
    return jsonl(segment("a", **fields))


LATIN = GOOD.replace(b"great", b"gr\xe9at")
DEEP = GOOD + b'{"id": ' + b"[" * 99_999 + b"\n"
CUT = jsonl(segment("a"), segment("b")) + b'{"id": "c", "hypothesis": \n'
OTHER = jsonl(segment("a"), segment("b", reference="what a strange cat !"), segment("c"))

#: What is wrong → suffix of the file, content, parts of the message.
BAD_FILES = {
    "empty": (".jsonl", b"", "bad.jsonl: the file is empty"),
    "blank": (".jsonl", b"\n\n", "bad.jsonl: the file holds no records"),
    "binary": (".dat", bytes(range(1, 255)) + bytes(9), "bad.dat, line"),
    "NUL": (".jsonl", GOOD.replace(b"great", b"gre\0t"), "bad.jsonl, line 2: a NUL byte"),
    "image": (".jsonl", b"\x89PNG\r\n\x1a\n", "bad.jsonl: the file is an image"),
    "spreadsheet": (".csv", b"PK\x03\x04\x14\0", "bad.csv: the file is a zip archive or a spreadsheet"),
    "Latin-1": (".jsonl", LATIN, f"line 2: byte 0xe9 at offset {LATIN.index(0xE9)} is not UTF-8"),
    "UTF-16": (".csv", "id,hypothesis\n1,oh\n".encode("utf-16"), "bad.csv: the file is UTF-16 text"),
    "cut gzip": (
        ".jsonl.gz",
        gzip.compress(GOOD, mtime=0)[:-9],
        "bad.jsonl.gz: the gzip data are damaged or cut",
    ),
    "cut Parquet": (".parquet", b"PAR1\0\0\0", "bad.parquet: the file is not readable as Parquet"),
    "broken JSON": (".jsonl", CUT, "bad.jsonl, line 3: this line is not valid JSON"),
    "array": (".json", b'[\n{"id": "a"}\n]\n', "bad.json, line 1: this line"),
    "deep JSON": (".jsonl", DEEP, "bad.jsonl, line 4: this line is nested"),
    "long number": (".jsonl", b'{"id": ' + b"9" * 9999 + b"}\n", "line 1: this line holds a number of too"),
    "half character": (".jsonl", GOOD + rb'{"id": "\ud83d"}', "bad.jsonl, line 4: this line holds half"),
    "no field": (".jsonl", GOOD.replace(b"hypothesis", b"text"), "bad.jsonl: the field 'hypothesis' is"),
    "lost field": (".jsonl", jsonl(segment("a"), {"id": "b"}), "bad.jsonl, line 2: the field"),
    "null": (".jsonl", jsonl(segment("a"), segment("b", None)), "line 2, id 'b': the field 'hypothesis' is"),
    "wrong type": (".jsonl", jsonl(segment("a"), segment("b", 3)), "line 2, id 'b': the field 'hypothesis'"),
    "nested type": (".jsonl", one(context=[["x"]]), "line 1, id 'a': the field 'context' must"),
    "no reference": (".jsonl", one(reference=[]), "line 1, id 'a': the field 'reference' is an empty"),
    "id twice": (".jsonl", GOOD + one(), "bad.jsonl, line 4, id 'a': this id"),
    "negative nll": (".jsonl", one(nll=-0.1, n_tokens=3), "line 1, id 'a': the field 'nll' must"),
    "nan nll": (".jsonl", one(nll=float("nan"), n_tokens=3), "id 'a': the field 'nll' must", "number nan"),
    "infinite nll": (".jsonl", b'{"hypothesis": "", "nll": 1e999}\n', "line 1: the field 'nll' must"),
    "huge nll": (".jsonl", one(nll=1e308, n_tokens=3), "id 'a': the field 'nll' is too large"),
    "no tokens": (".jsonl", one(nll=1.0, n_tokens=0), "id 'a': the field 'n_tokens' must"),
    "2 ** 63 tokens": (".jsonl", one(nll=1.0, n_tokens=2**63), "id 'a': the field 'n_tokens' is too large"),
    "likely token": (".jsonl", one(token_logprobs=[0.1]), "id 'a': the field 'token_logprobs' must hold"),
    "huge sum": (".jsonl", one(token_logprobs=[-1e308] * 2), "id 'a': the field 'token_logprobs' must hold"),
    "nan candidate": (".jsonl", one(candidate_scores=[float("nan")]), "id 'a': the field 'candidate_scores'"),
    "nan in CSV": (".csv", b"id,hypothesis,nll\n1,oh,nan\n", "bad.csv, line 2, id '1': the field 'nll'"),
    "short row": (".csv", b"id,hypothesis\n1,oh\n2\n", "bad.csv, line 3: 1 cells, but the header has 2"),
    "open quote": (".csv", b'id,hypothesis\n1,oh\n2,"no\n', "bad.csv, line 3: this row cannot be read"),
    "column twice": (".tsv", b"id\thypothesis\tid\n1\toh\t2\n", "bad.tsv, line 1: two columns are named"),
    "nothing shared": (".jsonl", jsonl(segment("x")), "system 'good' shares no segment with system 'bad'"),
    "two references": (".jsonl", OTHER, "id 'b': the references of", "poor b !", "what a strange cat !"),
    "only a corpus": (".csv", b"id,reference\n1,oh\n", "bad.csv: the field 'hypothesis' is missing"),
}


@pytest.mark.parametrize("what", BAD_FILES)
def test_a_bad_file_is_named_with_the_place(what, folder, run):
    """The file, and the line or id wherever there is one."""
    suffix, content, *expected = BAD_FILES[what]
    (folder / f"bad{suffix}").write_bytes(content)
    assert_one_message(run("score", f"bad{suffix}", "good.jsonl", *PLAIN), "bad", *expected)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["missing.jsonl"], "missing.jsonl: there is no such file"),
        (["good.jsonl", "--corpus", "missing.csv"], "missing.csv: there is no such file"),
        (["."], ".: this is a folder"),
        (["folder.jsonl"], "folder.jsonl: this is a folder"),
        (["good.jsonl", "--corpus", "folder.jsonl"], "folder.jsonl: this is a folder"),
        (["/dev/null"], "/dev/null: the file is empty"),
        ([""], "the name of a file is empty"),
        (["good.jsonl", "--corpus", ""], "the name of a file is empty"),
        (["good.jsonl/x"], "good.jsonl/x: "),
        (["n" * 5000], "n: the file cannot be read: File name too long"),
        (["good\0.jsonl"], "good\\x00.jsonl: this is not a file name"),
        (["name="], "'name=' is neither a file nor NAME=FILE"),
        (["=good.jsonl"], "'=good.jsonl' is neither a file nor NAME=FILE"),
        (["a=b=good.jsonl"], "b=good.jsonl: there is no such file"),
        (["good.jsonl", "good.jsonl"], "two files name a system 'good': good.jsonl and good.jsonl"),
        (["x=good.jsonl", "x=good.jsonl"], "two files name a system 'x'"),
        (["human=good.jsonl", "--human"], "a system is named 'human'"),
        (["a.jsonl", "good.jsonl", "--cohort", "strict"], "a.jsonl: system 'a' lacks 1 of the 3 segments"),
        (["good.jsonl", "b=a.jsonl", "--cohort", "strict"], "the first is id 'c'"),
        (["good.jsonl", "--reader", "mime"], "good.jsonl, line 1: expected emotion"),
        (["good.jsonl", "--reader", "parquet"], "good.jsonl: the file is not readable as Parquet"),
        (["lines.txt", "--human"], "lines: the human row needs references"),
        (["lines.txt", "--by", "emotion"], "lines: a breakdown by emotion needs the field 'emotion'"),
        (
            ["lines.txt", "good.jsonl"],
            "lines.txt: the 3 bare lines of 'lines' can be joined by",
        ),
        (["lines.txt", "--corpus", "a.jsonl"], "lines.txt: 'lines' has 3 lines, but"),
    ],
)
def test_files_that_cannot_be_scored_are_named(words, expected, folder, run):
    """Missing, folders, devices, odd names, twice the same, gaps under ``strict``, what a table lacks."""
    (folder / "folder.jsonl").mkdir()
    (folder / "a.jsonl").write_bytes(jsonl(segment("a"), segment("b")))
    (folder / "lines.txt").write_text("oh no .\ni see .\ngreat !\n")
    assert_one_message(run("score", *words, *PLAIN), expected)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--metrics", "blue"], "there is no metric 'blue'; did you mean 'bleu'?"),
        (["--metrics", "bleu(odrer=2)"], "'odrer'; did you mean 'order'?"),
        (["--metrics", ""], "no metric is named"),
        (["--metrics", "bleu(order=5)"], "bleu(order=5): expected one of"),
        (["--metrics", "bleu(order=" + "9" * 5000 + ")"], "expected one of"),
        (["--metrics", "bleu(tokenize="], "'bleu(tokenize=' is not of the form"),
        (["--metrics", "bleu)"], "'bleu)' is not of the form"),
        (["--metrics", 'bleu(tokenize="none)'], "expected ',' or ')' at position"),
        (["--metrics", "distinct(n=0)"], "distinct(n=0): n must be from 1 to 9"),
        (["--metrics", "distinct(n=" + "9" * 5000 + ")"], "expected a whole number"),
        (["--metrics", "hits(k=0)"], "hits(k=0): k must"),
        (["--metrics", "\x1b[31m"], "\\x1b[31m"),
        (["--level", "0"], "--level: '0' does not lie between 0 and 1"),
        (["--level", "nan"], "--level: 'nan'"),
        (["--resamples", "-1"], "--resamples: '-1' is not a whole number of 0 or more"),
        (["--resamples", "9" * 5000], "--resamples: "),
        (["--seed", "x"], "--seed: 'x' is not a whole number"),
        (["--seed", "9" * 5000], "--seed: "),
        (["--columns", "a=b"], "there is no field 'a'"),
        (["--columns", "hypotesis=b"], "'hypotesis'; did you mean 'hypothesis'?"),
        (["--columns", "hypothesis=b"], "good.jsonl: there is no column 'b' to read as 'hypothesis'"),
        (["--columns", "="], "'=' is not of the form FIELD=COLUMN"),
        (["--reader", "empatheticdialogues(max_turns=0)"], "max_turns must be 1 or above"),
        (["--reader", "("], "'(' is not of the form"),
        (["--out", ""], "the name of the folder is empty"),
        (["--format", "pdf"], "value of --format 'pdf'"),
    ],
)
def test_a_bad_option_is_named(words, expected, folder, run):
    """What was given, and the nearest thing that is right."""
    assert_one_message(run("score", "good.jsonl", *PLAIN, *words), expected)


# -------------------------------------------------------------------------------------------- cuts


#: Format → what a record ends with.
ENDS = {
    **dict.fromkeys(("empdg", "empdg-zero", "kemp"), rb"Ref:.*\n"),
    **dict.fromkeys(("mime", "cem", "seek"), rb"-{60,}\n"),
    **dict.fromkeys(("csv", "tsv", "jsonl", "lines", "empatheticdialogues"), rb".*\n"),
    "moel": rb"ref:.*\n\n",
}


@pytest.mark.parametrize("kind", ENDS)
def test_a_cut_in_a_record_is_refused_or_told(kind, folder, builders, run):
    """A cut in the last record is an error, or a warning where what is left could be a whole record."""
    data = builders[kind](random.Random(3), 3)
    (folder / "answers").write_bytes(builders["lines"](random.Random(3), data.count(b"\n")))
    ends = [match.end() for match in re.finditer(ENDS[kind], data)]
    near_breaks = {at + shift for at, byte in enumerate(data) if byte == 10 for shift in (0, 1, 2)}
    cuts = near_breaks | set(range(ends[-2], len(data), 13))
    if kind in ("jsonl", "moel"):  # whole without the last line break
        ends += [end - 1 for end in ends]
    for cut in sorted(cuts):
        if ends[-2] < cut < len(data) and cut not in ends:
            (folder / "cut").write_bytes(data[:cut])
            words = ["answers", "--corpus", "cut"] if kind == "empatheticdialogues" else ["cut"]
            result = run("score", *words, *PLAIN)
            assert result.status == 2 or "[maybe_truncated]" in result.err, data[ends[-2] : cut]


# ------------------------------------------------------------------------------------------- names

NAMES = {
    "line feed": "a\nb.jsonl",
    "return": "a\rb.jsonl",
    "separator": "a\u2028b.jsonl",
    "escape": "a\x1b[31m\x07.jsonl",
    "right to left": "\u202ea.jsonl",
    "emoji": "👩\u200d🔬.jsonl",
    "no text": os.fsdecode(b"a\xff.jsonl"),
    "dash": "-a.jsonl",
    "blank": " .jsonl",
    "hidden": ".jsonl",
    "equals": "a=b.jsonl",
    "markup": "<b>&_$#%~^|`.jsonl",
    "long": "n" * 240 + ".jsonl",
}


@pytest.mark.parametrize("what", NAMES)
@pytest.mark.parametrize("form", FORMATS)
def test_any_file_name_can_be_scored(what, form, folder, run):
    """A leaderboard in every format; the name is on one line and cannot act on a terminal."""
    (folder / NAMES[what]).write_bytes(GOOD)
    status, out, err = run("score", *PLAIN, "--format", form, "--quiet", "--", NAMES[what])
    assert (0, "") == (status, err)
    assert not re.search("[\x1b\x07\r\u2028\u202e]", out) or form in ("csv", "json")
    if form == "json":
        assert [Path(NAMES[what]).stem] == json.loads(out)["systems"]
    if form == "csv":
        assert 2 == len(list(csv.reader(io.StringIO(out, newline=""))))


@pytest.mark.parametrize("what", NAMES)
def test_any_file_name_can_be_told(what, folder, run):
    """One message on one line, whatever the name does to lines."""
    (folder / NAMES[what]).write_bytes(b"")
    result = run("score", *PLAIN, "--", NAMES[what])
    assert_one_message(result, "the file is empty")
    assert result.err.removesuffix("\n").isprintable()


@pytest.mark.parametrize(
    "name", ["a\nb", "\x1b[2J\x07", "\u202eevil", " ", "a&b_c|%$#", "{segments}", "n" * 5000, "a,b"]
)
@pytest.mark.parametrize("form", FORMATS)
def test_any_system_name_can_be_printed(name, form, folder, run):
    """NAME=FILE with characters that mean something to terminals and formats, also in warnings and errors."""
    (folder / "empty.jsonl").write_bytes(jsonl(segment("a", ""), segment("b", "")))
    status, out, err = run("score", f"{name}=empty.jsonl", "good.jsonl", *PLAIN, "--format", form)
    assert 0 == status, err
    assert all(line.startswith("empeval: warning: ") for line in err.splitlines())
    assert err.replace("\n", "").isprintable()
    if form == "json":
        assert [name, "good"] == json.loads(out)["systems"]
    assert_one_message(
        run("score", f"{name}=empty.jsonl", "good.jsonl", *PLAIN, "--cohort", "strict"), "id 'c'"
    )


# ------------------------------------------------------------------------------------ odd contents

ODD_CONTENTS = {
    "one record": jsonl(segment("a")),
    "empty responses": jsonl(segment("a", ""), segment("b", ""), segment("c", "")),
    "blank responses": jsonl(segment("a", " "), segment("b", "\u200b"), segment("c", "\n\t")),
    "equal responses": jsonl(segment("a"), segment("b"), segment("c")),
    "one dialogue": jsonl(*(segment(name, dialogue_id="d") for name in "abc")),
    "empty references": jsonl(*(segment(name, reference="") for name in "abc")),
    "some empty references": jsonl(segment("a", reference=["", "x"]), segment("b", reference=" ")),
    "no context": jsonl(*(segment(name, context=[]) for name in "abc")),
    "responses without words": jsonl(segment("a", "! ? ."), segment("b", "😊"), segment("c", "\u0301")),
    "probability 0": jsonl(
        segment("a", candidate_scores=[0.0, 0.0], predicted_emotion=[], nll=0.0, n_tokens=1)
    ),
    "no emotions": jsonl(*(segment(name, emotion=None, predicted_emotion="sad") for name in "abc")),
}


@pytest.mark.parametrize("what", ODD_CONTENTS)
@pytest.mark.parametrize("n_resamples", ["0", "20"])
def test_odd_contents_are_scored(what, n_resamples, folder, run):
    """A value or a reason for each score, never NaN; alone, with itself, with the references as a row."""
    (folder / "odd.jsonl").write_bytes(ODD_CONTENTS[what])
    for words in (["odd.jsonl"], ["odd.jsonl", "same=odd.jsonl"], ["odd.jsonl", "--human"]):
        status, out, err = run("score", *words, "--resamples", n_resamples, "--format", "json", "--quiet")
        assert (0, "") == (status, err)
        for entry in json.loads(out, parse_constant=pytest.fail)["scores"]:
            assert (entry["value"] is None) == (entry["reason"] is not None)


LONG_TEXTS = {
    "one word": "a" * 10_000_000,
    "end tokens": "EOS " * 60_000 + "x",
    "zero width": "\u200b" * 100_000 + "ก",
    "marks of direction": "a" * 200_000 + "ا" + "\u200f" * 30_000,
    "joined words": "می\u200cخواهم " * 30_000,
    "accents": "e" + "\u0301" * 200_000,
    "brackets": "[" * 200_000 + "<|" * 100_000,
    "blanks": " " * 300_000 + "x",
}


@pytest.mark.parametrize("what", LONG_TEXTS)
def test_a_long_line_takes_no_longer_than_its_length(what, folder, run):
    """Texts of a size that a quadratic step would not get through."""
    (folder / "long.jsonl").write_bytes(jsonl(segment("a", LONG_TEXTS[what]), segment("b")))
    assert 0 == run("score", "long.jsonl", *PLAIN).status


def test_a_context_of_many_turns_takes_no_longer_than_its_length(folder, run):
    """200,000 turns in two segments, one of which may continue the other."""
    context = ["so"] * 200_000
    (folder / "long.jsonl").write_bytes(
        jsonl(segment("a", context=context), segment("b", context=[*context, "x"]))
    )
    assert 0 == run("score", "long.jsonl", *PLAIN).status


def test_a_long_line_without_end_is_named(folder, run):
    """10 MB of a text that is never closed, in each format that has quotation marks or brackets."""
    for name, start, expected in (
        ("a.jsonl", '{"id": "a", "hypothesis": "', "a.jsonl, line 1: this line is not valid JSON"),
        ("a.csv", 'id,hypothesis\n1,"', "a.csv, line 2: this row cannot be read"),
        ("a.txt", "emotion:sad \nContext:['", "a.txt, line 2: the context must be a list"),
    ):
        (folder / name).write_text(start + "a" * 10_000_000)
        assert_one_message(run("score", name, *PLAIN), expected)


@pytest.mark.parametrize(
    "number", ["7e2", "0e300", "-1e300", "1e-" + "9" * 5000, "9" * 300, "0." + "0" * 5000 + "1", "inf"]
)
def test_any_number_may_stand_in_a_header(number, folder, builders, run):
    """The claims of a log are compared with what it holds, however they are written."""
    log = builders["mime"](random.Random(1), 3).decode()
    for written in ("3.6000", "36.5982", "0.5000", "2.10"):
        (folder / "log.txt").write_text(log.replace(written, number))
        status, out, _ = run("score", "log.txt", *PLAIN, "--format", "json")
        assert 0 == status
        json.loads(out, parse_constant=pytest.fail)


# ----------------------------------------------------------------------------------------- devices


def test_a_named_pipe_is_read_once(folder, run):
    """A pipe gives a leaderboard, an empty one a message."""
    os.mkfifo(folder / "pipe.jsonl")
    for content, status in ((GOOD, 0), (b"", 2)):
        writer = threading.Thread(target=(folder / "pipe.jsonl").write_bytes, args=(content,))
        writer.start()
        result = run("score", "pipe.jsonl", *PLAIN)
        writer.join()
        assert status == result.status
    assert_one_message(result, "pipe.jsonl: the file is empty")


def test_a_socket_is_no_file(folder, run):
    """Nor can it be opened."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("file.jsonl")
        assert_one_message(run("score", "file.jsonl", *PLAIN), "file.jsonl: the file cannot be read: ")


@pytest.mark.parametrize(
    ("redirection", "words", "status", "out", "err"),
    [
        ("<&-", ("-",), 2, "", "empeval: error: standard input: it is closed\n"),
        ("</dev/null", ("-",), 2, "", "empeval: error: standard input: the file is empty"),
        (">&-", ("good.jsonl",), 2, "", "empeval: error: standard output is closed; "),
        ("2>&-", ("good.jsonl",), 0, "system,", ""),
        ("2>&-", ("missing.jsonl",), 2, "", ""),
        ("2>/dev/full", ("missing.jsonl",), 2, "", ""),
        ("2>/dev/full", ("good.jsonl",), 0, "system,", ""),
        (">/dev/full", ("good.jsonl", "--quiet"), 2, "", "empeval: error: No space left on device\n"),
    ],
)
def test_streams_may_be_closed_or_full(redirection, words, status, out, err, folder):
    """Nothing is written to the wrong stream, and the status tells what happened."""
    command = [sys.executable, "-m", "empeval", "score", *words, *PLAIN, "--format", "csv"]
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *command], capture_output=True, check=False, text=True
    )
    assert status == done.returncode, done.stderr
    assert done.stdout.startswith(out)
    assert bool(done.stdout) == bool(out)
    assert done.stderr.startswith(err)
    assert bool(done.stderr) == bool(err)


# ------------------------------------------------------------------------------- an output folder


def listing(folder: Path) -> dict[str, str]:
    """What a folder holds, all the way down, with digests."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize(
    ("out", "expected"),
    [
        ("good.jsonl", "good.jsonl: this is a file"),
        ("good.jsonl/run", "good.jsonl/run: no folder can be made in"),
        ("good.jsonl/a/b", "good.jsonl/a/b: no folder can be made in"),
        ("mine", "mine: this folder holds other things than a run"),
        (".", ".: this folder holds other things than a run"),
        ("loop", "loop: "),
        ("loop/run", "loop/run: "),
        ("/dev/null", "/dev/null: this is a file"),
        ("/dev/null/run", "/dev/null/run: no folder can be made in"),
        ("/proc/run", "/proc/run: "),
        ("n" * 300, "File name too long"),
        ("a\0b", "a\\x00b: "),
    ],
)
def test_a_folder_that_cannot_be_written_is_named(out, expected, folder, run):
    """Also for root, whom no permission stops; nothing is written and nothing lost."""
    (folder / "mine").mkdir()
    (folder / "mine/thesis.tex").write_text("mine")
    (folder / "loop").symlink_to("loop")
    before = listing(folder)
    assert_one_message(run("score", "good.jsonl", *PLAIN, "--out", out), expected)
    assert before == listing(folder)


# Newer Pythons warn of forks beside the threads of libraries; here nothing else runs in them.
PYTHON = (sys.executable, "-W", "ignore::DeprecationWarning", "-c")

#: Runs a command in forks of itself: when the n-th of them takes its n-th step on the run, a signal arrives.
INTERRUPTED = """
import itertools, json, os, shutil, sys
from empeval.cli import main
from empeval.report import runs

signal_number, earlier, *words = int(sys.argv[1]), sys.argv[2] == "True", *sys.argv[3:]
main([*words[:-1], "warm"])  # loads what is needed once, before the forks
shutil.rmtree("warm")

def fork(n):
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    left = itertools.count(n, -1)

    def step(event, args):
        if event == "open" or event.startswith(("os.", "shutil.")):
            on_the_run = os.path.relpath(str(args[0])).startswith(("run", ".run-"))
            if on_the_run and next(left) == 1:
                os.kill(os.getpid(), signal_number)

    if n:
        sys.addaudithook(step)
    os._exit(main(words))

def state():
    wrong = []
    if os.path.exists("run"):
        digests = runs.load_manifest("run")["files"]
        wrong = [name for name in digests if digests[name] != runs.sha256(runs.Path("run", name))]
    return {
        "here": sorted(os.listdir()),
        "wrong": wrong,
        "notes": [at for at, _, names in os.walk(".") if "notes.txt" in names],
    }

for n in itertools.count(1):
    if not earlier:
        shutil.rmtree("run", ignore_errors=True)
    status = fork(n)
    print(json.dumps({"status": status, **state(), "again": fork(0), "then": state()}))
    if status == 0:
        break
"""


@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT"])
def test_an_interrupted_run_is_there_or_not(name, earlier, folder, run):
    """After every step of writing; what is there is whole, is no obstacle, and the user's own files stay."""
    if earlier:
        assert 0 == run("score", "good.jsonl", *PLAIN, "--seed", "1", "--out", "run").status
        (folder / "run/notes.txt").write_text("mine")
    words = ["score", "good.jsonl", *PLAIN, "--quiet", "--out", "run"]
    code = [*PYTHON, INTERRUPTED, str(int(signal.Signals[name])), str(earlier), *words]
    done = subprocess.run(code, capture_output=True, check=True, text=True)
    assert "" == done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"status"')]
    assert len(lines) > 10
    for after in lines:
        assert [] == after["wrong"] == after["then"]["wrong"]
        assert 0 == after["again"]
        assert earlier == (after["notes"] != [])
        if name == "SIGINT":
            assert after["status"] in (0, 130)
            assert earlier <= ("run" in after["here"])
            assert {"good.jsonl", "run"} >= set(after["here"])
            assert not earlier or ["./run"] == after["notes"]
    assert 0 == lines[-1]["status"]


#: Runs a command in forks that may write files of so many bytes only.
FULL = """
import os, resource, sys
from empeval.cli import main

for size in map(int, sys.argv[1].split(",")):
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        os._exit(main(sys.argv[2:]))
    print("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), *sorted(os.listdir()), flush=True)
"""


@pytest.mark.parametrize("earlier", [False, True])
def test_a_full_disk_leaves_everything_as_it_was(earlier, folder, run):
    """Whichever file is the first that does not fit."""
    if earlier:
        assert 0 == run("score", "good.jsonl", *PLAIN, "--out", "run").status
    before = listing(folder)
    sizes = "0,1,300,600,1000,1800"
    words = ["score", "good.jsonl", *PLAIN, "--quiet", "--seed", "1", "--out", "run"]
    done = subprocess.run(
        [sys.executable, "-c", FULL, sizes, *words], capture_output=True, check=True, text=True
    )
    assert ["empeval: error: run: the run cannot be written: File too large"] * 6 == done.stderr.splitlines()
    names = "good.jsonl run" if earlier else "good.jsonl"
    assert [f"status 2 {names}"] * 6 == done.stdout.splitlines()
    assert before == listing(folder)


# ----------------------------------------------------------------------------------------- in code


def test_transposed_references_are_told():
    """K lists of N texts, as other libraries take them, are not N lists of K."""
    outputs = SystemOutputs.build("a", ["oh no .", "i see .", "great !"])
    with pytest.raises(AlignmentError, match="look transposed: 2 lists of 3 texts for 3 segments"):
        Corpus.build(references=[["a", "b", "c"], ["d", "e", "f"]], ids=["x", "y", "z"])
    with pytest.raises(AlignmentError, match="look transposed: give 3 lists of 2"):
        score(Corpus.build(references=[["a", "b", "c"], ["d", "e", "f"]]), outputs, "bleu")


@pytest.mark.parametrize(
    ("n_tokens", "nlls"), [([1, 0], [1.0, 1.0]), ([1, 1], [1.0, -0.5]), ([1, 1], [1.0, float("nan")])]
)
def test_wrong_likelihoods_are_named(n_tokens, nlls):
    """By the id of the segment."""
    corpus = Corpus.build(references=["oh", "no"], ids=["x", "y"])
    outputs = SystemOutputs.build("a", {"x": "oh", "y": "no"}, nlls=nlls, n_tokens=n_tokens)
    with pytest.raises(InputError, match="id 'y': n"):
        score(corpus, outputs, "perplexity")
