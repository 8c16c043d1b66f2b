"""Ratings as counts: how many raters chose each value in each unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from empeval.errors import InputError
from empeval.statistics.design import Ratings
from empeval.statistics.segments import Array

__all__ = ["Categories", "Coded", "coded", "looks_transposed", "ratings_from_counts"]

#: The categories that were declared: numbers, or words in their order; None for those seen.
Categories = Sequence[float] | Sequence[str] | None

#: Of a table with at least this share of its cells filled a transposition can be suspected.
_FILLED = 0.8


@dataclass(frozen=True, eq=False)
class Coded:
    """Ratings by unit: which unit each belongs to, and which of the values it is.

    ``unit`` and ``code`` have shape (n_ratings,), sorted by unit, then code, one entry a rater and unit.
    ``values`` (n_values,) are the categories as numbers, ascending; positions where they are words, and
    ``names`` what a reader knows them by. ``clusters`` (n_units,) are resampled whole.
    """

    unit: Array
    code: Array
    values: Array
    names: tuple[float | str, ...]
    clusters: Array

    @property
    def n_units(self) -> int:
        return len(self.clusters)

    @cached_property
    def sizes(self) -> Array:
        """How many ratings each unit has, shape (n_units,)."""
        return np.bincount(self.unit, minlength=self.n_units)

    def with_at_least(self, n_ratings: int) -> Coded:
        """The units that have so many ratings, numbered anew."""
        kept = self.sizes >= n_ratings
        if kept.all():
            return self
        rows, number = kept[self.unit], np.cumsum(kept) - 1
        return Coded(number[self.unit[rows]], self.code[rows], self.values, self.names, self.clusters[kept])

    def counts(self) -> Array:
        """How many raters chose each value, shape (n_units, n_values)."""
        n_values = len(self.values)
        flat = np.bincount(self.unit * n_values + self.code, minlength=self.n_units * n_values)
        return flat.reshape(self.n_units, n_values)

    def lists(self) -> Array:
        """The codes of each unit in ascending order, shape (n_units, most ratings), −1 after the last."""
        found = np.full((self.n_units, int(self.sizes.max(initial=0))), -1, dtype=np.int64)
        starts = np.cumsum(self.sizes) - self.sizes
        found[self.unit, np.arange(len(self.unit)) - starts[self.unit]] = self.code
        return found


def coded(ratings: Ratings, categories: Categories = None, *, sort: bool = True) -> Coded:
    """Code ratings by their categories; of several passes the first counts, NaN is no rating.

    With ``sort=False`` the ratings keep their order, which is enough for counting. Raises `InputError` where
    a rating is none of the declared categories, or a category is declared twice.

    >>> found = coded(Ratings.from_matrix([[1, 5], [2, None]]), [1, 2, 3, 4, 5])
    >>> found.counts().tolist()
    [[1, 0, 0, 0, 1], [0, 1, 0, 0, 0]]
    """
    rows = _first_passes(ratings)
    unit, values = ratings.units.codes[rows], ratings.values[rows]
    if ratings.words:
        names: tuple[Any, ...] = ratings.words if categories is None else tuple(map(str, categories))
        place = {name: float(i) for i, name in enumerate(names)}
        for word in set(ratings.words) - place.keys():
            raise _undeclared(word, names)
        code = np.array([place[word] for word in ratings.words])[values.astype(np.int64)].astype(np.int64)
        scale = np.arange(len(names), dtype=np.float64)
    elif categories is None:
        scale, code = _seen(values)
        names = tuple(scale.tolist())
    else:
        scale = np.sort(np.array([float(value) for value in categories]))
        names = tuple(scale.tolist())
        code = np.clip(np.searchsorted(scale, values), 0, max(0, len(scale) - 1))
        for value in values[scale[code] != values] if len(scale) else values:
            raise _undeclared(float(value), names)
    if len(set(names)) < len(names):
        raise InputError(f"a category is declared twice: {', '.join(map(str, names))}")
    if sort:
        order = np.argsort(unit * max(1, len(names)) + code, kind="stable")
        unit, code = unit[order], code[order]
    return Coded(unit, code, scale, names, ratings.cluster_of_unit)


def _first_passes(ratings: Ratings) -> Any:
    """Which rows count: a rating, and its rater's first for the unit."""
    there = ~np.isnan(ratings.values)
    if len(ratings.passes) <= 1:
        return slice(None) if there.all() else there
    rows = np.flatnonzero(there)
    rows = rows[np.argsort(ratings.passes.codes[rows], kind="stable")]
    pair = ratings.units.codes[rows] * max(1, len(ratings.raters)) + ratings.raters.codes[rows]
    return rows[np.unique(pair, return_index=True)[1]]


def _seen(values: Array) -> tuple[Array, Array]:
    """The distinct values in order, and which each is; whole numbers in a narrow range by counting."""
    low, high = (values.min(), values.max()) if len(values) else (0.0, 0.0)
    if high - low < 1024 and np.array_equal(values, np.floor(values)):
        shifted = (values - low).astype(np.int64)
        there = np.bincount(shifted, minlength=int(high - low) + 1) > 0
        return np.flatnonzero(there) + low if len(values) else values, (np.cumsum(there) - 1)[shifted]
    scale, code = np.unique(values, return_inverse=True)
    return scale, code


def _undeclared(value: float | str, names: tuple[float | str, ...]) -> InputError:
    listed = ", ".join(f"{name:g}" if isinstance(name, float) else name for name in names)
    shown = f"{value:g}" if isinstance(value, float) else repr(value)
    return InputError(f"the rating {shown} is none of the declared categories ({listed}); declare it too")


def ratings_from_counts(counts: Sequence[Sequence[int]], categories: Categories = None) -> Ratings:
    """Ratings from a table of shape (n_units, n_categories): how many raters chose each category.

    Which rater chose what is not known, so that only coefficients that do not ask may be used; the
    categories are 1, 2, … unless declared.

    >>> ratings_from_counts([[2, 1], [0, 3]]).values.tolist()
    [1.0, 1.0, 2.0, 2.0, 2.0, 2.0]
    """
    table = np.array(counts, dtype=np.int64).reshape(len(counts), -1 if len(counts) else 0)
    names = list(range(1, table.shape[1] + 1)) if categories is None else list(categories)
    unit, code = (np.repeat(at, table.ravel()) for at in np.indices(table.shape).reshape(2, -1))
    starts = np.cumsum(table.sum(axis=1)) - table.sum(axis=1)
    values: Any = [names[c] for c in code.tolist()]
    return Ratings.of(values, items=unit.tolist(), raters=(np.arange(len(unit)) - starts[unit]).tolist())


def looks_transposed(ratings: Ratings) -> bool:
    """Whether raters and items may have been mixed up: more raters than units, each rated nearly all.

    True where there are more raters than units and every rater rated at least 80 % of the units.

    >>> looks_transposed(Ratings.from_matrix([[1, 2, 3], [1, 2, 2]]))
    True
    >>> looks_transposed(Ratings.from_matrix([[1, 1], [2, 2], [3, 2]]))
    False
    """
    n_units, n_raters = ratings.n_units, len(ratings.raters)
    if not 0 < n_units < n_raters:
        return False
    pair = np.unique(ratings.raters.codes * n_units + ratings.units.codes)
    rated = np.bincount(pair // n_units, minlength=n_raters)
    return bool((rated >= _FILLED * n_units).all())
