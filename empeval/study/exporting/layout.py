"""Tables as files: CSV that no spreadsheet runs, JSON lines, Parquet; each can be read back as it was."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from empeval.errors import InputError
from empeval.study.exporting.tables import Column, Table, in_order

__all__ = ["FORMATS", "guarded", "read_table", "table_file", "unguarded", "written"]

FORMATS = ("csv", "jsonl", "parquet")
_DANGEROUS = "=+-@\t\r"
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def table_file(folder: Path, table: Table, layout: str) -> Path:
    """Where a table lies in an export."""
    return folder / f"{table.name}.{layout}"


def guarded(text: str) -> str:
    """The text with an apostrophe before what a spreadsheet would take for a formula; numbers stay.

    >>> guarded("=1+1"), guarded("-2"), guarded("plain")
    ("'=1+1", '-2', 'plain')
    """
    bare = text.lstrip("'")
    if bare[:1] in tuple(_DANGEROUS) and not (bare == text and _NUMBER.fullmatch(text)):
        return "'" + text
    return text


def unguarded(text: str) -> str:
    """What `guarded` was given."""
    bare = text.lstrip("'")
    return text[1:] if bare != text and bare[:1] in tuple(_DANGEROUS) else text


def written(table: Table, rows: Sequence[dict[str, Any]], layout: str, *, excel: bool = False) -> bytes:
    """The bytes of a table's file; ``excel`` puts a byte-order mark before CSV."""
    make: dict[str, Callable[[], bytes]] = {
        "csv": lambda: _csv(table, rows, "utf-8-sig" if excel else "utf-8"),
        "jsonl": lambda: _jsonl(table, rows),
        "parquet": lambda: _parquet(table, rows),
    }
    return make[layout]()


def _csv(table: Table, rows: Sequence[dict[str, Any]], encoding: str) -> bytes:
    stream = io.StringIO()
    # Every carriage return has to be quoted, which Python does only where it is part of the line's end.
    has_return = any("\r" in value for row in rows for value in row.values() if isinstance(value, str))
    writer = csv.writer(
        stream, lineterminator="\n", quoting=csv.QUOTE_ALL if has_return else csv.QUOTE_MINIMAL
    )
    writer.writerow(column.name for column in table.columns)
    for row in rows:
        writer.writerow(_cell(column, value) for column, value in in_order(table, row))
    return stream.getvalue().encode(encoding)


def _cell(column: Column, value: Any) -> str:
    plain = _plain(value)
    if plain is None:
        return ""
    if isinstance(plain, bool):
        return str(plain).lower()
    return guarded(str(plain)) if column.kind in ("text", "answer") else str(plain)


def _plain(value: Any) -> Any:
    return value.astimezone(UTC).isoformat(timespec="microseconds") if isinstance(value, datetime) else value


def _jsonl(table: Table, rows: Sequence[dict[str, Any]]) -> bytes:
    lines = (
        json.dumps({column.name: _plain(value) for column, value in in_order(table, row)}, ensure_ascii=False)
        for row in rows
    )
    return "".join(f"{line}\n" for line in lines).encode()


def _parquet(table: Table, rows: Sequence[dict[str, Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {
        "text": pa.string(),
        "whole": pa.int64(),
        "truth": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
        "answer": pa.string(),
    }
    columns = {
        column.name: pa.array(
            [
                value if value is None or column.kind != "answer" else str(value)
                for value in (row.get(column.name) for row in rows)
            ],
            type=types[column.kind],
        )
        for column in table.columns
    }
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def read_table(folder: Path, table: Table) -> list[dict[str, Any]]:
    """The rows of a table as `written` wrote them, in whichever layout the folder has it.

    Raises InputError for a table that is not there, lacks a column, or holds a value that its column cannot.
    """
    for layout, read in (("csv", _read_csv), ("jsonl", _read_jsonl), ("parquet", _read_parquet)):
        path = table_file(folder, table, layout)
        if path.is_file():
            try:
                return read(path, table)
            except (OSError, UnicodeDecodeError, json.JSONDecodeError, csv.Error) as error:
                raise InputError(f"the table cannot be read: {error}", source=str(path)) from None
    raise InputError(
        f"there is no {table.name}.csv (or .jsonl, .parquet); is this an export?", source=str(folder)
    )


def _read_csv(path: Path, table: Table) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream)
        _check(path, table, reader.fieldnames or ())
        return [
            {column.name: _parsed(path, i, column, row[column.name]) for column in table.columns}
            for i, row in enumerate(reader, start=2)
        ]


def _parsed(path: Path, line: int, column: Column, cell: str | None) -> Any:
    if cell is None or cell == "":
        return None
    if column.kind in ("text", "answer"):
        return unguarded(cell)
    return _value(path, line, column, cell)


def _value(path: Path, line: int, column: Column, value: Any) -> Any:
    try:
        if column.kind == "whole":
            number = int(value)
            if not -(2**63) <= number < 2**63:
                raise ValueError
            return number
        if column.kind == "truth":
            return value if isinstance(value, bool) else {"true": True, "false": False}[str(value)]
        if column.kind == "time":
            moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
            if moment.tzinfo is None:
                raise ValueError
            return moment
        return value
    except (ValueError, KeyError, TypeError):
        raise InputError(
            f"{value!r} does not belong into the column {column.name!r}", source=str(path), line=line
        ) from None


def _read_jsonl(path: Path, table: Table) -> list[dict[str, Any]]:
    rows = []
    # Not splitlines(): JSON leaves U+0085 and U+2028 within a text as they are.
    for i, line in enumerate(path.read_bytes().splitlines(), start=1):
        record = json.loads(line)
        if not isinstance(record, dict):
            raise InputError("expected an object, one a line", source=str(path), line=i)
        _check(path, table, record)
        rows.append(
            {
                column.name: None
                if record[column.name] is None
                else _value(path, i, column, record[column.name])
                for column in table.columns
            }
        )
    return rows


def _read_parquet(path: Path, table: Table) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    loaded = pq.read_table(path)
    _check(path, table, loaded.column_names)
    rows: list[dict[str, Any]] = loaded.to_pylist()
    return rows


def _check(path: Path, table: Table, names: Sequence[str] | dict[str, Any]) -> None:
    for column in table.columns:
        if column.name not in names:
            raise InputError(f"the column {column.name!r} is missing; is this an export?", source=str(path))
