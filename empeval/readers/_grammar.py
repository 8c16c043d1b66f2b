"""The grammar of a log: which lines a record has, in which order, and what stands between records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from empeval import records
from empeval.readers._headers import Headline

__all__ = ["BLANK", "DASHES", "Grammar", "Line"]

#: A commonsense inference or the like that some systems print with each record.
_ANNOTATION = re.compile(r"([A-Za-z]\w*):\s?\[.*\]\s*")
_BRACKETED = re.compile(r"\s?\[.*\]\s*")


@dataclass(frozen=True)
class Line:
    """One line of a record: what it begins with, and the column that the rest belongs to.

    ``pattern`` must fit all of the rest; its named groups, if it has any, are the columns. The column
    ``hypothesis`` makes a decode, named by the prefix. ``label`` is the line as messages name it.
    """

    prefix: str
    column: str | None = None
    optional: bool = False
    pattern: re.Pattern[str] | None = None
    label: str = ""

    def fits(self, text: str) -> bool:
        """Whether a line of the file is this one."""
        return text.startswith(self.prefix) and (
            self.pattern is None or self.pattern.fullmatch(text, len(self.prefix)) is not None
        )

    def __str__(self) -> str:
        return self.label or repr(self.prefix)


DASHES = Line("", pattern=re.compile(r"-{10,}\s*"), label="a line of dashes")
BLANK = Line("", pattern=re.compile(r"\s*"), label="a blank line", optional=True)


@dataclass(frozen=True)
class Grammar:
    """The lines of a record in their order, and what stands between records and before them.

    ``separator`` ends a record; an optional one may lack after the last. ``annotated`` says that lines like
    ``x_intent:[…]`` may stand in each record, which become columns of their own. ``headlines`` say what
    the numbers before the first record mean, by name; ``header_names`` are their names in order where the
    header itself does not tell.
    """

    lines: tuple[Line, ...]
    separator: Line | None = None
    annotated: bool = False
    headlines: Mapping[str, Headline] = field(default_factory=dict)
    header_names: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[Line, ...]:
        """All lines of a record, the separator included."""
        return self.lines if self.separator is None else (*self.lines, self.separator)

    def find(self, text: str) -> Line | None:
        """The line of the grammar that a line of the file is, or None."""
        for line in self.order:
            if line.fits(text):
                return line
        match = _ANNOTATION.fullmatch(text) if self.annotated else None
        if match and match[1] not in records.FIELDS:
            prefix = f"{match[1]}:"
            if all(line.prefix != prefix for line in self.lines):
                return Line(prefix, match[1], pattern=_BRACKETED)
        return None

    def is_header(self, text: str) -> bool:
        """Whether a line before the first record belongs to the header."""
        return bool(self.headlines) and (text.startswith("#") or "\t" in text) and self.find(text) is None
