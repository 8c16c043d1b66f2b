"""The records of a log, line by line, against a grammar that the first record settles."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

from empeval.errors import InputError
from empeval.readers._grammar import Grammar, Line
from empeval.readers._reprs import parse_texts
from empeval.readers.base import Source

__all__ = ["RecordParser"]


class RecordParser:
    """Takes the lines of a log one after the other and fills columns.

    ``columns`` has all but the responses, which ``hypotheses`` has by decode; ``starts`` is the line that
    each record starts on; ``header`` the lines before the first. With ``authors``, responses and references
    are damaged as the published evaluation scripts do, and ``changed`` counts how many that altered, by
    decode and under ``references``.
    """

    def __init__(self, source: Source, grammar: Grammar, *, authors: bool = False) -> None:
        self.columns: dict[str, list[Any]] = {}
        self.hypotheses: dict[str, list[str]] = {}
        self.starts = array("q")
        self.header: list[tuple[int, str]] = []
        self.changed: Counter[str] = Counter()
        self._source, self._grammar, self._authors = source, grammar, authors
        self._layout: list[Line] = []
        self._settled = False
        self._next = 0
        self._shared: dict[str, str] = {}

    def take(self, number: int, text: str) -> None:
        """The next line of the file; InputError if it does not belong where it stands."""
        if self._next == 0:
            if not text.strip():
                return
            if not self.starts and self._grammar.is_header(text):
                self.header.append((number, text))
                return
            self.starts.append(number)
        if self._settled:
            line = self._layout[self._next]
            if not line.fits(text):
                self._refuse(number, text, [line])
        else:
            line = self._settle(number, text)
        self._fill(line, number, text)
        self._next += 1
        if self._next == len(self._layout) and (self._settled or line is self._grammar.order[-1]):
            self._settled, self._next = True, 0

    def finish(self) -> None:
        """The end of the file; InputError if it comes in the middle of a record."""
        if not self.starts:
            raise InputError("the file holds no records", source=self._source.name)
        if self._next == 0:
            return
        waiting = self._layout[self._next :] if self._settled else self._possible()
        if waiting[0] is self._grammar.separator and waiting[0].optional:
            return
        raise InputError(
            f"the log ends in the middle of the record that starts on line {self.starts[-1]}: "
            f"{_either(waiting if not self._settled else waiting[:1])} is missing; the file was cut",
            source=self._source.name,
        )

    def _settle(self, number: int, text: str) -> Line:
        """The line of the grammar that stands here in the first record, and so in every one."""
        line, possible = self._grammar.find(text), self._possible()
        annotates = line is not None and line not in self._grammar.order
        if line is None or not (
            line in possible or (annotates and self._layout and line not in self._layout)
        ):
            self._refuse(number, text, possible)
        self._layout.append(line)
        return line

    def _possible(self) -> list[Line]:
        """The lines of the grammar that may come next in the first record: up to the first that must."""
        order = self._grammar.order
        seen = [order.index(line) for line in self._layout if line in order]
        possible = []
        for line in order[seen[-1] + 1 if seen else 0 :]:
            if line.column == "references" and not self.hypotheses:
                break
            possible.append(line)
            if not line.optional:
                break
        return possible

    def _fill(self, line: Line, number: int, text: str) -> None:
        if line.column == "hypothesis":
            decode = line.prefix.rstrip(":")
            self.hypotheses.setdefault(decode, []).append(self._response(line.prefix, text, decode))
        elif line.column == "references":
            self._column("references").append((self._response(line.prefix, text, "references"),))
        elif line.column is not None:
            self._column(line.column).append(self._value(line.column, text[len(line.prefix) :], number))
        elif line.pattern is not None and (match := line.pattern.fullmatch(text, len(line.prefix))):
            for column, part in match.groupdict().items():
                self._column(column).append(self._value(column, part, number))

    def _column(self, name: str) -> list[Any]:
        return self.columns.setdefault(name, [])

    def _response(self, prefix: str, text: str, whose: str) -> str:
        """The text after its prefix, or what the authors' ``line.strip(prefix).strip()`` leaves of it."""
        clean = text.removeprefix(prefix).strip()
        if not self._authors:
            return clean
        damaged = f"{text}\n".strip(prefix).strip()  # the newline shields the end of the line, as in a file
        self.changed[whose] += damaged != clean
        return damaged

    def _value(self, column: str, part: str, number: int) -> Any:
        if column not in _VALUES:
            return part.strip()
        convert, what = _VALUES[column]
        value = convert(part)
        if value is None:
            raise InputError(
                f"the {column.replace('_', ' ')} must be {what}, found {_excerpt(part.strip())}",
                source=self._source.name,
                line=number,
            )
        if column == "context":
            return self._sharing_turns(value)
        return self._shared.setdefault(value, value) if isinstance(value, str) else value

    def _sharing_turns(self, turns: tuple[str, ...]) -> tuple[str, ...]:
        """The same turns; where they continue the previous record's, as the same objects."""
        contexts = self.columns["context"]
        previous = contexts[-1] if contexts else ()
        if turns[: len(previous)] == previous:
            return previous + turns[len(previous) :]
        return turns

    def _refuse(self, number: int, text: str, expected: list[Line]) -> NoReturn:
        raise InputError(
            f"expected {_either(expected)} here, found {_excerpt(text)}; "
            f"the record that starts on line {self.starts[-1]} is cut or damaged",
            source=self._source.name,
            line=number,
        )


def _either(lines: list[Line]) -> str:
    return " or ".join(map(str, lines))


def _excerpt(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…") if text.strip() else "a blank line"


def _label(part: str) -> str | None:
    return part.strip() or None


def _ranking(part: str) -> tuple[str, ...] | None:
    labels = tuple(label.strip() for label in part.split(","))
    return labels if all(labels) else None


def _score(part: str) -> float | None:
    try:
        score = float(part)
    except ValueError:
        return None
    return score if math.isfinite(score) else None


_LIST = (parse_texts, "a list of texts as Python prints it")

#: Column → how its part of a line becomes a value (None: it does not), and what it must be, for messages.
_VALUES: dict[str, tuple[Callable[[str], Any], str]] = {
    "context": _LIST,
    "emotion_context": _LIST,
    "feedback": _LIST,
    "utterance_labels": _LIST,
    "emotion": (_label, "a label"),
    "predicted_emotion": (_ranking, "a label, or labels with commas between them"),
    "vader_score": (_score, "a number"),
}
