"""Scores that are no function of sums over units, and are computed anew for whatever units there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from empeval.statistics.segments import Array

__all__ = ["Whole"]

Columns = Sequence[Sequence[Any]]


@dataclass(frozen=True, eq=False)
class Whole:
    """The data of every unit, and what computes one number of any of them; build it with `of`.

    Row r of the ``columns`` belongs to unit ``units[r]``, for the rows that ``rows`` names. ``compute`` takes
    columns and gives a number, NaN where it is undefined. Totals have two columns: that number, and 1 (0 for
    no rows), so that score = first / second. They cost a computation each, so scores are not resampled.

    >>> whole = Whole.of([["a", "b", "a"]], lambda columns: float(len(set(columns[0]))))
    >>> whole.totals().tolist(), whole.subset(np.array([0, 2])).totals().tolist()
    ([2.0, 1.0], [1.0, 1.0])
    """

    columns: Columns
    rows: Array
    units: Array
    n_units: int
    compute: Callable[[Columns], float]
    known: dict[bytes, float] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, columns: Columns, compute: Callable[[Columns], float], *, value: float | None = None
    ) -> Whole:
        """Each row its own unit; ``value`` is the number of all of them where it is known already."""
        rows = np.arange(len(columns[0]))
        made = cls(columns, rows, rows, len(rows), compute)
        if value is not None:
            made.known[rows.tobytes()] = value
        return made

    def totals(self, weights: Array | None = None) -> Array:
        if weights is None:
            return self._totals(self.rows)
        weights = np.atleast_2d(weights).astype(np.int64)
        return np.array([self._totals(np.repeat(self.rows, drawn[self.units])) for drawn in weights])

    def _totals(self, rows: Array) -> Array:
        # in the order of the corpus, whatever the order of the units
        rows = np.sort(rows).astype(np.int64)
        if not len(rows):
            return np.array([np.nan, 0.0])
        key = rows.tobytes()
        if key not in self.known:
            self.known[key] = self.compute([[column[row] for row in rows] for column in self.columns])
        return np.array([self.known[key], 1.0])

    def leave_one_out(self) -> Array:
        return np.stack([self._totals(self.rows[self.units != unit]) for unit in range(self.n_units)])

    def grouped(self, groups: Array, n_groups: int) -> Whole:
        return replace(self, units=groups[self.units], n_units=n_groups)

    def subset(self, rows: Array) -> Whole:
        place = np.full(self.n_units, -1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        units = place[self.units]
        return replace(self, rows=self.rows[units >= 0], units=units[units >= 0], n_units=len(rows))

    def concat(self, others: Sequence[Whole]) -> Whole:
        shards = (self, *others)
        held = np.cumsum([0, *(len(shard.columns[0]) for shard in shards)])
        before = np.cumsum([0, *(shard.n_units for shard in shards)])
        columns = [
            [entry for part in parts for entry in part]
            for parts in zip(*(s.columns for s in shards), strict=True)
        ]
        return Whole(
            columns,
            np.concatenate([s.rows + n for s, n in zip(shards, held, strict=False)]),
            np.concatenate([s.units + n for s, n in zip(shards, before, strict=False)]),
            int(before[-1]),
            self.compute,
        )
