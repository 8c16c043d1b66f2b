"""The rows of one or several tables under the names of fields, each knowing where it came from."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from empeval.errors import InputError, UnknownName
from empeval.ratings.tables import Table
from empeval.readers.fields import found
from empeval.statistics.segments import Array

__all__ = ["DESIGN", "LEFT_OUT", "QUESTION", "Rows", "chosen", "long_rows"]

#: The question of a table that has no column for it.
QUESTION = "rating"
#: Fields that say who answered what and when; tables of ratings and of judgments share them.
DESIGN = (
    "item",
    "rater",
    "question",
    "dialogue",
    "pass",
    "position",
    "time",
    "purpose",
    "counted",
    "revision",
)
#: Why a row does not count.
LEFT_OUT = ("not_counted", "purpose", "older_revision", "missing_value")

_TRUE, _FALSE = {"true", "1", "1.0", "yes"}, {"false", "0", "0.0", "no"}


@dataclass(frozen=True, eq=False)
class Rows:
    """Values by field, all of one length, and where each row stands.

    ``sources`` holds the names of the files and what their rows start on; ``source_of`` and ``line_of``,
    both of shape (n_rows,), point into them.
    """

    columns: Mapping[str, Sequence[Any]]
    sources: tuple[tuple[str, str], ...]
    source_of: Array
    line_of: Array

    def __len__(self) -> int:
        return len(self.line_of)

    def kept(self, rows: Array) -> Rows:
        """The rows at these places."""
        at = rows.tolist()
        columns = {name: [values[row] for row in at] for name, values in self.columns.items()}
        return Rows(columns, self.sources, self.source_of[rows], self.line_of[rows])

    def place(self, row: int, beside: int | None = None) -> str:
        """Where a row stands, in words: the line alone if the row ``beside`` is of the same file."""
        source, unit = self.sources[self.source_of[row]]
        where = f"{unit} {self.line_of[row]}"
        same = beside is not None and self.source_of[row] == self.source_of[beside]
        return where if same else f"{source}, {where}"

    def error(self, row: int, message: str) -> InputError:
        """The error for one row: file, line and what is wrong."""
        source, unit = self.sources[self.source_of[row]]
        line = int(self.line_of[row])
        if unit == "line":
            return InputError(message, source=source, line=line)
        return InputError(f"{unit} {line}: {message}", source=source)

    def names(self, field: str) -> list[str]:
        """A column of names, blanks around them taken off; InputError where one is blank."""
        found_names = self.optional_names(field)
        for row, name in enumerate(found_names):
            if name is None:
                raise self.error(row, f"the {field} is blank; give every row its {field}, or leave it out")
        return [name or "" for name in found_names]

    def optional_names(self, field: str) -> list[str | None]:
        """A column of names, None where it is blank; InputError for a list or an object."""
        known: dict[Hashable, str | None] = {}
        column = []
        for row, value in enumerate(self.columns[field]):
            if isinstance(value, list | dict):
                raise self.error(row, f"the {field} must be a name, not {found(value)}")
            key = (type(value), value)
            if key not in known:
                known[key] = _name(value)
            column.append(known[key])
        return column

    def counts(self) -> tuple[Array, dict[str, Array]]:
        """Which rows count, shape (n_rows,), and masks of those that do not, by reason."""
        n = len(self)
        counted = np.array(
            [self._truth(row) for row in range(n)] if "counted" in self.columns else [True] * n
        )
        purpose = np.ones(n, dtype=bool)
        if "purpose" in self.columns:
            purpose = np.array(
                [name in (None, "main") for name in self.optional_names("purpose")], dtype=bool
            )
        counted = counted.astype(bool)
        return counted & purpose, {"purpose": ~purpose, "not_counted": ~counted & purpose}

    def latest(self, keys: Sequence[Hashable], of: Array) -> Array:
        """Of the rows ``of`` that share a key those of the highest revision, shape (n_rows,)."""
        if "revision" not in self.columns:
            return of
        numbers = [self._number("revision", row) for row in range(len(self))]
        last: dict[Hashable, float] = {}
        rows = np.flatnonzero(of).tolist()
        for row in rows:
            last[keys[row]] = max(last.get(keys[row], -math.inf), numbers[row])
        kept = np.zeros(len(self), dtype=bool)
        kept[[row for row in rows if numbers[row] == last[keys[row]]]] = True
        return kept

    def refuse_doubles(self, keys: Sequence[Hashable], what: str, rows: Iterable[int]) -> None:
        """InputError naming both rows where two share a key; ``what`` is the same in them, in words."""
        first: dict[Hashable, int] = {}
        for row in rows:
            if keys[row] in first:
                there = self.place(first[keys[row]], beside=row)
                raise self.error(
                    row,
                    f"the same {what} stands on {there} already; keep one of them, or tell repeated answers "
                    "apart by a column 'pass'",
                )
            first[keys[row]] = row

    def _truth(self, row: int) -> bool:
        text = str(self.columns["counted"][row]).strip().lower()
        if self.columns["counted"][row] is None or not text or text in _TRUE:
            return True
        if text in _FALSE:
            return False
        raise self.error(row, f"'counted' must be true or false, not {found(self.columns['counted'][row])}")

    def _number(self, field: str, row: int) -> float:
        value = self.columns[field][row]
        if value is None or not str(value).strip():
            return 0.0
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise self.error(row, f"the {field} must be a number, not {found(value)}")
        return number

    def numbers(self, field: str) -> list[float] | None:
        """A column of numbers, or None where the table has no such column."""
        return [self._number(field, row) for row in range(len(self))] if field in self.columns else None


def _name(value: Any) -> str | None:
    """A value as a name; a whole number that a table stored as a fraction is the whole number."""
    if value is None:
        return None
    if isinstance(value, float):
        if math.isnan(value):
            return None
        if value.is_integer():
            value = int(value)
    return str(value).strip() or None


def long_rows(tables: Sequence[Table], fields: Iterable[str], required: Sequence[str], remedy: str) -> Rows:
    """The fields of all tables, one below the other; a file that lacks an optional one has blanks there.

    Raises InputError for a table without a required field; ``remedy`` says what else could be done.
    """
    for table in tables:
        for field in required:
            if field not in table.columns:
                if field == "value" and "winner" in table.columns:
                    remedy = "; pairwise judgments are for `empeval preference`"
                raise InputError(
                    f"there is no column {field!r}: {table.present}. Name the one that holds it with "
                    f"--columns {field}=NAME{remedy}",
                    source=table.source,
                )
    present = [field for field in fields if any(field in table.columns for table in tables)]
    columns: dict[str, list[Any]] = {field: [] for field in present}
    for table in tables:
        for field in present:
            values = table.columns.get(field)
            columns[field].extend([None] * len(table.lines) if values is None else values)
    return Rows(
        columns,
        tuple((table.source, table.unit) for table in tables),
        np.repeat(np.arange(len(tables)), [len(table.lines) for table in tables]),
        np.array([line for table in tables for line in table.lines], dtype=np.int64),
    )


def chosen(names: Iterable[str], asked: Sequence[str] | None) -> list[str]:
    """The questions that were asked for, sorted; UnknownName for one that is not there."""
    known = sorted(set(names))
    for name in asked or ():
        if name not in known:
            raise UnknownName("question", name, known)
    return known if asked is None else sorted(set(asked))
