"""Logs of EmpDG (Li et al., 2020) and of the baselines published beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from empeval.readers._grammar import Grammar, Line
from empeval.readers._logs import LogReader
from empeval.readers.base import READERS

__all__ = ["EmpDG"]


@READERS.register("empdg")
@dataclass(frozen=True)
class EmpDG(LogReader):
    """Reads both generations of these logs: the older one has a line ``0`` before each record."""

    name: ClassVar[str] = "empdg"
    description: ClassVar[str] = "EmpDG's Predictions/*.txt: emotion:, Context:, Pred: or Greedy:, Ref:"
    grammar: ClassVar[Grammar] = Grammar(
        (
            Line("0", optional=True, pattern=re.compile(r"\s*")),
            Line("emotion:", "emotion"),
            Line("Context:", "context"),
            Line("Emotion_context:", "emotion_context", optional=True),
            Line("Feedback:", "feedback", optional=True),
            Line("Pred:", "hypothesis", optional=True),
            Line("Greedy:", "hypothesis", optional=True),
            Line("Ref:", "references"),
        )
    )
