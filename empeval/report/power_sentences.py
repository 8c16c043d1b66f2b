"""What a paper says about the power of its study: a sentence for its methods and one for its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from empeval.report.pilots import Pilot
from empeval.statistics.means import FEWEST_RATERS
from empeval.statistics.power.plans import PlanRow

if TYPE_CHECKING:
    from empeval.report.power import StudyPlan

__all__ = ["methods_sentence", "results_sentence", "subject"]


def subject(plan: StudyPlan) -> str:
    """What an effect of this design is called."""
    return "net preference" if plan.design == "pairwise" else "difference"


def methods_sentence(plan: StudyPlan, pilot: Pilot, rows: Sequence[PlanRow]) -> str:
    """How power was found, completely enough to do it again."""
    shown = pilot.to_dict() or {}
    parts = [
        f"{name.replace('_', ':')} {value:.3g}"
        for name, value in shown.items()
        if isinstance(value, float) and name != "mean"
    ]
    if shown.get("scale"):
        parts.append("answers rounded to {}–{}".format(*shown["scale"]))
    if shown.get("mean") is not None:
        parts.append(f"around {shown['mean']:g}")
    analyses = " or ".join(dict.fromkeys(row.power.method for row in rows))
    pairs = plan.n_systems * (plan.n_systems - 1) // 2
    over = f" over the {pairs} pairs of systems" if pairs > 1 else ""
    origin = "as stated" if pilot.source is None else f"estimated from a pilot of {pilot.n_answers:,} answers"
    return (
        f"Power was simulated: {plan.n_simulations:,} studies of each size (seed {plan.seed}) with a true "
        f"{subject(plan)} of {plan.effect:g} were drawn from components of variance {origin} "
        f"({', '.join(parts)}) and given the analysis that the study will be given ({analyses}; two-sided, "
        f"α = {1 - plan.level:.3g}{over}), after Card et al. (2020)."
    )


def results_sentence(plan: StudyPlan, rows: Sequence[PlanRow]) -> str:
    """What the study of highest power finds, one that speaks of other raters if there is any."""
    several = [row for row in rows if row.size.n_pool >= FEWEST_RATERS]
    best = max(several or rows, key=lambda row: row.power.power)
    who = f"{best.size.n_raters} {'rater' if best.size.n_raters == 1 else 'raters'}"
    what = subject(plan)
    sentence = (
        f"With {best.size.n_items} items and {who} for each, {best.power.power:.0%} of studies find a {what} "
        f"of {plan.effect:g}"
    )
    if best.detectable.value is None:
        return f"{sentence}; no {what} is found with {plan.power:.0%} power."
    return (
        f"{sentence}; the smallest {what} found with {plan.power:.0%} power is {best.detectable.value:.2g}."
    )
