"""Coefficients of agreement beyond chance by categories: Fleiss, Gwet, Brennan and Prediger.

They share the observed agreement of units with two ratings or more, and differ in what chance is: all rated
units give the shares of categories. Source: Gwet (2014), for any number of ratings a unit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from empeval.errors import InputError
from empeval.statistics.agreement.counts import Categories, Coded, coded
from empeval.statistics.agreement.units import Evaluate, Units, estimated
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate, undefined
from empeval.statistics.segments import Array

__all__ = [
    "Weights",
    "agreement_weights",
    "brennan_prediger",
    "fleiss_kappa",
    "fleiss_kappa_by_category",
    "fleiss_z",
    "gwet_ac1",
    "gwet_ac2",
    "prepared",
]

Weights = Literal["unweighted", "linear", "quadratic", "ordinal"]
Kind = Literal["fleiss_kappa", "gwet_ac", "brennan_prediger"]


def fleiss_kappa(
    ratings: Ratings, weights: Weights = "unweighted", *, categories: Categories = None, **settings: Any
) -> Estimate:
    """Fleiss' kappa for any number of ratings a unit: chance from the shares of categories.

    κ = (p_a − p_e) / (1 − p_e), p_e = Σ_{k,l} w_kl π_k π_l. ``settings`` are ``level``, ``n_resamples`` and
    ``rng`` of the interval, which resamples units. Undefined where all ratings are in one category, and
    without a unit rated twice. Sources: Fleiss (1971); Gwet (2014).

    >>> round(fleiss_kappa(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]])).value, 4)
    0.3333
    """
    return _estimate(ratings, "fleiss_kappa", weights, categories, settings)


def gwet_ac1(ratings: Ratings, *, categories: Categories = None, **settings: Any) -> Estimate:
    """Gwet's AC1: chance agreement is Σ_k π_k (1 − π_k) / (q − 1) for q declared categories.

    It stays high where nearly all ratings are in one category, and depends on how many categories were
    declared (those seen, if none were). ``settings`` as in `fleiss_kappa`. Source: Gwet (2008).

    >>> table = Ratings.from_matrix([[1, 1], [1, 1], [1, 2]])
    >>> round(gwet_ac1(table).value, 4), round(gwet_ac1(table, categories=[1, 2, 3]).value, 4)
    (0.5385, 0.6129)
    """
    return _estimate(ratings, "gwet_ac", "unweighted", categories, settings)


def gwet_ac2(
    ratings: Ratings, weights: Weights = "quadratic", *, categories: Categories = None, **settings: Any
) -> Estimate:
    """Gwet's AC2: AC1 with credit for near agreement, on the declared scale. Source: Gwet (2014).

    >>> round(gwet_ac2(Ratings.from_matrix([[1, 1], [2, 3], [5, 5]]), categories=[1, 2, 3, 4, 5]).value, 4)
    0.9355
    """
    return _estimate(ratings, "gwet_ac", weights, categories, settings)


def brennan_prediger(
    ratings: Ratings, weights: Weights = "unweighted", *, categories: Categories = None, **settings: Any
) -> Estimate:
    """Brennan and Prediger's coefficient (Randolph's free-marginal kappa): every category equally likely.

    p_e = Σ_{k,l} w_kl / q². ``settings`` as in `fleiss_kappa`. Source: Brennan and Prediger (1981).

    >>> round(brennan_prediger(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]])).value, 4)
    0.3333
    """
    return _estimate(ratings, "brennan_prediger", weights, categories, settings)


def prepared(
    ratings: Ratings, kind: Kind, weights: Weights = "unweighted", *, categories: Categories = None
) -> tuple[Units, Evaluate]:
    """The rated units, and a coefficient as a function of how often each distinct one occurs.

    >>> units, evaluate = prepared(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]]), "fleiss_kappa")
    >>> evaluate(units.weights[None, :]).round(4).tolist()
    [0.3333]
    """
    found = coded(ratings, categories).with_at_least(1)
    units = Units.of(found.counts(), found.clusters)
    return units, _beyond_chance(units.rows, agreement_weights(found, weights), kind)


def agreement_weights(found: Coded, weights: Weights) -> Array:
    """How much two categories agree, from 0 to 1, shape (n_categories, n_categories).

    By the values of the scale: linear 1 − |i − j| / range, quadratic 1 − ((i − j) / range)²; by their order:
    ordinal 1 − C(|i − j| + 1, 2) / C(q, 2). Raises `InputError` for another name.

    >>> agreement_weights(coded(Ratings.from_matrix([[1, 3]]), [1, 2, 3]), "linear").tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    n = len(found.values)
    apart = np.abs(found.values[:, None] - found.values[None, :]) / max(
        1e-300, np.ptp(found.values) if n else 1
    )
    places = np.abs(np.arange(n)[:, None] - np.arange(n)[None, :])
    if weights == "unweighted":
        return np.eye(n)
    if weights == "linear":
        return np.asarray(1.0 - apart)
    if weights == "quadratic":
        return np.asarray(1.0 - apart**2)
    if weights == "ordinal":
        return np.asarray(1.0 - places * (places + 1) / max(1, n * (n - 1)))
    raise InputError(f"{weights!r} is no kind of weights; there are unweighted, linear, quadratic, ordinal")


def fleiss_kappa_by_category(
    ratings: Ratings, *, categories: Categories = None, **settings: Any
) -> dict[float | str, Estimate]:
    """Fleiss' kappa of each category against all others. Source: Fleiss (1971).

    >>> found = fleiss_kappa_by_category(Ratings.from_matrix([[1, 1], [2, 3], [3, 3]]))
    >>> {name: round(estimate.value, 2) for name, estimate in found.items()}
    {1.0: 1.0, 2.0: -0.2, 3.0: 0.33}
    """
    found = coded(ratings, categories).with_at_least(1)
    units = Units.of(found.counts(), found.clusters)
    sizes = units.rows.sum(axis=1)
    return {
        name: estimated(
            units,
            _beyond_chance(np.stack([of, sizes - of], axis=1), np.eye(2), "fleiss_kappa"),
            **settings,
        )
        for name, of in zip(found.names, units.rows.T, strict=True)
    }


def fleiss_z(ratings: Ratings, *, categories: Categories = None) -> float | None:
    """Fleiss' kappa over its standard error if raters rated at random; None unless units have one size.

    Source: Fleiss, Nee and Landis (1979).

    >>> round(fleiss_z(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]])), 4)
    0.5774
    """
    found = coded(ratings, categories).with_at_least(1)
    kappa = fleiss_kappa(ratings, categories=categories, n_resamples=0).value
    if kappa is None or len(set(found.sizes.tolist())) > 1:
        return None
    n, m = found.n_units, int(found.sizes[0])
    p = found.counts().sum(axis=0) / (n * m)
    both = float((p * (1 - p)).sum())
    variance = 2 * (both**2 - float((p * (1 - p) * (1 - 2 * p)).sum())) / (n * m * (m - 1) * both**2)
    return kappa / variance**0.5 if variance > 0 else None


def _estimate(
    ratings: Ratings, kind: Kind, weights: Weights, categories: Categories, settings: dict[str, Any]
) -> Estimate:
    units, evaluate = prepared(ratings, kind, weights, categories=categories)
    if not (units.rows.sum(axis=1) > 1).any():
        return undefined("no_pairable_units")
    return estimated(units, evaluate, **settings)


def _beyond_chance(counts: Array, weights: Array, kind: Kind) -> Evaluate:
    """(p_a − p_e) / (1 − p_e) under weights of the rows of counts (n_rows, n_categories)."""
    sizes, q = counts.sum(axis=1), counts.shape[1]
    pairable = (sizes > 1).astype(np.float64)
    pairs = np.maximum(sizes * (sizes - 1), 1)
    agreed = ((counts @ weights) * counts).sum(axis=1) - counts @ np.diag(weights)
    table = np.column_stack([agreed / pairs * pairable, pairable, counts / sizes[:, None]])
    chance = _CHANCE[kind]

    def evaluate(times: Array) -> Array:
        sums = times @ table
        shares = sums[:, 2:] / np.maximum(times.sum(axis=1), 1e-300)[:, None]
        found = np.full(len(times), np.nan)
        expected = chance(shares, weights) if q > 1 else np.ones(len(times))
        there = (sums[:, 1] > 0) & (expected < 1 - 1e-12)
        observed = sums[there, 0] / sums[there, 1]
        found[there] = (observed - expected[there]) / (1 - expected[there])
        return found

    return evaluate


def _of_shares(shares: Array, weights: Array) -> Array:
    return np.asarray(((shares @ weights) * shares).sum(axis=1))


def _of_gwet(shares: Array, weights: Array) -> Array:
    q = shares.shape[1]
    return np.asarray(weights.sum() / (q * (q - 1)) * (shares * (1 - shares)).sum(axis=1))


def _of_each(shares: Array, weights: Array) -> Array:
    return np.full(len(shares), weights.mean())


_CHANCE: dict[Kind, Callable[[Array, Array], Array]] = {
    "fleiss_kappa": _of_shares,
    "gwet_ac": _of_gwet,
    "brennan_prediger": _of_each,
}
