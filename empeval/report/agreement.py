"""``empeval agreement``: how far raters agree, question by question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from empeval.ratings import Measurement, QuestionRatings, read_ratings
from empeval.ratings.design import Wide
from empeval.records import Notice
from empeval.report.coefficients import (
    MOST_LISTED,
    Coefficient,
    Settings,
    coefficients,
    is_categorical,
    pairs_of_raters,
)
from empeval.report.grids import Grid
from empeval.report.rating_files import manifest_of
from empeval.statistics.agreement.pairs import PairAgreement
from empeval.statistics.resampling import Interval
from empeval.statistics.results import Estimate

__all__ = ["Agreement", "QuestionAgreement", "agreement", "measure"]


@dataclass(frozen=True, eq=False)
class QuestionAgreement:
    """One question's ratings and how far they agree."""

    rated: QuestionRatings
    coefficients: tuple[Coefficient, ...]
    pairs: tuple[PairAgreement, ...]
    raters: tuple[RaterSummary, ...]
    level: float

    def coefficient(self, name: str) -> Estimate:
        """A coefficient by its name."""
        return next(found.estimate for found in self.coefficients if found.name == name)

    def to_dict(self) -> dict[str, Any]:
        """The question's part of the document."""
        from empeval.report.agreement_text import methods, results

        ratings = self.rated.ratings
        return {
            "n_items": len(ratings.items),
            "n_units": ratings.n_units,
            "n_raters": len(ratings.raters),
            "n_ratings": len(ratings.values),
            "n_left_out": self.rated.n_left_out,
            "left_out": dict(self.rated.left_out),
            "measurement": self.rated.measurement,
            "categories": list(self.rated.categories) if is_categorical(self.rated) else None,
            "categories_declared": self.rated.declared,
            **_mean_and_sd(self.rated),
            "statistics": [
                {
                    "name": found.name,
                    **_estimate(found.estimate),
                    "level": found.level,
                    "note": found.estimate.note,
                }
                for found in self.coefficients
            ],
            "pairs": [
                {
                    "rater_a": pair.rater_a,
                    "rater_b": pair.rater_b,
                    "n": pair.n,
                    "name": pair.name,
                    **_estimate(pair.estimate),
                }
                for pair in self.pairs
            ],
            "raters": [rater.to_dict() for rater in self.raters],
            "methods": methods(self),
            "results": results(self),
        }


@dataclass(frozen=True, eq=False)
class Agreement:
    """The questions of a table of ratings, warnings, and how all of it was made."""

    questions: Mapping[str, QuestionAgreement]
    differences: tuple[Difference, ...]
    warnings: tuple[Notice, ...]
    manifest: Mapping[str, Any]
    command: str = "agreement"

    def to_dict(self) -> dict[str, Any]:
        """The document that ``--format json`` prints."""
        return {
            "questions": {name: question.to_dict() for name, question in self.questions.items()},
            "differences": [difference.to_dict() for difference in self.differences],
            "warnings": [{**asdict(notice), "ids": list(notice.ids)} for notice in self.warnings],
            "manifest": dict(self.manifest),
        }

    def grids(self) -> list[Grid]:
        """Coefficients, pairs and raters of each question, with sentences."""
        from empeval.report.agreement_text import agreement_grids

        return agreement_grids(self)

    def to_csv(self) -> str:
        """One row a coefficient, unrounded."""
        from empeval.report.agreement_text import agreement_csv

        return agreement_csv(self)
