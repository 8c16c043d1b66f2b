"""The tables of a leaderboard as every printed format sets them: captions, columns and lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from empeval.report.formats._printed import DASH, count, number
from empeval.report.tables import Breakdown, Cell, CheckedClaim, Column

if TYPE_CHECKING:
    from empeval.report.leaderboard import Leaderboard

__all__ = [
    "CLAIM_CAPTION",
    "CLAIM_HEADER",
    "Line",
    "Sheet",
    "breakdown_caption",
    "claim_lines",
    "sheets",
    "size",
]

CLAIM_CAPTION = "What the files state about themselves"
CLAIM_HEADER = ("System", "claim", "as printed", "recomputed", "status")


@dataclass(frozen=True)
class Line:
    """One line of a table: the texts that name it, then its cells."""

    stub: tuple[str, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Sheet:
    """One table; ``marks`` are the numbers of the notes on its columns (None: no note of its own)."""

    caption: str
    stub: tuple[str, ...]
    columns: tuple[Column, ...]
    marks: tuple[int | None, ...]
    lines: tuple[Line, ...]


def sheets(board: Leaderboard) -> list[Sheet]:
    """The main table, then one for each breakdown."""
    main = Sheet(
        _caption(board),
        ("System",),
        board.columns,
        tuple(range(1, len(board.columns) + 1)),
        tuple(Line((row.system,), row.cells) for row in board.rows),
    )
    parts = [
        Sheet(
            breakdown_caption(breakdown, board),
            (breakdown.by, "n", "System"),
            breakdown.columns,
            (None,) * len(breakdown.columns),
            tuple(
                Line((section.group, count(section.n_segments), row.system), row.cells)
                for section in breakdown.sections
                for row in section.rows
            ),
        )
        for breakdown in board.breakdowns
    ]
    return [main, *parts]


def _caption(board: Leaderboard) -> str:
    if len(board.runs) > 1:
        return f"Leaderboard of {len(board.runs)} runs"
    run = board.runs[0]
    return f"{run.corpus}: {size(run.n_segments, run.n_dialogues)}"


def breakdown_caption(breakdown: Breakdown, board: Leaderboard) -> str:
    """What a breakdown is by, and of which run where there are several."""
    return f"By {breakdown.by}" + (f" ({breakdown.run})" if len(board.runs) > 1 else "")


def size(n_segments: int, n_dialogues: int | None) -> str:
    """How much was scored, in words.

    >>> size(5255, 2542), size(1, None)
    ('5,255 segments in 2,542 dialogues', '1 segment')
    """
    text = f"{count(n_segments)} segment{'' if n_segments == 1 else 's'}"
    if n_dialogues is not None:
        text += f" in {count(n_dialogues)} dialogue{'' if n_dialogues == 1 else 's'}"
    return text


def claim_lines(claims: Sequence[CheckedClaim]) -> list[tuple[str, ...]]:
    """The table of claims: system, claim, as printed, recomputed to the decimals of the claim, status."""
    return [
        (
            claim.system,
            claim.name,
            claim.text,
            DASH if claim.recomputed is None else number(claim.recomputed, _decimals(claim.text)),
            claim.status.replace("_", " "),
        )
        for claim in claims
    ]


def _decimals(text: str) -> int:
    try:
        exponent = Decimal(text.strip().rstrip("%")).as_tuple().exponent
    except InvalidOperation:
        return 2
    return max(0, -exponent) if isinstance(exponent, int) else 2
