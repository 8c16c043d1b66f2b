"""Fleiss' kappa by category, and its test against 0."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from empeval.statistics.agreement.categories import fleiss_kappa
from empeval.statistics.agreement.chance import estimate_of_counts
from empeval.statistics.agreement.counts import Categories, coded
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate, Status

__all__ = ["FleissTest", "fleiss_kappa_by_category", "fleiss_z_test"]


@dataclass(frozen=True)
class FleissTest:
    """The test of Fleiss' kappa against 0: the standard normal ``z``, and its two-sided p-value."""

    z: float | None
    p_value: float | None
    status: Status = "ok"


def fleiss_kappa_by_category(
    ratings: Ratings,
    *,
    categories: Categories = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> dict[float | str, Estimate]:
    """Fleiss' kappa of each category against all others, by category.

    A category that nobody or everybody chose has none. Source: Fleiss (1971).

    >>> found = fleiss_kappa_by_category(Ratings.from_matrix([[1, 1], [2, 2], [1, 3]]))
    >>> {category: round(estimate.value, 2) for category, estimate in found.items()}
    {1.0: 0.33, 2.0: 1.0, 3.0: -0.2}
    """
    rng = np.random.default_rng(0) if rng is None else rng
    every = coded(ratings, categories)
    found: dict[float | str, Estimate] = {}
    for k, name in enumerate(every.names):
        chosen = replace(every, code=(every.code == k).astype(np.int64), values=np.array([0.0, 1.0]))
        found[name] = estimate_of_counts(
            chosen, "fleiss_kappa", "unweighted", level=level, n_resamples=n_resamples, rng=rng
        )
    return found


def fleiss_z_test(ratings: Ratings, *, categories: Categories = None) -> FleissTest:
    """Test Fleiss' kappa against 0 where every unit has the same number r ≥ 2 of ratings.

    SE₀² = 2 (S² − Σ_k π_k (1 − π_k) (1 − 2 π_k)) / (S² N r (r − 1)), S = Σ_k π_k (1 − π_k); z = κ / SE₀.
    Status ``incomplete`` with unequal numbers of ratings. Source: Fleiss, Nee and Landis (1979).

    >>> fleiss_z_test(Ratings.from_matrix([[1, 1], [2, 2], [1, 2], [2, 2]])).z  # doctest: +ELLIPSIS
    0.93...
    """
    kappa = fleiss_kappa(ratings, categories=categories, n_resamples=0)
    if kappa.value is None:
        return FleissTest(None, None, kappa.status)
    counts = coded(ratings, categories).with_at_least(1).counts()
    n_ratings = counts.sum(axis=1)
    r = int(n_ratings[0])
    if not (n_ratings == r).all():
        return FleissTest(None, None, "incomplete")
    shares = counts.sum(axis=0) / counts.sum()
    spread = shares * (1.0 - shares)
    total = float(spread.sum())
    variance = 2.0 * (total**2 - float(spread @ (1.0 - 2.0 * shares)))
    variance /= total**2 * len(counts) * r * (r - 1)
    if variance <= 0.0:
        return FleissTest(None, None, "no_variation")
    z = float(kappa.value / np.sqrt(variance))
    return FleissTest(z, 2.0 * NormalDist().cdf(-abs(z)))
