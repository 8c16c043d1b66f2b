from __future__ import annotations

import gzip
import io
import os
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from empeval.errors import InputError
from empeval.readers import Source, read, read_corpus

RECORD = '{"id": "a", "hypothesis": "oh no ."}\n'


def lines_of(path: Path | str) -> list[str]:
    """All lines of a file."""
    with Source(path) as source:
        return list(source.lines())


def test_lines_end_at_line_feed_only(write):
    """Separators that str.splitlines knows stay inside the line, and one CR before LF goes."""
    path = write("a.txt", "one\u2028two\u0085three\x0bfour\rfive\r\nsix\r\r\n\nlast")
    assert ["one\u2028two\u0085three\x0bfour\rfive", "six\r", "", "last"] == lines_of(path)


def test_a_byte_order_mark_is_no_text(write):
    """Only the mark at the start goes: elsewhere it is a character."""
    assert ["oh", "\ufeffno"] == lines_of(write("a.txt", b"\xef\xbb\xbfoh\n\xef\xbb\xbfno\n"))


@pytest.mark.parametrize(("content", "whole"), [("a\nb\n", True), ("a\nb", False)])
def test_the_end_of_the_file_is_known_after_reading(write, content, whole):
    """Whether the last line ends with a newline tells whether a cut could have gone unseen."""
    with Source(write("a.txt", content)) as source:
        assert ["a", "b"] == list(source.lines())
        assert whole == source.ends_with_newline


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("runs/mime.txt", "mime"),
        ("mime.jsonl.gz", "mime"),
        ("a.b.csv", "a.b"),
        ("plain", "plain"),
        ("x.GZ", "x"),
        ("-", "stdin"),
    ],
)
def test_the_stem_names_the_system(path, stem):
    """Suffixes go, the one of compression first."""
    assert stem == Source(path).stem


def test_gzip_is_recognised_by_its_bytes(write):
    """The suffix may be missing, and may lie."""
    packed = write("a.jsonl", gzip.compress(RECORD.encode()))
    plain = write("b.jsonl.gz", RECORD)
    assert [["oh no ."], ["oh no ."]] == [table.columns["hypothesis"] for table in read([packed, plain])]


@pytest.mark.parametrize("cut", [5, 25, -1, -9])
def test_a_broken_gzip_file_is_named(write, cut):
    """A cut archive is an error, even where some text could be had from it."""
    path = write("a.jsonl.gz", gzip.compress(RECORD.encode())[:cut])
    with pytest.raises(InputError, match=r"a\.jsonl\.gz: the gzip data are damaged or cut"):
        read([path])


def test_a_gzip_file_with_a_wrong_checksum_is_named(write):
    """The checksum stands at the end, after all text has been seen."""
    packed = bytearray(gzip.compress(RECORD.encode()))
    packed[-8] ^= 1
    with pytest.raises(InputError, match="damaged or cut"):
        read([write("a.jsonl.gz", bytes(packed))])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (gzip.compress(b"", mtime=0), "the file is empty"),
        (b"PK\x03\x04" + bytes(60), "spreadsheet"),
        ("oh no".encode("utf-16"), "UTF-16"),
        (b"%PDF-1.7 ...", "PDF"),
        (b"\x93NUMPY\x01", "NumPy"),
        (b'{"id": "a"\0}', "line 1: a NUL byte"),
        (b"oh no\n" + bytes(3), "line 2: a NUL byte"),
        (b"oh no\ncaf\xe9 .\n", "line 2: byte 0xe9 at offset 9 is not UTF-8"),
        (b"\xef\xbb\xbfoh\xff\n", "line 1: byte 0xff at offset 5"),
        (b"\xed\xa0\x80\n", "byte 0xed at offset 0"),
    ],
)
def test_what_is_no_text_is_refused_in_one_message(write, content, message):
    """The message names the file, the place and the remedy."""
    path = write("a.txt", content)
    with pytest.raises(InputError, match=message) as caught:
        read([path])
    assert str(caught.value).startswith(str(path))
    assert str(path) == caught.value.source


def test_the_offset_counts_unpacked_bytes(write):
    """Offsets beyond the first buffer are right too."""
    text = b"x" * 99 + b"\n"
    with pytest.raises(InputError, match="line 1001: byte 0xff at offset 100003"):
        lines_of(write("a.gz", gzip.compress(text * 1000 + b"abc\xff\n")))


def test_files_that_cannot_be_opened_are_named(tmp_path):
    """A missing file, a folder and an impossible name are three different messages."""
    with pytest.raises(InputError, match=r"none\.jsonl: there is no such file"):
        read([tmp_path / "none.jsonl"])
    with pytest.raises(InputError, match="this is a folder"):
        read([tmp_path])
    with pytest.raises(InputError, match="not a file name"):
        read(["a\0b.jsonl"])
    for argument in ("x" * 5000, "name=" + "x" * 5000):
        with pytest.raises(InputError, match="cannot be read"):
            read([argument])


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_a_file_without_permission_is_named(write):
    """Where the user may read everything, nothing is to be seen."""
    path = write("a.jsonl", RECORD)
    path.chmod(0)
    if os.access(path, os.R_OK):
        assert ["oh no ."] == read([path])[0].columns["hypothesis"]
    else:
        with pytest.raises(InputError, match="permission"):
            read([path])


def test_standard_input_is_read_once(monkeypatch):
    """Recognition and reading share what came in; a second reading finds nothing."""
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(RECORD.encode())))
    (table,) = read(["-"])
    assert ("stdin", "standard input", ["oh no ."]) == (
        table.system,
        table.source,
        table.columns["hypothesis"],
    )
    with pytest.raises(InputError, match=r"standard input: the file is empty \(it can be read once\)"):
        read_corpus("-")


def test_standard_input_can_be_named_and_compressed(monkeypatch):
    """NAME=- names the system."""
    packed = io.BytesIO(gzip.compress(RECORD.encode()))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=packed))
    assert ["mine"] == [table.system for table in read(["mine=-"])]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX's")
def test_a_pipe_is_read_once(tmp_path):
    """A shell's process substitution gives a pipe, which cannot be opened twice."""
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(RECORD,))
    writer.start()
    assert ["oh no ."] == read([pipe])[0].columns["hypothesis"]
    writer.join()
