"""How numbers, names and headers are printed, alike in every format."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from empeval.report.tables import Cell, Column

__all__ = [
    "ARROWS",
    "DASH",
    "arrow",
    "bracket",
    "count",
    "header_lines",
    "number",
    "pack",
    "value",
    "visible",
]

DASH = "–"
ARROWS = {True: "↑", False: "↓", None: ""}
# Explicit directional marks reorder the text around them (Unicode Standard Annex 9).
_BIDI = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def number(x: float, decimals: int) -> str:
    """A number at fixed decimals, without a sign on zero.

    >>> number(-0.001, 2)
    '0.00'
    """
    text = f"{x:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def count(n: int) -> str:
    """A count with separators.

    >>> count(5255)
    '5,255'
    """
    return f"{n:,}"


def value(cell: Cell, column: Column) -> str:
    """The printed value of a cell, or a dash."""
    return DASH if cell.value is None else number(cell.value, column.decimals)


def bracket(cell: Cell, column: Column) -> str:
    """The interval of a cell in brackets, or nothing."""
    if cell.interval is None:
        return ""
    low, high = (number(end, column.decimals) for end in (cell.interval.low, cell.interval.high))
    return f"[{low}, {high}]"


def arrow(column: Column) -> str:
    """The direction in which a column is better, or nothing."""
    return ARROWS[column.higher_is_better]


def visible(text: str) -> str:
    r"""A text on one line: control characters, marks that reorder text and lone surrogates as escapes.

    >>> visible("a\nb\x1b[31m")
    'a\\nb\\x1b[31m'
    """
    return "".join(_escape(char) if _hidden(char) else char for char in text)


def _hidden(char: str) -> bool:
    return char in _BIDI or unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")


def _escape(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


def header_lines(metric: str, width: int) -> list[str]:
    """A metric's text in lines of at most ``width`` characters where it can be broken at its fields.

    >>> header_lines("bleu(tokenize=nltk,order=2)", 14)
    ['bleu', '(tokenize=nltk,', 'order=2)']
    """
    lines = [""]
    for piece in re.split(r"(?=\()|(?<=,)", metric):
        if lines[-1] and len(lines[-1]) + len(piece) > width:
            lines.append("")
        lines[-1] += piece
    return lines


def pack(widths: Sequence[int], budget: int) -> list[list[int]]:
    """Columns in order, in as few tables as fit a width; a column wider than it stands alone.

    >>> pack([4, 4, 4, 9], 8)
    [[0, 1], [2], [3]]
    """
    parts: list[list[int]] = []
    used = 0
    for i, width in enumerate(widths):
        if not parts or used + width > budget:
            parts.append([])
            used = 0
        parts[-1].append(i)
        used += width
    return parts
