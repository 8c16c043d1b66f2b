"""How often raters agree, chance left in: by pairs of raters, and by all raters of a unit."""

from __future__ import annotations

import numpy as np

from empeval.errors import InputError
from empeval.statistics.agreement.counts import Categories, Coded, coded
from empeval.statistics.agreement.units import Evaluate, Units, estimated
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate
from empeval.statistics.segments import Array

__all__ = ["percent_agreement", "percent_agreement_all", "percent_agreement_within", "prepared"]


def percent_agreement(
    ratings: Ratings,
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """The mean over units of the share of equal pairs of ratings, in 0–1.

    Over units with r ≥ 2 ratings, which weigh the same: Σ_k r_k (r_k − 1) / (r (r − 1)). Undefined without
    such a unit. Source: Gwet (2014).

    >>> percent_agreement(Ratings.from_matrix([[1, 1, None], [2, 2, 3], [1, None, None]])).value
    0.6666666666666666
    """
    return percent_agreement_within(ratings, 0, level=level, n_resamples=n_resamples, rng=rng)


def percent_agreement_within(
    ratings: Ratings,
    tolerance: float = 1,
    *,
    categories: Categories = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """The mean over units of the share of pairs of ratings that differ by at most ``tolerance``, in 0–1.

    Over units with at least two ratings, which weigh the same; undefined without one. Words differ by their
    places among the declared ``categories``; raises `InputError` where none are declared.

    >>> percent_agreement_within(Ratings.from_matrix([[1, 2], [2, 5], [3, 3], [4, 2]]), 1).value
    0.5
    """
    units, evaluate = prepared(ratings, tolerance, categories=categories)
    return estimated(units, evaluate, level=level, n_resamples=n_resamples, rng=rng, bounds=(0.0, 1.0))


def percent_agreement_all(
    ratings: Ratings,
    tolerance: float = 0,
    *,
    categories: Categories = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """The share of units whose ratings all lie within ``tolerance`` of each other, in 0–1.

    Over units with at least two ratings; undefined without one. Words as in `percent_agreement_within`.

    >>> percent_agreement_all(Ratings.from_matrix([[1, 1, 1], [2, 2, 3], [4, 4, None]])).value
    0.6666666666666666
    """
    units, evaluate = prepared(ratings, tolerance, categories=categories, all_raters=True)
    return estimated(units, evaluate, level=level, n_resamples=n_resamples, rng=rng, bounds=(0.0, 1.0))


def prepared(
    ratings: Ratings, tolerance: float = 0, *, categories: Categories = None, all_raters: bool = False
) -> tuple[Units, Evaluate]:
    """The units with at least two ratings, and percent agreement as a function of how often each occurs.

    >>> units, evaluate = prepared(Ratings.from_matrix([[1, 1], [2, 3], [2, None]]))
    >>> units.n, evaluate(np.ones((1, len(units.rows)))).tolist()
    (2, [0.5])
    """
    if tolerance < 0:
        raise InputError(f"a tolerance is at least 0, not {tolerance:g}")
    if ratings.words and tolerance > 0 and categories is None:
        raise InputError(
            "words have no distances: declare the categories in their order, or take tolerance 0"
        )
    found = coded(ratings, categories).with_at_least(2)
    shares = _all_within(found, tolerance) if all_raters else _pairs_within(found, tolerance)
    units = Units.of(shares[:, None], found.clusters)
    share = units.rows[:, 0]

    def evaluate(weights: Array) -> Array:
        return np.asarray((weights @ share) / weights.sum(axis=1))

    return units, evaluate


def _pairs_within(found: Coded, tolerance: float) -> Array:
    """The share of each unit's pairs within the tolerance, shape (n_units,)."""
    n_values = len(found.values)
    key = found.unit * n_values + found.code
    reach = _reach(found.values, tolerance)
    first = np.searchsorted(found.values, found.values - reach, "left")[found.code]
    after = np.searchsorted(found.values, found.values + reach, "right")[found.code]
    base = found.unit * n_values
    near = np.searchsorted(key, base + after) - np.searchsorted(key, base + first) - 1
    pairs = found.sizes * (found.sizes - 1)
    return np.asarray(np.bincount(found.unit, near, minlength=found.n_units) / pairs)


def _all_within(found: Coded, tolerance: float) -> Array:
    """1 for each unit whose ratings all lie within the tolerance, else 0, shape (n_units,)."""
    last = np.cumsum(found.sizes) - 1
    values = found.values[found.code]
    spans = values[last] - values[last - found.sizes + 1]
    return np.asarray(spans <= _reach(found.values, tolerance), dtype=np.float64)


def _reach(values: Array, tolerance: float) -> float:
    # 0.3 − 0.2 is a little more than 0.1
    return tolerance + 1e-9 * min(tolerance, float(np.ptp(values)) if len(values) else 0.0)
