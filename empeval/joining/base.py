"""The table that all others are joined to, and how each fits it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from empeval.errors import AlignmentError, InputError
from empeval.joining.differences import LABELS, TEXTS, differ_notice, unequal, where_they_part
from empeval.joining.matching import Rows, match_ids, match_pairs, match_positions
from empeval.records import Notice, Records

__all__ = ["Base", "Joined"]

#: Columns that describe the segment rather than the system, and so may come from any table.
_OF_SEGMENTS = ("context", "references", "emotion", "response_intent", "dialogue_id")


@dataclass(frozen=True, eq=False)
class Joined:
    """How one system's table fits the base.

    ``rows[i]`` is the row of the base that row i of the table belongs to, ``row_of[j]`` the row of the table
    that belongs to row j of the base; −1 where there is none. ``key`` says what they were joined by.
    """

    table: Records
    key: str
    rows: Rows
    row_of: Rows
    notices: tuple[Notice, ...]

    @property
    def name(self) -> str:
        """The system's name."""
        return str(self.table.system)

    def where(self, row: int) -> str:
        """How a message names a row of the table."""
        if "id" in self.table.columns:
            return f"id {self.table.columns['id'][row]!r}"
        return f"line {self.table.lines[row]} of {self.table.source}"


class Base:
    """The table that fixes order, ids and texts; what it lacks is filled in by the tables that join it.

    Raises AlignmentError where an id stands twice.
    """

    def __init__(self, table: Records, *, is_corpus: bool) -> None:
        self.table = table
        self.is_corpus = is_corpus
        self.label = f"the corpus {table.source!r}" if is_corpus else f"system {table.system!r}"
        self.columns = {name: table.columns[name] for name in _OF_SEGMENTS if name in table.columns}
        self._origin = dict.fromkeys(self.columns, self.label)
        self.has_ids = "id" in table.columns
        self.ids: Sequence[str] = (
            table.columns["id"] if self.has_ids else [str(n) for n in range(1, len(table) + 1)]
        )
        _refuse_repeated_ids(table)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def has_pair(self) -> bool:
        """Whether contexts and references are known by now."""
        return _has_pair(self.columns)

    def join(self, table: Records) -> Joined:
        """Find the base's row for each row of a table, compare what both hold, fill in what the base lacks.

        Raises InputError where there is nothing to join by, AlignmentError where the table repeats an id or
        holds other texts under the same id.
        """
        key, rows = self._match(table)
        row_of = np.full(len(self), -1, dtype=np.int64)
        hits = np.flatnonzero(rows >= 0)
        row_of[rows[hits]] = hits
        notices = [*self._texts_that_differ(table, rows), *self._labels_that_differ(table, rows)]
        self._fill(table, rows)
        return Joined(table, key, rows, row_of, tuple(notices))

    def _match(self, table: Records) -> tuple[str, Rows]:
        if table is self.table:
            return "being the same file", match_positions(len(self))
        columns = table.columns
        if self.has_ids and "id" in columns:
            _refuse_repeated_ids(table)
            return "id", match_ids(self.ids, columns["id"])
        if self.has_pair and _has_pair(columns):
            base = self.columns["context"], self.columns["references"]
            return "context and references", match_pairs(base, (columns["context"], columns["references"]))
        if table.positional:
            return "position", self._match_positions(table)
        raise InputError(self._cannot_join(table), source=table.source)

    def _match_positions(self, table: Records) -> Rows:
        if not (self.is_corpus or self.table.positional):
            raise InputError(
                f"the {len(table)} bare lines of {table.system!r} can be joined by position only, and "
                f"{self.label} ({len(self)} records) is a table of records, whose order may differ; "
                "name the file in whose order the lines stand with --corpus",
                source=table.source,
            )
        if len(table) != len(self):
            raise InputError(
                f"{table.system!r} has {len(table)} lines, but {self.label} has {len(self)}; bare lines are "
                "joined by position, so give one for each segment, an empty line for an empty response",
                source=table.source,
            )
        return match_positions(len(table))

    def _cannot_join(self, table: Records) -> str:
        def held(names: Sequence[str]) -> str:
            return ", ".join(name for name in ("id", "context", "references") if name in names)

        ours = held([*self.columns, *(["id"] if self.has_ids else [])]) or "none of these"
        theirs = held(list(table.columns)) or "none of these"
        return (
            f"system {table.system!r} cannot be joined with {self.label}: both need the column id, or both "
            f"the columns context and references; {table.system!r} has {theirs}, the other {ours}"
        )

    def _texts_that_differ(self, table: Records, rows: Rows) -> list[Notice]:
        """A notice where texts differ in form only; an error where they are other texts."""
        in_form: set[int] = set()
        origins: dict[str, None] = {}
        for name, (what, normal) in TEXTS.items():
            for base_row, row in unequal(self.columns.get(name), table.columns.get(name), rows):
                ours, theirs = self.columns[name][base_row], table.columns[name][row]
                if normal(ours) != normal(theirs):
                    shown = where_they_part(ours, theirs)
                    raise AlignmentError(
                        f"the {what} of {self._origin[name]} and of system {table.system!r} ({table.source}, "
                        f"line {table.lines[row]}) differ: {shown[0]!r} and {shown[1]!r}; take both files "
                        "from one test set, or leave out the id column of one, so that its texts join it",
                        segment_id=self.ids[base_row],
                    )
                in_form.add(base_row)
                origins[self._origin[name]] = None
        message = (
            f"{{segments}} of {table.system!r} and of {' and '.join(origins)} differ in the form of context "
            "or references (case, spacing or punctuation); the texts of the latter are used"
        )
        return differ_notice("texts_differ_in_form", in_form, self.ids, message)

    def _labels_that_differ(self, table: Records, rows: Rows) -> list[Notice]:
        notices = []
        for name, (what, normal) in LABELS.items():
            ours, theirs = self.columns.get(name), table.columns.get(name)
            others = {
                base_row
                for base_row, row in unequal(ours, theirs, rows)
                if ours is not None and theirs is not None and normal(ours[base_row]) != normal(theirs[row])
            }
            message = (
                f"{{segments}} of {table.system!r} and of {self._origin.get(name)} do not have the same "
                f"{what}; that of the latter is used"
            )
            notices += differ_notice(f"{name}s_differ", others, self.ids, message)
        return notices

    def _fill(self, table: Records, rows: Rows) -> None:
        for name in _OF_SEGMENTS:
            if name in self.columns or name not in table.columns:
                continue
            given = table.columns[name]
            self._origin[name] = f"system {table.system!r}"
            if len(rows) == len(self) and np.array_equal(rows, match_positions(len(self))):
                self.columns[name] = given
                continue
            column: list[Any] = [None] * len(self)
            for value, base_row in zip(given, rows.tolist(), strict=True):
                if base_row >= 0:
                    column[base_row] = value
            self.columns[name] = column


def _has_pair(columns: Mapping[str, Any]) -> bool:
    return "context" in columns and "references" in columns


def _refuse_repeated_ids(table: Records) -> None:
    ids = table.columns.get("id")
    if ids is None or len(set(ids)) == len(ids):
        return
    first: dict[str, int] = {}
    for row, segment_id in enumerate(ids):
        if segment_id in first:
            raise AlignmentError(
                f"this id stands twice, first on line {table.lines[first[segment_id]]}; every segment needs "
                "an id of its own",
                source=table.source,
                line=table.lines[row],
                segment_id=segment_id,
            )
        first[segment_id] = row
