"""How a leaderboard looks: one format a file, each a function of the numbers to text."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from empeval.report.formats._base import FORMATS, Format

if TYPE_CHECKING:
    from empeval.report.leaderboard import Leaderboard

__all__ = ["FORMATS", "Format", "render"]


def render(board: Leaderboard, format: str) -> str:
    """A leaderboard in a format given by its text form: ``markdown``, ``text(width=120)``.

    Raises UnknownName for a format or an option that does not exist.
    """
    made = cast(Format, FORMATS.create(format))  # create() makes the value of the registered class
    return made.render(board)
