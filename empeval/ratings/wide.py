"""Wide tables: a column a rater, or a file a rater and a column a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from empeval.errors import InputError
from empeval.ratings.rows import DESIGN
from empeval.ratings.tables import Table
from empeval.ratings.values import is_blank, is_number
from empeval.records import Notice

__all__ = ["melted_files", "melted_raters"]

_KEYS = (*DESIGN, "system")


def melted_raters(tables: Sequence[Table]) -> list[Table]:
    """Every column that is no field becomes a rater; a blank cell is no row, for nobody asked."""
    return [_melted_raters(table) for table in tables]


def _melted_raters(table: Table) -> Table:
    _require_item(table)
    raters = [name for name in table.columns if name not in _KEYS]
    if not raters:
        raise InputError(f"there is no column for any rater: {table.present}", source=table.source)
    kept = [name for name in table.columns if name in _KEYS and name != "rater"]
    columns: dict[str, list[Any]] = {name: [] for name in (*kept, "rater", "value")}
    lines: list[int] = []
    for rater in raters:
        values = table.columns[rater]
        rows = [row for row, value in enumerate(values) if not is_blank(value)]
        for name in kept:
            columns[name].extend(table.columns[name][row] for row in rows)
        columns["rater"].extend([rater] * len(rows))
        columns["value"].extend(values[row] for row in rows)
        lines.extend(table.lines[row] for row in rows)
    return Table(table.source, table.name, table.unit, columns, lines)


def melted_files(
    tables: Sequence[Table], asked: Sequence[str] | None
) -> tuple[list[Table], tuple[Notice, ...]]:
    """Every file is a rater, unless it has a column `rater`; every column of numbers is a question.

    Columns of words are questions where they are asked for. A column counts as one of numbers where half of
    its values are: the others are then errors, not a reason to drop it.
    """
    for table in tables:
        _require_item(table)
    names = [table.name for table in tables if "rater" not in table.columns]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise InputError(f"two files name a rater {doubled!r}; name one yourself with NAME=FILE")
    candidates = dict.fromkeys(name for table in tables for name in table.columns if name not in _KEYS)
    questions = [name for name in candidates if (name in asked if asked else _is_question(name, tables))]
    ignored = () if asked else tuple(name for name in candidates if name not in questions)
    if not questions and not asked:
        raise InputError(
            f"there is no column of numbers to be a question: {tables[0].present}", source=tables[0].source
        )
    notices: tuple[Notice, ...] = ()
    if ignored:
        shown = ", ".join(map(repr, ignored[:5])) + (", …" if len(ignored) > 5 else "")
        message = f"columns that hold no numbers, or have no name, are no questions: {shown}"
        notices = (Notice("ignored_columns", message, len(ignored), ignored),)
    return [_melted_file(table, questions) for table in tables], notices


def _is_question(name: str, tables: Sequence[Table]) -> bool:
    # pandas writes its index under no name, and reads it back as "Unnamed: 0"
    if name == "column_1" or name.startswith("Unnamed:"):
        return False
    values = [value for table in tables for value in table.columns.get(name, ()) if not is_blank(value)]
    return 2 * sum(map(is_number, values)) >= max(1, len(values))


def _melted_file(table: Table, questions: Sequence[str]) -> Table:
    kept = [name for name in table.columns if name in _KEYS and name != "question"]
    present = [name for name in questions if name in table.columns]
    times = len(present)
    columns: dict[str, list[Any]] = {name: list(table.columns[name]) * times for name in kept}
    columns.setdefault("rater", [table.name] * (len(table.lines) * times))
    columns["question"] = [name for name in present for _ in table.lines]
    columns["value"] = [value for name in present for value in table.columns[name]]
    return Table(table.source, table.name, table.unit, columns, list(table.lines) * times)


def _require_item(table: Table) -> None:
    if "item" not in table.columns:
        raise InputError(
            f"there is no column 'item': {table.present}. Name the one that holds it with "
            "--columns item=NAME",
            source=table.source,
        )
