"""GitHub tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from empeval.report.formats import _printed as printed
from empeval.report.formats._base import FORMATS, Format
from empeval.report.formats._notes import Notes, notes
from empeval.report.formats._sheets import CLAIM_CAPTION, CLAIM_HEADER, Sheet, claim_lines, sheets

if TYPE_CHECKING:
    from empeval.report.leaderboard import Leaderboard
    from empeval.report.tables import Cell, Column

# What Markdown, GitHub's tables, strikethrough and mathematics give a meaning inside a line.
_SPECIAL = re.compile(r"[\\`*_{}\[\]|~$#]")


@FORMATS.register("markdown")
@dataclass(frozen=True)
class MarkdownFormat(Format):
    """GitHub Flavored Markdown: best values in bold, notes as lists."""

    name: ClassVar[str] = "markdown"
    suffix: ClassVar[str] = ".md"

    def render(self, board: Leaderboard) -> str:
        """Tables, numbered notes, notes on the whole, claims."""
        found = notes(board, "bold")
        blocks = [f"**{escape(sheet.caption)}**\n\n{_table(sheet, found)}" for sheet in sheets(board)]
        if board.claims:
            rows = ([escape(text) for text in line] for line in claim_lines(board.claims))
            table = _grid(CLAIM_HEADER, "lllrl", rows)
            blocks.append(f"**{CLAIM_CAPTION}**\n\n{table}")
        blocks.append(
            "\n".join(
                f"{note.number}. {escape(note.text)}" + (f": {_code(note.code)}" if note.code else "")
                for note in found.numbered
            )
        )
        blocks.append("\n".join(f"- {escape(text)}" for text in found.general))
        return "\n\n".join(block for block in blocks if block) + "\n"


def escape(text: str) -> str:
    r"""A text that Markdown leaves as it is, on one line and inside a table cell.

    >>> escape("a_b|<c>")
    'a\\_b\\|&lt;c&gt;'
    """
    text = _SPECIAL.sub(r"\\\g<0>", printed.visible(text))
    return re.sub("&(?!lt;)", "&amp;", text).replace("<", "&lt;").replace(">", "&gt;")


def _code(text: str) -> str:
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{printed.visible(text)}{pad}{fence}"


def _table(sheet: Sheet, found: Notes) -> str:
    header = [
        *map(escape, sheet.stub),
        *(_header(column, mark) for column, mark in zip(sheet.columns, sheet.marks, strict=True)),
    ]
    rows = (
        [
            *map(escape, line.stub),
            *(_cell(cell, column, found) for cell, column in zip(line.cells, sheet.columns, strict=True)),
        ]
        for line in sheet.lines
    )
    return _grid(header, "l" * len(sheet.stub) + "r" * len(sheet.columns), rows)


def _header(column: Column, mark: int | None) -> str:
    text = f"{escape(column.metric)} {printed.arrow(column)}".rstrip()
    return text if mark is None else f"{text}<sup>{mark}</sup>"


def _cell(cell: Cell, column: Column, found: Notes) -> str:
    text = printed.value(cell, column)
    if cell.value is None:
        return f"{text}<sup>{found.reasons[cell.reason or '']}</sup>"
    parts = [f"**{text}**" if cell.best else text, cell.tier or "", printed.bracket(cell, column)]
    return " ".join(part for part in parts if part)


def _grid(header: Sequence[str], alignment: str, rows: Iterable[Sequence[str]]) -> str:
    rule = ["---:" if side == "r" else ":---" for side in alignment]
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rule, *rows))
