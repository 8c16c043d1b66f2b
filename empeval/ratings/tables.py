"""One file as columns, whatever its format."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from empeval.errors import InputError, UnknownName
from empeval.readers import Source, delimited, jsonl, parquet, split_name
from empeval.readers.jsonl import MISSING

__all__ = ["Table", "read_table"]


@dataclass(frozen=True, eq=False)
class Table:
    """The columns of one file as they stand, all of one length; a value that a record lacks is None.

    ``name`` is the one that the user gave (NAME=FILE), or the file's stem; ``unit`` is what a row starts
    on (``line``, ``row``), and ``lines`` are its numbers.
    """

    source: str
    name: str
    unit: str
    columns: Mapping[str, Sequence[Any]]
    lines: Sequence[int]

    def named(self, columns: Mapping[str, str], fields: Iterable[str]) -> Table:
        """The table with fields in place of the columns that are mapped to them.

        A mapped column displaces one that bears the field's name. Raises UnknownName for a field that does
        not exist, InputError for a column that is not there.
        """
        known = tuple(fields)
        for field, column in columns.items():
            if field not in known:
                raise UnknownName("field", field, known)
            if column not in self.columns:
                raise InputError(
                    f"there is no column {column!r} to read as {field!r}; {self.present}", source=self.source
                )
        taken = {*columns.values(), *columns}
        mapped = {field: self.columns[column] for field, column in columns.items()}
        rest = {name: values for name, values in self.columns.items() if name not in taken}
        return Table(self.source, self.name, self.unit, {**mapped, **rest}, self.lines)

    @property
    def present(self) -> str:
        """The columns there are, for messages."""
        names = list(self.columns)
        shown = ", ".join(map(repr, names[:20])) + (", …" if len(names) > 20 else "")
        if len(names) == 1 and ";" in names[0]:
            return f"the only column is {names[0]!r}: separate cells with commas, not semicolons"
        return f"the columns are {shown}" if names else "it has no columns"


def read_table(file: str | Path) -> Table:
    r"""Read CSV, TSV, JSONL or Parquet, plain or gzipped; ``-`` is standard input, NAME=FILE names the table.

    Raises InputError for a file that cannot be read, naming the line.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = path.write_text("item,rater,value\ni1,r1,4\n")
    >>> read_table(path).columns["value"]
    ['4']
    """
    name, path = split_name(file)
    with Source(path) as source:
        columns: dict[str, list[Any]] = {}
        lines = array("q")
        unit, batches = _batches(source)
        for batch, numbers in batches:
            for column in batch:
                columns.setdefault(column, [None] * len(lines))
            for column, grown in columns.items():
                values = batch.get(column)
                grown.extend([None] * len(numbers) if values is None else values)
            lines.extend(numbers)
        if unit == "line":
            for column, grown in columns.items():
                columns[column] = [None if value is MISSING else value for value in grown]
        return Table(source.name, name or source.stem, unit, columns, lines)


def _batches(source: Source) -> tuple[str, Iterator[tuple[Mapping[str, Sequence[Any]], Sequence[int]]]]:
    """What a row starts on, and the rows, by the file's content; its suffix decides between CSV and TSV."""
    sample = source.sample()
    if parquet.Parquet().recognises(sample):
        return "row", iter(parquet.read_batches(source))
    if jsonl.JsonLines().recognises(sample) >= 0.5:
        return "line", iter(jsonl.read_batches(source))
    first = next((line for line in sample.lines if line.strip()), "")
    if source.suffix in delimited.Csv.suffixes:
        delimiter = ","
    elif source.suffix in delimited.Tsv.suffixes:
        delimiter = "\t"
    else:
        delimiter = "\t" if first.count("\t") > first.count(",") else ","
    return "line", iter(delimited.read_batches(source, delimiter))
