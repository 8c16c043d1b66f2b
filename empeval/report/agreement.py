"""``empeval agreement``: how far raters agree, question by question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from empeval.ratings import Measurement, QuestionRatings, read_ratings
from empeval.ratings.design import Wide
from empeval.records import Notice
from empeval.report.coefficients import (
    MOST_LISTED,
    MOST_VALUES,
    Coefficient,
    Settings,
    alpha_at,
    coefficients,
    is_categorical,
    is_numeric,
    pairs_of_raters,
)
from empeval.report.grids import Grid
from empeval.report.rating_files import manifest_of
from empeval.statistics.agreement.alpha import prepared
from empeval.statistics.agreement.differences import agreement_difference
from empeval.statistics.agreement.pairs import PairAgreement
from empeval.statistics.agreement.raters import Consistency, RaterReport, rater_reports, self_consistency
from empeval.statistics.design import Factor, Ratings
from empeval.statistics.results import Estimate

__all__ = ["Agreement", "Difference", "QuestionAgreement", "agreement", "measure"]

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


def agreement(
    files: Sequence[str | Path],
    *,
    columns: Mapping[str, str] | None = None,
    wide: Wide | None = None,
    questions: Sequence[str] | None = None,
    measurement: Measurement | None = None,
    categories: Sequence[str | float] | None = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> Agreement:
    r"""Measure the agreement of raters on every question of a table of ratings.

    Files, columns and scale are those of `read_ratings`. Raises InputError for files that cannot be used;
    data that say nothing give statuses instead of values.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = path.write_text("item,ann,ben\ni1,1,1\ni2,2,2\ni3,3,3\ni4,1,2\n")
    >>> found = agreement([path], wide="raters", n_resamples=0).questions["rating"]
    >>> round(found.coefficient("krippendorff_alpha").value, 3)
    0.79
    """
    progress("reading")
    reading: dict[str, Any] = {
        "columns": columns,
        "wide": wide,
        "questions": questions,
        "measurement": measurement,
        "categories": categories,
    }
    table = read_ratings(files, **reading)
    settings = Settings(level, n_resamples, seed)
    found = {}
    for name, question in table.questions.items():
        progress(name)
        found[name] = measure(question, settings)
    options = {
        **{name: value or None for name, value in reading.items()},
        "seed": seed,
        "resamples": n_resamples,
        "level": level,
    }
    return Agreement(
        found,
        _differences(list(found.values()), settings),
        (*table.notices, *_notices(found)),
        manifest_of("agreement", files, table.sources, options),
    )


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


def _differences(questions: Sequence[QuestionAgreement], settings: Settings) -> tuple[Difference, ...]:
    """Of every two questions of one measurement, where there are not too many."""
    if len(questions) > _MOST_QUESTIONS:
        return ()
    found = []
    for a, b in combinations([question.rated for question in questions], 2):
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


def _notices(questions: Mapping[str, QuestionAgreement]) -> tuple[Notice, ...]:
    found = []
    crowds = tuple(name for name, of in questions.items() if len(of.rated.ratings.raters) > MOST_LISTED)
    if crowds:
        message = f"more than {MOST_LISTED} raters: pairs of raters are not listed, their means are"
        found.append(Notice("pairs_not_listed", message, len(crowds), crowds))
    many = tuple(name for name, of in questions.items() if not is_categorical(of.rated))
    if many:
        message = (
            f"more than {MOST_VALUES} different values: coefficients that count categories are left out; "
            "declare the scale with --categories if there is one"
        )
        found.append(Notice("many_values", message, len(many), many))
    return tuple(found)


def _mean_and_sd(question: QuestionRatings) -> dict[str, float | None]:
    """Of all ratings together, where they are numbers."""
    values = question.ratings.values
    numeric = is_numeric(question)
    return {
        "mean": float(values.mean()) if numeric and len(values) else None,
        "sd": float(values.std(ddof=1)) if numeric and len(values) > 1 else None,
    }


def estimate_fields(found: Estimate) -> dict[str, Any]:
    """Value, interval and status of an estimate, as every document has them."""
    return {
        "value": found.value,
        "interval": None if found.interval is None else asdict(found.interval),
        "status": found.status,
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
