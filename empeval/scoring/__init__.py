"""From a cohort and a list of metrics to scores, intervals, tests and tiers."""

from empeval.scoring.results import Breakdown, Comparison, Group, Score, Scores
from empeval.scoring.score import HUMAN, default_metrics, score
from empeval.scoring.signature import Signature

__all__ = [
    "HUMAN",
    "Breakdown",
    "Comparison",
    "Group",
    "Score",
    "Scores",
    "Signature",
    "default_metrics",
    "score",
]
