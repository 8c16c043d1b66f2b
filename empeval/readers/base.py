"""What a reader is, and the file it reads: bytes, compression, encoding and lines."""

from __future__ import annotations

import gzip
import io
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, ClassVar, Literal, Protocol, cast

from empeval.errors import InputError
from empeval.records import Notice, Records
from empeval.registry import Registry

__all__ = ["READERS", "Parser", "ReadOptions", "Reader", "Sample", "Source", "maybe_truncated"]

Parser = Literal["standard", "authors"]

#: Bytes of a file that recognition looks at.
SAMPLE_BYTES = 1 << 16

#: Standard input is kept in memory up to this size, beyond it in a temporary file.
_SPOOL_BYTES = 1 << 26

_GZIP = b"\x1f\x8b"
_PARQUET = b"PAR1"

#: First bytes of files that hold no text, and what to tell their owner.
_NOT_TEXT = (
    (b"PK\x03\x04", "a zip archive or a spreadsheet; unpack it, or export the sheet as CSV"),
    (b"BZh9", "bzip2 data; unpack it, or compress it with gzip"),
    (b"\xfd7zXZ\x00", "xz data; unpack it, or compress it with gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd data; unpack it, or compress it with gzip"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it"),
    (b"%PDF-", "a PDF document; the records must be text"),
    (b"\x89PNG", "an image; the records must be text"),
    (b"\x93NUMPY", "a NumPy array; save the records as JSONL"),
    (b"\x89HDF", "an HDF5 file; save the records as JSONL or Parquet"),
    (b"ARROW1", "an Arrow file; save the records as Parquet"),
    (b"SQLite format 3", "an SQLite database; export the records as CSV"),
    (b"\xff\xfe", "UTF-16 text; save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text; save it as UTF-8"),
    (_PARQUET, "a Parquet file; read it with the reader 'parquet'"),
)


@dataclass(frozen=True)
class Sample:
    """The beginning of a file, by which readers recognise it.

    ``head`` are its first bytes, ``lines`` its first whole lines, decoded leniently, ``suffix`` the file
    name's (without ``.gz``), ``columns`` the column names that the user maps to fields.
    """

    head: bytes
    lines: tuple[str, ...]
    suffix: str = ""
    columns: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ReadOptions:
    """What the user asks of every reader.

    ``system`` names the system unless the file does; ``named`` says that the user chose that name.
    ``columns`` maps a field to the column that holds it. ``corpus`` asks for the test set alone.
    """

    system: str
    named: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)
    parser: Parser = "standard"
    corpus: bool = False


class Reader(Protocol):
    """Reads one format; implemented by frozen dataclasses, whose fields are the reader's own options."""

    name: ClassVar[str]
    description: ClassVar[str]
    #: file name suffixes that speak for this reader where the content does not decide
    suffixes: ClassVar[tuple[str, ...]]

    def recognises(self, sample: Sample) -> float:
        """How well a file's beginning fits the format, from 0 to 1: the share of lines that belong to it."""
        ...

    def read(self, source: Source, options: ReadOptions) -> list[Records]:
        """One `Records` a system, or one for a corpus; InputError names file, line and remedy."""
        ...


READERS: Registry[type[Reader]] = Registry("reader", "empeval.readers")


class Source:
    """One input file, ``-`` for standard input; gzip is recognised by its bytes, whatever the name.

    ``name`` is the file as messages name it, ``stem`` its name without suffixes. A context manager, because
    standard input has to be kept until it has been read to the end.

    >>> Source("runs/mime.v2.jsonl.gz").stem
    'mime.v2'
    """

    def __init__(self, path: str | Path) -> None:
        self.is_stdin = str(path) == "-"
        self.path = Path(path)
        self.name = "standard input" if self.is_stdin else str(path)
        unpacked = self.path.with_suffix("") if self.path.suffix.lower() == ".gz" else self.path
        self.stem = "stdin" if self.is_stdin else unpacked.stem
        self.suffix = "" if self.is_stdin else unpacked.suffix.lower()
        #: whether the bytes are gzip's; known once the file has been opened
        self.packed = False
        #: known once `lines` has come to the end
        self.ends_with_newline = True
        self._kept: IO[bytes] | None = None

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._kept is not None:
            self._kept.close()

    def sample(self, columns: frozenset[str] = frozenset()) -> Sample:
        """The first 64 KiB, for recognition; a line that they cut is left out."""
        lines = self.head.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
        if len(lines) > 1 and (len(self.head) == SAMPLE_BYTES or not lines[-1]):
            lines.pop()
        return Sample(self.head, tuple(line.removesuffix("\r") for line in lines), self.suffix, columns)

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB after decompression; InputError where there are none."""
        with self.open() as stream:
            head = stream.read(SAMPLE_BYTES)
        if not head:
            again = " (it can be read once)" if self.is_stdin else ""
            raise InputError(f"the file is empty{again}", source=self.name)
        return head

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The decompressed bytes from the start; failures of the file system and of gzip are InputErrors."""
        try:
            with self._raw() as raw:
                self.packed = raw.read(2) == _GZIP
                raw.seek(0)
                if self.packed:
                    with gzip.GzipFile(fileobj=raw, mode="rb") as unpacked:
                        yield cast(IO[bytes], io.BufferedReader(unpacked, SAMPLE_BYTES))
                else:
                    yield raw
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise InputError(
                "the gzip data are damaged or cut; copy the file again", source=self.name
            ) from None
        except FileNotFoundError:
            raise InputError("there is no such file", source=self.name) from None
        except IsADirectoryError:
            raise InputError("this is a folder; name a file", source=self.name) from None
        except PermissionError:
            raise InputError("permission to read the file is missing", source=self.name) from None
        except OSError as error:
            raise InputError(
                f"the file cannot be read: {error.strerror or error}", source=self.name
            ) from None

    def lines(self, *, keep_ends: bool = False) -> Iterator[str]:
        """The lines, cut at LF only, without a byte order mark at the start.

        LF, and one CR before it, are left out unless ``keep_ends``. Other separators that Unicode knows
        (U+2028, U+0085, …) may stand inside a field and stay there.
        Raises InputError for a file that is not UTF-8 text.
        """
        self._refuse_binary()
        with self.open() as stream:
            raw = b""
            for number, raw in enumerate(stream, 1):  # the last one is looked at below
                if b"\0" in raw:
                    raise InputError(
                        "a NUL byte stands here: the file is damaged, or it is not text",
                        source=self.name,
                        line=number,
                    )
                try:
                    line = raw.decode()
                except UnicodeDecodeError as error:
                    raise self._not_utf8(stream, raw, number, error) from None
                if number == 1:
                    line = line.removeprefix("\ufeff")
                yield line if keep_ends else line.removesuffix("\n").removesuffix("\r")
            self.ends_with_newline = raw.endswith(b"\n")

    def _raw(self) -> AbstractContextManager[IO[bytes]]:
        if not self.is_stdin and (self.path.is_file() or not self.path.exists() or self.path.is_dir()):
            try:
                return self.path.open("rb")
            except ValueError:  # a path with a NUL character
                raise InputError("this is not a file name", source=self.name) from None
        if self.is_stdin and sys.stdin is None:
            raise InputError("it is closed", source=self.name)
        if self._kept is None:  # a pipe can be read once, and recognition looks at the beginning first
            self._kept = tempfile.SpooledTemporaryFile(_SPOOL_BYTES)  # noqa: SIM115  # closed on exit
            if self.is_stdin:
                shutil.copyfileobj(sys.stdin.buffer, self._kept)
            else:
                with self.path.open("rb") as pipe:
                    shutil.copyfileobj(pipe, self._kept)
        self._kept.seek(0)
        return nullcontext(self._kept)

    def _refuse_binary(self) -> None:
        for magic, what in _NOT_TEXT:
            if self.head.startswith(magic):
                raise InputError(f"the file is {what}", source=self.name)

    def _not_utf8(self, stream: IO[bytes], raw: bytes, number: int, error: UnicodeDecodeError) -> InputError:
        offset = stream.tell() - len(raw) + error.start
        return InputError(
            f"byte 0x{raw[error.start]:02x} at offset {offset} is not UTF-8; save the file as UTF-8",
            source=self.name,
            line=number,
        )


def maybe_truncated(source: Source) -> tuple[Notice, ...]:
    """A notice if a file that was read to its end does not end with a newline: a cut there cannot be seen."""
    if source.ends_with_newline:
        return ()
    return (
        Notice(
            "maybe_truncated",
            f"{source.name} does not end with a newline; if it was cut, its last record is incomplete",
            1,
        ),
    )
