"""Resampling units that a coefficient sees only as rows: units with equal rows are interchangeable.

A coefficient of agreement depends on its units through how often each distinct row (the ratings of a unit,
or how many raters chose each category) occurs. A bootstrap of the units is then a multinomial draw over a few
distinct rows instead of a draw of every unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from empeval.statistics.resampling import Interval, jackknife_interval, percentile_interval
from empeval.statistics.results import Estimate, Status, undefined
from empeval.statistics.segments import Array

__all__ = ["BOOTSTRAP_FROM", "Evaluate", "Units", "agreement_interval", "distinct_rows", "estimated"]

#: From this many resampling units on the percentile bootstrap holds its level; below, jackknife-t does.
BOOTSTRAP_FROM = 30
#: Numbers held at once in weights.
_CELLS = 6_000_000
#: A key of several columns must stay below this.
_LARGEST_KEY = 2**62
#: Beyond so many kinds of units, groups of units are left out instead of each.
_MOST_LEFT_OUT = 2000
_GROUPS = 1000

#: Weights of the distinct rows, (n_resamples, n_rows) → values (n_resamples,), NaN where undefined.
Evaluate = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Units:
    """Distinct rows, and how often each resampling unit holds them.

    ``rows`` has shape (n_rows, n_columns); ``profiles`` (n_profiles, n_rows), sparse, the rows that a kind of
    resampling unit consists of, which is one row unless a dialogue contributes several units together;
    ``times`` (n_profiles,) how many resampling units are of that kind. ``labels`` (n,) names the resampling
    units in ascending order, and ``kinds`` (n,) says of which kind each is.
    """

    rows: Array
    profiles: Any | None
    times: Array
    labels: Array | None = None
    kinds: Array | None = None

    @classmethod
    def of(cls, table: Array, clusters: Array | None = None) -> Units:
        """The distinct rows of a table (n_units, n_columns); ``clusters`` (n_units,) are resampled whole.

        >>> found = Units.of(np.array([[2, 0], [1, 1], [2, 0]]))
        >>> found.rows.tolist(), found.times.tolist()
        ([[1.0, 1.0], [2.0, 0.0]], [1, 2])
        """
        rows, row_of_unit, times = distinct_rows(table)
        rows = rows.astype(np.float64)
        names = np.arange(len(table)) if clusters is None else np.asarray(clusters)
        labels, cluster = np.unique(names, return_inverse=True)
        if len(labels) == len(table):
            kinds = np.empty(len(table), dtype=np.int64)
            kinds[cluster] = row_of_unit
            return cls(rows, None, times, labels, kinds)
        from scipy.sparse import csr_array

        # a cluster as the numbers of its rows, ascending
        order = np.lexsort((row_of_unit, cluster))
        sizes = np.bincount(cluster)
        starts = np.cumsum(sizes) - sizes
        held = np.full((len(labels), int(sizes.max(initial=0))), -1, dtype=np.int64)
        held[cluster[order], np.arange(len(order)) - starts[cluster[order]]] = row_of_unit[order]
        distinct, kinds, times = distinct_rows(held)
        profile, place = np.nonzero(distinct >= 0)
        ones = np.ones(len(profile))
        shape = (len(distinct), len(rows))
        profiles = csr_array((ones, (profile, distinct[profile, place])), shape=shape)
        return cls(rows, profiles, times, labels, kinds)

    @property
    def n(self) -> int:
        """Number of resampling units."""
        return int(self.times.sum())

    @property
    def weights(self) -> Array:
        """How often each row occurs, shape (n_rows,)."""
        return np.asarray(self._rows_of(self.times[None, :].astype(np.float64))[0])

    def bootstrap(self, evaluate: Evaluate, n_resamples: int, rng: np.random.Generator) -> Array:
        """Values on resampled units, shape (n_resamples,)."""
        block = max(1, _CELLS // max(1, len(self.times) + len(self.rows)))
        found = []
        for start in range(0, n_resamples, block):
            n = min(block, n_resamples - start)
            found.append(evaluate(self._rows_of(self._drawn(n, rng))))
        return np.concatenate(found) if found else np.zeros(0)

    def leave_one_out(self, evaluate: Evaluate, rng: np.random.Generator | None = None) -> Array:
        """Values without each resampling unit in turn, shape (n,).

        With thousands of kinds of units, values without each of 1,000 random groups of units, shape (1000,).
        """
        if len(self.times) > _MOST_LEFT_OUT:
            return self._leave_groups_out(evaluate, np.random.default_rng(0) if rng is None else rng)
        block = max(1, _CELLS // max(1, len(self.times) + len(self.rows)))
        found = []
        for start in range(0, len(self.times), block):
            kinds = np.arange(start, min(start + block, len(self.times)))
            left = np.repeat(self.times[None, :].astype(np.float64), len(kinds), axis=0)
            left[np.arange(len(kinds)), kinds] -= 1.0
            found.append(evaluate(self._rows_of(left)))
        return np.repeat(np.concatenate(found), self.times) if found else np.zeros(0)

    def _leave_groups_out(self, evaluate: Evaluate, rng: np.random.Generator) -> Array:
        kind_of_unit = rng.permutation(np.repeat(np.arange(len(self.times)), self.times))
        found = []
        for group in np.array_split(kind_of_unit, _GROUPS):
            left = self.times - np.bincount(group, minlength=len(self.times))
            found.append(evaluate(self._rows_of(left[None, :].astype(np.float64))))
        return np.concatenate(found)

    def _drawn(self, n_resamples: int, rng: np.random.Generator) -> Array:
        """How often each kind is drawn, shape (n_resamples, n_profiles)."""
        n, n_kinds = self.n, len(self.times)
        if n > 2 * n_kinds:
            return rng.multinomial(n, self.times / n, size=n_resamples).astype(np.float64)
        # where nearly every unit is a kind of its own, drawing units costs less than drawing counts
        kind_of_unit = np.repeat(np.arange(n_kinds), self.times)
        found = np.empty((n_resamples, n_kinds))
        for i in range(n_resamples):
            found[i] = np.bincount(kind_of_unit[rng.integers(0, n, n)], minlength=n_kinds)
        return found

    def _rows_of(self, times: Array) -> Array:
        return times if self.profiles is None else np.asarray(times @ self.profiles)


def distinct_rows(table: Array) -> tuple[Array, Array, Array]:
    """The distinct rows of a table in lexicographic order, the one of each row, and how often each occurs.

    What ``np.unique(axis=0)`` gives, NaN equal to NaN and last, by integer keys of the columns.

    >>> [found.tolist() for found in distinct_rows(np.array([[2, 0], [1, 1], [2, 0]]))]
    [[[1, 1], [2, 0]], [1, 0, 1], [1, 2]]
    """
    table = np.asarray(table)
    key, n_keys = np.zeros(len(table), dtype=np.int64), 1
    for column in table.T if len(table) else ():
        codes, n_codes = _coded(column)
        if n_keys > _LARGEST_KEY // n_codes:
            used, key = np.unique(key, return_inverse=True)
            n_keys = len(used)
        key, n_keys = key * n_codes + codes, n_keys * n_codes
    if n_keys <= 4 * len(table):
        counts = np.bincount(key, minlength=n_keys)
        used = np.flatnonzero(counts)
        place = np.cumsum(counts > 0) - 1
        row_of, times = place[key], counts[used]
    else:
        used, row_of, times = np.unique(key, return_inverse=True, return_counts=True)
    first = np.empty(len(used), dtype=np.int64)
    first[row_of] = np.arange(len(table))
    return table[first], row_of, times


def _coded(column: Array) -> tuple[Array, int]:
    """Whole numbers from 0 in the order of the column's values, and how many there may be."""
    if column.dtype.kind in "iu":
        low, high = int(column.min()), int(column.max())
        if high - low < 1 << 16:
            return column.astype(np.int64) - low, high - low + 1
    values, codes = np.unique(column, return_inverse=True, equal_nan=True)
    return codes, len(values)


def estimated(
    units: Units,
    evaluate: Evaluate,
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
    bounds: tuple[float | None, float | None] = (None, 1.0),
    without: Status = "no_variation",
) -> Estimate:
    """A coefficient with the interval of `agreement_interval`; ``without`` says why it may be undefined.

    >>> estimated(Units.of(np.array([[1.0], [0.0]])), lambda w: w @ [0.0, 1.0] / w.sum(axis=1)).value
    0.5
    """
    if not units.n:
        return undefined("no_pairable_units")
    value = float(evaluate(units.weights[None, :])[0])
    if not np.isfinite(value):
        return undefined(without)
    interval, status = agreement_interval(
        units, evaluate, level=level, n_resamples=n_resamples, rng=rng, bounds=bounds
    )
    return Estimate(value).with_interval(interval, status)


def agreement_interval(
    units: Units,
    evaluate: Evaluate,
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
    bounds: tuple[float | None, float | None] = (None, 1.0),
) -> tuple[Interval | None, Status]:
    """An interval for a coefficient, or None and why: units are resampled, raters are those there are.

    The percentile bootstrap from 30 resampling units on, jackknife-t below. Where the bootstrap fails (more
    than 5 % of its resamples undefined) the jackknife takes its place. Source: Zapf et al. (2016).

    >>> units = Units.of(np.array([[2, 0], [1, 1], [0, 2]] * 20))
    >>> share = lambda w: w @ np.array([1.0, 0.0, 1.0]) / w.sum(axis=1)
    >>> found, status = agreement_interval(units, share, rng=np.random.default_rng(1))
    >>> 0.5 < found.low < 2 / 3 < found.high < 0.8, status
    (True, 'ok')
    """
    estimate = float(evaluate(units.weights[None, :])[0])
    if not np.isfinite(estimate):
        return None, "no_variation"
    if n_resamples == 0:
        return None, "ok"
    if units.n < 2:
        return None, "too_few_units"
    rng = np.random.default_rng(0) if rng is None else rng
    if units.n >= BOOTSTRAP_FROM:
        found = percentile_interval(estimate, units.bootstrap(evaluate, n_resamples, rng), level)
        if found is not None:
            return found, "ok"
    found = jackknife_interval(estimate, units.leave_one_out(evaluate, rng), level, bounds=bounds)
    return found, "ok" if found is not None else "no_variation"
