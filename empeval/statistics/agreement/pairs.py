"""Agreement of pairs of raters: Cohen, Scott, correlations, and their means over all pairs (Light)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from empeval.statistics.agreement.chance import Weights
from empeval.statistics.agreement.counts import Categories
from empeval.statistics.agreement.rated import Rated, rated
from empeval.statistics.agreement.units import Evaluate, Units, estimated
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate, undefined
from empeval.statistics.segments import Array

__all__ = [
    "Coefficient",
    "PairAgreement",
    "agreement_of_pairs",
    "cohen_kappa",
    "mean_over_pairs",
    "prepared",
    "scott_pi",
]

Coefficient = Literal[
    "cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic", "scott_pi", "pearson", "spearman"
]

#: A pair of raters with fewer common units says nothing.
FEWEST_UNITS = 2


@dataclass(frozen=True)
class PairAgreement:
    """A coefficient of two raters on the ``n`` units that both rated."""

    rater_a: str
    rater_b: str
    n: int
    name: Coefficient
    estimate: Estimate


def cohen_kappa(
    ratings: Ratings, weights: Weights = "unweighted", *, categories: Categories = None, **settings: Any
) -> Estimate:
    """Cohen's kappa of two raters, and the mean over all pairs of more (Light's kappa).

    κ = (p_o − p_e) / (1 − p_e) with the chance agreement of the two raters' own shares. Linear and quadratic
    weights follow the values of the scale, so that a category nobody chose changes nothing. A pair whose
    chance agreement is 1, or with fewer than two common units, is left out of the mean and counted in the
    note. ``settings`` are ``level``, ``n_resamples`` and ``rng`` of the interval, which resamples units.
    Sources: Cohen (1960, 1968); Light (1971).

    >>> table = Ratings.from_matrix([[1, 1], [2, 5], [5, 5]])
    >>> round(cohen_kappa(table, "quadratic").value, 4)
    0.597
    """
    names: dict[Weights, Coefficient] = {
        "unweighted": "cohen_kappa",
        "linear": "cohen_kappa_linear",
        "quadratic": "cohen_kappa_quadratic",
    }
    return mean_over_pairs(ratings, names[weights], categories=categories, **settings)


def scott_pi(ratings: Ratings, *, categories: Categories = None, **settings: Any) -> Estimate:
    """Scott's pi of two raters, and the mean over all pairs of more: chance from the pair's shares together.

    Source: Scott (1955).

    >>> round(scott_pi(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]])).value, 4)
    0.3333
    """
    return mean_over_pairs(ratings, "scott_pi", categories=categories, **settings)


def mean_over_pairs(
    ratings: Ratings, name: Coefficient, *, categories: Categories = None, **settings: Any
) -> Estimate:
    """A coefficient's mean over all pairs of raters, each pair counted alike.

    >>> table = Ratings.from_matrix([[1, 1, 2], [2, 2, 2], [3, 3, 3], [4, 3, 4]])
    >>> round(mean_over_pairs(table, "pearson").value, 3)
    0.902
    """
    found = rated(ratings, categories)
    if len(found.raters) < 2:
        return undefined("too_few_raters")
    pairs = found.pairs(FEWEST_UNITS)
    if not pairs:
        return undefined("no_pairable_units")
    each = [float(_evaluate(found, a, b, name)(found.units.weights[None, :])[0]) for a, b in pairs]
    n_all, n_defined = len(found.raters) * (len(found.raters) - 1) // 2, int(np.isfinite(each).sum())
    estimate = estimated(found.units, _mean(found, pairs, name), **settings)
    if estimate.value is None or n_defined == n_all:
        return estimate
    note = f"mean over {n_defined} of {n_all} pairs of raters; the others share too few units or do not vary"
    return Estimate(estimate.value, estimate.interval, estimate.status, estimate.interval_status, note)


def agreement_of_pairs(
    ratings: Ratings, name: Coefficient, *, categories: Categories = None, **settings: Any
) -> list[PairAgreement]:
    """A coefficient of each pair of raters in the order of their names, on their common units.

    >>> [pair] = agreement_of_pairs(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]]), "cohen_kappa")
    >>> pair.n, round(pair.estimate.value, 2)
    (3, 0.4)
    """
    found = rated(ratings, categories)
    result = []
    for a, b in combinations(range(len(found.raters)), 2):
        both = found.of_pair(a, b)
        if both.units.n < FEWEST_UNITS:
            estimate = undefined("no_pairable_units")
        else:
            bounds = (-1.0, 1.0) if name in ("pearson", "spearman") else (None, 1.0)
            estimate = estimated(both.units, _evaluate(both, 0, 1, name), bounds=bounds, **settings)
        n = int(both.units.weights.sum()) if both.units.n else 0
        result.append(PairAgreement(found.raters[a], found.raters[b], n, name, estimate))
    return result


def prepared(ratings: Ratings, name: Coefficient, *, categories: Categories = None) -> tuple[Units, Evaluate]:
    """The rated units, and the mean over pairs under weights of the distinct ones.

    >>> units, evaluate = prepared(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]]), "cohen_kappa")
    >>> evaluate(units.weights[None, :]).round(2).tolist()
    [0.4]
    """
    found = rated(ratings, categories)
    return found.units, _mean(found, found.pairs(FEWEST_UNITS), name)


def _mean(found: Rated, pairs: list[tuple[int, int]], name: Coefficient) -> Evaluate:
    parts = [_evaluate(found, a, b, name) for a, b in pairs]

    def evaluate(weights: Array) -> Array:
        total, n = np.zeros(len(weights)), np.zeros(len(weights))
        for part in parts:
            values = part(weights)
            there = np.isfinite(values)
            total[there] += values[there]
            n += there
        return np.asarray(np.divide(total, n, out=np.full(len(weights), np.nan), where=n > 0))

    return evaluate


def _evaluate(found: Rated, a: int, b: int, name: Coefficient) -> Evaluate:
    rows, of_a, of_b = found.common(a, b)
    forms: dict[Coefficient, Callable[[Array, Array], Evaluate]] = {
        "cohen_kappa": lambda x, y: _kappa(x, y, found, "unweighted"),
        "cohen_kappa_linear": lambda x, y: _kappa(x, y, found, "linear"),
        "cohen_kappa_quadratic": lambda x, y: _kappa(x, y, found, "quadratic"),
        "scott_pi": lambda x, y: _kappa(x, y, found, "unweighted", own=False),
        "pearson": lambda x, y: _correlation(x, y, found, ranks=False),
        "spearman": lambda x, y: _correlation(x, y, found, ranks=True),
    }
    form = forms[name](of_a, of_b)
    return lambda weights: form(weights[:, rows])


def _kappa(of_a: Array, of_b: Array, found: Rated, weights: Weights, *, own: bool = True) -> Evaluate:
    """(p_o − p_e) / (1 − p_e); ``own`` shares of each rater, or those of both together."""
    credit = found.weights(weights)
    q = len(credit)
    hot_a, hot_b = np.eye(q)[of_a], np.eye(q)[of_b]
    agreed = credit[of_a, of_b]

    def evaluate(times: Array) -> Array:
        n = times.sum(axis=1)
        safe = np.maximum(n, 1e-300)
        observed = times @ agreed / safe
        first, second = times @ hot_a / safe[:, None], times @ hot_b / safe[:, None]
        if not own:
            first = second = (first + second) / 2
        expected = ((first @ credit) * second).sum(axis=1)
        there = (n > 0) & (expected < 1 - 1e-12)
        result = np.full(len(times), np.nan)
        result[there] = (observed[there] - expected[there]) / (1 - expected[there])
        return result

    return evaluate


def _correlation(of_a: Array, of_b: Array, found: Rated, *, ranks: bool) -> Evaluate:
    q = len(found.values)
    hot_a, hot_b = np.eye(q)[of_a], np.eye(q)[of_b]

    def scores(times: Array, hot: Array) -> Array:
        of_value = times @ hot
        n = np.maximum(of_value.sum(axis=1, keepdims=True), 1e-300)
        if ranks:
            # mid-ranks under the resampled numbers of each value
            raw = np.cumsum(of_value, axis=1) - of_value / 2
        else:
            raw = np.repeat(found.values[None, :], len(times), axis=0)
        return np.asarray(raw - (of_value * raw).sum(axis=1, keepdims=True) / n)

    def evaluate(times: Array) -> Array:
        first, second = scores(times, hot_a), scores(times, hot_b)
        both = (times * first[:, of_a] * second[:, of_b]).sum(axis=1)
        spread = [(times @ hot * part**2).sum(axis=1) for hot, part in ((hot_a, first), (hot_b, second))]
        product = np.sqrt(spread[0] * spread[1])
        found = np.divide(both, product, out=np.full(len(times), np.nan), where=product > 1e-12)
        return np.asarray(found)

    return evaluate
