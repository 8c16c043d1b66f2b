"""Kendall's W: how far raters rank the units alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empeval.statistics.agreement.units import Evaluate, Units, estimated
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate, Status, undefined
from empeval.statistics.segments import Array

__all__ = ["Concordance", "kendall_w", "prepared"]


@dataclass(frozen=True)
class Concordance:
    """Kendall's W with an interval, and the test that raters rank at random: χ² = m (n − 1) W, df = n − 1."""

    w: Estimate
    chi2: float | None
    df: int | None
    p_value: float | None


def kendall_w(ratings: Ratings, **settings: Any) -> Concordance:
    """Kendall's coefficient of concordance, from 0 to 1, corrected for ties, on the units that all rated.

    W = (12 Σ_i R_i² − 3 m² n (n + 1)²) / (m² n (n² − 1) − m Σ_j T_j), R_i the sum of unit i's ranks over m
    raters, T_j = Σ (t³ − t) over the ties of rater j. ``settings`` are ``level``, ``n_resamples`` and ``rng``
    of the interval, which resamples units. Sources: Kendall and Babington Smith (1939); Siegel (1956).

    >>> round(kendall_w(Ratings.from_matrix([[1, 1], [2, 3], [3, 2]])).w.value, 4)
    0.75
    """
    if len(ratings.raters) < 2:
        return Concordance(undefined("too_few_raters"), None, None, None)
    matrix = ratings.matrix()
    n, m = int((~np.isnan(matrix)).all(axis=1).sum()), len(ratings.raters)
    status: Status | None = "no_pairable_units" if n == 0 or ratings.words else None
    if status is not None or n < 2:
        return Concordance(undefined(status or "too_few_units"), None, None, None)
    units, evaluate = prepared(ratings)
    found = estimated(units, evaluate, bounds=(0.0, 1.0), **settings)
    if n < ratings.n_units and found.value is not None:
        note = f"on the {n} of {ratings.n_units} units that every rater rated"
        found = Estimate(found.value, found.interval, found.status, found.interval_status, note)
    if found.value is None:
        return Concordance(found, None, None, None)
    from scipy.special import chdtrc

    chi2 = m * (n - 1) * found.value
    return Concordance(found, chi2, n - 1, float(chdtrc(n - 1, chi2)))


def prepared(ratings: Ratings) -> tuple[Units, Evaluate]:
    """The units that every rater rated, and W under weights of the distinct ones.

    >>> units, evaluate = prepared(Ratings.from_matrix([[1, 1], [2, 3], [3, 2]]))
    >>> evaluate(units.weights[None, :]).tolist()
    [0.75]
    """
    matrix = ratings.matrix()
    whole = ~np.isnan(matrix).any(axis=1)
    units = Units.of(matrix[whole], ratings.cluster_of_unit[whole])
    columns = [np.unique(column, return_inverse=True)[1] for column in units.rows.T]
    m = len(columns)

    def evaluate(weights: Array) -> Array:
        n = weights.sum(axis=1)
        sums, ties = np.zeros_like(weights), np.zeros(len(weights))
        for codes in columns:
            of_value = weights @ np.eye(int(codes.max(initial=-1)) + 1)[codes]
            # around their mean, so that little is lost
            ranks = np.cumsum(of_value, axis=1) - of_value / 2 - n[:, None] / 2
            sums += ranks[:, codes]
            ties += (of_value**3 - of_value).sum(axis=1)
        spread = 12 * (weights * sums**2).sum(axis=1)
        most = m**2 * n * (n**2 - 1) - m * ties
        there = most > 1e-9 * np.maximum(1, n**3)
        return np.asarray(np.divide(spread, most, out=np.full(len(n), np.nan), where=there))

    return units, evaluate
