"""Tables for a terminal."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from empeval.report.formats import _printed as printed
from empeval.report.formats._base import FORMATS, Format
from empeval.report.formats._notes import Note, Notes, notes
from empeval.report.formats._sheets import CLAIM_CAPTION, CLAIM_HEADER, Sheet, claim_lines, sheets

if TYPE_CHECKING:
    from empeval.report.leaderboard import Leaderboard
    from empeval.report.tables import Cell, Column

#: blanks between two columns
_GAP = 2
#: the width to which a name may be folded
_NARROW = 12


@dataclass(frozen=True)
class _Strip:
    """One column as drawn: its header and texts; a rigid one is never folded."""

    header: str
    texts: Sequence[str]
    best: Sequence[bool] = ()
    rigid: bool = False

    @property
    def width(self) -> int:
        from rich.cells import cell_len

        return max(map(cell_len, (*self.header.split("\n"), *self.texts)))


@FORMATS.register("text")
@dataclass(frozen=True)
class TextFormat(Format):
    """Tables of at most ``width`` characters a line, in several parts where the metrics need more.

    Nothing is ever cut off: what cannot be narrower makes its lines longer than ``width``. With ``color``,
    best values are also set in bold and green by escape sequences.
    """

    name: ClassVar[str] = "text"
    suffix: ClassVar[str] = ".txt"
    width: int = 80
    color: bool = False

    def render(self, board: Leaderboard) -> str:
        """Tables, claims, numbered notes, notes on the whole."""
        found = notes(board, "marked *")
        blocks = [block for sheet in sheets(board) for block in self._sheet(sheet, found)]
        if board.claims:
            columns = zip(*claim_lines(board.claims), strict=True)
            strips = [
                _Strip(head, list(map(printed.visible, texts)))
                for head, texts in zip(CLAIM_HEADER, columns, strict=True)
            ]
            blocks.append(f"{CLAIM_CAPTION}\n{self._drawn(strips)}")
        blocks.append("\n".join(map(self._note, found.numbered)))
        blocks.append("\n".join(self._wrapped("", text) for text in found.general))
        return "\n\n".join(block for block in blocks if block) + "\n"

    def _note(self, note: Note) -> str:
        # A signature stays on one line, so that it can be searched for and copied.
        code = f"\n    {printed.visible(note.code)}" if note.code else ""
        return self._wrapped(f"[{note.number}] ", note.text) + code

    def _wrapped(self, head: str, text: str) -> str:
        return textwrap.fill(
            head + printed.visible(text),
            width=max(self.width, 20),
            subsequent_indent=" " * (len(head) or 2),
            break_long_words=False,
            break_on_hyphens=False,
        )

    def _sheet(self, sheet: Sheet, found: Notes) -> Iterator[str]:
        """A table in as many parts as the width asks for, each with the names of its lines."""
        names = [
            _Strip(printed.visible(head), [printed.visible(line.stub[i]) for line in sheet.lines])
            for i, head in enumerate(sheet.stub)
        ]
        metrics = [
            _metric(column, mark, [line.cells[i] for line in sheet.lines], found)
            for i, (column, mark) in enumerate(zip(sheet.columns, sheet.marks, strict=True))
        ]
        widths = [_GAP + strip.width for strip in metrics]
        room = self.width - sum(_GAP + strip.width for strip in names) + _GAP
        parts = printed.pack(widths, max(room, *widths) if widths else room) or [[]]
        for at, part in enumerate(parts, start=1):
            caption = sheet.caption + (f" (part {at} of {len(parts)})" if len(parts) > 1 else "")
            yield f"{self._wrapped('', caption)}\n{self._drawn([*names, *(metrics[i] for i in part)])}"

    def _drawn(self, strips: Sequence[_Strip]) -> str:
        from rich import box
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for strip in strips:
            table.add_column(Text(strip.header), no_wrap=strip.rigid, overflow="fold", vertical="bottom")
        styled = [
            [Text(text, "bold green" if best else "") for text, best in _with_best(strip)] for strip in strips
        ]
        for line in zip(*styled, strict=True):
            table.add_row(*line)
        least = sum(_GAP + (strip.width if strip.rigid else min(strip.width, _NARROW)) for strip in strips)
        file = io.StringIO()
        # Height, colours and environment are given, so that the terminal at hand changes nothing.
        console = Console(
            file=file,
            width=max(self.width, least),
            height=100,
            force_terminal=self.color,
            force_jupyter=False,
            color_system="standard" if self.color else None,
            no_color=False,
            legacy_windows=False,
            emoji=False,
            markup=False,
            highlight=False,
            _environ={},
        )
        console.print(table)
        return "\n".join(line.rstrip() for line in file.getvalue().rstrip("\n").split("\n"))


def _with_best(strip: _Strip) -> Iterator[tuple[str, bool]]:
    return zip(strip.texts, strip.best or [False] * len(strip.texts), strict=True)


def _metric(column: Column, mark: int | None, cells: Sequence[Cell], found: Notes) -> _Strip:
    """A metric's column: values aligned at the right, then star, tier and interval, each at its place."""
    values = [printed.value(cell, column) for cell in cells]
    widest = max(map(len, values), default=0)
    tiers = max((len(cell.tier or "") for cell in cells), default=0)
    star = any(cell.best for cell in cells)
    texts = []
    for cell, value in zip(cells, values, strict=True):
        text = f"{value:>{widest}}"
        if cell.value is None:
            text += f" [{found.reasons[cell.reason or '']}]"
        else:
            text += ("*" if cell.best else " ") * star
            text += f" {cell.tier or '':<{tiers}}" if tiers else ""
            text = f"{text} {printed.bracket(cell, column)}".rstrip()
        texts.append(text)
    lines = printed.header_lines(printed.visible(column.metric), max(14, *map(len, texts)) if texts else 14)
    suffix = [printed.arrow(column), "" if mark is None else f"[{mark}]"]
    lines[-1] = " ".join([lines[-1], *filter(None, suffix)])
    return _Strip("\n".join(lines), texts, [cell.best for cell in cells], rigid=True)
