"""Sufficient statistics: rows per unit whose sums fix a score.

Two kinds share one interface. `SegmentStats` holds dense rows; corpus score = ``aggregate(totals())``.
`TypeStats` holds which types (n-grams, whole responses) occur in which unit: the number of distinct
types is not a sum over units, so it keeps the incidence and counts at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "SegmentStats", "Stats", "TypeStats"]

Array = NDArray[Any]


class Stats(Protocol):
    """What a metric turns segments into."""

    @property
    def n_units(self) -> int:
        """Number of units (segments, or dialogues once grouped)."""
        ...

    def totals(self, weights: Array | None = None) -> Array:
        """Column totals (n_columns,), or (n_resamples, n_columns) under weights (n_resamples, n_units)."""
        ...

    def leave_one_out(self) -> Array:
        """Totals without each unit in turn, shape (n_units, n_columns)."""
        ...

    def grouped(self, groups: Array, n_groups: int) -> Self:
        """Join the units of one group; ``groups`` has shape (n_units,) and holds 0 … n_groups − 1."""
        ...

    def subset(self, rows: Array) -> Self:
        """The units at these rows, in this order."""
        ...

    def concat(self, others: Sequence[Self]) -> Self:
        """Append the units of further shards (the reduce step)."""
        ...


@dataclass(frozen=True, eq=False)
class SegmentStats:
    """Dense rows, ``values`` of shape (n_units, n_columns), integers where the columns are counts.

    >>> stats = SegmentStats(np.array([[1, 2], [0, 3]]), ("hits", "n"))
    >>> stats.totals().tolist(), stats.leave_one_out().tolist()
    ([1, 5], [[0, 3], [1, 2]])
    """

    values: Array
    columns: tuple[str, ...]

    @property
    def n_units(self) -> int:
        return int(self.values.shape[0])

    def totals(self, weights: Array | None = None) -> Array:
        if weights is None:
            wide = np.int64 if self.values.dtype.kind in "iu" else np.float64
            return np.asarray(self.values.sum(axis=0, dtype=wide))
        return np.asarray(weights, dtype=np.float64) @ self.values.astype(np.float64)

    def leave_one_out(self) -> Array:
        return np.asarray(self.totals()[None, :] - self.values)

    def grouped(self, groups: Array, n_groups: int) -> SegmentStats:
        # fractions are added in an order of their own: that of the units then cannot change a last bit
        exact = self.values.dtype.kind in "iu"
        order = np.argsort(groups, kind="stable") if exact else np.lexsort((*self.values.T, groups))
        present, starts = np.unique(groups[order], return_index=True)
        wide = np.int64 if exact else np.float64
        values = np.zeros((n_groups, self.values.shape[1]), dtype=wide)
        if len(present):
            values[present] = np.add.reduceat(self.values[order], starts, axis=0, dtype=wide)
        return replace(self, values=values)

    def subset(self, rows: Array) -> SegmentStats:
        return replace(self, values=self.values[rows])

    def concat(self, others: Sequence[SegmentStats]) -> SegmentStats:
        return replace(self, values=np.concatenate([self.values, *(o.values for o in others)]))


@dataclass(frozen=True, eq=False)
class TypeStats:
    """Which types occur in which unit, type by type; build it with `of`.

    Type ``numbers[t]`` occurs in ``units[starts[t]:starts[t + 1]]``, ascending and each once, as often as
    ``counts`` says there. Totals have two columns: distinct types, and occurrences. With ``top`` = k the
    first column is instead the occurrences of the k commonest types. Type numbers are shared by every system
    that is compared.

    >>> stats = TypeStats.of(np.array([0, 0, 0, 1]), np.array([7, 7, 8, 7]), n_units=2)
    >>> stats.totals().tolist(), stats.leave_one_out().tolist()
    ([2, 4], [[1, 1], [2, 3]])
    """

    numbers: Array
    starts: Array
    units: Array
    counts: Array
    n_units: int
    top: int | None = None

    @classmethod
    def of(
        cls,
        units: Array,
        types: Array,
        *,
        n_units: int,
        counts: Array | None = None,
        top: int | None = None,
    ) -> TypeStats:
        """Sort and merge pairs (unit, type) given in any order; ``counts`` are 1 where not given."""
        if len(types) and types.max() >= 2**31:
            every, types = np.unique(types, return_inverse=True)
        else:
            every = None
        # one sort of single integers, which hold the type above the unit
        pairs = types.astype(np.int64) << 32
        pairs |= units.astype(np.int64)
        del types, units
        if counts is None:
            pairs.sort()
        else:
            order = np.argsort(pairs)
            pairs, counts = pairs[order], counts[order]
            del order
        pairs, counts = _merged(pairs, counts)
        held = (pairs & 0xFFFFFFFF).astype(np.int32)
        pairs = (pairs >> 32).astype(np.int32)
        starts = np.flatnonzero(_changes(pairs))
        numbers = pairs[starts] if every is None else every[pairs[starts]]
        return cls(numbers, np.append(starts, len(pairs)), held, counts, n_units, top)

    @property
    def types(self) -> Array:
        """The type number of every pair, shape (n_pairs,)."""
        return np.repeat(self.numbers, np.diff(self.starts))

    def totals(self, weights: Array | None = None) -> Array:
        if weights is None:
            return self._totals(self.counts)
        return np.array([self._totals(self.counts * row[self.units]) for row in np.atleast_2d(weights)])

    def _totals(self, counts: Array) -> Array:
        per_type = self._per_type(counts)
        chosen = per_type > 0 if self.top is None else np.sort(per_type)[::-1][: self.top]
        return np.array([chosen.sum(), per_type.sum()], dtype=np.int64)

    def _per_type(self, counts: Array) -> Array:
        """Occurrences of each type, shape (n_types,)."""
        if not len(self.numbers):
            return np.zeros(0)
        return np.asarray(np.add.reduceat(counts, self.starts[:-1], dtype=np.float64))

    def leave_one_out(self) -> Array:
        removed = np.bincount(self.units, weights=self.counts, minlength=self.n_units)
        if self.top is None:
            lone = self.starts[:-1][np.diff(self.starts) == 1]
            first = len(self.numbers) - np.bincount(self.units[lone], minlength=self.n_units)
        else:
            first = self._top_without_each()
        return np.stack([first, int(self.counts.sum()) - removed.astype(np.int64)], axis=1)

    def _top_without_each(self) -> Array:
        """Occurrences of the k commonest types when each unit in turn is left out.

        A unit lowers only the types it holds, so the k commonest without it are among the k + m commonest
        with it, m being the most types that one unit holds.
        """
        assert self.top is not None
        per_type = self._per_type(self.counts).astype(np.int64)
        most = int(np.bincount(self.units, minlength=1).max())
        order = np.argsort(-per_type, kind="stable")[: self.top + most]
        place = np.full(len(per_type), -1)
        place[order] = np.arange(len(order))
        at = np.repeat(place, np.diff(self.starts))
        inside = np.flatnonzero(at >= 0)
        inside = inside[np.argsort(self.units[inside], kind="stable")]
        # units that hold none of these types leave the sum as it is
        touched, rows = np.unique(self.units[inside], return_inverse=True)
        first = np.full(self.n_units, per_type[order][: self.top].sum(), dtype=np.int64)
        block = max(1, 4_000_000 // max(1, len(order)))
        for start in range(0, len(touched), block):
            stop = min(start + block, len(touched))
            lo, hi = np.searchsorted(rows, [start, stop])
            left = np.repeat(per_type[order][None, :], stop - start, axis=0)
            here = inside[lo:hi]
            left[rows[lo:hi] - start, at[here]] -= self.counts[here]
            left.sort(axis=1)
            first[touched[start:stop]] = left[:, ::-1][:, : self.top].sum(axis=1)
        return first

    def grouped(self, groups: Array, n_groups: int) -> TypeStats:
        return TypeStats.of(
            groups[self.units], self.types, n_units=n_groups, counts=self.counts, top=self.top
        )

    def subset(self, rows: Array) -> TypeStats:
        place = np.full(self.n_units, -1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        keep = place[self.units] >= 0
        return TypeStats.of(
            place[self.units[keep]],
            self.types[keep],
            n_units=len(rows),
            counts=self.counts[keep],
            top=self.top,
        )

    def concat(self, others: Sequence[TypeStats]) -> TypeStats:
        shards = (self, *others)
        offsets = np.cumsum([0, *(s.n_units for s in shards)])
        return TypeStats.of(
            np.concatenate([s.units + o for s, o in zip(shards, offsets, strict=False)]),
            np.concatenate([s.types for s in shards]),
            n_units=int(offsets[-1]),
            counts=np.concatenate([s.counts for s in shards]),
            top=self.top,
        )


def _merged(pairs: Array, counts: Array | None) -> tuple[Array, Array]:
    """Sorted pairs once each, with the sum of their counts (of ones, if None) as the smallest integers."""
    firsts = np.flatnonzero(_changes(pairs))
    if counts is None:
        sums = np.diff(firsts, append=len(pairs))
    else:
        sums = np.add.reduceat(counts, firsts, dtype=np.int64) if len(firsts) else counts.astype(np.int64)
    # there are as many counts as words in the corpus, and nearly all are small
    return pairs[firsts], sums.astype(np.min_scalar_type(int(sums.max(initial=0))))


def _changes(values: Array) -> Array:
    """Where sorted values differ from the one before; the first always does."""
    changed = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=changed[1:])
    return changed
