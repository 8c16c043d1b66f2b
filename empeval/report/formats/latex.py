"""Tables in the style of booktabs, for a paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from empeval.report.formats import _printed as printed
from empeval.report.formats._base import FORMATS, Format
from empeval.report.formats._notes import Note, Notes, notes
from empeval.report.formats._sheets import (
    CLAIM_CAPTION,
    CLAIM_HEADER,
    Line,
    Sheet,
    claim_lines,
    sheets,
)
from empeval.report.formats._tex import code, escape, width

if TYPE_CHECKING:
    from empeval.report.leaderboard import Leaderboard
    from empeval.report.tables import Cell, Column

PREAMBLE = r"% Needs \usepackage{booktabs}. In a two-column paper, write table* for table."
#: lines of a table, and lines and notes together, that a page holds
_LINES = 40
#: characters that a line of notes holds
_NOTE_WIDTH = 110


@FORMATS.register("latex")
@dataclass(frozen=True)
class LatexFormat(Format):
    r"""A fragment to ``\input``: table environments of about ``width`` characters a line.

    Best values are bold, tiers are superscript letters, intervals are small. What is wider than a line or
    longer than a page comes in several tables. Needs booktabs; sets any name with pdfLaTeX.
    """

    name: ClassVar[str] = "latex"
    suffix: ClassVar[str] = ".tex"
    width: int = 75

    def render(self, board: Leaderboard) -> str:
        """The main table with the notes, then breakdowns and claims."""
        found = notes(board, "bold")
        main, *others = sheets(board)
        tables = list(self._tables(main, found))
        noted = _noted(found)
        if sum(1 + len(line) // _NOTE_WIDTH for line in noted) + len(main.lines) <= _LINES:
            tables[-1] += [r"\par\smallskip", r"\begin{minipage}{\linewidth}", *noted, r"\end{minipage}"]
            blocks = [floated(table) for table in tables]
        else:
            blocks = [*map(floated, tables), "\n".join([r"\begin{flushleft}", *noted, r"\end{flushleft}"])]
        blocks.extend(floated(table) for sheet in others for table in self._tables(sheet, found))
        if board.claims:
            rows = [[escape(text) for text in line] for line in claim_lines(board.claims)]
            blocks.append(floated(tabular(CLAIM_CAPTION, "lllrl", CLAIM_HEADER, rows)))
        return "\n\n".join([PREAMBLE, *blocks]) + "\n"

    def _tables(self, sheet: Sheet, found: Notes) -> Iterator[list[str]]:
        """A sheet as the lines of one or several tables."""
        widths = [
            2 + max((_width(line.cells[i], column) for line in sheet.lines), default=0)
            for i, column in enumerate(sheet.columns)
        ]
        names = sum(
            2 + max(map(width, (head, *(line.stub[i] for line in sheet.lines))))
            for i, head in enumerate(sheet.stub)
        )
        parts = printed.pack(widths, self.width - names) or [[]]
        pages = [sheet.lines[i : i + _LINES] for i in range(0, len(sheet.lines), _LINES)] or [()]
        total, at = len(pages) * len(parts), 0
        for lines in pages:
            for part in parts:
                at += 1
                caption = escape(sheet.caption) + (f" (part {at} of {total})" if total > 1 else "")
                yield tabular(
                    caption,
                    "l" * len(sheet.stub) + "r@{}l" * len(part),
                    [*map(escape, sheet.stub), *(_header(sheet, i) for i in part)],
                    [_row(line, sheet, part, found) for line in lines],
                )


def floated(lines: Iterable[str]) -> str:
    """A table environment around lines."""
    return "\n".join([r"\begin{table}[htbp]", r"\centering\small", *lines, r"\end{table}"])


def tabular(caption: str, columns: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table in the style of booktabs; all texts are LaTeX already."""
    return [
        rf"\caption{{{caption}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(header) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _header(sheet: Sheet, i: int) -> str:
    column, mark = sheet.columns[i], sheet.marks[i]
    lines = list(map(escape, printed.header_lines(column.metric, 16)))
    arrow = escape(printed.arrow(column))
    lines[-1] += f" {arrow}" if arrow else ""
    lines[-1] += "" if mark is None else rf"\textsuperscript{{{mark}}}"
    stack = r"\\".join(lines)
    return rf"\multicolumn{{2}}{{c}}{{\shortstack{{{stack}}}}}"


def _row(line: Line, sheet: Sheet, part: Sequence[int], found: Notes) -> list[str]:
    row = [escape(text) for text in line.stub]
    for i in part:
        row.extend(_cell(line.cells[i], sheet.columns[i], found))
    return row


def _cell(cell: Cell, column: Column, found: Notes) -> tuple[str, str]:
    """Two fields: the value, and what follows it."""
    value = printed.value(cell, column).replace("-", "$-$").replace(printed.DASH, "--")
    if cell.value is None:
        return value, rf"\textsuperscript{{{found.reasons[cell.reason or '']}}}"
    rest = rf"\textsuperscript{{{cell.tier}}}" if cell.tier else ""
    if cell.interval:
        bracket = printed.bracket(cell, column).replace("-", "$-$")
        rest += rf"~{{\scriptsize {bracket}}}"
    return (rf"\textbf{{{value}}}" if cell.best else value), rest


def _width(cell: Cell, column: Column) -> int:
    """The width of a cell in characters; intervals are small."""
    return len(printed.value(cell, column)) + 1 + (3 * len(printed.bracket(cell, column))) // 4


def _noted(found: Notes) -> list[str]:
    """Notes as paragraphs, ragged on the right because signatures do not hyphenate."""
    numbered = [_numbered(note) for note in found.numbered]
    lines = [*numbered, *(escape(text) for text in found.general)]
    return [r"\footnotesize\raggedright", *(f"{line}\\par" for line in lines)]


def _numbered(note: Note) -> str:
    text = rf"\textsuperscript{{{note.number}}}\,{escape(note.text)}"
    return f"{text}: {code(note.code)}" if note.code else text
