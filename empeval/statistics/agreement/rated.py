"""Ratings as a table of raters, for coefficients that know who chose what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from empeval.statistics.agreement.chance import Weights, category_weights
from empeval.statistics.agreement.counts import Categories, Coded, coded
from empeval.statistics.agreement.units import Units
from empeval.statistics.design import Ratings
from empeval.statistics.segments import Array

__all__ = ["Rated", "rated"]


@dataclass(frozen=True, eq=False)
class Rated:
    """Which category each rater chose: the rows of ``units`` are codes by rater, −1 where there is none.

    ``values`` (n_categories,) are the categories as numbers; ``raters`` their names in the order of columns.
    """

    units: Units
    table: Array
    clusters: Array
    raters: tuple[str, ...]
    coding: Coded

    @property
    def values(self) -> Array:
        """The categories as numbers, ascending, shape (n_categories,)."""
        return self.coding.values

    def weights(self, name: Weights) -> Array:
        """How much two categories agree, shape (n_categories, n_categories)."""
        return category_weights(self.values, name)

    @cached_property
    def codes(self) -> Array:
        """The distinct rows as whole numbers, shape (n_rows, n_raters)."""
        return self.units.rows.astype(np.int64)

    def pairs(self, fewest: int) -> list[tuple[int, int]]:
        """The pairs of raters that share at least so many units."""
        there = (self.table >= 0).astype(np.float64)
        common = there.T @ there
        a, b = np.nonzero(np.triu(common >= fewest, 1))
        return list(zip(a.tolist(), b.tolist(), strict=True))

    def common(self, a: int, b: int) -> tuple[Any, Array, Array]:
        """The distinct rows that two raters share, and what each chose there."""
        rows = np.flatnonzero((self.codes[:, a] >= 0) & (self.codes[:, b] >= 0))
        return rows, self.codes[rows, a], self.codes[rows, b]

    def of_pair(self, a: int, b: int) -> Rated:
        """The units that two raters both rated, with these two alone."""
        kept = (self.table[:, a] >= 0) & (self.table[:, b] >= 0)
        table, clusters = self.table[kept][:, [a, b]], self.clusters[kept]
        return replace(
            self,
            units=Units.of(table, clusters),
            table=table,
            clusters=clusters,
            raters=(self.raters[a], self.raters[b]),
        )


def rated(ratings: Ratings, categories: Categories = None) -> Rated:
    """The units with a rating, by rater; of several passes the first counts.

    >>> rated(Ratings.from_matrix([[1, 5], [2, None], [None, None]])).table.tolist()
    [[0, 2], [1, -1]]
    """
    coding = coded(ratings, categories)
    matrix = ratings.matrix()
    if ratings.words:
        # codes of the words seen become those of the categories declared
        place = {str(name): i for i, name in enumerate(coding.names)}
        code_of = np.array([place[word] for word in ratings.words], dtype=np.int64)
    table = np.full(matrix.shape, -1, dtype=np.int64)
    there = ~np.isnan(matrix)
    if ratings.words:
        table[there] = code_of[matrix[there].astype(np.int64)]
    else:
        table[there] = np.searchsorted(coding.values, matrix[there])
    kept = there.any(axis=1)
    clusters = ratings.cluster_of_unit[kept]
    names = tuple(str(name) for name in ratings.raters.names)
    return Rated(Units.of(table[kept], clusters), table[kept], clusters, names, coding)
