"""Damaged files of every kind: records or one of our errors, never another exception."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable

import pytest

from empeval.errors import EmpevalError
from empeval.readers import read, read_corpus
from empeval.records import Records

TABLES = ("jsonl", "csv", "tsv", "parquet", "lines", "empatheticdialogues", "seek_labels")
LOGS = ("empdg", "empdg_old", "kemp", "mime", "moel", "cem", "seek")
CASES = 120


def flip(rng: random.Random, data: bytearray) -> None:
    """Turn some bits over."""
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def cut(rng: random.Random, data: bytearray) -> None:
    """End the file early."""
    del data[rng.randrange(len(data)) :]


def drop_front(rng: random.Random, data: bytearray) -> None:
    """Lose the beginning."""
    del data[: rng.randrange(len(data))]


def insert(rng: random.Random, data: bytearray) -> None:
    """Put something odd somewhere."""
    odd = [
        b"\0",
        b"\r",
        b"\n",
        b"\xff",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
        b"\xe2\x80\xa8",
        b"\\ud800",
        b'"',
        b",",
    ]
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.choice([*odd, b"[" * 3000, b"9" * 5000, b"\t", b"NaN", b"null", b"{}", b"\x1f\x8b"])


def of_lines(change):
    """A mutation of lines as one of bytes."""

    def mutate(rng: random.Random, data: bytearray) -> None:
        lines = bytes(data).split(b"\n")
        change(rng, lines)
        data[:] = b"\n".join(lines)

    return mutate


@of_lines
def delete_line(rng: random.Random, lines: list[bytes]) -> None:
    """Lose a line."""
    del lines[rng.randrange(len(lines))]


@of_lines
def double_line(rng: random.Random, lines: list[bytes]) -> None:
    """Repeat a line."""
    i = rng.randrange(len(lines))
    lines.insert(i, lines[i])


@of_lines
def swap_lines(rng: random.Random, lines: list[bytes]) -> None:
    """Let two lines change places."""
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]


@of_lines
def join_lines(rng: random.Random, lines: list[bytes]) -> None:
    """Lose a line feed."""
    i = rng.randrange(len(lines))
    lines[i : i + 2] = [b"".join(lines[i : i + 2])]


def swap_bytes(rng: random.Random, data: bytearray) -> None:
    """Let two bytes change places."""
    i, j = rng.randrange(len(data)), rng.randrange(len(data))
    data[i], data[j] = data[j], data[i]


def replace_value(rng: random.Random, data: bytearray) -> None:
    """Put another JSON value, or a bracket, where a number or a text stood."""
    values = [b"null", b"-1", b"1e999", b"true", b"[]", b"{}", b'""', b"[[1]]", b"NaN", b'{"a": [null]}']
    marks = [i for i, byte in enumerate(data) if byte in b'":,[]0123456789']
    if marks:
        at = rng.choice(marks)
        data[at : at + rng.randint(0, 3)] = rng.choice(values)


MUTATIONS = (
    flip,
    cut,
    drop_front,
    insert,
    delete_line,
    double_line,
    swap_lines,
    join_lines,
    swap_bytes,
    replace_value,
)


def outcome(attempt: Callable[[], list[Records]]) -> list[Records] | EmpevalError:
    """What came of it; any other exception fails the test."""
    try:
        return attempt()
    except EmpevalError as error:
        return error


@pytest.mark.parametrize("kind", TABLES + LOGS)
def test_a_damaged_file_gives_records_or_our_error(kind, examples, write):
    """Read as recognised, as its own reader and as a corpus; what is read can be written as UTF-8."""
    rng = random.Random(f"readers {kind}")
    reader = kind.removesuffix("_old")
    kinds = set()
    for case in range(CASES):
        data = bytearray(examples[kind])
        for _ in range(rng.randint(1, 3)):
            if data:
                rng.choice(MUTATIONS)(rng, data)
        packed = gzip.compress(data, mtime=0) if case % 10 == 0 else bytes(data)
        if case % 20 == 0:
            packed = packed[: rng.randrange(len(packed) + 1)]
        path = write("case", packed)
        parser = rng.choice(["standard", "authors"])
        results = [
            outcome(lambda path=path, parser=parser: read([path], parser=parser)),
            outcome(lambda path=path: read([path], reader=reader)),
            outcome(lambda path=path: [read_corpus(path, reader=reader)]),
        ]
        for result in results:
            kinds.add(type(result) is list)
            if isinstance(result, EmpevalError):
                assert "\n" not in str(result)
                continue
            for table in result:
                assert {len(table)} == {len(column) for column in table.columns.values()}
                repr(list(table.columns.values())).encode()
                "".join(table.columns.get("hypothesis", [])).encode()
    assert {True, False} == kinds
