"""Coefficients of the form (p_a − p_e) / (1 − p_e) from how many raters chose each category in a unit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from empeval.errors import InputError
from empeval.statistics.agreement.counts import Categories, Coded, coded
from empeval.statistics.agreement.units import Evaluate, Units, estimated
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate, Status, undefined
from empeval.statistics.segments import Array

__all__ = ["Coefficient", "Weights", "category_weights", "estimate_of_counts", "prepared"]

Weights = Literal["unweighted", "linear", "quadratic", "ordinal"]
Coefficient = Literal["fleiss_kappa", "gwet_ac", "brennan_prediger"]

#: More values than this are measurements, not categories.
_MOST_CATEGORIES = 256


def category_weights(values: Array, weights: Weights = "unweighted") -> Array:
    """How far each pair of categories agrees, shape (n_categories, n_categories), 1 on the diagonal.

    With d the distance of two values over the range of all: 1 − d (linear) or 1 − d² (quadratic); with i
    and j the places of two of q categories: 1 − C(|i − j| + 1, 2) / C(q, 2) (ordinal). Raises `InputError`
    for other names. Source: Gwet (2014).

    >>> category_weights(np.array([1.0, 2.0, 3.0]), "quadratic").tolist()
    [[1.0, 0.75, 0.0], [0.75, 1.0, 0.75], [0.0, 0.75, 1.0]]
    """
    q = len(values)
    if weights == "unweighted" or q < 2:
        return np.eye(q)
    apart = np.abs(values[:, None] - values[None, :]) / np.ptp(values)
    if weights == "linear":
        return np.asarray(1.0 - apart)
    if weights == "quadratic":
        return np.asarray(1.0 - apart**2)
    if weights == "ordinal":
        places = np.abs(np.subtract.outer(np.arange(q), np.arange(q)))
        return 1.0 - (places + 1) * places / (q * (q - 1))
    raise InputError(f"there are no weights {weights!r}; take unweighted, linear, quadratic or ordinal")


def prepared(
    ratings: Ratings,
    coefficient: Coefficient = "fleiss_kappa",
    weights: Weights = "unweighted",
    *,
    categories: Categories = None,
) -> tuple[Units, Evaluate]:
    """The rated units, and a coefficient as a function of how often each distinct one occurs.

    >>> units, evaluate = prepared(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]]), "brennan_prediger")
    >>> units.n, evaluate(np.ones((1, len(units.rows)))).round(4).tolist()
    (3, [0.3333])
    """
    return _of_counts(coded(ratings, categories).with_at_least(1), coefficient, weights)


def estimate_of_counts(
    found: Coded,
    coefficient: Coefficient,
    weights: Weights,
    *,
    level: float,
    n_resamples: int,
    rng: np.random.Generator | None,
) -> Estimate:
    """A coefficient of coded ratings with its interval, or None and why.

    >>> found = coded(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]]))
    >>> estimate_of_counts(found, "gwet_ac", "linear", level=0.95, n_resamples=0, rng=None).status
    'ok'
    """
    status, note = _obstacle(found)
    if status != "ok":
        return undefined(status, note)
    units, evaluate = _of_counts(found.with_at_least(1), coefficient, weights)
    return estimated(units, evaluate, level=level, n_resamples=n_resamples, rng=rng)


def _obstacle(found: Coded) -> tuple[Status, str]:
    if not (found.sizes >= 2).any():
        return "no_pairable_units", ""
    if len(found.values) > _MOST_CATEGORIES:
        return "too_many_categories", f"{len(found.values)} distinct values are no categories."
    return "ok", ""


def _of_counts(found: Coded, coefficient: Coefficient, weights: Weights) -> tuple[Units, Evaluate]:
    if _obstacle(found)[0] != "ok":
        return Units.of(np.zeros((0, 1))), lambda drawn: np.full(len(drawn), np.nan)
    agreement = category_weights(found.values, weights)
    units = Units.of(found.counts(), found.clusters)
    n_ratings = units.rows.sum(axis=1)
    pairs = n_ratings * (n_ratings - 1.0)
    agreeing = (units.rows * (units.rows @ agreement - 1.0)).sum(axis=1)
    table = np.concatenate(
        [
            (agreeing / np.maximum(pairs, 1.0) * (pairs > 0))[:, None],
            (pairs > 0).astype(np.float64)[:, None],
            np.ones((len(pairs), 1)),
            units.rows / n_ratings[:, None],
        ],
        axis=1,
    )
    chance = partial(_CHANCE[coefficient], agreement)

    def evaluate(drawn: Array) -> Array:
        sums = drawn @ table
        value = np.full(len(drawn), np.nan)
        there = sums[:, 1] > 0
        observed = sums[there, 0] / sums[there, 1]
        beyond = 1.0 - chance(sums[there, 3:] / sums[there, 2:3])
        value[there] = np.divide(
            observed - (1.0 - beyond), beyond, out=np.full_like(beyond, np.nan), where=beyond > 1e-12
        )
        return value

    return units, evaluate


def _fleiss_chance(agreement: Array, shares: Array) -> Array:
    return np.asarray(((shares @ agreement) * shares).sum(axis=1))


def _gwet_chance(agreement: Array, shares: Array) -> Array:
    q = len(agreement)
    if q < 2:
        return np.ones(len(shares))
    return np.asarray(agreement.sum() * (shares * (1.0 - shares)).sum(axis=1) / (q * (q - 1)))


def _uniform_chance(agreement: Array, shares: Array) -> Array:
    return np.full(len(shares), agreement.sum() / len(agreement) ** 2)


_CHANCE: dict[Coefficient, Callable[[Array, Array], Array]] = {
    "fleiss_kappa": _fleiss_chance,
    "gwet_ac": _gwet_chance,
    "brennan_prediger": _uniform_chance,
}
