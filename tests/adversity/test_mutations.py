"""5,000 damaged excerpts and 50 damaged files: a leaderboard or one message, never anything else.

Everything is drawn from seeds. A test that fails says which case it was, what was done to the file and with
what command, so that the case can be made again.
"""

from __future__ import annotations

import csv
import datetime
import decimal
import gzip
import io
import json
import math
import random
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import pytest

CASES = 250  # excerpts of one test, of which there are 20
LONGEST = 40  # records of an excerpt
FORMATS = ("text", "markdown", "latex", "csv", "html", "json")
INVENTED = (
    "jsonl", "csv", "tsv", "parquet", "lines", "empatheticdialogues", "empdg", "empdg-zero", "kemp", "mime",
    "moel", "cem", "seek",
)  # fmt: skip
READERS = tuple(kind for kind in INVENTED if "-" not in kind)
#: Published file: lines before the first record, lines of a record, tests on excerpts of it.
PUBLISHED = {
    "mime/output.txt": (3, 7, 4),
    "empdg/EmpDG.txt": (0, 5, 1),
    "empdg/EmoPrepend.txt": (0, 5, 1),
    "empdg/Transformer.txt": (0, 5, 1),
}
EXCERPTS = [(path, chunk) for path, (_, _, n_chunks) in PUBLISHED.items() for chunk in range(n_chunks)]

Record = dict[str, Any]
Mutation = Callable[[random.Random, bytes], bytes]


# ------------------------------------------------------------------------------------------- bytes

ODD_BYTES = (
    b"\0", b"\r", b"\n", b"\t", b" ", b'"', b"'", b",", b";", b":", b"\\", b"\xff", b"\xc3", b"\xed\xa0\x80",
    b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xc2\x85", b"\x0b", b"\x1b[31m", b"\xf0\x9f\x98\x80", b"\xe2\x80\xae",
    b"\\ud800", b"\\udfff\\ud800", b"\\u0000", b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"-1", b"null",
    b"{}", b"[" * 5000, b'{"a":' * 3000, b"\x1f\x8b", b"PAR1", b"-" * 70, b"emotion:", b"Context:[", b"Ref:",
    b"<eos>",
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
    lines[i] = (
        lines[i][:at] + rng.choice((b"a", b"so ", b"['", b"\\", b'"', b"\xcc\x81")) * 20_000 + lines[i][at:]
    )


@of_lines
def damage_header(rng: random.Random, lines: list[bytes]) -> None:
    """Lose, double or change a name or a number of one of the first three lines."""
    i = rng.randrange(min(3, len(lines)))
    words = re.split(rb"([\t,:])", lines[i])
    at = rng.randrange(len(words))
    odd = (b"x", b"", b"NaN", b"hypothesis", b"1e400", b"7e2", b"0e300", b"-1e300", b"1e-" + b"9" * 5000)
    words[at : at + 1] = rng.choice(([], [words[at]] * 2, *([word] for word in odd)))
    lines[i] = b"".join(words)


# -------------------------------------------------------------------------------------------- text

JSON_VALUES = (
    b"null", b"true", b"-1", b"0", b"1e999", b"-1e999", b"NaN", b"Infinity", b"9" * 400, b"[]", b"{}", b'""',
    b"[[1]]", b"[null]", b'["", ""]', b'{"a": [null]}', b'"\\ud83d"', b'"\\u0000"', b"1.5",
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
        (b",", b";"), (b",", b"\t"), (b"\t", b","), (b"\t", b" "), (b"\n", b"\r\n"), (b"\n", b"\r"),
        (b"\n", b"\n\n"), (b":", b"="), (b":", b": "), (b"'", b'"'), (b'"', b"'"), (b'"', b""),
        (b"--", b"=="), (b"-" * 63, b""), (b"\n\n", b"\n"), (b"[", b"("), (b"\n", b"\xe2\x80\xa8"),
        (b" ", b""), (b" ", b"\xc2\xa0"),
    )  # fmt: skip
    return data.replace(*rng.choice(pairs))


def recode(rng: random.Random, data: bytes) -> bytes:
    """Save it in another encoding, or with a byte order mark."""
    text = data.decode("utf-8", "replace")
    encoding = rng.choice(
        ("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-8-sig", "utf-7", "cp037")
    )
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
    flip_bits, insert_bytes, insert_bytes, overwrite_bytes, delete_bytes, repeat_bytes, swap_bytes, truncate,
    behead, zero_out, drop_lines, double_lines, swap_lines, cut_line, break_line, join_lines, shuffle_lines,
    lengthen_line, damage_header, damage_header, replace_value, replace_value, repeat_word, repeat_word,
    change_separators, recode, empty_field, empty_field, compress,
)  # fmt: skip

# -------------------------------------------------------------------------------------------- rows

ODD_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 3, 2.5, -0.0, math.nan, math.inf, -math.inf, 1e308, 5e-324, 2**63, 10**400, "", " ",
    "\0", "\ud800", "\u2028\x85\x0b", "\u200b\ufeff", "a\tb\rc", 'say "no"', "=1+1", "so " * 999, "é",
    "e\u0301", "[1, 2]", "['a'", "{segments}", "%s {0} {}", "a & b_c $ # ~ ^ \\ % {", "<b>&amp;|", [], [[]],
    [None], [1], [""], ["", ""], ["a", 1], [math.nan], [-1.0, 2.0], [1e308, 1e308], [-1e308, -1e308], {},
    {"a": 1}, b"\xff", datetime.date(2021, 2, 3), datetime.datetime(2021, 2, 3, tzinfo=datetime.UTC),
    datetime.timedelta(1), decimal.Decimal("1.5"),
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
                    row[
                        rng.choice((name.upper(), f" {name}", "", "reference", "system", "token_logprobs"))
                    ] = value
        done.append(f"{what} {name!r} {odd!r:.40}")
    return "; ".join(done)


# ----------------------------------------------------------------------------------------- outputs


class Tags(HTMLParser):
    """Counts on every tag being closed, in the right order."""

    VOID = frozenset(("link", "meta", "wbr"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()


def check_json(out: str) -> None:
    """JSON without NaN, where a score is a value or has a reason."""
    document = json.loads(out, parse_constant=pytest.fail)
    for score in document["scores"]:
        assert (score["value"] is None) == (score["reason"] is not None)


def check_csv(out: str) -> None:
    """As many cells in each row as in the header, and finite values."""
    header, *rows = csv.reader(io.StringIO(out, newline=""))
    assert rows
    assert {len(header)} == {len(row) for row in rows}
    values = [row[header.index("value")] for row in rows]
    assert all(math.isfinite(float(value)) for value in values if value)


def check_html(out: str) -> None:
    """Balanced tags."""
    tags = Tags()
    tags.feed(out)
    tags.close()
    assert [] == tags.open


def check_latex(out: str) -> None:
    """Balanced environments."""
    open_: list[str] = []
    for what, name in re.findall(r"\\(begin|end)\{(\w+)", out):
        if what == "begin":
            open_.append(name)
        else:
            assert name == open_.pop()
    assert [] == open_


CHECKS: Mapping[str, Callable[[str], None]] = {
    "json": check_json, "csv": check_csv, "html": check_html, "latex": check_latex
}  # fmt: skip


def check(result: Any, form: str, *, quiet: bool) -> None:
    """A leaderboard, or nothing but one message that names a file; each on its own stream."""
    status, out, err = result
    if status == 0:
        assert all(line.startswith("empeval: warning: ") for line in err.splitlines()), err
        assert not (quiet and err), err
        assert out.endswith("\n")
        CHECKS.get(form, str)(out)
        assert form in ("csv", "json") or not re.search(r"(?<![\w'])(?:nan|inf)\b", out)
        return
    assert (2, "") == (status, out), err
    assert 1 == len(err.splitlines()), err
    assert err.startswith("empeval: error: "), err
    assert re.search("damaged|clean|named", err), err


# ------------------------------------------------------------------------------------------- cases


class Case(NamedTuple):
    """A command and what was done to the file that it is about."""

    words: list[str]
    form: str
    done: str


def n_records(rng: random.Random) -> int:
    """How many records: mostly few, never more than 40."""
    return rng.choice((1, 2, 2, 3, 3, 4, 5, 6, 8, 12, rng.randint(13, LONGEST)))


def excerpt(rng: random.Random, log: bytes, before: int, size: int) -> bytes:
    """Some successive records of a published log, under its header."""
    lines = log.split(b"\n")
    n = n_records(rng)
    start = before + size * rng.randrange((len(lines) - before) // size - n + 1)
    return b"\n".join([*lines[:before], *lines[start : start + size * n], b""])


def mutated(rng: random.Random, data: bytes) -> tuple[bytes, list[str]]:
    """The data after one to three mutations, and their names."""
    done = []
    for mutation in rng.choices(MUTATIONS, k=rng.choice((1, 1, 1, 2, 3))):
        if data:
            data = mutation(rng, data)
            done.append(mutation.__name__)
    return data, done


def inputs(rng: random.Random, reader: str, damaged: str, clean: str) -> list[str]:
    """The damaged file alone, beside the clean one, with it as the corpus, as its corpus."""
    if reader == "empatheticdialogues":
        return [clean, "--corpus", damaged]
    pair = rng.sample((damaged, f"named={clean}"), 2)
    roles = ([damaged], pair, [damaged, "--corpus", clean], [clean, "--corpus", damaged])
    return rng.choices(roles, weights=(6, 2, 1, 1))[0]


def options(rng: random.Random, reader: str) -> list[str]:
    """What a user may ask for besides."""
    fields = rng.sample(
        ("hypothesis", "references", "id", "context", "nll", "emotion", "candidate_scores"), 2
    )
    names = rng.choices(("note", "hypothesis", "id", "n_tokens", "reference", "no such"), k=2)
    columns = ",".join(f"{field}={name}" for field, name in zip(fields, names, strict=True))
    offered = (
        (0.2, ["--by", "emotion"]),
        (0.2, ["--human"]),
        (0.15, ["--parser", "authors"]),
        (0.1, ["--cohort", "strict"]),
        (0.2, ["--reader", rng.choice((reader, rng.choice(READERS)))]),
        (0.1, ["--columns", columns]),
    )
    return [word for share, words in offered if rng.random() < share for word in words]


def make(
    rng: random.Random, kind: str, number: int, folder: Path, builders: Mapping[str, Any], log: bytes
) -> Case:
    """Write a damaged and a clean file, and say what to do with them."""
    done: list[str] = []
    reader = re.split("[-/]", kind)[0]
    if log:
        data = clean_data = excerpt(rng, log, *PUBLISHED[kind][:2])
    else:
        n, seed = n_records(rng), rng.random()
        spoil = (lambda rows: done.append(spoil_rows(rng, rows))) if rng.random() < 0.6 else None
        clean_data = builders[kind](random.Random(seed), n)
        data = builders[kind](random.Random(seed), n, spoil)
        if reader == "empatheticdialogues":  # one response for each listener turn
            clean_data = builders["lines"](rng, len(re.findall(rb",[24],[a-z]+,", data)))
    if not done or rng.random() < 0.3:
        data, names = mutated(rng, data)
        done += names
    damaged = folder / f"damaged{rng.choice(('', f'.{reader}', '.txt', '.jsonl.gz'))}"
    damaged.write_bytes(data)
    clean = folder / "clean"
    clean.write_bytes(clean_data)
    form = FORMATS[number % len(FORMATS)]
    words = [
        "score",
        *inputs(rng, reader, str(damaged), str(clean)),
        "--format",
        form,
        "--resamples",
        "0",
        "--quiet",
    ]
    return Case([*words, *options(rng, reader)], form, "; ".join(done))


def run_all(
    kind: str, chunk: int, folder: Path, builders: Mapping[str, Any], run: Any, log: bytes = b""
) -> None:
    """All cases of one test; both outcomes must occur."""
    statuses = set()
    for number in range(CASES):
        rng = random.Random(f"{kind} {chunk} {number}")
        case = make(rng, kind, number, folder, builders, log)
        try:
            result = run(*case.words)
            check(result, case.form, quiet=True)
        except BaseException as error:
            error.add_note(
                f"{kind}, chunk {chunk}, case {number}: {case.done}\nempeval {' '.join(case.words)}"
            )
            raise
        statuses.add(result.status)
        for path in folder.iterdir():
            path.unlink()
    assert {0, 2} == statuses


@pytest.mark.parametrize("kind", INVENTED)
def test_a_damaged_invented_file_gives_a_leaderboard_or_one_message(kind, tmp_path, builders, run):
    """Every format, alone, with a clean file, as a corpus; all output formats and many options."""
    assert set(INVENTED) == builders.keys()
    run_all(kind, 0, tmp_path, builders, run)


@pytest.mark.parametrize(("path", "chunk"), EXCERPTS)
def test_a_damaged_published_excerpt_gives_a_leaderboard_or_one_message(
    path, chunk, tmp_path, builders, run, shared
):
    """The same for records of the published logs."""
    run_all(path, chunk, tmp_path, builders, run, (shared / "data/outputs" / path).read_bytes())


def test_there_are_5000_excerpts():
    """As many as are promised."""
    assert 5000 == CASES * (len(INVENTED) + len(EXCERPTS))


# ------------------------------------------------------------------------------------- whole files

WHOLE = 10  # files of one test, of which there are 5


@pytest.mark.parametrize("chunk", range(5))
def test_a_damaged_published_file_gives_a_leaderboard_or_one_message(chunk, tmp_path, process, shared):
    """Whole files through the real command, two at a time."""
    done = {}
    for number in range(WHOLE):
        published = list(PUBLISHED)[number % len(PUBLISHED)]
        rng = random.Random(f"whole {chunk} {number}")
        data, names = mutated(rng, (shared / "data/outputs" / published).read_bytes())
        path = tmp_path / f"damaged{number}.txt"
        path.write_bytes(data)
        done[path] = f"{published}, chunk {chunk}, case {number}: {'; '.join(names)}"
    words = ("--resamples", "0", "--metrics", "bleu,distinct(n=2),length")
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda path: process("score", path.name, *words, cwd=path.parent), done))
    for path, result in zip(done, results, strict=True):
        assert "Traceback" not in result.err, f"{done[path]}\n{result.err}"
        try:
            check(result, "text", quiet=False)
        except AssertionError as error:
            error.add_note(done[path])
            raise
