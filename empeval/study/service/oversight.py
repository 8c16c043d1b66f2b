"""What the researcher sees of a running study: the item × system matrix, agreement so far, pay per hour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from empeval.statistics.agreement.alpha import krippendorff_alpha
from empeval.statistics.agreement.raters import rater_reports
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate
from empeval.study.protocol import StudyProtocol
from empeval.study.questions import Question
from empeval.study.questions.likert import Likert
from empeval.study.service.admin import AdminService
from empeval.study.store.overview import Hole, Row

__all__ = ["AgreementSoFar", "PayPerHour", "agreement_so_far", "matrix", "pay_per_hour"]

Measurement = Literal["nominal", "ordinal", "interval"]
_RESAMPLES = 200


@dataclass(frozen=True)
class AgreementSoFar:
    """Krippendorff's alpha of one question on what counts so far, and each rater beside the others.

    ``raters`` maps a rater to the correlation with the others' mean on the units that both rated (numbers
    alone; None where it is not defined), ``same`` to the share of the others' answers that his equal.
    """

    question: str
    n_ratings: int
    alpha: Estimate
    raters: dict[str, float | None]
    same: dict[str, float | None]


@dataclass(frozen=True)
class PayPerHour:
    """What raters who finished earned an hour, by the time between their first and last item.

    ``median`` is None where nobody has finished or pay is not stated; ``below`` are the raters under the
    study's ``minimum_per_hour``.
    """

    currency: str
    n_raters: int
    median: float | None
    below: tuple[str, ...]


def matrix(admin: AdminService) -> list[Hole]:
    """Every main showing with how many answers it has, of how many."""
    return admin.store.read(lambda tx: tx.cells(admin.context.study_id))


def agreement_so_far(admin: AdminService) -> list[AgreementSoFar]:
    """Agreement on every question whose answers are no texts, in the order of the study file.

    Looking at it while a study runs must not decide when it ends: fix that before.
    """
    rows = admin.store.read(lambda tx: list(tx.rows(admin.context.study_id)))
    main = [row for row in rows if row.rating.counted and row.showing.purpose == "main"]
    return [
        _of_question(question, main)
        for question in admin.context.protocol.questions
        if question.level != "text"
    ]


def _of_question(question: Question, rows: Sequence[Row]) -> AgreementSoFar:
    answered = [row for row in rows if question.name in row.rating.values_json]
    values = [_value(question, row) for row in answered]
    ratings = Ratings.of(
        values,  # type: ignore[arg-type]  # all numbers, or all words
        items=[row.segment.external_id for row in answered],
        raters=[row.rater.pseudonym for row in answered],
        systems=[f"{row.low.name}\0{row.high.name}" for row in answered],
        dialogues=[row.segment.dialogue_id for row in answered],
    )
    level: Measurement = question.level if isinstance(question, Likert) else "nominal"  # type: ignore[assignment]
    alpha = krippendorff_alpha(ratings, level, n_resamples=_RESAMPLES)
    reports = rater_reports(ratings) if answered else []
    numbers = reports if isinstance(question, Likert) else []
    beside = {report.rater: report.leave_one_out.value for report in numbers}
    same = {report.rater: report.exact.value for report in reports}
    return AgreementSoFar(question.name, len(answered), alpha, beside, same)


def _value(question: Question, row: Row) -> float | str:
    """The answer as it compares between raters: a number, a word, or the response that a choice means."""
    value = row.rating.values_json[question.name]
    if isinstance(question, Likert):
        return float(value)
    if question.kind == "pairwise" and row.slot.first == "high":
        return {"first": "high", "second": "low"}.get(str(value), str(value))
    if question.kind == "pairwise":
        return {"first": "low", "second": "high"}.get(str(value), str(value))
    return str(value)


def pay_per_hour(admin: AdminService) -> PayPerHour | None:
    """The pay of raters who finished, by the hour; None where the study's file states no pay."""
    protocol: StudyProtocol = admin.context.protocol
    if protocol.pay is None:
        return None
    spans = admin.store.read(lambda tx: tx.spans(admin.context.study_id))
    rates = {
        name: protocol.pay.amount * 3600 / max((last - first).total_seconds(), 1.0)
        for name, (first, last) in spans.items()
    }
    floor = protocol.pay.minimum_per_hour or 0.0
    return PayPerHour(
        protocol.pay.currency,
        len(rates),
        median(rates.values()) if rates else None,
        tuple(sorted(name for name, rate in rates.items() if rate < floor)),
    )
