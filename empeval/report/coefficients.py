"""Which coefficients of agreement a question has, by what its values mean, and their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empeval.ratings import Measurement, QuestionRatings
from empeval.report.rating_text import p_phrase
from empeval.statistics.agreement.alpha import krippendorff_alpha
from empeval.statistics.agreement.categories import brennan_prediger, fleiss_kappa, gwet_ac1, gwet_ac2
from empeval.statistics.agreement.conger import conger_kappa
from empeval.statistics.agreement.icc import FORMS, icc
from empeval.statistics.agreement.kendall import kendall_w
from empeval.statistics.agreement.pairs import Coefficient as PairName
from empeval.statistics.agreement.pairs import PairAgreement, agreement_of_pairs, cohen_kappa, scott_pi
from empeval.statistics.agreement.percent import percent_agreement, percent_agreement_within
from empeval.statistics.results import Estimate, undefined

__all__ = [
    "MOST_LISTED",
    "MOST_VALUES",
    "Coefficient",
    "Settings",
    "alpha_at",
    "coefficients",
    "is_categorical",
    "is_numeric",
    "pairs_of_raters",
]

#: With more raters than this single pairs are not listed.
MOST_LISTED = 20
#: With more distinct values than this, and no declared scale, values are no categories.
MOST_VALUES = 50


@dataclass(frozen=True)
class Coefficient:
    """A coefficient by its name, what it takes the values for, and its estimate."""

    name: str
    level: Measurement
    estimate: Estimate


@dataclass(frozen=True)
class Settings:
    """How intervals are made; every coefficient draws from the seed anew, whatever else is computed."""

    level: float = 0.95
    n_resamples: int = 1000
    seed: int = 0

    def keywords(self) -> dict[str, Any]:
        """The keyword arguments of a coefficient."""
        rng = np.random.default_rng(self.seed % 2**64)
        return {"level": self.level, "n_resamples": self.n_resamples, "rng": rng}


def coefficients(question: QuestionRatings, settings: Settings) -> tuple[Coefficient, ...]:
    """All coefficients that suit the question's measurement; without ratings they have a status only."""
    parts = [_alphas(question)]
    if is_categorical(question):
        parts.append(_by_categories(question))
    if question.measurement != "nominal":
        parts.append(_by_distance(question))
    if is_numeric(question):
        parts.append(_of_numbers(question))
    nothing = len(question.ratings.values) == 0
    return tuple(
        Coefficient(name, level, undefined("no_judgments") if nothing else compute(settings.keywords()))
        for part in parts
        for name, level, compute in part
    )


def alpha_at(question: QuestionRatings, **settings: Any) -> Estimate:
    """Krippendorff's alpha at the question's measurement."""
    return krippendorff_alpha(
        question.ratings, question.measurement, categories=question.categories, **settings
    )


#: A coefficient that waits for its settings, with its name and level.
_Waiting = Iterator[tuple[str, Measurement, Callable[[dict[str, Any]], Estimate]]]


def is_categorical(question: QuestionRatings) -> bool:
    """Whether the values are categories: few, or a declared scale."""
    return question.declared or len(question.categories) <= MOST_VALUES


def is_numeric(question: QuestionRatings) -> bool:
    """Whether differences of values say something."""
    return question.measurement != "nominal" and not question.ratings.words


def _alphas(question: QuestionRatings) -> _Waiting:
    """Alpha at the declared measurement, and at others that the values allow under names of their own."""
    ratings, categories = question.ratings, question.categories

    def at(measurement: Measurement) -> Callable[[dict[str, Any]], Estimate]:
        return lambda settings: krippendorff_alpha(ratings, measurement, categories=categories, **settings)

    yield "krippendorff_alpha", question.measurement, at(question.measurement)
    levels: tuple[Measurement, ...] = ("nominal",)
    if question.measurement != "nominal":
        levels = ("nominal", "ordinal") if ratings.words else ("nominal", "ordinal", "interval")
    for measurement in levels:
        if measurement != question.measurement:
            yield f"krippendorff_alpha_{measurement}", measurement, at(measurement)


def _by_categories(question: QuestionRatings) -> _Waiting:
    """Coefficients to which two categories are the same or not."""
    given: dict[str, Any] = {"categories": question.categories}
    ratings = question.ratings
    for name, coefficient in (
        ("fleiss_kappa", fleiss_kappa),
        ("cohen_kappa", cohen_kappa),
        ("scott_pi", scott_pi),
        ("conger_kappa", conger_kappa),
        ("brennan_prediger", brennan_prediger),
        ("gwet_ac1", gwet_ac1),
    ):
        # the coefficient of this turn, not of the last one
        def compute(settings: dict[str, Any], coefficient: Callable[..., Estimate] = coefficient) -> Estimate:
            return coefficient(ratings, **given, **settings)

        yield name, "nominal", compute
    yield "percent_agreement", "nominal", lambda s: percent_agreement(ratings, **s)


def _by_distance(question: QuestionRatings) -> _Waiting:
    """Coefficients to which near values agree more than far ones."""
    ratings = question.ratings
    given: dict[str, Any] = {"categories": question.categories}
    if is_categorical(question):
        yield "cohen_kappa_linear", "interval", lambda s: cohen_kappa(ratings, "linear", **given, **s)
        yield "cohen_kappa_quadratic", "interval", lambda s: cohen_kappa(ratings, "quadratic", **given, **s)
        yield "gwet_ac2", "interval", lambda s: gwet_ac2(ratings, "quadratic", **given, **s)


def _of_numbers(question: QuestionRatings) -> _Waiting:
    """Coefficients of numbers: near agreement, correlations of raters, concordance of their ranks."""
    ratings = question.ratings
    yield (
        "percent_agreement_within_1",
        "interval",
        lambda s: percent_agreement_within(ratings, 1.0, categories=question.categories, **s),
    )
    found: dict[str, Estimate] = {}
    for form in FORMS:

        def compute(settings: dict[str, Any], form: str = form) -> Estimate:
            if not found:
                found.update({str(name): estimate for name, estimate in icc(ratings, **settings).items()})
            return found[form]

        yield form, "interval", compute
    yield "kendall_w", "ordinal", lambda s: _concordance(question, s)


def _concordance(question: QuestionRatings, settings: dict[str, Any]) -> Estimate:
    found = kendall_w(question.ratings, **settings)
    if found.p_value is None:
        return found.w
    tested = f"χ²({found.df}) = {found.chi2:.2f}, p {p_phrase(found.p_value)}, if raters ranked at random"
    return replace(found.w, note="; ".join(filter(None, (found.w.note, tested))))


def pairs_of_raters(question: QuestionRatings, settings: Settings) -> tuple[PairAgreement, ...]:
    """Every pair's coefficients, or nothing where there are too many raters to list."""
    if not 2 <= len(question.ratings.raters) <= MOST_LISTED:
        return ()
    names: tuple[PairName, ...] = ()
    if is_categorical(question):
        names = ("cohen_kappa",)
        if question.measurement != "nominal":
            names += ("cohen_kappa_linear", "cohen_kappa_quadratic")
    if is_numeric(question):
        names += ("spearman", "pearson")
    return tuple(
        pair
        for name in names
        for pair in agreement_of_pairs(
            question.ratings, name, categories=question.categories, **settings.keywords()
        )
    )
