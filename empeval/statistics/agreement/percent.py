"""Percent agreement: what raters share, chance included."""

from __future__ import annotations

from typing import Any

import numpy as np

from empeval.statistics.agreement.counts import Categories, coded
from empeval.statistics.agreement.units import Evaluate, Units, estimated
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate
from empeval.statistics.segments import Array

__all__ = ["percent_agreement", "prepared", "unanimous_agreement"]


def percent_agreement(
    ratings: Ratings, *, tolerance: float = 0.0, categories: Categories = None, **settings: Any
) -> Estimate:
    """The mean over units of the share of pairs of ratings that agree, from 0 to 1.

    Two ratings agree if they are at most ``tolerance`` apart (0: exactly). Units count alike, whatever their
    number of ratings; those with fewer than two are left out. ``settings`` are ``level``, ``n_resamples``
    and ``rng`` of the interval, which resamples units.

    >>> table = Ratings.from_matrix([[1, 1, 2], [4, 4, None], [1, 3, None]])
    >>> round(percent_agreement(table).value, 4), round(percent_agreement(table, tolerance=1).value, 4)
    (0.4444, 0.6667)
    """
    units, evaluate = prepared(ratings, tolerance=tolerance, categories=categories)
    return estimated(units, evaluate, bounds=(0.0, 1.0), **settings)


def unanimous_agreement(
    ratings: Ratings, *, tolerance: float = 0.0, categories: Categories = None, **settings: Any
) -> Estimate:
    """The share of units on which all raters agree, within a tolerance, from 0 to 1.

    >>> unanimous_agreement(Ratings.from_matrix([[1, 1, 2], [4, 4, 4]])).value
    0.5
    """
    found = coded(ratings, categories).with_at_least(2)
    units = Units.of(found.counts(), found.clusters)
    chosen = np.where(units.rows > 0, found.values[None, :], np.nan)
    wide = np.nanmax(chosen, axis=1) - np.nanmin(chosen, axis=1) if len(chosen) else np.zeros(0)
    return estimated(units, _mean((wide <= tolerance).astype(np.float64)), bounds=(0.0, 1.0), **settings)


def prepared(
    ratings: Ratings, *, tolerance: float = 0.0, categories: Categories = None
) -> tuple[Units, Evaluate]:
    """The units with at least two ratings, and percent agreement under weights of the distinct ones.

    >>> units, evaluate = prepared(Ratings.from_matrix([[1, 1], [1, 2]]))
    >>> evaluate(units.weights[None, :]).tolist()
    [0.5]
    """
    found = coded(ratings, categories).with_at_least(2)
    units = Units.of(found.counts(), found.clusters)
    near = np.abs(found.values[:, None] - found.values[None, :]) <= tolerance
    sizes = units.rows.sum(axis=1)
    agreed = ((units.rows @ near.astype(np.float64)) * units.rows).sum(axis=1) - sizes
    return units, _mean(agreed / np.maximum(sizes * (sizes - 1), 1))


def _mean(of_row: Array) -> Evaluate:
    def evaluate(weights: Array) -> Array:
        return np.asarray(weights @ of_row / weights.sum(axis=1))

    return evaluate
