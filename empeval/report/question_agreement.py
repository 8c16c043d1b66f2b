"""How far raters agree on one question: coefficients, pairs of raters, raters, and the document of all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from empeval.ratings import QuestionRatings
from empeval.report.agreement_sentences import methods, results
from empeval.report.coefficients import (
    Coefficient,
    Settings,
    alpha_at,
    coefficients,
    is_categorical,
    is_numeric,
    pairs_of_raters,
)
from empeval.report.rating_text import estimate_fields
from empeval.statistics.agreement.pairs import PairAgreement
from empeval.statistics.agreement.raters import Consistency, RaterReport, rater_reports, self_consistency
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate

__all__ = ["QuestionAgreement", "measure"]


@dataclass(frozen=True, eq=False)
class QuestionAgreement:
    """One question's ratings and how far they agree."""

    rated: QuestionRatings
    coefficients: tuple[Coefficient, ...]
    pairs: tuple[PairAgreement, ...]
    raters: tuple[RaterReport, ...]
    repeats: Consistency | None
    settings: Settings

    def coefficient(self, name: str) -> Estimate:
        """A coefficient by its name."""
        return next(found.estimate for found in self.coefficients if found.name == name)

    def to_dict(self) -> dict[str, Any]:
        """The question's part of the document."""
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
                    **estimate_fields(found.estimate),
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
                    **estimate_fields(pair.estimate),
                }
                for pair in self.pairs
            ],
            "raters": [_rater(rater) for rater in self.raters],
            "self_consistency": None if self.repeats is None else _repeats(self.repeats),
            "methods": methods(self),
            "results": results(self),
        }


def measure(question: QuestionRatings, settings: Settings) -> QuestionAgreement:
    """The agreement on one question."""
    ratings = question.ratings
    repeated = len(ratings.passes) > 1
    return QuestionAgreement(
        question,
        coefficients(question, settings),
        pairs_of_raters(question, settings),
        tuple(rater_reports(ratings, lambda rest: _alpha_of(question, rest))) if len(ratings.values) else (),
        self_consistency(ratings, categories=question.categories, **settings.keywords())
        if repeated
        else None,
        settings,
    )


def _alpha_of(question: QuestionRatings, ratings: Ratings) -> Estimate:
    return alpha_at(replace(question, ratings=ratings), n_resamples=0)


def _mean_and_sd(question: QuestionRatings) -> dict[str, float | None]:
    """Of all ratings together, where they are numbers."""
    values = question.ratings.values
    numeric = is_numeric(question)
    return {
        "mean": float(values.mean()) if numeric and len(values) else None,
        "sd": float(values.std(ddof=1)) if numeric and len(values) > 1 else None,
    }


def _rater(report: RaterReport) -> dict[str, Any]:
    return {
        "rater": report.rater,
        "n": report.n,
        "mean": report.mean,
        "sd": report.sd,
        **{
            name: {"value": estimate.value, "status": estimate.status}
            for name, estimate in (
                ("leave_one_out", report.leave_one_out),
                ("exact", report.exact),
                ("within_1", report.within_1),
                ("influence", report.influence),
            )
        },
        "commonest": report.commonest,
    }


def _repeats(found: Consistency) -> dict[str, Any]:
    parts = {"exact": found.exact, "within_1": found.within_1, "kappa": found.kappa}
    return {"n": found.n, **{name: estimate_fields(estimate) for name, estimate in parts.items()}}
