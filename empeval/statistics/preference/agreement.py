"""How far raters agree on which system is better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.agreement.alpha import Measurement, krippendorff_alpha
from empeval.statistics.agreement.categories import fleiss_kappa
from empeval.statistics.agreement.percent import percent_agreement
from empeval.statistics.design import Judgments
from empeval.statistics.preference.ratings import judgments_as_ratings
from empeval.statistics.results import Estimate

__all__ = ["PreferenceAgreement", "preference_agreement"]

#: Loss, tie and win of a pair's favourite.
VALUES = (-1.0, 0.0, 1.0)


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

    >>> winners = ["a", "a", "b", "a"]
    >>> judged = Judgments.of(["a"] * 4, ["b"] * 4, winners, items=[1, 1, 2, 2], raters=[1, 2] * 2)
    >>> [round(row.estimate.value, 2) for row in preference_agreement(judged, n_resamples=0)]
    [0.5, -0.33, 0.0, 0.0]
    """
    ratings = judgments_as_ratings(judgments)
    rng = np.random.default_rng(0) if rng is None else rng
    exact = percent_agreement(ratings, level=level, n_resamples=n_resamples, rng=rng)
    kappa = fleiss_kappa(ratings, categories=VALUES, level=level, n_resamples=n_resamples, rng=rng)
    found = [
        PreferenceAgreement("percent_agreement", "nominal", exact),
        PreferenceAgreement("fleiss_kappa", "nominal", kappa),
    ]
    measurements: tuple[Measurement, ...] = ("nominal", "ordinal")
    for measurement in measurements:
        alpha = krippendorff_alpha(
            ratings, measurement, categories=VALUES, level=level, n_resamples=n_resamples, rng=rng
        )
        found.append(PreferenceAgreement("krippendorff_alpha", measurement, alpha))
    return tuple(found)
