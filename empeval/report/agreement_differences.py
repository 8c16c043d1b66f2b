"""Whether raters agree more on one question than on another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from empeval.ratings import Measurement, QuestionRatings
from empeval.report.coefficients import Settings
from empeval.report.rating_text import estimate_fields
from empeval.statistics.agreement.alpha import prepared
from empeval.statistics.agreement.differences import Prepare, agreement_difference
from empeval.statistics.results import Estimate

__all__ = ["Difference", "differences"]

#: With more questions than this they are not compared with each other.
_MOST_QUESTIONS = 8


@dataclass(frozen=True)
class Difference:
    """Alpha on the first question minus alpha on the second, their units resampled together."""

    question_a: str
    question_b: str
    level: Measurement
    estimate: Estimate

    def to_dict(self) -> dict[str, Any]:
        """One difference of the document."""
        return {
            "question_a": self.question_a,
            "question_b": self.question_b,
            "name": "krippendorff_alpha",
            **estimate_fields(self.estimate),
            "level": self.level,
            "note": self.estimate.note,
        }


def differences(questions: Sequence[QuestionRatings], settings: Settings) -> tuple[Difference, ...]:
    """Of every two questions of one measurement, where there are not too many."""
    if len(questions) > _MOST_QUESTIONS:
        return ()
    found = []
    for a, b in combinations(questions, 2):
        if a.measurement == b.measurement and len(a.ratings.values) and len(b.ratings.values):
            estimate = agreement_difference(
                a.ratings, b.ratings, _prepare(a), _prepare(b), **settings.keywords()
            )
            found.append(Difference(a.name, b.name, a.measurement, estimate))
    return tuple(found)


def _prepare(question: QuestionRatings) -> Prepare:
    return lambda ratings: prepared(ratings, question.measurement, categories=question.categories)
