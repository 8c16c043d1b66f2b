"""Logs of KEMP (Li et al., 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from empeval.readers._grammar import Grammar, Line
from empeval.readers._logs import LogReader
from empeval.readers.base import READERS

__all__ = ["Kemp"]


@READERS.register("kemp")
@dataclass(frozen=True)
class Kemp(LogReader):
    """Reads KEMP's log; the concepts of a record are kept as the text they are."""

    name: ClassVar[str] = "kemp"
    description: ClassVar[str] = "KEMP's result/KEMP.txt: Emotion:, Context:, Concept:, Pred:, Ref:"
    grammar: ClassVar[Grammar] = Grammar(
        (
            Line("Emotion:", "emotion"),
            Line("Context:", "context"),
            Line("Concept:", "concept"),
            Line("Pred:", "hypothesis"),
            Line("Ref:", "references"),
        )
    )
