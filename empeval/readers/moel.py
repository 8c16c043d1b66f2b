"""Logs of MoEL (Lin et al., 2019): four systems side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from empeval.readers._grammar import BLANK, Grammar, Line
from empeval.readers._logs import LogReader
from empeval.readers.base import READERS

__all__ = ["MoEL"]


@READERS.register("moel")
@dataclass(frozen=True)
class MoEL(LogReader):
    """Reads MoEL's generation_result.txt."""

    name: ClassVar[str] = "moel"
    description: ClassVar[str] = "MoEL's generation_result.txt: trs, trs+multitask, MOE and MOE+oracle"
    grammar: ClassVar[Grammar] = Grammar(
        (
            Line("Emotion:", "emotion"),
            Line("Context:", "context"),
            Line("trs:", "hypothesis", optional=True),
            Line("trs+multitask:", "hypothesis", optional=True),
            Line("MOE:", "hypothesis", optional=True),
            Line("MOE+oracle:", "hypothesis", optional=True),
            Line("ref:", "references"),
        ),
        separator=BLANK,
    )
