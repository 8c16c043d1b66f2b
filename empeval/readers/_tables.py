"""What all tables share: batches of values become checked columns, and columns become records."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from empeval import records
from empeval.errors import InputError
from empeval.readers.base import ReadOptions, Sample, Source
from empeval.readers.fields import FIELDS
from empeval.records import Notice, Records

__all__ = ["BATCH", "MAX_COLUMNS", "MISSING", "Table", "knows_header"]

#: Records that are checked at a time: enough to make loops over columns cheap, few enough to stay small.
BATCH = 2048

#: More columns than this are values that ended up as names.
MAX_COLUMNS = 1000


class _Missing:
    """A value that a record lacks."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


def knows_header(names: Iterable[str], sample: Sample) -> bool:
    """Whether a header names a field, or a column that the user maps to one."""
    return any(name in FIELDS or name in sample.columns for name in names)


class Table:
    """The columns of one table, checked and grown batch by batch.

    ``unit`` is what a record starts on, for messages; ``cells`` says that values are text to be parsed.
    """

    def __init__(
        self, source: Source, options: ReadOptions, *, unit: str = "line", cells: bool = False
    ) -> None:
        self._source, self._options, self._unit, self._cells = source, options, unit, cells
        self._columns: dict[str, list[Any]] = {}
        self._lines = array("q")
        self._names: dict[str, None] = {}
        self._shared: dict[Any, Any] = {}

    def add(self, batch: Mapping[str, Sequence[Any]], lines: Sequence[int]) -> None:
        """Append records: column name → values, one for each line; MISSING where a record lacks one."""
        self._names.update(dict.fromkeys(batch))
        fresh: dict[str, list[Any]] = {}
        for name, values in self._fields(batch).items():
            column = self._checked(name, values, batch, lines)
            if column is None:
                continue
            if name == "token_logprobs":
                fresh["nll"] = [None if pair is None else pair[0] for pair in column]
                fresh["n_tokens"] = [None if pair is None else pair[1] for pair in column]
            else:
                fresh["references" if name == "reference" else name] = column
        self._append(fresh, lines)

    def records(self, reader: str, notices: tuple[Notice, ...] = ()) -> list[Records]:
        """The records of each system in order of appearance, or those of the corpus."""
        self._refuse_gaps()
        shared = {
            "source": self._source.name,
            "reader": reader,
            "notices": notices,
            "options": {"columns": dict(self._options.columns)} if self._options.columns else {},
        }
        systems = self._columns.pop("system", None)
        made = []
        for system, rows in self._by_system(systems):
            columns, lines = self._columns, self._lines
            if rows is not None:
                columns = {name: [column[row] for row in rows] for name, column in columns.items()}
                lines = array("q", [lines[row] for row in rows])
            self._refuse_doubles(columns.get("id"), lines, system)
            made.append(Records(system=system, columns=columns, lines=lines, **shared))  # type: ignore[arg-type]
        return made

    def _fields(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
        """The batch under the names of fields; a mapped column displaces one that bears the field's name."""
        mapping = self._options.columns
        taken = set(mapping.values())
        fields = {target: batch[name] for target, name in mapping.items() if name in batch}
        fields |= {name: batch[name] for name in batch if name not in taken and name not in mapping}
        if self._options.corpus:
            fields.pop("hypothesis", None)
        for one, other in (
            ("reference", "references"),
            ("token_logprobs", "nll"),
            ("token_logprobs", "n_tokens"),
        ):
            if one in fields and other in fields:
                raise InputError(
                    f"there are fields {one!r} and {other!r}, which say the same; leave one out",
                    source=self._source.name,
                )
        return fields

    def _checked(
        self, name: str, values: Sequence[Any], batch: Mapping[str, Sequence[Any]], lines: Sequence[int]
    ) -> list[Any] | None:
        """The values as a column; None where no record of the batch has one."""
        field = FIELDS.get(name)
        if field is None:
            return [None if value is MISSING else value for value in values]
        if self._cells:
            values = [field.parse(value) for value in values]
        lacking = _lacking(name, values)
        if len(lacking) == len(values):
            return None
        if field.whole and lacking:
            raise self._lacks(name, lines[lacking[0]])
        if lacking:
            values = [None if value is MISSING else value for value in values]
        column = field.convert(values, lambda row, message: self._wrong(name, row, message, batch, lines))
        return [self._shared.setdefault(value, value) for value in column] if field.repeats else column

    def _append(self, fresh: dict[str, list[Any]], lines: Sequence[int]) -> None:
        before = len(self._lines)
        for name, column in fresh.items():
            if name not in self._columns:
                if before and name in FIELDS and FIELDS[name].whole:
                    raise self._lacks(name, self._lines[0])
                self._columns[name] = [None] * before
            self._columns[name] += column
        for name in self._columns.keys() - fresh.keys():
            if name in FIELDS and FIELDS[name].whole:
                raise self._lacks(name, lines[0])
            self._columns[name] += [None] * len(lines)
        self._lines.extend(lines)

    def _wrong(
        self, name: str, row: int, message: str, batch: Mapping[str, Sequence[Any]], lines: Sequence[int]
    ) -> InputError:
        """The error for one value: file, line, id and field."""
        asked = self._options.columns.get(name, name)
        ids = batch.get(self._options.columns.get("id", "id"))
        known = ids is not None and name != "id" and isinstance(ids[row], str | int)
        return self._at(
            lines[row], f"the field {asked!r} {message}", str(ids[row]) if ids and known else None
        )

    def _lacks(self, name: str, line: int) -> InputError:
        asked = self._options.columns.get(name, name)
        return self._at(line, f"the field {asked!r} is missing or null, though other records have it")

    def _at(self, line: int, message: str, segment_id: str | None = None) -> InputError:
        place = {"line": line} if self._unit == "line" else {}
        if not place:
            message = f"{self._unit} {line}: {message}"
        return InputError(message, source=self._source.name, segment_id=segment_id, **place)

    def _refuse_gaps(self) -> None:
        """Refuse a table without records, without a mapped column, or without what it was read for."""
        name, present = self._source.name, ", ".join(map(repr, self._names))
        if not self._lines:
            raise InputError("the file holds no records", source=name)
        for target, column in self._options.columns.items():
            if column not in self._names:
                raise InputError(
                    f"there is no column {column!r} to read as {target!r}; the columns are {present}",
                    source=name,
                )
        if self._options.corpus and not self._columns.keys() & records.FIELDS.keys():
            raise InputError(
                f"none of the columns is a field of a corpus; the columns are {present}. "
                "Map one with --columns references=NAME",
                source=name,
            )
        if not self._options.corpus and "hypothesis" not in self._columns:
            raise InputError(
                f"the field 'hypothesis' is missing; the columns are {present}. "
                "Map one with --columns hypothesis=NAME, or give a corpus as --corpus FILE",
                source=name,
            )

    def _by_system(self, systems: list[str] | None) -> list[tuple[str | None, list[int] | None]]:
        """Systems with the rows that are theirs; None for all rows."""
        rows: dict[str, list[int]] = {}
        for row, name in enumerate(systems or ()):
            rows.setdefault(name, []).append(row)
        names = list(rows)
        chosen = self._options.system
        if self._options.corpus:
            if len(names) > 1:
                raise InputError(
                    f"a corpus holds each segment once, and this file holds {len(names)} systems; "
                    "keep the rows of one",
                    source=self._source.name,
                )
            return [(None, None)]
        if systems is None or len(names) == 1:
            return [(chosen if self._options.named or not names else names[0], None)]
        return [(f"{chosen}:{name}" if self._options.named else name, rows[name]) for name in names]

    def _refuse_doubles(self, ids: list[str] | None, lines: Sequence[int], system: str | None) -> None:
        if ids is None or len(set(ids)) == len(ids):
            return
        first: dict[str, int] = {}
        for segment_id, line in zip(ids, lines, strict=True):
            if segment_id in first:
                whose = f" of system {system!r}" if system is not None else ""
                raise self._at(
                    line, f"this id{whose} stands on {self._unit} {first[segment_id]} already", segment_id
                )
            first[segment_id] = line


def _lacking(name: str, values: Sequence[Any]) -> list[int]:
    """The rows that have no value: null counts as none, but where a response is due."""
    kinds = set(map(type, values))
    nulls_lack = name != "hypothesis"
    if _Missing not in kinds and not (nulls_lack and type(None) in kinds):
        return []
    return [row for row, value in enumerate(values) if value is MISSING or (nulls_lack and value is None)]
