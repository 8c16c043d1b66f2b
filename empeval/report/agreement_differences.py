"""Whether raters agree more on one question than on another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from empeval.ratings import Measurement, QuestionRatings
from empeval.report.coefficients import Settings
from empeval.report.rating_text import estimate_fields
from empeval.statistics.agreement.alpha import prepared
from empeval.statistics.agreement.differences import agreement_difference
from empeval.statistics.design import Factor, Ratings
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
            both = [
                prepared(ratings, question.measurement, categories=question.categories)
                for question, ratings in zip((a, b), _aligned(a.ratings, b.ratings), strict=True)
            ]
            estimate = agreement_difference(both[0], both[1], **settings.keywords())
            found.append(Difference(a.name, b.name, a.measurement, estimate))
    return tuple(found)


def _aligned(a: Ratings, b: Ratings) -> tuple[Ratings, Ratings]:
    """The same ratings with dialogues numbered alike."""
    both = Factor.of([*a.dialogues.names, *b.dialogues.names])
    n = len(a.dialogues)
    of_a, of_b = both.codes[:n][a.dialogues.codes], both.codes[n:][b.dialogues.codes]
    return (
        replace(a, dialogues=Factor(both.names, of_a)),
        replace(b, dialogues=Factor(both.names, of_b)),
    )
