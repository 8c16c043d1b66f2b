"""Logs of MIME (Majumder et al., 2020): three decodes, and a header that claims scores."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from empeval.readers._grammar import DASHES, Grammar, Line
from empeval.readers._headers import Headline
from empeval.readers._logs import LogReader
from empeval.readers.base import READERS

__all__ = ["Mime"]

# The claim is what Moses' multi-bleu.perl -lc prints, which this spec equals (the BLEU of lower-cased,
# blank-separated tokens without smoothing).
_BLEU = "bleu(tokenize=none,lowercase=True,smooth=none)"

_EMOTION = re.compile(
    r"(?P<emotion>[^\t]*)\tvader-score:(?P<vader_score>[^\t]*)\tpredicted_emotion:(?P<predicted_emotion>[^\t]*)"
)


@READERS.register("mime")
@dataclass(frozen=True)
class Mime(LogReader):
    """Reads MIME's output.txt."""

    name: ClassVar[str] = "mime"
    description: ClassVar[str] = (
        "MIME's output.txt: the decodes Topk, Beam and Greedy, with predicted emotions"
    )
    grammar: ClassVar[Grammar] = Grammar(
        (
            Line("emotion:", pattern=_EMOTION, label="emotion, vader-score and predicted_emotion"),
            Line("Context:", "context"),
            Line("Topk:", "hypothesis", optional=True),
            Line("Beam:", "hypothesis", optional=True),
            Line("Greedy:", "hypothesis", optional=True),
            Line("Ref:", "references"),
        ),
        separator=DASHES,
        headlines={
            "Loss": Headline(log_of="PPL"),
            "PPL": Headline(),
            "Accuracy": Headline("emotion_accuracy", divisor=100),
            "Bleu_g": Headline(_BLEU, decode="Greedy"),
            "Bleu_b": Headline(_BLEU, decode="Beam"),
            "Bleu_t": Headline(_BLEU, decode="Topk"),
        },
    )
