"""5,000 damaged excerpts and 50 damaged files: a leaderboard or one message, never anything else.

Everything is drawn from seeds, so that a case which fails can be run again: its chunk, number and mutations
stand in the message.
"""

from __future__ import annotations

import contextlib
import csv
import datetime
import decimal
import gzip
import io
import json
import math
import random
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from empeval.cli import main

FORMATS = ("text", "markdown", "latex", "csv", "html", "json")
READERS = ("jsonl", "csv", "tsv", "parquet", "lines", "empatheticdialogues", "empdg", "kemp", "mime", "moel", "cem", "seek")
PUBLISHED = {  # file: lines before the first record, lines of a record
    "mime/output.txt": (3, 7),
    "empdg/EmpDG.txt": (0, 5),
    "empdg/EmoPrepend.txt": (0, 5),
    "empdg/Transformer.txt": (0, 5),
}
LONGEST = 40  # records of an excerpt

Mutation = Callable[[random.Random, bytes], bytes]
Record = dict[str, Any]

# ------------------------------------------------------------------------------------------- bytes

ODD_BYTES = (
    b"\0", b"\r", b"\n", b"\t", b" ", b'"', b"'", b",", b";", b":", b"\\", b"\xff", b"\xc3", b"\xed\xa0\x80",
    b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xc2\x85", b"\x0b", b"\x1b[31m", b"\xf0\x9f\x98\x80", b"\xe2\x80\xae",
    b"\\ud800", b"\\udfff\\ud800", b"\\u0000", b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"-1", b"null", b"{}",
    b"[" * 5000, b'{"a":' * 3000, b"\x1f\x8b", b"PAR1", b"-" * 70, b"emotion:", b"Context:[", b"Ref:", b"<eos>",
)  # fmt: skip


def flip_bits(rng: random.Random, data: bytes) -> bytes:
    """Turn one to four bits over."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def insert_bytes(rng: random.Random, data: bytes) -> bytes:
    """Put something odd somewhere."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(ODD_BYTES) + data[at:]


def overwrite_bytes(rng: random.Random, data: bytes) -> bytes:
    """Put something odd in the place of something."""
    at = rng.randrange(len(data))
    odd = rng.choice(ODD_BYTES)
    return data[:at] + odd + data[at + rng.randint(1, 2 * min(len(odd), 8)) :]


def delete_bytes(rng: random.Random, data: bytes) -> bytes:
    """Lose a stretch."""
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 2, 5, 50, 500)) :]


def repeat_bytes(rng: random.Random, data: bytes) -> bytes:
    """Double a stretch."""
    at, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[at:end] + data[end:]


def swap_bytes(rng: random.Random, data: bytes) -> bytes:
    """Let two bytes change places."""
    changed = bytearray(data)
    i, j = rng.randrange(len(data)), rng.randrange(len(data))
    changed[i], changed[j] = changed[j], changed[i]
    return bytes(changed)


def truncate(rng: random.Random, data: bytes) -> bytes:
    """End early."""
    return data[: rng.randrange(len(data))]


def behead(rng: random.Random, data: bytes) -> bytes:
    """Start late."""
    return data[rng.randrange(len(data)) :]


def zero_out(rng: random.Random, data: bytes) -> bytes:
    """A stretch of NUL bytes, as a crashed file system leaves it."""
    at = rng.randrange(len(data))
    n = min(rng.choice((1, 16, 512)), len(data) - at)
    return data[:at] + bytes(n) + data[at + n :]


# ------------------------------------------------------------------------------------------- lines


def of_lines(change: Callable[[random.Random, list[bytes]], None]) -> Mutation:
    """A mutation of lines as one of bytes."""

    def mutate(rng: random.Random, data: bytes) -> bytes:
        lines = data.split(b"\n")
        change(rng, lines)
        return b"\n".join(lines)

    mutate.__name__ = change.__name__
    return mutate


@of_lines
def drop_lines(rng: random.Random, lines: list[bytes]) -> None:
    """Lose a line or a few."""
    at = rng.randrange(len(lines))
    del lines[at : at + rng.randint(1, 3)]


@of_lines
def double_lines(rng: random.Random, lines: list[bytes]) -> None:
    """Repeat a line, a record or so."""
    at = rng.randrange(len(lines))
    lines[at:at] = lines[at : at + rng.choice((1, 1, 5, 7))]


@of_lines
def swap_lines(rng: random.Random, lines: list[bytes]) -> None:
    """Let two lines change places."""
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]


@of_lines
def cut_line(rng: random.Random, lines: list[bytes]) -> None:
    """End a line in its middle."""
    i = rng.randrange(len(lines))
    lines[i] = lines[i][: len(lines[i]) // 2]


@of_lines
def break_line(rng: random.Random, lines: list[bytes]) -> None:
    """Break a line in its middle."""
    i = rng.randrange(len(lines))
    half = len(lines[i]) // 2
    lines[i : i + 1] = [lines[i][:half], lines[i][half:]]


@of_lines
def join_lines(rng: random.Random, lines: list[bytes]) -> None:
    """Lose a line feed."""
    i = rng.randrange(len(lines))
    lines[i : i + 2] = [b"".join(lines[i : i + 2])]


@of_lines
def shuffle_lines(rng: random.Random, lines: list[bytes]) -> None:
    """Lose the order."""
    rng.shuffle(lines)


@of_lines
def lengthen_line(rng: random.Random, lines: list[bytes]) -> None:
    """Make a line very long."""
    i = rng.randrange(len(lines))
    at = rng.randrange(len(lines[i]) + 1)
    lines[i] = lines[i][:at] + rng.choice((b"a", b"so ", b"['", b"\\", b'"', b"\xcc\x81")) * 20_000 + lines[i][at:]


@of_lines
def damage_header(rng: random.Random, lines: list[bytes]) -> None:
    """Lose, double or change a name or a number of one of the first three lines."""
    i = rng.randrange(min(3, len(lines)))
    words = re.split(rb"([\t,:])", lines[i])
    at = rng.randrange(len(words))
    words[at : at + 1] = rng.choice(([], [words[at]] * 2, [b"x"], [b""], [b"nan"], [b"hypothesis"], [b"1e400"]))
    lines[i] = b"".join(words)


# -------------------------------------------------------------------------------------------- text

JSON_VALUES = (
    b"null", b"true", b"-1", b"0", b"1e999", b"-1e999", b"NaN", b"Infinity", b"9" * 400, b"[]", b"{}", b'""', b"[[1]]",
    b"[null]", b'["", ""]', b'{"a": [null]}', b'"\\ud83d"', b'"\\u0000"', b"1.5",
)  # fmt: skip


def replace_value(rng: random.Random, data: bytes) -> bytes:
    """Put another JSON value, or a bracket, where a number or a text stood."""
    spans = [m.span() for m in re.finditer(rb'"[^"\n]*"|-?\d+(?:\.\d+)?|\[[^\]\n]*\]', data)]
    if not spans:
        return data + rng.choice(JSON_VALUES)
    start, end = rng.choice(spans)
    return data[:start] + rng.choice(JSON_VALUES) + data[end:]


def repeat_word(rng: random.Random, data: bytes) -> bytes:
    """Put one word in the place of another, so that ids, turns and names stand twice."""
    words = [m.span() for m in re.finditer(rb"\w+", data)]
    if len(words) < 2:
        return data
    (a, b), (start, end) = rng.sample(words, 2)
    return data[:start] + data[a:b] + data[end:]


def change_separators(rng: random.Random, data: bytes) -> bytes:
    """Replace one kind of separator everywhere."""
    pairs = (
        (b",", b";"), (b",", b"\t"), (b"\t", b","), (b"\t", b" "), (b"\n", b"\r\n"), (b"\n", b"\r"), (b"\n", b"\n\n"),
        (b":", b"="), (b":", b": "), (b"'", b'"'), (b'"', b"'"), (b'"', b""), (b"--", b"=="), (b"-" * 63, b""),
        (b"\n\n", b"\n"), (b"[", b"("), (b"\n", b"\xe2\x80\xa8"), (b" ", b""), (b" ", b"\xc2\xa0"),
    )  # fmt: skip
    return data.replace(*rng.choice(pairs))


def recode(rng: random.Random, data: bytes) -> bytes:
    """Save it in another encoding, or with a byte order mark."""
    text = data.decode("utf-8", "replace")
    encoding = rng.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-8-sig", "utf-7", "cp037"))
    return text.encode(encoding, "replace")


def empty_field(rng: random.Random, data: bytes) -> bytes:
    """Lose what stands between two separators."""
    spans = [m.span(1) for m in re.finditer(rb"[:,\t\"']([^:,\t\"'\n]+)", data)]
    if not spans:
        return data
    start, end = rng.choice(spans)
    return data[:start] + data[end:]


def compress(rng: random.Random, data: bytes) -> bytes:
    """Pack it; often the packed bytes are damaged, cut, doubled or followed by others."""
    packed = gzip.compress(data, rng.choice((1, 9)), mtime=0)
    damage = rng.choice((None, flip_bits, truncate, insert_bytes, repeat_bytes, behead))
    return packed if damage is None else damage(rng, packed)


MUTATIONS: tuple[Mutation, ...] = (
    flip_bits, insert_bytes, insert_bytes, overwrite_bytes, delete_bytes, repeat_bytes, swap_bytes, truncate, behead,
    zero_out, drop_lines, double_lines, swap_lines, cut_line, break_line, join_lines, shuffle_lines, lengthen_line,
    damage_header, damage_header, replace_value, replace_value, repeat_word, repeat_word, change_separators, recode,
    empty_field, empty_field, compress,
)  # fmt: skip

# -------------------------------------------------------------------------------------------- rows

ODD_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 3, 2.5, -0.0, math.nan, math.inf, -math.inf, 1e308, 5e-324, 2**63, 10**400, "", " ", "\0",
    "\ud800", "\u2028\x85\x0b", "\u200b\ufeff", "a\tb\rc", 'say "no"', "=1+1", "so " * 999, "é", "e\u0301", "[1, 2]",
    "['a'", "{segments}", "%s {0} {}", "a & b_c $ # ~ ^ \\ % {", "<b>&amp;|", [], [[]], [None], [1], [""], ["", ""],
    ["a", 1], [math.nan], [-1.0, 2.0], [1e308, 1e308], {}, {"a": 1}, b"\xff", datetime.date(2021, 2, 3),
    datetime.datetime(2021, 2, 3, tzinfo=datetime.UTC), datetime.timedelta(1), decimal.Decimal("1.5"),
)  # fmt: skip


def spoil_rows(rng: random.Random, rows: list[Record]) -> str:
    """Change one to three cells, columns, names or ids of a table; says what was done."""
    done = []
    for _ in range(rng.randint(1, 3)):
        name = rng.choice(list(rows[0]))
        odd = rng.choice(ODD_VALUES)
        what = rng.choice(("cell", "column", "lose", "rename", "repeat", "add"))
        for row in rows if what in ("column", "rename") else [rng.choice(rows)]:
            if what in ("cell", "column"):
                row[name] = odd
            elif what == "add":
                row[rng.choice(("system", "token_logprobs", "reference", "x" * 50, ""))] = odd
            elif what == "repeat":
                row[name] = rows[0].get(name)
            else:
                value = row.pop(name, None)
                if what == "rename":
                    row[rng.choice((name.upper(), f" {name}", "", "reference", "system", "token_logprobs"))] = value
        done.append(f"{what} {name!r} {odd!r:.40}")
    return "; ".join(done)


# ----------------------------------------------------------------------------------------- outputs


class Tags(HTMLParser):
    """Tells whether tags are balanced."""

    VOID = frozenset(("meta", "br", "link", "col", "hr", "img", "wbr"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag


def check_output(form: str, out: str) -> None:
    """What is printed is whole, in its format, and holds no NaN."""
    assert out.endswith("\n")
    if form == "json":
        document = json.loads(out, parse_constant=pytest.fail)
        for table in (document["scores"], document["claims"]):
            assert all((entry["value"] is None) == (entry["reason"] is not None) for entry in table if "reason" in entry)
    elif form == "csv":
        header, *rows = csv.reader(io.StringIO(out, newline=""))
        assert rows
        assert {len(header)} == {len(row) for row in rows}
        values = [row[header.index("value")] for row in rows]
        assert all(math.isfinite(float(value)) for value in values if value)
    elif form == "html":
        tags = Tags()
        tags.feed(out)
        tags.close()
        assert [] == tags.open
    elif form == "latex":
        opened: list[str] = []
        for what, name in re.findall(r"\\(begin|end)\{(\w+)", out):
            if what == "begin":
                opened.append(name)
            else:
                assert opened.pop() == name
        assert [] == opened
    if form != "json":
        assert not re.search(r"\b(?:nan|inf)\b", out)


def check(status: int, out: str, err: str, form: str, files: list[str]) -> None:
    """A leaderboard and silence, or nothing and one message that names a file."""
    assert "Traceback" not in err
    if status == 0:
        assert "" == err
        check_output(form, out)
        return
    assert (2, "") == (status, out)
    assert err.startswith("empeval: error: ")
    assert 1 == len(err.splitlines()), err
    assert any(Path(file).name.partition(".")[0] in err for file in files), err


# ---------------------------------------------------------------------------------------- excerpts


def excerpt(rng: random.Random, path: Path, before: int, size: int) -> bytes:
    """Some records of a published log, one after the other, with its header."""
    lines = path.read_bytes().split(b"\n")
    n_records = (len(lines) - before) // size
    n = sample_size(rng)
    start = before + size * rng.randrange(n_records - n + 1)
    return b"\n".join([*lines[:before], *lines[start : start + size * n], b""])


def sample_size(rng: random.Random) -> int:
    """How many records: mostly few, never more than 40."""
    return rng.choice((1, 2, 3, 4, 5, 6, 8, 12, LONGEST))


def options(rng: random.Random, reader: str) -> list[str]:
    """Options that a user may give with a damaged file."""
    words: list[str] = []
    if rng.random() < 0.2:
        words += ["--by", "emotion"]
    if rng.random() < 0.2:
        words += ["--human"]
    if rng.random() < 0.15:
        words += ["--parser", "authors"]
    if rng.random() < 0.1:
        words += ["--cohort", "strict"]
    if rng.random() < 0.2:
        words += ["--reader", rng.choice((reader, rng.choice(READERS)))]
    if rng.random() < 0.15:
        fields = rng.sample(("hypothesis", "references", "id", "context", "nll", "emotion", "candidate_scores"), 2)
        names = rng.choices(("note", "hypothesis", "id", "n_tokens", "reference", "no such"), k=2)
        words += ["--columns", ",".join(f"{field}={name}" for field, name in zip(fields, names, strict=True))]
    return words


def inputs(rng: random.Random, reader: str, damaged: Path, clean: Path) -> list[str]:
    """The damaged file alone, beside the clean one, as the corpus, with it as the corpus."""
    if reader == "empatheticdialogues":
        return [str(clean), "--corpus", str(damaged)]
    one, other = rng.sample((str(damaged), f"named={clean}"), 2)
    return rng.choices(
        ([str(damaged)], [one, other], [str(damaged), "--corpus", str(clean)], [str(clean), "--corpus", str(damaged)]),
        weights=(6, 2, 1, 1),
    )[0]


def run(words: list[str]) -> tuple[int, str, str]:
    """The command in process, on streams that encode as real ones do."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        status = main(words)
    for stream in streams:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in streams)
    return status, out, err


def make(
    rng: random.Random, kind: str, case: int, builders: Mapping[str, Callable[..., bytes]], shared: Path, folder: Path
) -> tuple[list[str], list[str], str]:
    """One case: the files, the command line, and what was done to the damaged one of the two files."""
    done: list[str] = []
    if kind in PUBLISHED:
        reader = kind.partition("/")[0]
        data = excerpt(rng, shared / kind, *PUBLISHED[kind])
        clean_data = data
    else:
        reader = kind.partition("-")[0]
        n, seed = sample_size(rng), rng.random()
        clean_data = builders[kind](random.Random(seed), n)
        spoil = (lambda rows: done.append(spoil_rows(rng, rows))) if rng.random() < 0.6 else None
        data = builders[kind](random.Random(seed), n, spoil)
        if reader == "empatheticdialogues":
            clean_data = builders["lines"](rng, clean_data.count(b"\n") // 2)
    if not done or rng.random() < 0.3:
        for mutation in rng.choices(MUTATIONS, k=rng.choice((1, 1, 1, 2, 3))):
            if data:
                data = mutation(rng, data)
                done.append(mutation.__name__)
    suffix = rng.choice(("", f".{reader}", ".txt", ".jsonl.gz"))
    damaged, clean = folder / f"damaged{suffix}", folder / "clean"
    damaged.write_bytes(data)
    clean.write_bytes(clean_data)
    form = FORMATS[case % len(FORMATS)]
    words = ["score", *inputs(rng, reader, damaged, clean), "--format", form, "--resamples", "0", "--quiet"]
    return [str(damaged), str(clean), "named"], [*words, *options(rng, reader)], ", ".join(done)
