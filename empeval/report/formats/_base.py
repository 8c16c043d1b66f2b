"""What a format is: a frozen value whose fields are its options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from empeval.registry import Registry

if TYPE_CHECKING:
    from empeval.report.leaderboard import Leaderboard

__all__ = ["FORMATS", "Format"]


@dataclass(frozen=True)
class Format:
    """The base of every format; ``suffix`` ends the name of a file in this format.

    A format is a pure function of the leaderboard: the same numbers give the same bytes.
    """

    name: ClassVar[str]
    suffix: ClassVar[str]

    def render(self, board: Leaderboard) -> str:
        """The leaderboard as text that ends in a line break."""
        raise NotImplementedError(f"{type(self).__name__} defines no render")


FORMATS: Registry[type[Format]] = Registry("format", "empeval.report.formats")
