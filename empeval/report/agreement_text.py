"""A report on agreement as grids and as one table."""

from __future__ import annotations

from collections.abc import Sequence

from empeval.report.agreement import Agreement
from empeval.report.agreement_sentences import facts, methods, results
from empeval.report.formats._printed import DASH, count
from empeval.report.grids import Grid, as_csv
from empeval.report.question_agreement import QuestionAgreement
from empeval.report.rating_text import bracket, left_out, reasons, value
from empeval.statistics.results import Estimate

__all__ = ["agreement_csv", "agreement_grids"]

_HEADER = (
    "question",
    "rater_a",
    "rater_b",
    "name",
    "value",
    "low",
    "high",
    "interval_level",
    "status",
    "level",
)

_RATERS = (
    "with others: correlation with the mean of the other raters; exact, within 1: share of their ratings; "
    "influence: alpha of all minus alpha without this rater; commonest: share of the value given most."
)
#: Exact agreement from which on chance agreement is high, and how far AC1 then lies above alpha.
_PREVALENT, _APART = 0.7, 0.3


def agreement_grids(found: Agreement) -> list[Grid]:
    """For each question coefficients with sentences, pairs and raters; then differences of questions."""
    grids = [grid for name, question in found.questions.items() for grid in _grids(name, question)]
    if found.differences:
        rows = [
            (
                entry.question_a,
                entry.question_b,
                entry.level,
                value(entry.estimate.value),
                bracket(entry.estimate.interval),
            )
            for entry in found.differences
        ]
        header = ("A", "B", "as", "alpha A − B", "interval")
        notes = ["Units are resampled together. Several differences are not corrected for their number."]
        grids.append(Grid("Differences of Krippendorff's alpha between questions", header, rows, 3, notes))
    return grids


def _grids(name: str, question: QuestionAgreement) -> list[Grid]:
    rows = [
        (found.name, found.level, value(found.estimate.value), bracket(found.estimate.interval))
        for found in question.coefficients
    ]
    missing = {found.name: found.estimate.status for found in question.coefficients}
    notes = [
        *reasons({name: status for name, status in missing.items() if status != "ok"}),
        *_noted(question),
        *left_out(question.rated.left_out),
        "Methods: " + methods(question),
        "Results: " + results(question),
    ]
    caption = f"{name}: {facts(question)}"
    whole = Grid(caption, ("coefficient", "as", "value", "interval"), rows, 2, notes)
    return [whole, *_pairs(name, question), *_raters(name, question)]


def _noted(question: QuestionAgreement) -> list[str]:
    """Notes on coefficients, once for all that share one, and how to read alpha."""
    names: dict[str, list[str]] = {}
    for found in question.coefficients:
        if found.estimate.note:
            names.setdefault(found.estimate.note, []).append(found.name)
    found_notes = [f"{', '.join(of)}: {note}." for note, of in names.items()]
    alpha = question.coefficient("krippendorff_alpha").value
    if alpha is not None and alpha < 0:
        found_notes.append("Alpha is below 0: raters agree less than ratings drawn at random would.")
    if alpha is not None and _is_prevalent(question, alpha):
        found_notes.append(
            "Nearly all ratings are of one value: chance agreement is then high and alpha low, whatever the "
            "raters share; read it beside gwet_ac1 and percent_agreement."
        )
    return found_notes


def _is_prevalent(question: QuestionAgreement, alpha: float) -> bool:
    if not any(found.name == "gwet_ac1" for found in question.coefficients):
        return False
    exact, ac1 = (question.coefficient(name).value for name in ("percent_agreement", "gwet_ac1"))
    return exact is not None and ac1 is not None and exact >= _PREVALENT and ac1 - alpha >= _APART


def _pairs(name: str, question: QuestionAgreement) -> list[Grid]:
    """One row a pair of raters, one column a coefficient."""
    names = list(dict.fromkeys(pair.name for pair in question.pairs))
    cells: dict[tuple[str, str], dict[str, Estimate]] = {}
    units = {}
    for pair in question.pairs:
        cells.setdefault((pair.rater_a, pair.rater_b), {})[pair.name] = pair.estimate
        units[pair.rater_a, pair.rater_b] = pair.n
    if not cells:
        return []
    rows = [
        (*raters, count(units[raters]), *(value(found[name].value) for name in names))
        for raters, found in cells.items()
    ]
    return [Grid(f"{name}: pairs of raters", ("A", "B", "units", *names), rows, 2)]


def _raters(name: str, question: QuestionAgreement) -> list[Grid]:
    if not question.raters:
        return []
    rows = [
        (
            rater.rater,
            count(rater.n),
            value(rater.mean, 2),
            value(rater.sd, 2),
            *(
                value(found.value)
                for found in (rater.leave_one_out, rater.exact, rater.within_1, rater.influence)
            ),
            DASH if rater.commonest is None else value(rater.commonest, 2),
        )
        for rater in question.raters
    ]
    header = ("rater", "ratings", "mean", "SD", "with others", "exact", "within 1", "influence", "commonest")
    notes = [_RATERS]
    same = [rater.rater for rater in question.raters if rater.n > 1 and rater.commonest == 1.0]
    notes += [f"One value throughout: {', '.join(same)}."] if same else []
    return [Grid(f"{name}: raters", header, rows, 1, notes)]


def agreement_csv(found: Agreement) -> str:
    """One row a coefficient, over all raters and for each pair; then differences of questions."""
    rows: list[Sequence[object]] = []
    for name, question in found.questions.items():
        rows += [(name, None, None, of.name, *_cells(of.estimate), of.level) for of in question.coefficients]
        rows += [
            (name, pair.rater_a, pair.rater_b, pair.name, *_cells(pair.estimate), None)
            for pair in question.pairs
        ]
    for entry in found.differences:
        label = f"{entry.question_a} − {entry.question_b}"
        rows.append((label, None, None, "krippendorff_alpha", *_cells(entry.estimate), entry.level))
    return as_csv(_HEADER, rows)


def _cells(found: Estimate) -> tuple[object, ...]:
    interval = found.interval
    ends = (None, None, None) if interval is None else (interval.low, interval.high, interval.level)
    return (found.value, *ends, found.status)
