"""Evaluate empathetic dialogue systems, automatically and with people, and be believed.

>>> import empeval
>>> corpus = empeval.Corpus.build(references=["Oh no, what happened?", "That is wonderful!"])
>>> system = empeval.SystemOutputs.build("mine", ["Oh no!", "That is great!"])
>>> scores = empeval.score(corpus, system, "bleu,distinct(n=1)")
>>> scores.value("mine", "distinct(n=1)")
100.0

The names below load their modules when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from empeval.version import __version__

if TYPE_CHECKING:
    from empeval.cohort import Cohort, join
    from empeval.corpus import Corpus, Segment, SystemOutputs
    from empeval.errors import (
        AlignmentError,
        EmpevalError,
        IncomparableScores,
        InputError,
        InsufficientData,
        MissingExtra,
        ProtocolError,
        RejectedJudgment,
        UnknownName,
    )
    from empeval.hygiene import inspect
    from empeval.metrics import METRICS, Metric, parse_metrics
    from empeval.models import Resources, using
    from empeval.readers import read, read_corpus
    from empeval.records import Claim, Notice, Records
    from empeval.report.leaderboard import Leaderboard, leaderboard
    from empeval.scoring import Comparison, Score, Scores, Signature
    from empeval.scoring.score import score
    from empeval.statistics.multiplicity import holm
    from empeval.statistics.resampling import Interval, interval, paired_permutation_test

_HOME = {
    "empeval.cohort": ("Cohort", "join"),
    "empeval.corpus": ("Corpus", "Segment", "SystemOutputs"),
    "empeval.errors": (
        "AlignmentError",
        "EmpevalError",
        "IncomparableScores",
        "InputError",
        "InsufficientData",
        "MissingExtra",
        "ProtocolError",
        "RejectedJudgment",
        "UnknownName",
    ),
    "empeval.hygiene": ("inspect",),
    "empeval.metrics": ("METRICS", "Metric", "parse_metrics"),
    "empeval.models": ("Resources", "using"),
    "empeval.readers": ("read", "read_corpus"),
    "empeval.records": ("Claim", "Notice", "Records"),
    "empeval.report.leaderboard": ("Leaderboard", "leaderboard"),
    "empeval.scoring": ("Comparison", "Score", "Scores", "Signature", "score"),
    "empeval.statistics.multiplicity": ("holm",),
    "empeval.statistics.resampling": ("Interval", "interval", "paired_permutation_test"),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "METRICS",
    "AlignmentError",
    "Claim",
    "Cohort",
    "Comparison",
    "Corpus",
    "EmpevalError",
    "IncomparableScores",
    "InputError",
    "InsufficientData",
    "Interval",
    "Leaderboard",
    "Metric",
    "MissingExtra",
    "Notice",
    "ProtocolError",
    "Records",
    "RejectedJudgment",
    "Resources",
    "Score",
    "Scores",
    "Segment",
    "Signature",
    "SystemOutputs",
    "UnknownName",
    "__version__",
    "holm",
    "inspect",
    "interval",
    "join",
    "leaderboard",
    "paired_permutation_test",
    "parse_metrics",
    "read",
    "read_corpus",
    "score",
    "using",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module 'empeval' has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULE[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
