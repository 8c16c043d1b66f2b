"""Numbers that a log states about itself, beside what its own text gives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics.base import Metric, parse_metrics
from empeval.records import Claim

__all__ = ["ClaimCheck", "check_claims"]

Status = Literal["confirmed", "differs", "consistent", "not_checkable"]


@dataclass(frozen=True)
class ClaimCheck:
    """One claim and its verdict.

    ``confirmed`` and ``differs`` compare at the printed decimals with the value recomputed from all records
    of the file (``recomputed``, on the claim's own scale); ``consistent`` says that the claim agrees with
    another of the file (a perplexity with its loss) and nothing more can be checked; ``not_checkable`` that
    the text alone cannot give it.
    """

    system: str
    source: str
    name: str
    claimed: float
    text: str
    metric: str | None
    recomputed: float | None
    status: Status


def check_claims(corpus: Corpus, outputs: SystemOutputs) -> list[ClaimCheck]:
    """Recompute each claim of a system's file on the corpus of that file."""
    by_name = {claim.name: claim for claim in outputs.claims}
    return [_check(claim, by_name, corpus, outputs) for claim in outputs.claims]


def _check(claim: Claim, claims: Mapping[str, Claim], corpus: Corpus, outputs: SystemOutputs) -> ClaimCheck:
    recomputed: float | None = None
    status: Status = "not_checkable"
    if claim.metric is not None:
        recomputed = _value(parse_metrics(claim.metric)[0], corpus, outputs)
        if recomputed is not None:
            recomputed /= claim.divisor
            close = abs(recomputed - claim.value) <= _half_unit(claim.text) * (1 + 1e-9)
            status = "confirmed" if close else "differs"
    else:
        status = _against_logarithm(claim, claims)
    return ClaimCheck(
        outputs.system,
        outputs.source,
        claim.name,
        claim.value,
        claim.text,
        claim.metric,
        recomputed,
        status,
    )


def _value(metric: Metric, corpus: Corpus, outputs: SystemOutputs) -> float | None:
    missing = any(getattr(corpus, need, getattr(outputs, need, None)) is None for need in metric.required)
    if missing or metric.problem(corpus, outputs):
        return None
    value = float(metric.aggregate(metric.segment_stats(corpus, outputs).totals()))
    return value if math.isfinite(value) else None


def _against_logarithm(claim: Claim, claims: Mapping[str, Claim]) -> Status:
    """A loss and a perplexity agree if exp(loss), as far as its decimals fix it, reaches the perplexity."""
    loss, perplexity = claim, claims.get(claim.log_of or "")
    if perplexity is None:
        loss_of_this = [other for other in claims.values() if other.log_of == claim.name]
        if not loss_of_this:
            return "not_checkable"
        loss, perplexity = loss_of_this[0], claim
    half, slack = _half_unit(loss.text), _half_unit(perplexity.text)
    largest = 700.0  # exp overflows a little later
    if loss.value > largest:
        return "differs"
    low, high = math.exp(loss.value - half) - slack, math.exp(min(loss.value + half, largest)) + slack
    return "consistent" if low <= perplexity.value <= high else "differs"


def _half_unit(text: str) -> float:
    """Half a unit of the last printed decimal."""
    mantissa, _, exponent = text.strip().lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    power = float(exponent) if exponent.lstrip("+-").isdigit() else 0.0
    return 0.5 * float(10.0 ** max(-300.0, min(300.0, power - decimals)))
