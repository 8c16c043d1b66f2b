"""How far raters agree on which system is better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.agreement.alpha import krippendorff_alpha
from empeval.statistics.agreement.categories import fleiss_kappa, percent_agreement
from empeval.statistics.design import Judgments
from empeval.statistics.preference.ratings import judgments_as_ratings
from empeval.statistics.results import Estimate

__all__ = ["PreferenceAgreement", "preference_agreement"]


@dataclass(frozen=True)
class PreferenceAgreement:
    """A coefficient of agreement by its name, and the measurement it takes win, tie and loss for."""

    name: str
    level: str
    estimate: Estimate


def preference_agreement(
    judgments: Judgments,
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> tuple[PreferenceAgreement, ...]:
    """Percent agreement, Fleiss' kappa and Krippendorff's alpha on win, tie and loss.

    The units and values are those of `judgments_as_ratings`. Nominal alpha takes the three values as
    unrelated, ordinal alpha takes the tie as the middle.
    """
    ratings = judgments_as_ratings(judgments)
    seed = np.random.default_rng(0) if rng is None else rng
    options = {"level": level, "n_resamples": n_resamples}
    return (
        PreferenceAgreement("percent_agreement", "nominal", percent_agreement(ratings, rng=seed, **options)),
        PreferenceAgreement("fleiss_kappa", "nominal", fleiss_kappa(ratings, rng=seed, **options)),
        *(
            PreferenceAgreement(
                "krippendorff_alpha",
                measurement,
                krippendorff_alpha(ratings, measurement, rng=seed, **options),
            )
            for measurement in ("nominal", "ordinal")
        ),
    )
