"""Krippendorff's alpha: agreement beyond chance with missing ratings, at every level of measurement."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from empeval.errors import InputError
from empeval.statistics.agreement.counts import Categories, coded
from empeval.statistics.agreement.distances import (
    fixed_distances,
    interval_moments,
    nominal_shares,
    ordinal_ranks,
    ratio_nodes,
)
from empeval.statistics.agreement.units import Evaluate, Units, estimated
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate
from empeval.statistics.segments import Array

__all__ = ["Measurement", "krippendorff_alpha", "prepared"]

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]

#: Up to so many distinct values units are counts of each value, and distances a table.
_FEW_VALUES = 64
#: The krippendorff package holds two tables of units by values by values.
_PACKAGE_CELLS = 250_000


def krippendorff_alpha(
    ratings: Ratings,
    measurement: Measurement = "ordinal",
    *,
    categories: Categories = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """How far raters agree beyond chance: 1 − observed over expected disagreement, at most 1.

    α = 1 − D_o / D_e with D_o = Σ_u Σ_{i≠j} δ²(v_ui, v_uj) / (m_u − 1) / n over units with m_u ≥ 2 ratings,
    and D_e = Σ_{c,k} n_c n_k δ²(c, k) / (n (n − 1)) over all n ratings of these units. δ² is 1 for different
    values (nominal), the squared number of ratings between two values (ordinal), (c − k)² (interval) or
    ((c − k) / (c + k))² (ratio). The interval resamples units, D_e included; ``categories`` declares the
    values, and their order where they are words. Undefined without a unit that two raters rated, and where
    all ratings are equal. Raises `InputError` for a level of measurement that the values do not have.
    Sources: Krippendorff (2011); Zapf et al. (2016) for the interval.

    >>> ratings = Ratings.from_matrix([[1, 1, None], [2, 2, 3], [3, 3, 3], [1, 2, 1]])
    >>> round(krippendorff_alpha(ratings, "nominal").value, 4)
    0.5
    """
    units, evaluate = prepared(ratings, measurement, categories=categories)
    found = estimated(units, evaluate, level=level, n_resamples=n_resamples, rng=rng)
    return _as_the_package_has_it(found, units, ratings, measurement, categories)


def prepared(
    ratings: Ratings, measurement: Measurement = "ordinal", *, categories: Categories = None
) -> tuple[Units, Evaluate]:
    """The units with at least two ratings, and alpha as a function of how often each distinct one occurs.

    >>> units, evaluate = prepared(Ratings.from_matrix([[1, 2], [1, 1], [2, 2], [1, None]]), "interval")
    >>> units.n, evaluate(np.ones((1, len(units.rows)))).round(4).tolist()
    (3, [0.4444])
    """
    _check(ratings, measurement, categories)
    found = coded(ratings, categories, sort=False)
    few = len(found.values) <= _FEW_VALUES
    found = (found if few else coded(ratings, categories)).with_at_least(2)
    units = Units.of(found.counts() if few else found.lists(), found.clusters)
    if few:
        return units, _alpha(units.rows, found.values, measurement, few)
    used, counts = _sparse_counts(units.rows)
    return units, _alpha(counts, found.values[used], measurement, few)


def _as_the_package_has_it(
    found: Estimate, units: Units, ratings: Ratings, measurement: Measurement, categories: Categories
) -> Estimate:
    """The value that the krippendorff package gives, for tables that it handles in little memory.

    Both agree to rounding; readers who recompute with the package find its digits.
    """
    values = coded(ratings, categories, sort=False).values
    if found.value is None or not 2 <= len(values) <= _FEW_VALUES:
        return found
    if units.weights.sum() * len(values) ** 2 > _PACKAGE_CELLS:
        return found
    import krippendorff

    counts = np.repeat(units.rows, units.weights.astype(np.int64), axis=0)
    value = float(
        krippendorff.alpha(value_counts=counts, value_domain=values, level_of_measurement=measurement)
    )
    if found.interval is not None:
        # a last digit must not lie outside the interval
        value = min(max(value, found.interval.low), found.interval.high)
    return replace(found, value=value)


def _alpha(counts: Any, values: Array, measurement: Measurement, few: bool) -> Evaluate:
    if measurement == "ordinal":
        return ordinal_ranks(counts)
    if few:
        return fixed_distances(counts, values, measurement)
    if measurement == "nominal":
        return nominal_shares(counts)
    if measurement == "interval":
        return interval_moments(counts, values)
    return ratio_nodes(counts, values)


def _sparse_counts(lists: Array) -> tuple[Array, Any]:
    """Which codes occur in rows of codes with −1 after the last, and counts of these (n_rows, n_used)."""
    from scipy.sparse import csr_array

    row, place = np.nonzero(lists >= 0)
    used, code = np.unique(lists[row, place].astype(np.int64), return_inverse=True)
    found = csr_array((np.ones(len(row)), (row, code)), shape=(len(lists), len(used)))
    found.sum_duplicates()
    return used, found


def _check(ratings: Ratings, measurement: str, categories: Categories) -> None:
    levels = ("nominal", "ordinal", "interval", "ratio")
    if measurement not in levels:
        raise InputError(f"{measurement!r} is no level of measurement; there are {', '.join(levels)}")
    if ratings.words and measurement in ("interval", "ratio"):
        raise InputError(f"words have no distances on a {measurement} scale; take nominal or ordinal")
    if ratings.words and measurement == "ordinal" and categories is None:
        raise InputError("words have no order: declare the categories in their order, or take nominal")
    if measurement == "ratio" and np.nanmin(ratings.values, initial=0.0) < 0:
        raise InputError("a ratio scale has no values below 0; take interval")
