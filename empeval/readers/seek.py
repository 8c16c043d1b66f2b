"""Logs of SEEK (Wang et al., 2022)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from empeval.readers._grammar import DASHES, Grammar, Line
from empeval.readers._headers import Headline
from empeval.readers._logs import LogReader
from empeval.readers.base import READERS

__all__ = ["Seek"]


@READERS.register("seek")
@dataclass(frozen=True)
class Seek(LogReader):
    """Reads results.txt; its header names two numbers and prints eight.

    ``Emotion:`` lists a label for each utterance, not the emotion of the situation, and becomes the column
    ``utterance_labels``. Which labels the three accuracies count is not in the file: they stay unchecked.
    """

    name: ClassVar[str] = "seek"
    description: ClassVar[str] = "SEEK's results.txt: Greedy, with a label for each utterance"
    grammar: ClassVar[Grammar] = Grammar(
        (
            Line("Emotion:", "utterance_labels", pattern=re.compile(r"\s*\[.*\]\s*")),
            Line("Pred Emotions:", "predicted_emotion", optional=True),
            Line("Context:", "context"),
            Line("Greedy:", "hypothesis"),
            Line("Ref:", "references"),
        ),
        separator=DASHES,
        annotated=True,
        headlines={
            "mi_dist1": Headline("distinct(n=1)", divisor=100),
            "mi_dist2": Headline("distinct(n=2,key=concat)", divisor=100),
            "avg_len": Headline("length"),
        },
        header_names=("Loss", "PPL", "dia_acc", "utt_acc", "trg_acc", "mi_dist1", "mi_dist2", "avg_len"),
    )
