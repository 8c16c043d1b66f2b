"""Conger's kappa: chance agreement of raters who each have shares of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from empeval.statistics.agreement.counts import Categories
from empeval.statistics.agreement.rated import rated
from empeval.statistics.agreement.units import Evaluate, Units, estimated
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate, undefined
from empeval.statistics.segments import Array

__all__ = ["conger_kappa", "prepared"]


def conger_kappa(ratings: Ratings, *, categories: Categories = None, **settings: Any) -> Estimate:
    """Conger's kappa for several raters: Cohen's chance agreement, averaged over the pairs of raters.

    p_a over units with two ratings or more; p_e = mean over pairs g ≠ h of Σ_k p_gk p_hk, each rater's shares
    over all units that he rated. For two raters without gaps it is Cohen's kappa. ``settings`` are ``level``,
    ``n_resamples`` and ``rng`` of the interval. Source: Conger (1980).

    >>> round(conger_kappa(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]])).value, 4)
    0.4
    """
    units, evaluate = prepared(ratings, categories=categories)
    if len(ratings.raters) < 2:
        return undefined("too_few_raters")
    if not ((units.rows >= 0).sum(axis=1) > 1).any():
        return undefined("no_pairable_units")
    return estimated(units, evaluate, **settings)


def prepared(ratings: Ratings, *, categories: Categories = None) -> tuple[Units, Evaluate]:
    """The rated units, and Conger's kappa under weights of the distinct ones.

    >>> units, evaluate = prepared(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]]))
    >>> evaluate(units.weights[None, :]).round(2).tolist()
    [0.4]
    """
    found = rated(ratings, categories)
    codes, q = found.codes, len(found.values)
    n_raters = len(found.raters)
    chosen = (codes[:, :, None] == np.arange(q)).astype(np.float64)
    counts = chosen.sum(axis=1)
    sizes = counts.sum(axis=1)
    pairable = (sizes > 1).astype(np.float64)
    agreed = (counts * (counts - 1)).sum(axis=1) / np.maximum(sizes * (sizes - 1), 1) * pairable
    by_rater = chosen.reshape(len(codes), n_raters * q)

    def evaluate(weights: Array) -> Array:
        of_rater = (weights @ by_rater).reshape(-1, n_raters, q)
        n = of_rater.sum(axis=2, keepdims=True)
        shares = of_rater / np.maximum(n, 1e-300)
        there = (n[:, :, 0] > 0).sum(axis=1)
        pairs = np.maximum(there * (there - 1), 1)
        expected = (shares.sum(axis=1) ** 2 - (shares**2).sum(axis=1)).sum(axis=1) / pairs
        n_pairable = weights @ pairable
        defined = (n_pairable > 0) & (there > 1) & (expected < 1 - 1e-12)
        result = np.full(len(weights), np.nan)
        observed = (weights @ agreed)[defined] / n_pairable[defined]
        result[defined] = (observed - expected[defined]) / (1 - expected[defined])
        return result

    return found.units, evaluate
