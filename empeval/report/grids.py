"""Plain grids of texts, for reports that are no leaderboard: set for a terminal, as Markdown or as CSV."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from empeval.report.formats._printed import visible
from empeval.report.formats.markdown import escape

__all__ = ["Grid", "as_csv", "as_markdown", "as_text"]

_WIDTH = 100


@dataclass(frozen=True)
class Grid:
    """A caption, a header, rows of as many texts, and notes below; the first ``left`` columns hold words."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    notes: Sequence[str] = ()


def as_text(grids: Sequence[Grid]) -> str:
    """The grids for a terminal, two blanks between columns; ends in a line break.

    >>> print(as_text([Grid("Ranks", ("system", "rank"), [("a", "1")])]), end="")
    Ranks
    system  rank
    a          1
    """
    return "\n\n".join(map(_text, grids)) + "\n"


def _text(grid: Grid) -> str:
    from rich.cells import cell_len

    lines = [[visible(text) for text in line] for line in (grid.header, *grid.rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]

    def padded(i: int, text: str) -> str:
        blanks = " " * (widths[i] - cell_len(text))
        return text + blanks if i < grid.left else blanks + text

    table = ["  ".join(padded(i, text) for i, text in enumerate(line)).rstrip() for line in lines]
    notes = [textwrap.fill(visible(note), _WIDTH, break_long_words=False) for note in grid.notes]
    return "\n".join([visible(grid.caption), *(table if grid.rows else []), *notes])


def as_markdown(grids: Sequence[Grid]) -> str:
    """The grids as GitHub tables."""
    return "\n\n".join(map(_markdown, grids)) + "\n"


def _markdown(grid: Grid) -> str:
    rule = [":---" if i < grid.left else "---:" for i in range(len(grid.header))]
    lines = [
        [escape(text) for text in grid.header],
        rule,
        *([escape(text) for text in row] for row in grid.rows),
    ]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines) if grid.rows else ""
    notes = "\n".join(f"- {escape(note)}" for note in grid.notes)
    return "\n\n".join(part for part in (f"**{escape(grid.caption)}**", table, notes) if part)


def as_csv(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """One table as RFC 4180 with line feeds; None is an empty field."""

    def field(value: object) -> str:
        text = "" if value is None else str(value)
        if any(char in text for char in ',"\n\r'):
            return '"' + text.replace('"', '""') + '"'
        return text

    return "".join(",".join(map(field, row)) + "\n" for row in (header, *rows))
