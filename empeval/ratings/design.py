"""What reading gives: the answers to each question as a declared design, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from empeval.records import Notice
from empeval.statistics.design import Judgments, Ratings

__all__ = [
    "MEASUREMENTS",
    "JudgmentsTable",
    "Measurement",
    "QuestionJudgments",
    "QuestionRatings",
    "RatingsTable",
    "Wide",
]

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]
#: ``raters``: one column a rater; ``files``: one file a rater, one column a question.
Wide = Literal["raters", "files"]

MEASUREMENTS: tuple[Measurement, ...] = ("nominal", "ordinal", "interval", "ratio")


@dataclass(frozen=True, eq=False)
class QuestionRatings:
    """The ratings of one question that count, their measurement and their scale.

    ``categories`` are the numbers or words of the scale, in order; where they were not ``declared`` they
    are the values seen. Words are coded in ``ratings.values`` by their place in ``categories``.
    ``left_out`` says how many rows of the table do not count, by reason.
    """

    name: str
    ratings: Ratings
    measurement: Measurement
    categories: tuple[float, ...] | tuple[str, ...]
    declared: bool
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def scale(self) -> tuple[float, ...]:
        """The categories as numbers: themselves, or the codes of words."""
        if self.ratings.words or any(isinstance(category, str) for category in self.categories):
            return tuple(float(code) for code in range(len(self.categories)))
        return tuple(float(category) for category in self.categories)

    @property
    def n_left_out(self) -> int:
        return sum(self.left_out.values())


@dataclass(frozen=True, eq=False)
class RatingsTable:
    """The questions of a table of ratings in the order of their names, and what is to be told about it."""

    questions: Mapping[str, QuestionRatings]
    sources: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, eq=False)
class QuestionJudgments:
    """The pairwise judgments of one question that count, and how many rows do not, by reason."""

    name: str
    judgments: Judgments
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_left_out(self) -> int:
        return sum(self.left_out.values())


@dataclass(frozen=True, eq=False)
class JudgmentsTable:
    """The questions of a table of judgments in the order of their names, and what is to be told about it."""

    questions: Mapping[str, QuestionJudgments]
    sources: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
