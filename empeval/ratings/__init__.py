"""Tables of ratings and of pairwise judgments in: long or wide, checked, one declared design a question."""

from empeval.ratings.design import (
    JudgmentsTable,
    Measurement,
    QuestionJudgments,
    QuestionRatings,
    RatingsTable,
)
from empeval.ratings.judgments import read_judgments
from empeval.ratings.reading import read_ratings

__all__ = [
    "JudgmentsTable",
    "Measurement",
    "QuestionJudgments",
    "QuestionRatings",
    "RatingsTable",
    "read_judgments",
    "read_ratings",
]
