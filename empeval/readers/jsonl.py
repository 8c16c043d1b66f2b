"""JSONL: one JSON object a line."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any, ClassVar

from empeval import specs
from empeval.errors import InputError
from empeval.readers._tables import BATCH, MAX_COLUMNS, MISSING, Table
from empeval.readers.base import READERS, ReadOptions, Sample, Source
from empeval.readers.fields import found
from empeval.records import Records

__all__ = ["MISSING", "JsonLines", "read_batches"]

# Also objects as other languages write them, so that the message is about JSON.
_OBJECT = re.compile(r"""\s*\{\s*(?:["'}]|\w+\s*:|$)""")
_ARRAY = re.compile(r'\s*\[\s*(?:[\[{"\d\]]|$)')


@READERS.register("jsonl")
@dataclass(frozen=True)
class JsonLines:
    """Reads JSONL; blank lines are skipped, and a field that is no name of ours is kept."""

    name: ClassVar[str] = "jsonl"
    description: ClassVar[str] = "JSONL: one JSON object a line, with the field names of the manual"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", ".json")

    def recognises(self, sample: Sample) -> float:
        """The share of lines that open an object; an array counts too, so that it is named, not scored."""
        lines = [line for line in sample.lines if line.strip()]
        if not lines:
            return 0.0
        if _ARRAY.match(lines[0]) or _OBJECT.match(lines[0]):
            return 1.0
        return sum(bool(_OBJECT.match(line)) for line in lines) / len(lines)

    def read(self, source: Source, options: ReadOptions) -> list[Records]:
        """Read objects into columns; a wrong one is named by its line."""
        table = Table(source, options)
        for batch, lines in read_batches(source):
            table.add(batch, lines)
        return table.records(specs.format_spec(self.name, self))


def read_batches(source: Source) -> Iterator[tuple[dict[str, list[Any]], Sequence[int]]]:
    """The values by field (MISSING where an object lacks one), and their lines, some thousand at a time.

    Raises InputError for a line that is no JSON object.
    """
    batch: list[dict[str, Any]] = []
    lines = array("q")
    for number, record in _objects(source):
        batch.append(record)
        lines.append(number)
        if len(batch) == BATCH:
            yield _columns(batch, source), lines
            batch, lines = [], array("q")
    if batch:
        yield _columns(batch, source), lines


def _objects(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    decode = json.JSONDecoder().raw_decode
    for number, line in enumerate(source.lines(), 1):
        line = line.strip()  # noqa: PLW2901  # the decoder takes no blanks in front
        if not line:
            continue
        try:
            record, end = decode(line)
            if "\\ud" in line or "\\uD" in line:
                json.dumps(record, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            problem = "holds half of a surrogate pair (\\ud800 to \\udfff alone), which is no character"
        except json.JSONDecodeError as error:
            problem = f"is not valid JSON: {error.msg} at column {error.colno}"
        except RecursionError:
            problem = "is nested too deeply"
        except ValueError:
            problem = "holds a number of too many digits"
        else:
            if type(record) is dict and end == len(line):
                yield number, record
                continue
            problem = (
                f"holds more than one JSON value (column {end + 1})"
                if end < len(line)
                else f"is {found(record)}, not an object"
            )
        raise InputError(f"this line {problem}; JSONL has one object a line", source=source.name, line=number)


def _columns(batch: list[dict[str, Any]], source: Source) -> dict[str, list[Any]]:
    if len(set(map(len, batch))) == 1:
        try:
            return {name: list(map(itemgetter(name), batch)) for name in batch[0]}
        except KeyError:
            pass  # as many fields, but not the same ones
    names = dict.fromkeys(chain.from_iterable(batch))
    if len(names) > MAX_COLUMNS:
        raise InputError(
            f"the records have more than {MAX_COLUMNS} different fields, such as {list(names)[-1]!r}; "
            "field names must not hold values",
            source=source.name,
        )
    return {name: [record.get(name, MISSING) for record in batch] for name in names}
