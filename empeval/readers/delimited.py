"""CSV and TSV: a header of field names, then one record a row, quoted as RFC 4180 (2005) says."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from empeval import specs
from empeval.errors import InputError
from empeval.readers._tables import BATCH, Table, knows_header
from empeval.readers.base import READERS, ReadOptions, Sample, Source, maybe_truncated
from empeval.records import Records

__all__ = ["Csv", "Tsv", "read_batches", "read_rows"]


class _Delimited:
    """A cell is text; a list is written as JSON or as Python prints it; an empty cell is no number."""

    name: ClassVar[str]
    delimiter: ClassVar[str]

    def recognises(self, sample: Sample) -> float:
        """Nearly certain if the first line names a field."""
        try:
            header = next(csv.reader(sample.lines[:1], delimiter=self.delimiter), [])
        except csv.Error:
            return 0.0
        return 0.9 if knows_header((name.strip() for name in header), sample) else 0.0

    def read(self, source: Source, options: ReadOptions) -> list[Records]:
        """Read rows into columns; a row of another length than the header is named by its line."""
        table = Table(source, options, cells=True)
        for batch, lines in read_batches(source, self.delimiter):
            table.add(batch, lines)
        return table.records(specs.format_spec(self.name, self), maybe_truncated(source))


@READERS.register("csv")
@dataclass(frozen=True)
class Csv(_Delimited):
    """Reads CSV."""

    name: ClassVar[str] = "csv"
    description: ClassVar[str] = "CSV with a header of field names; lists in a cell as JSON"
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
    delimiter: ClassVar[str] = ","


@READERS.register("tsv")
@dataclass(frozen=True)
class Tsv(_Delimited):
    """Reads TSV."""

    name: ClassVar[str] = "tsv"
    description: ClassVar[str] = "TSV with a header of field names; lists in a cell as JSON"
    suffixes: ClassVar[tuple[str, ...]] = (".tsv", ".tab")
    delimiter: ClassVar[str] = "\t"


def read_batches(source: Source, delimiter: str) -> Iterator[tuple[dict[str, Sequence[str]], Sequence[int]]]:
    """The cells by column, and the line that each row starts on, some thousand rows at a time.

    A header without rows gives one batch of empty columns. Raises InputError for a row of another length.
    """
    rows = read_rows(source, delimiter)
    _, first = next(rows, (0, []))
    header = _checked_header(first, source)
    batch: list[list[str]] = []
    lines = array("q")
    empty = True
    for line, row in rows:
        if len(row) != len(header):
            raise InputError(
                f"{len(row)} cells, but the header has {len(header)}; "
                f"a cell that holds {delimiter!r} is put in double quotes",
                source=source.name,
                line=line,
            )
        batch.append(row)
        lines.append(line)
        if len(batch) == BATCH:
            yield dict(zip(header, zip(*batch, strict=True), strict=True)), lines
            batch, lines, empty = [], array("q"), False
    if batch:
        yield dict(zip(header, zip(*batch, strict=True), strict=True)), lines
    elif empty:
        yield dict.fromkeys(header, ()), lines


def read_rows(source: Source, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The line that each row starts on, and its cells; blank lines are skipped."""
    rows = csv.reader(source.lines(keep_ends=True), delimiter=delimiter, strict=True)
    before = 0
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            raise InputError(
                f"this row cannot be read ({error}): perhaps a quotation mark is not closed, or not doubled "
                "inside a quoted cell",
                source=source.name,
                line=before + 1,
            ) from None
        if row is None:
            return
        if row:
            yield before + 1, row
        before = rows.line_num


def _checked_header(cells: list[str], source: Source) -> list[str]:
    """Column names; pandas leaves the name of its index empty, which becomes ``column_1``."""
    header = [cell.strip() or f"column_{i}" for i, cell in enumerate(cells, 1)]
    doubled = next((name for name in header if header.count(name) > 1), None)
    if doubled is not None:
        raise InputError(f"two columns are named {doubled!r}", source=source.name, line=1)
    return header
