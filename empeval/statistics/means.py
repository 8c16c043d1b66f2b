"""Means of ratings and preferences whose intervals honour that items and raters are both a sample.

A table of every item by every rater has a variance that can be read off its mean squares; any other design
has a cluster-robust one. Treating ratings as independent makes differences out of nothing: with 3 to 10
raters the usual tests call two systems of equal quality different in up to half of all studies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.resampling import Interval
from empeval.statistics.results import Status
from empeval.statistics.segments import Array

__all__ = [
    "FEWEST_RATERS",
    "MeanResult",
    "clustered_mean",
    "clustered_sum",
    "design_mean",
    "one_way_clustered_mean",
    "two_way_mean",
    "two_way_moments",
]

#: With fewer raters their differences cannot be estimated, and a result is about these raters alone.
FEWEST_RATERS = 3


@dataclass(frozen=True)
class MeanResult:
    """A mean, its standard error with degrees of freedom, an interval, and the test of a mean of 0.

    ``p_value`` is two-sided. Without any variation there is neither interval nor test, unless the mean is
    exactly 0: then p is 1.
    """

    value: float | None
    standard_error: float | None = None
    df: float | None = None
    interval: Interval | None = None
    p_value: float | None = None
    method: str = ""
    n_items: int = 0
    n_raters: int = 0
    status: Status = "ok"
    note: str = ""

    def detectable(self, *, level: float = 0.95, power: float = 0.8) -> float | None:
        """The true mean that this design finds with the given power: (t_{1−α/2} + t_{power}) · SE."""
        if not self.standard_error or not self.df:
            return None
        from scipy.special import stdtrit

        return float(stdtrit(self.df, 0.5 + level / 2) + stdtrit(self.df, power)) * self.standard_error


def two_way_moments(values: Array) -> tuple[Array, Array, Array]:
    """Mean, squared standard error and degrees of freedom of complete tables (…, n_items, n_raters).

    With mean squares MS of items, raters and residual, and I items, A raters: SE² = max(MS_item + MS_rater −
    MS_residual, MS_item, MS_rater) / (I · A), df = A − 1 where MS_rater ≥ MS_residual, else I − 1. With
    fewer than 3 raters SE² = MS_item / (I · A), df = I − 1.
    """
    n_items, n_raters = values.shape[-2:]
    by_item, by_rater = values.mean(axis=-1), values.mean(axis=-2)
    mean = by_item.mean(axis=-1)
    of_items = n_raters * by_item.var(axis=-1, ddof=1)
    if n_raters < FEWEST_RATERS:
        return mean, of_items / (n_items * n_raters), np.full(mean.shape, n_items - 1.0)
    of_raters = n_items * by_rater.var(axis=-1, ddof=1)
    left = values - by_item[..., :, None] - by_rater[..., None, :] + mean[..., None, None]
    residual = (left**2).sum(axis=(-2, -1)) / ((n_items - 1) * (n_raters - 1))
    largest = np.maximum(np.maximum(of_items + of_raters - residual, of_items), of_raters)
    df = np.where(of_raters >= residual, n_raters - 1.0, n_items - 1.0)
    return mean, largest / (n_items * n_raters), df


def two_way_mean(values: Array, *, level: float = 0.95) -> MeanResult:
    """The mean of a complete table (n_items, n_raters) for other items and other raters like these.

    See `two_way_moments`. The floors keep the type-I error at its level with 2 to 10 raters, where the
    unfloored estimate with Satterthwaite's degrees of freedom reaches 0.07 to 0.17.

    >>> found = two_way_mean(np.array([[1.0, 0, 1], [0, 0, 1], [1, 1, 1], [0, 1, 0]]))
    >>> round(found.value, 3), round(found.standard_error, 3), found.df
    (0.583, 0.16, 3.0)
    """
    n_items, n_raters = values.shape
    if not values.size:
        return MeanResult(None, status="no_judgments")
    value = float(values.mean())
    if n_items < 2:
        note = "one item tells nothing about others"
        return MeanResult(value, n_items=n_items, n_raters=n_raters, status="too_few_items", note=note)
    mean, squared, df = two_way_moments(np.asarray(values, dtype=np.float64))
    crossed = n_raters >= FEWEST_RATERS
    return _result(
        float(mean),
        float(squared),
        float(df),
        level,
        "two-way random items and raters" if crossed else "random items",
        (n_items, n_raters),
        values=values,
        note="" if crossed else _these_raters(n_raters),
    )


def clustered_mean(
    values: Array,
    dialogues: Array,
    raters: Array,
    *,
    weights: Array | None = None,
    level: float = 0.95,
) -> MeanResult:
    """The weighted mean of rows (n_rows,) that dialogues and raters contribute to in any pattern.

    SE² is the two-way cluster-robust variance of `clustered_sum`. Weights are 1 for each row unless given.
    Source: Cameron, Gelbach and Miller (2011).

    >>> rows = np.array([1.0, 0, 1, 1, 0, 1, 1, 1])
    >>> found = clustered_mean(rows, np.arange(8) // 2, np.array([0, 1, 1, 2, 2, 3, 3, 0]))
    >>> found.value, found.df
    (0.75, 3.0)
    """
    if not len(values):
        return MeanResult(None, status="no_judgments")
    share = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    share = share / share.sum()
    value = float(share @ values)
    return clustered_sum(value, share * (values - value), dialogues, raters, level=level, values=values)


def clustered_sum(
    value: float,
    influence: Array,
    dialogues: Array,
    raters: Array,
    *,
    level: float = 0.95,
    values: Array | None = None,
) -> MeanResult:
    """An estimate with the influence of each row on it (n_rows,), summed within dialogues and raters.

    With V_c = G / (G − 1) · Σ over clusters of (Σ influence)² for G clusters:
    SE² = max(V_dialogue + V_rater − V_both, V_dialogue, V_rater), df = min(clusters) − 1. With fewer than 3
    raters V_dialogue alone.
    """
    n_dialogues, n_raters = len(np.unique(dialogues)), len(np.unique(raters))
    sizes = (n_dialogues, n_raters)
    if n_dialogues < 2:
        note = "one dialogue tells nothing about others"
        return MeanResult(value, n_items=n_dialogues, n_raters=n_raters, status="too_few_items", note=note)
    squared, df = _variance(influence, dialogues), n_dialogues - 1
    method = "clusters of dialogues"
    if n_raters >= FEWEST_RATERS:
        of_raters = _variance(influence, raters)
        both = _variance(influence, dialogues * (int(raters.max()) + 1) + raters)
        squared = max(squared + of_raters - both, squared, of_raters)
        df, method = min(sizes) - 1, "clusters of dialogues and raters"
    note = "" if n_raters >= FEWEST_RATERS else _these_raters(n_raters)
    shown = influence if values is None else values
    return _result(value, squared, float(df), level, method, sizes, values=shown, note=note)


def one_way_clustered_mean(values: Array, clusters: Array, *, level: float = 0.95) -> MeanResult:
    """The mean of rows (n_rows,) in clusters: SE² = G / (G − 1) · Σ (Σ residuals of a cluster)² / n².

    Source: Liang and Zeger (1986).

    >>> round(one_way_clustered_mean(np.array([1.0, 1, 0, 1, 0, 0]), np.array([0, 0, 1, 1, 2, 2])).value, 2)
    0.5
    """
    return clustered_mean(values, clusters, np.zeros(len(values), dtype=np.int64), level=level)


def design_mean(
    values: Array, items: Array, raters: Array, dialogues: Array, *, level: float = 0.95
) -> MeanResult:
    """The mean of item means of rows (n_rows,), by the analysis that their design asks for.

    Two-way random where every rater has one row for every item and dialogues are items or of one size (their
    means then stand for items); two-way clusters with the weights 1 / rows of the item otherwise.

    >>> cells = np.arange(6)
    >>> design_mean(np.array([1.0, 2, 3, 1, 2, 2]), cells // 3, cells % 3, cells // 3).method
    'two-way random items and raters'
    """
    if not len(values):
        return MeanResult(None, status="no_judgments")
    table = _complete(values, items, raters, dialogues)
    if table is not None:
        return two_way_mean(table, level=level)
    _, at, times = np.unique(items, return_inverse=True, return_counts=True)
    return clustered_mean(values, dialogues, raters, weights=1.0 / times[at], level=level)


def _complete(values: Array, items: Array, raters: Array, dialogues: Array) -> Array | None:
    """The table (n_dialogues, n_raters) of a complete design whose dialogues have one size, else None."""
    item = np.unique(items, return_inverse=True)[1]
    rater = np.unique(raters, return_inverse=True)[1]
    n_items, n_raters = int(item.max()) + 1, int(rater.max()) + 1
    cells = item * n_raters + rater
    if len(values) != n_items * n_raters or len(np.unique(cells)) != len(cells):
        return None
    table, of_item = np.empty(len(values)), np.empty(n_items, dtype=np.int64)
    table[cells] = values
    of_item[item] = np.unique(dialogues, return_inverse=True)[1]
    sizes = np.bincount(of_item)
    if len(set(sizes.tolist())) > 1:
        return None
    found = np.zeros((len(sizes), n_raters))
    np.add.at(found, of_item, table.reshape(n_items, n_raters) / sizes[0])
    return found


def _variance(influence: Array, clusters: Array) -> float:
    """G / (G − 1) · Σ over clusters of the squared sum of influences."""
    found = np.unique(clusters, return_inverse=True)[1]
    sums = np.bincount(found, weights=influence)
    # in ascending order, so that the order of rows and names cannot change a last bit
    return float(np.sort(sums**2).sum()) * len(sums) / max(1, len(sums) - 1)


def _these_raters(n: int) -> str:
    who = "this rater" if n == 1 else "these raters"
    return f"for {who} only: with fewer than 3 nothing is known of others"


def _result(
    value: float,
    squared: float,
    df: float,
    level: float,
    method: str,
    sizes: tuple[int, int],
    *,
    values: Array,
    note: str,
) -> MeanResult:
    scale = float(np.abs(values).max(initial=0.0))
    # sums of equal numbers differ from them by rounding
    if squared <= (1e-12 * scale) ** 2:
        p_value = 1.0 if abs(value) <= 1e-12 * scale else None
        return MeanResult(value, 0.0, df, None, p_value, method, *sizes, status="no_variation", note=note)
    from scipy.special import stdtr, stdtrit

    error = squared**0.5
    margin = float(stdtrit(df, 0.5 + level / 2)) * error
    interval = Interval(value - margin, value + margin, level, method)
    p_value = min(1.0, 2.0 * float(stdtr(df, -abs(value) / error)))
    return MeanResult(value, error, df, interval, p_value, method, *sizes, note=note)
