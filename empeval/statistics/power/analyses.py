"""The analyses that a study will be given, for many simulated studies at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from empeval.statistics.means import FEWEST_RATERS, MeanResult, two_way_moments
from empeval.statistics.segments import Array

__all__ = ["Analysis", "clustered", "default_analysis", "each", "is_crossed", "method_name", "two_way"]


class Analysis(Protocol):
    """p-values (n_simulations,) of studies' values (n_simulations, n_items, n_raters), NaN where undefined.

    ``raters`` (n_items, n_raters) says who answered to each item.
    """

    def __call__(self, values: Array, raters: Array) -> Array: ...


def two_way(values: Array, raters: Array) -> Array:  # noqa: ARG001  # an analysis is told who answers
    """`means.two_way_mean` on complete crossed studies: the default for them.

    >>> table = np.array([[1.0, 0, 1], [0, 0, 1], [1, 1, 1], [0, 1, 0]])
    >>> two_way(table[None], np.zeros((4, 3), dtype=int)).round(4).tolist()
    [0.0354]
    """
    if values.shape[1] < 2:
        return np.full(len(values), np.nan)
    return _p_values(*two_way_moments(values), values)


def clustered(values: Array, raters: Array) -> Array:
    """`means.clustered_mean` on studies whose items have raters of a larger pool, each item a cluster."""
    n_simulations, n_items, n_raters = values.shape
    if n_items < 2:
        return np.full(n_simulations, np.nan)
    mean = values.mean(axis=(1, 2))
    influence = (values - mean[:, None, None]) / (n_items * n_raters)
    squared = _variance(influence.sum(axis=2))
    who = np.unique(raters, return_inverse=True)[1].reshape(-1)
    n_pool = int(who.max()) + 1
    df = n_items - 1
    if n_pool >= FEWEST_RATERS:
        rows = influence.reshape(n_simulations, -1)
        order = np.argsort(who, kind="stable")
        starts = np.searchsorted(who[order], np.arange(n_pool))
        of_raters = _variance(np.add.reduceat(rows[:, order], starts, axis=1))
        both = _variance(rows)
        squared = np.maximum(np.maximum(squared + of_raters - both, squared), of_raters)
        df = min(n_items, n_pool) - 1
    return _p_values(mean, squared, np.full(n_simulations, float(df)), values)


def default_analysis(raters: Array) -> Analysis:
    """Two-way where every rater answers to every item, clusters otherwise."""
    return two_way if is_crossed(raters) else clustered


def method_name(raters: Array) -> str:
    """What the default analysis of this design is called, in the words of `empeval.statistics.means`."""
    crossed, several = is_crossed(raters), len(np.unique(raters)) >= FEWEST_RATERS
    if crossed:
        return "two-way random items and raters" if several else "random items"
    return "clusters of items and raters" if several else "clusters of items"


def is_crossed(raters: Array) -> bool:
    """Whether all items have the same raters."""
    return bool((np.sort(raters, axis=1) == np.sort(raters[0])).all())


def each(function: Callable[[Array, Array], MeanResult]) -> Analysis:
    """Make an analysis of one study, ``function(values (n_items, n_raters), raters)``, one of many.

    >>> from empeval.statistics.means import two_way_mean
    >>> analysis = each(lambda values, _: two_way_mean(values))
    >>> table = np.array([[1.0, 0, 1], [0, 0, 1], [1, 1, 1], [0, 1, 0]])
    >>> analysis(table[None], np.zeros((4, 3), dtype=int)).round(4).tolist()
    [0.0354]
    """

    def analysis(values: Array, raters: Array) -> Array:
        found = [function(table, raters).p_value for table in values]
        return np.array([np.nan if p is None else p for p in found])

    return analysis


def _variance(sums: Array) -> Array:
    """G / (G − 1) · Σ squares of the sums (n_simulations, G) of clusters."""
    n = sums.shape[1]
    return np.asarray((sums**2).sum(axis=1) * n / max(1, n - 1))


def _p_values(mean: Array, squared: Array, df: Array, values: Array) -> Array:
    """Two-sided p-values; NaN without variation, 1 where the mean is 0 too."""
    from scipy.special import stdtr

    scale = np.abs(values).max(axis=(1, 2), initial=0.0)
    flat = squared <= (1e-12 * scale) ** 2
    error = np.sqrt(np.where(flat, 1.0, squared))
    p_values = np.minimum(1.0, 2.0 * stdtr(df, -np.abs(mean) / error))
    still = np.where(np.abs(mean) <= 1e-12 * scale, 1.0, np.nan)
    return np.asarray(np.where(flat, still, p_values))
