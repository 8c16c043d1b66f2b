"""Logs of CEM (Sabour et al., 2021), and of CASE and IAMM, which print the same lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from empeval.readers._grammar import DASHES, Grammar, Line
from empeval.readers._headers import Headline
from empeval.readers._logs import LogReader
from empeval.readers.base import READERS

__all__ = ["Cem"]


@READERS.register("cem")
@dataclass(frozen=True)
class Cem(LogReader):
    """Reads results.txt; its header names three numbers and prints four (the emotion loss is unnamed)."""

    name: ClassVar[str] = "cem"
    description: ClassVar[str] = "results.txt of CEM, CASE or IAMM: Beam and Greedy, with ranked emotions"
    grammar: ClassVar[Grammar] = Grammar(
        (
            Line("Emotion:", "emotion", pattern=re.compile(r"\s*[^\s\[].*")),
            Line("Pred Emotions:", "predicted_emotion", optional=True),
            Line("Context:", "context"),
            Line("Beam:", "hypothesis", optional=True),
            Line("Greedy:", "hypothesis", optional=True),
            Line("Ref:", "references"),
        ),
        separator=DASHES,
        annotated=True,
        headlines={
            "Loss": Headline(log_of="PPL"),
            "PPL": Headline(),
            "BCE": Headline(),
            "Accuracy": Headline("emotion_accuracy", divisor=100),
        },
        header_names=("Loss", "PPL", "BCE", "Accuracy"),
    )
