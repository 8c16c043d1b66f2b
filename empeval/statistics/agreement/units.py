"""Resampling units that a coefficient sees only as rows: units with equal rows are interchangeable.

A coefficient of agreement depends on its units through how often each distinct row (the ratings of a unit,
or how many raters chose each category) occurs. A bootstrap of the units is then a multinomial draw over a few
distinct rows instead of a draw of every unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from empeval.statistics.resampling import Interval, jackknife_interval, percentile_interval
from empeval.statistics.results import Status
from empeval.statistics.segments import Array

__all__ = ["BOOTSTRAP_FROM", "Evaluate", "Units", "agreement_interval"]

#: From this many resampling units on the percentile bootstrap holds its level; below, jackknife-t does.
BOOTSTRAP_FROM = 30
#: Numbers held at once in weights.
_CELLS = 6_000_000

#: Weights of the distinct rows, (n_resamples, n_rows) → values (n_resamples,), NaN where undefined.
Evaluate = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Units:
    """Distinct rows, and how often each resampling unit holds them.

    ``rows`` has shape (n_rows, n_columns); ``profiles`` (n_profiles, n_rows) the rows that a kind of
    resampling unit consists of, which is one row unless a dialogue contributes several units together;
    ``times`` (n_profiles,) how many resampling units are of that kind.
    """

    rows: Array
    profiles: Array | None
    times: Array

    @classmethod
    def of(cls, table: Array, clusters: Array | None = None) -> Units:
        """The distinct rows of a table (n_units, n_columns); ``clusters`` (n_units,) are resampled whole.

        >>> found = Units.of(np.array([[2, 0], [1, 1], [2, 0]]))
        >>> found.rows.tolist(), found.times.tolist()
        ([[1.0, 1.0], [2.0, 0.0]], [1, 2])
        """
        rows, row_of_unit, times = np.unique(
            np.asarray(table, dtype=np.float64),
            axis=0,
            return_inverse=True,
            return_counts=True,
            equal_nan=True,
        )
        row_of_unit = row_of_unit.reshape(-1)
        _, cluster = np.unique(np.arange(len(table)) if clusters is None else clusters, return_inverse=True)
        n_clusters = int(cluster.max(initial=-1)) + 1
        if n_clusters == len(table):
            return cls(rows, None, times)
        held = np.zeros((n_clusters, len(rows)))
        np.add.at(held, (cluster, row_of_unit), 1.0)
        profiles, times = np.unique(held, axis=0, return_counts=True)
        return cls(rows, profiles, times)

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
            drawn = rng.multinomial(self.n, self.times / self.n, size=n).astype(np.float64)
            found.append(evaluate(self._rows_of(drawn)))
        return np.concatenate(found) if found else np.zeros(0)

    def leave_one_out(self, evaluate: Evaluate) -> Array:
        """Values without each resampling unit in turn, shape (n,)."""
        block = max(1, _CELLS // max(1, len(self.times) + len(self.rows)))
        found = []
        for start in range(0, len(self.times), block):
            kinds = np.arange(start, min(start + block, len(self.times)))
            left = np.repeat(self.times[None, :].astype(np.float64), len(kinds), axis=0)
            left[np.arange(len(kinds)), kinds] -= 1.0
            found.append(evaluate(self._rows_of(left)))
        return np.repeat(np.concatenate(found), self.times) if found else np.zeros(0)

    def _rows_of(self, times: Array) -> Array:
        return times if self.profiles is None else times @ self.profiles


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
    if units.n >= BOOTSTRAP_FROM:
        rng = np.random.default_rng(0) if rng is None else rng
        found = percentile_interval(estimate, units.bootstrap(evaluate, n_resamples, rng), level)
        if found is not None:
            return found, "ok"
    found = jackknife_interval(estimate, units.leave_one_out(evaluate), level, bounds=bounds)
    return found, "ok" if found is not None else "no_variation"
