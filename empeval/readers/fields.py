"""The fields of a record: what each may hold in a table, and how it is brought to the type of its column.

Values are checked a column at a time. A converter gets the values and a function that makes the error for
one row; it returns the column, or raises. Types are those of `empeval.records.FIELDS`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from empeval.errors import InputError
from empeval.readers._reprs import parse_texts

__all__ = ["CORPUS_FIELDS", "FIELDS", "Fail", "Field", "found"]

#: Fields of a table that describe the segment, whoever answers it.
CORPUS_FIELDS = frozenset(
    ("id", "dialogue_id", "context", "reference", "references", "emotion", "response_intent")
)

#: Beyond this a count is no exact number any more, and sums of logarithms come to overflow.
_MOST = 2**53

#: Makes the error for a row (counted from 0 within the values) and what is wrong with it.
Fail = Callable[[int, str], InputError]

Converter = Callable[[Sequence[Any], Fail], list[Any]]


def found(value: object) -> str:
    """A value in words, short enough for a message.

    >>> found(None), found(2.5), found(["a"])
    ('null', 'the number 2.5', 'a list')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        text = repr(value) if not isinstance(value, int) or abs(value) < 10**18 else "of many digits"
        return f"the number {text}"
    if isinstance(value, str):
        return f"the text {value if len(value) <= 40 else value[:39] + '…'!r}"
    names = {"dict": "an object", "list": "a list", "tuple": "a list", "bytes": "bytes"}
    kind = type(value).__name__
    return names.get(kind, f"a {kind}")


def _text(values: Sequence[Any], fail: Fail) -> list[str]:
    if set(map(type, values)) <= {str}:
        return list(values)
    row = next(row for row, value in enumerate(values) if not isinstance(value, str))
    raise fail(row, f"must be text, not {found(values[row])}")


def _hypothesis(values: Sequence[Any], fail: Fail) -> list[str]:
    if None in values:
        raise fail(values.index(None), 'is null; an empty response is written ""')
    return _text(values, fail)


def _name(values: Sequence[Any], fail: Fail) -> list[str]:
    if int in set(map(type, values)):
        values = [str(value) if type(value) is int else value for value in values]
    names = _text(values, fail)
    if "" in names:
        raise fail(names.index(""), "is empty")
    return names


def _optional_name(values: Sequence[Any], fail: Fail) -> list[str | None]:
    given = [row for row, value in enumerate(values) if value is not None and value != ""]
    names = _name([values[row] for row in given], lambda row, message: fail(given[row], message))
    column: list[str | None] = [None] * len(values)
    for row, name in zip(given, names, strict=True):
        column[row] = name
    return column


def _label(values: Sequence[Any], fail: Fail) -> list[str | None]:
    for row, value in enumerate(values):
        if value is not None and not isinstance(value, str):
            raise fail(row, f"must be text, not {found(value)}")
    return [value or None for value in values]


def _texts(values: Sequence[Any], fail: Fail) -> list[tuple[str, ...]]:
    column: list[tuple[str, ...]] = []
    for row, value in enumerate(values):
        if isinstance(value, str):
            column.append((value,))
            continue
        if not isinstance(value, list | tuple):
            raise fail(row, f"must be text or a list of texts, not {found(value)}")
        if set(map(type, value)) - {str}:
            wrong = next(entry for entry in value if not isinstance(entry, str))
            raise fail(row, f"must be text or a list of texts, and the list holds {found(wrong)}")
        column.append(tuple(value))
    return column


def _references(values: Sequence[Any], fail: Fail) -> list[tuple[str, ...]]:
    column = _texts(values, fail)
    if () in column:
        raise fail(column.index(()), "is an empty list; a segment has at least one reference")
    return column


def _ranking(values: Sequence[Any], fail: Fail) -> list[tuple[str, ...] | None]:
    given = [row for row, value in enumerate(values) if value is not None and value != ""]
    texts = _texts([values[row] for row in given], lambda row, message: fail(given[row], message))
    column: list[tuple[str, ...] | None] = [None] * len(values)
    for row, ranked in zip(given, texts, strict=True):
        column[row] = ranked or None
    return column


def _number(value: object) -> float | None:
    """A real number as float, infinity where it is too large for one, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _nll(values: Sequence[Any], fail: Fail) -> list[float | None]:
    column = []
    for row, value in enumerate(values):
        number = _number(value)
        if value is not None and (number is None or not 0 <= number < math.inf):
            raise fail(row, f"must be a finite number, 0 or above (a natural logarithm), not {found(value)}")
        if number is not None and number > _MOST:
            raise fail(row, f"is too large: {found(value)}")
        column.append(number)
    return column


def _count(values: Sequence[Any], fail: Fail) -> list[int | None]:
    column: list[int | None] = []
    for row, value in enumerate(values):
        number = _number(value)
        if value is None:
            column.append(None)
        elif number is None or not 1 <= number < math.inf or number != int(number):
            raise fail(row, f"must be a whole number, 1 or above, not {found(value)}")
        elif number > _MOST:
            raise fail(row, f"is too large: {found(value)}")
        else:
            column.append(int(value))
    return column


def _numbers(value: object, row: int, fail: Fail) -> tuple[float, ...]:
    if not isinstance(value, list | tuple):
        raise fail(row, f"must be a list of numbers, not {found(value)}")
    if not value:
        raise fail(row, "is an empty list")
    numbers = []
    for entry in value:
        number = _number(entry)
        if number is None or math.isnan(number):
            raise fail(row, f"must be a list of numbers, and the list holds {found(entry)}")
        numbers.append(number)
    return tuple(numbers)


def _candidate_scores(values: Sequence[Any], fail: Fail) -> list[tuple[float, ...] | None]:
    return [None if value is None else _numbers(value, row, fail) for row, value in enumerate(values)]


def _token_logprobs(values: Sequence[Any], fail: Fail) -> list[tuple[float, int] | None]:
    """Total negative log-likelihood and number of tokens, from one logarithm a token."""
    column: list[tuple[float, int] | None] = []
    for row, value in enumerate(values):
        if value is None:
            column.append(None)
            continue
        logs = _numbers(value, row, fail)
        wrong = next((log for log in logs if not -_MOST <= log <= 0), None)
        if wrong is not None:
            raise fail(row, f"must hold finite logarithms of probabilities, 0 or below, not {wrong!r}")
        column.append((-math.fsum(logs) + 0.0, len(logs)))  # + 0.0 makes the zero of certain tokens positive
    return column


def _as_is(cell: str) -> Any:
    return cell


def _cell_of_number(cell: str) -> Any:
    """The number that a cell spells, None if it is empty, else the cell itself, to be refused."""
    if not cell.strip():
        return None
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell


def _cell_of_numbers(cell: str) -> Any:
    """The JSON list that a cell spells, None if it is empty, else the cell itself."""
    if not cell.strip():
        return None
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


def _cell_of_texts(cell: str) -> Any:
    """A list of texts as JSON or as Python prints it; any other cell is one text."""
    if not (cell.startswith("[") and cell.endswith("]")):
        return cell
    value = _cell_of_numbers(cell)
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return value
    texts = parse_texts(cell)
    return cell if texts is None else list(texts)


@dataclass(frozen=True)
class Field:
    """How a table's values become a column.

    ``parse`` reads a cell of a text table. ``whole`` fields are present in every record or in none.
    ``repeats`` says that values recur, so that equal ones may share one object.
    """

    convert: Converter
    parse: Callable[[str], Any] = _as_is
    whole: bool = False
    repeats: bool = False


#: Field name → its rules. `reference`, `token_logprobs` and `system` are no columns of their own:
#: they become `references`, `nll` with `n_tokens`, and the name of the system.
FIELDS: dict[str, Field] = {
    "id": Field(_name, whole=True),
    "dialogue_id": Field(_optional_name),
    "context": Field(_texts, _cell_of_texts, whole=True),
    "references": Field(_references, _cell_of_texts, whole=True),
    "reference": Field(_references, _cell_of_texts, whole=True),
    "emotion": Field(_label, repeats=True),
    "hypothesis": Field(_hypothesis, whole=True),
    "predicted_emotion": Field(_ranking, _cell_of_texts, repeats=True),
    "response_intent": Field(_label, repeats=True),
    "predicted_intent": Field(_label, repeats=True),
    "nll": Field(_nll, _cell_of_number),
    "n_tokens": Field(_count, _cell_of_number),
    "token_logprobs": Field(_token_logprobs, _cell_of_numbers),
    "candidate_scores": Field(_candidate_scores, _cell_of_numbers),
    "system": Field(_name, whole=True, repeats=True),
}
