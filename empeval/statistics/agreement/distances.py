"""Alpha under resampled units, for each kind of distance, without a table of all pairs of values.

Every function takes counts of shape (n_rows, n_values), dense or sparse, how many raters chose each value in
a distinct unit, and returns alpha as a function of how often each of these units occurs. With weights w and
sizes m, α = 1 − (n − 1) · O / E, O = Σ_u w_u / (m_u − 1) · Σ_{c,k} n_uc n_uk δ², E = Σ_{c,k} n_c n_k δ².
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from empeval.statistics.agreement.units import Evaluate
from empeval.statistics.segments import Array

__all__ = ["fixed_distances", "interval_moments", "nominal_shares", "ordinal_ranks", "ratio_nodes"]

#: Numbers held at once beside the weights.
_CELLS = 4_000_000
#: An expected disagreement below this share of its terms is rounding.
_ROUNDING = 1e-13


def ordinal_ranks(counts: Any) -> Evaluate:
    """Ordinal alpha: the interval form on mid-ranks, which follow the resampled totals of the values.

    The number of ratings between two values, half of those at both ends included, is the difference of the
    values' mid-ranks, so that E = 2 n Σ_c n_c R_c² for ranks R around their mean.

    >>> ordinal_ranks(np.array([[2, 0, 0], [0, 1, 1], [0, 0, 2]]))(np.ones((1, 3))).round(4).tolist()
    [0.7778]
    """
    sizes = _sizes(counts)

    def evaluate(weights: Array) -> Array:
        rows = weights.T
        of_value = counts.T @ rows
        n = of_value.sum(axis=0)
        ranks = (np.cumsum(of_value, axis=0) - of_value / 2 - n / 2) / np.maximum(n, 1)
        inverse = rows / (sizes - 1)[:, None]
        squares = ((counts.T @ (inverse * sizes[:, None])) * ranks**2).sum(axis=0)
        of_unit = counts @ ranks
        of_unit *= of_unit
        of_unit *= inverse
        observed = squares - of_unit.sum(axis=0)
        return _alpha(n, observed, n * (of_value * ranks**2).sum(axis=0))

    return _in_blocks(evaluate, sum(counts.shape))


def fixed_distances(
    counts: Array, values: Array, measurement: Literal["nominal", "interval", "ratio"]
) -> Evaluate:
    """Alpha of few values by a table of their distances.

    >>> fixed_distances(np.array([[2, 0], [1, 1]]), np.array([0, 1]), "nominal")(np.ones((1, 2))).tolist()
    [0.0]
    """
    gaps = values[:, None] - values[None, :]
    if measurement == "nominal":
        squared = (gaps != 0).astype(np.float64)
    elif measurement == "interval":
        # in units of the range, so that squares of large numbers lose nothing
        squared = (gaps / max(np.ptp(values), np.finfo(float).tiny)) ** 2 if len(values) else gaps
    else:
        sums = values[:, None] + values[None, :]
        squared = np.divide(gaps, sums, out=np.zeros_like(gaps), where=sums > 0) ** 2
    within = ((counts @ squared) * counts).sum(axis=1) / (_sizes(counts) - 1)

    def evaluate(weights: Array) -> Array:
        of_value = weights @ counts
        expected = ((of_value @ squared) * of_value).sum(axis=1)
        return _alpha(of_value.sum(axis=1), weights @ within, expected)

    return evaluate


def nominal_shares(counts: Any) -> Evaluate:
    """Nominal alpha of many values: E = n² − Σ_c n_c².

    >>> nominal_shares(np.array([[2, 0], [1, 1]]))(np.ones((1, 2))).tolist()
    [0.0]
    """
    sizes = _sizes(counts)
    within = (sizes**2 - np.asarray((counts * counts).sum(axis=1))) / (sizes - 1)

    def evaluate(weights: Array) -> Array:
        of_value = counts.T @ weights.T
        n = of_value.sum(axis=0)
        return _alpha(n, weights @ within, n**2 - (of_value**2).sum(axis=0))

    return _in_blocks(evaluate, sum(counts.shape))


def interval_moments(counts: Any, values: Array) -> Evaluate:
    """Interval alpha of many values from each unit's size, sum and squares: E = 2 (n Σ x² − (Σ x)²).

    >>> interval_moments(np.array([[2, 0], [1, 1]]), np.array([0.0, 1.0]))(np.ones((1, 2))).tolist()
    [0.0]
    """
    sizes = _sizes(counts)
    # around the middle and in units of the range, so that little is lost in the difference of squares
    x = _centred(values, np.asarray(counts.sum(axis=0)))
    sums = counts @ x
    means = sums / np.maximum(sizes, 1)
    within = 2 * sizes / (sizes - 1) * (_spread(counts, x, means))
    table = np.stack([sizes, sums, counts @ x**2, within], axis=1)

    def evaluate(weights: Array) -> Array:
        n, total, squares, observed = (weights @ table).T
        expected = _above_rounding(n * squares - total**2, n * squares)
        return _alpha(n, observed, 2 * expected)

    return evaluate


def ratio_nodes(counts: Any, values: Array) -> Evaluate:
    """Ratio alpha of many values ≥ 0 by quadrature, in time linear in the number of ratings.

    With 1 / (c + k)² = ∫ t² exp(−t (c + k)) d log t, the expected disagreement is an integral over the
    variance of the values under the weights n_c exp(−t c); the trapezoidal rule on log t converges
    geometrically (the step here leaves about 1e-13).

    >>> ratio_nodes(np.array([[2, 0], [1, 1]]), np.array([1.0, 3.0]))(np.ones((1, 2))) < 1e-9
    array([ True])
    """
    step = 0.3
    positive = values[values > 0]
    low = -17.5 - np.log(positive.max(initial=1.0))
    high = 3.8 - np.log(positive.min(initial=np.inf)) if len(positive) else 0.0
    nodes = np.exp(np.arange(low, high + step, step))
    totals = np.asarray(counts.sum(axis=0))
    within = _ratio_within(counts, values) / (_sizes(counts) - 1)
    sizes = _sizes(counts)

    def evaluate(weights: Array) -> Array:
        expected = np.zeros(len(weights))
        for t in nodes:
            decayed = np.exp(-t * (values - values.min(initial=np.inf)))
            centre = (totals * decayed * values).sum() / (totals * decayed).sum()
            gap = t * (values - centre)
            basis = np.stack([decayed, decayed * gap, decayed * gap**2], axis=1)
            zeroth, first, second = (weights @ (counts @ basis)).T
            spread = _above_rounding(zeroth * second - first**2, zeroth * second)
            expected += 2 * step * spread * np.exp(-2 * t * values.min())
        return _alpha(weights @ sizes, weights @ within, expected)

    return evaluate


def _ratio_within(counts: Any, values: Array) -> Array:
    """Σ_{c,k} n_uc n_uk ((c − k) / (c + k))² of each unit, one distance of places in the row at a time."""
    from scipy.sparse import csr_array

    table = csr_array(counts)
    row = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    x, n = values[table.indices], table.data.astype(np.float64)
    found = np.zeros(table.shape[0])
    for apart in range(1, int(np.diff(table.indptr).max(initial=0))):
        same = np.flatnonzero(row[apart:] == row[:-apart])
        a, b = x[same], x[same + apart]
        squared = np.divide(a - b, a + b, out=np.zeros_like(a), where=a + b > 0) ** 2
        found += np.bincount(row[same], 2 * n[same] * n[same + apart] * squared, minlength=len(found))
    return found


def _spread(counts: Any, x: Array, means: Array) -> Array:
    """Σ_c n_uc (x_c − mean_u)² of each unit."""
    from scipy.sparse import csr_array

    table = csr_array(counts)
    row = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    squares = table.data * (x[table.indices] - means[row]) ** 2
    return np.bincount(row, squares, minlength=table.shape[0])


def _centred(values: Array, totals: Array) -> Array:
    """Values from the median rating on, in units of their range."""
    if not len(values):
        return values
    middle = values[np.searchsorted(np.cumsum(totals), totals.sum() / 2)]
    return np.asarray((values - middle) / max(np.ptp(values), np.finfo(float).tiny))


def _sizes(counts: Any) -> Array:
    return np.asarray(counts.sum(axis=1), dtype=np.float64)


def _above_rounding(difference: Array, of: Array) -> Array:
    return np.where(difference > _ROUNDING * of, difference, 0.0)


def _alpha(n: Array, observed: Array, expected: Array) -> Array:
    found = np.full(len(n), np.nan)
    there = expected > 0
    found[there] = 1.0 - (n[there] - 1.0) * np.maximum(observed[there], 0.0) / expected[there]
    return found


def _in_blocks(evaluate: Evaluate, width: int) -> Evaluate:
    """The same values, so many resamples at a time that memory stays bounded."""
    block = max(1, _CELLS // max(1, width))

    def in_blocks(weights: Array) -> Array:
        parts = [evaluate(weights[at : at + block]) for at in range(0, len(weights), block)]
        return np.concatenate(parts) if parts else np.zeros(0)

    return in_blocks
