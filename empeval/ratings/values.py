"""The values of one question: numbers or words, on a scale."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from empeval.errors import InputError
from empeval.ratings.design import Measurement
from empeval.ratings.rows import Rows
from empeval.readers.fields import found

__all__ = ["Scale", "answers", "is_blank", "is_number", "parsed_categories", "resolve", "shown"]

Scale = tuple[float, ...] | tuple[str, ...]

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
#: What tables write where there is no answer.
_MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "<NA>", "null", "NULL"})


def parsed_categories(texts: Sequence[str | float]) -> Scale:
    """Declared categories: numbers where all of them are, else words.

    Raises InputError for fewer than two, for a double, and for numbers that do not ascend.

    >>> parsed_categories(["1", "2", "3"]), parsed_categories(["bad", "good"])
    ((1.0, 2.0, 3.0), ('bad', 'good'))
    """
    words = [text.strip() if isinstance(text, str) else f"{text:g}" for text in texts]
    if len(words) < 2:
        raise InputError("a scale has two categories or more; separate them with commas (--categories 1,2,3)")
    doubled = next((word for word in words if words.count(word) > 1), None)
    if doubled is not None:
        raise InputError(f"the category {doubled!r} is declared twice")
    if "" in words:
        raise InputError("a declared category is blank")
    if not all(map(_NUMBER.fullmatch, words)):
        return tuple(words)
    numbers = tuple(map(float, words))
    if list(numbers) != sorted(set(numbers)):
        raise InputError(f"declared categories ascend, and {', '.join(words)} do not")
    return numbers


def is_blank(value: Any) -> bool:
    """Whether a cell holds no answer."""
    return _answer(value, as_words=False) is None


def is_number(value: Any) -> bool:
    """Whether a cell holds a number."""
    return isinstance(_answer(value, as_words=False), float)


def answers(rows: Rows, categories: Scale | None, at: Sequence[int]) -> dict[int, float | str]:
    """Row → its number or word, of the rows ``at`` that have an answer.

    Raises InputError, naming the line, for a value that is neither, that is not finite, that lies outside
    the declared categories, or where some values are numbers and others are words.
    """
    words_declared = categories is not None and isinstance(categories[0], str)
    known: dict[Any, float | str | None] = {}
    parsed: dict[int, float | str] = {}
    values = rows.columns["value"]
    allowed = None if categories is None else frozenset(categories)
    for row in at:
        value = values[row]
        if not isinstance(value, str | int | float | None):
            raise rows.error(row, f"the value must be a number or a word, not {found(value)}")
        key = (type(value), value)
        if key not in known:
            known[key] = answer = _answer(value, words_declared)
            if isinstance(answer, float) and not math.isfinite(answer):
                raise rows.error(row, f"the value must be finite, not {found(value)}")
        answer = known[key]
        if answer is None:
            continue
        if allowed is not None and answer not in allowed:
            raise _outside(rows, row, answer, categories or ())
        parsed[row] = answer
    _refuse_mixture(rows, parsed)
    return parsed


def _answer(value: Any, as_words: bool) -> float | str | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:g}" if as_words else float(value)
    text = str(value).strip()
    if as_words:
        return text or None
    if text in _MISSING:
        return None
    return float(text) if _NUMBER.fullmatch(text) else text


def _outside(rows: Rows, row: int, answer: float | str, categories: Scale) -> InputError:
    listed = ", ".join(map(shown, categories))
    if isinstance(answer, str) and not isinstance(categories[0], str):
        return rows.error(
            row, f"the value {answer!r} is not a number, and the declared categories are {listed}; correct it"
        )
    return rows.error(
        row,
        f"the value {shown(answer)} is outside the declared categories {listed}; correct it, or declare the "
        "whole scale",
    )


def _refuse_mixture(rows: Rows, parsed: dict[int, float | str]) -> None:
    words = [row for row, answer in parsed.items() if isinstance(answer, str)]
    numbers = [row for row, answer in parsed.items() if not isinstance(answer, str)]
    if not words or not numbers:
        return
    odd, other = (words[0], numbers[0]) if len(words) <= len(numbers) else (numbers[0], words[0])
    kinds = {True: "a word", False: "a number"}
    raise rows.error(
        odd,
        f"the value {shown(parsed[odd])} is {kinds[isinstance(parsed[odd], str)]}, and on "
        f"{rows.place(other, beside=odd)} stands {kinds[isinstance(parsed[other], str)]}, "
        f"{shown(parsed[other])}; a question has numbers or words throughout (leave a value blank where "
        "there is no answer)",
    )


def resolve(
    rows: Rows, parsed: dict[int, float | str], measurement: Measurement | None, categories: Scale | None
) -> tuple[Measurement, Scale]:
    """The measurement and the scale of a question: those declared, else what its answers suggest.

    Raises InputError where the answers, the measurement and the scale do not fit together.
    """
    scale: Scale = tuple(sorted(set(parsed.values()))) if categories is None else categories  # type: ignore[assignment]  # one kind
    are_words = bool(scale) and isinstance(scale[0], str)
    level: Measurement = measurement or ("nominal" if are_words else "ordinal")
    if are_words and level != "nominal":
        if level != "ordinal":
            message = f"{level} measurement asks for numbers, not for words such as {scale[0]!r}"
        elif categories is None:
            message = (
                f"the order of words such as {scale[0]!r} is not known; declare it, from low to high "
                "(--categories poor,fair,good), or declare --measurement nominal"
            )
        else:
            return level, scale
        row = next(iter(parsed), None)
        raise InputError(message) if row is None else rows.error(row, message)
    if level == "ratio" and not are_words:
        below = next((row for row, answer in parsed.items() if float(answer) < 0), None)
        if below is not None:
            raise rows.error(
                below,
                f"the value {shown(parsed[below])} is below 0, which a ratio scale has not; declare "
                "--measurement interval",
            )
    return level, scale


def shown(category: float | str) -> str:
    """A category as messages and tables show it.

    >>> shown(3.0), shown("good")
    ('3', "'good'")
    """
    return repr(category) if isinstance(category, str) else f"{category:g}"
