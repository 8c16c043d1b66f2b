"""Agreement in sentences: one for the methods section, one for the results.

They state estimates with intervals; what cannot be told apart is never called the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from empeval.report.rating_text import plural, reasons
from empeval.statistics.results import Estimate

if TYPE_CHECKING:
    from empeval.report.question_agreement import QuestionAgreement

__all__ = ["facts", "methods", "results"]


def facts(question: QuestionAgreement) -> str:
    """How many ratings, units and raters."""
    ratings = question.rated.ratings
    return (
        f"{plural(len(ratings.values), 'rating')} of {plural(ratings.n_units, 'unit')} by "
        f"{plural(len(ratings.raters), 'rater')}"
    )


def methods(question: QuestionAgreement) -> str:
    """How agreement was measured, for the methods section."""
    rated = question.rated
    alpha = question.coefficient("krippendorff_alpha")
    text = (
        f"Agreement on {rated.name} was measured on {facts(question)} with Krippendorff's alpha "
        f"({rated.measurement} measurement)"
    )
    if alpha.interval is not None:
        found = alpha.interval
        how = (
            f"{question.settings.n_resamples:,} bootstrap resamples"
            if found.method == "bootstrap"
            else found.method
        )
        units = "dialogues" if len(rated.ratings.dialogues) < rated.ratings.n_units else "units"
        text += f"; {100 * found.level:g} % intervals resample {units} ({how}), for these raters"
    if rated.n_left_out:
        text += f"; {plural(rated.n_left_out, 'row')} of the table did not count"
    return text + "."


def results(question: QuestionAgreement) -> str:
    """What was found, for the results section."""
    alpha = question.coefficient("krippendorff_alpha")
    names = {found.name for found in question.coefficients}
    parts = []
    if alpha.value is None:
        why = reasons({"Krippendorff's alpha": alpha.status})[0]
        parts.append(why.rstrip("."))
    else:
        parts.append(f"Krippendorff's alpha ({question.rated.measurement}) was {_with_interval(alpha)}")
    for name, words in (
        ("percent_agreement", "two raters chose the same value in {} of cases"),
        ("percent_agreement_within_1", "values at most 1 apart in {}"),
    ):
        if name in names and (share := question.coefficient(name).value) is not None:
            parts.append(words.format(f"{100 * share:.0f} %"))
    if "icc_2_k" in names and (icc := question.coefficient("icc_2_k")).value is not None:
        parts.append(f"the mean of a unit's ratings has ICC(2,k) {_with_interval(icc)}")
    return "; ".join(parts) + "."


def _with_interval(found: Estimate) -> str:
    assert found.value is not None
    text = f"{found.value:.2f}"
    if found.interval is not None:
        low, high = found.interval.low, found.interval.high
        text += f" ({100 * found.interval.level:g} % CI {low:.2f} to {high:.2f})"
    return text.replace("-", "−")
