"""Who judged what: the declared design, from which every estimator takes its resampling unit."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from empeval.statistics.segments import Array

__all__ = ["Factor", "Judgments", "Ratings"]


@dataclass(frozen=True, eq=False)
class Factor:
    """Names, sorted, and which of them each row has: ``codes`` of shape (n_rows,).

    >>> found = Factor.of(["b", "a", "b"])
    >>> found.names, found.codes.tolist()
    (('a', 'b'), [1, 0, 1])
    """

    names: tuple[Hashable, ...]
    codes: Array

    @classmethod
    def of(cls, values: Iterable[Hashable]) -> Factor:
        """Sort the names, so that the order of rows cannot change a result."""
        rows = list(values)
        names = sorted(set(rows), key=lambda name: (type(name).__name__, name))
        place = {name: code for code, name in enumerate(names)}
        return cls(tuple(names), np.array([place[row] for row in rows], dtype=np.int64))

    def __len__(self) -> int:
        return len(self.names)

    def subset(self, rows: Array) -> Factor:
        """The factor on these rows, names without a row left out."""
        codes = self.codes[rows]
        used, codes = np.unique(codes, return_inverse=True)
        return Factor(tuple(self.names[code] for code in used), codes)

    def crossed(self, other: Factor) -> Factor:
        """The combinations that occur, named by pairs."""
        joint = self.codes * max(1, len(other)) + other.codes
        used, codes = np.unique(joint, return_inverse=True)
        names = tuple((self.names[u // len(other)], other.names[u % len(other)]) for u in used.tolist())
        return Factor(names, codes)


def _constant(n: int) -> Factor:
    return Factor(("",) if n else (), np.zeros(n, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Ratings:
    """Answers to one question about single responses, a row an answer; build it with `of`.

    ``values`` has shape (n_rows,), numbers on the scale, or codes of ``words`` where answers are words. A
    unit is a response: an item as one system answered it. ``dialogues`` are the clusters that units are
    resampled in; ``passes`` tell repeated answers of one rater to one unit apart; ``positions`` say how many
    units the rater had seen before.
    """

    values: Array
    items: Factor
    raters: Factor
    systems: Factor
    dialogues: Factor
    passes: Factor
    positions: Array | None = None
    words: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        values: Sequence[float] | Sequence[str],
        *,
        items: Iterable[Hashable],
        raters: Iterable[Hashable],
        systems: Iterable[Hashable] | None = None,
        dialogues: Iterable[Hashable] | None = None,
        passes: Iterable[Hashable] | None = None,
        positions: Sequence[float] | None = None,
    ) -> Ratings:
        """Ratings from columns of one length; a dialogue is the item itself unless told otherwise.

        >>> found = Ratings.of([4, 5, 3], items=["i", "i", "j"], raters=["r", "s", "r"])
        >>> found.matrix().tolist()
        [[4.0, 5.0], [3.0, nan]]
        """
        words: tuple[str, ...] = ()
        n = len(values)
        if any(isinstance(value, str) for value in values):
            coded = Factor.of(values)
            words, numbers = tuple(str(name) for name in coded.names), coded.codes.astype(np.float64)
        else:
            numbers = np.asarray(values, dtype=np.float64)
        item = Factor.of(items)
        return cls(
            numbers,
            item,
            Factor.of(raters),
            _constant(n) if systems is None else Factor.of(systems),
            item if dialogues is None else Factor.of(dialogues),
            _constant(n) if passes is None else Factor.of(passes),
            None if positions is None else np.asarray(positions, dtype=np.float64),
            words,
        )

    @classmethod
    def from_matrix(cls, matrix: Sequence[Sequence[float | None]] | Array) -> Ratings:
        """Ratings from a table of shape (n_units, n_raters), None or NaN where there is none.

        >>> Ratings.from_matrix([[1, None], [2, 3]]).n_units
        2
        """
        table = np.array(matrix, dtype=np.float64)
        if table.ndim < 2:
            table = table.reshape(len(table), 0)
        units, raters = np.nonzero(~np.isnan(table))
        # raters and units without a single rating keep their places
        items = Factor(tuple(range(table.shape[0])), units)
        one = _constant(len(units))
        return cls(
            values=table[units, raters],
            items=items,
            raters=Factor(tuple(range(table.shape[1])), raters),
            systems=one,
            dialogues=items,
            passes=one,
        )

    @cached_property
    def units(self) -> Factor:
        """Item and system together."""
        return self.items if len(self.systems) <= 1 else self.items.crossed(self.systems)

    @property
    def n_units(self) -> int:
        return len(self.units)

    @cached_property
    def cluster_of_unit(self) -> Array:
        """The number of each unit's dialogue, shape (n_units,); units without a row stand alone."""
        found = np.arange(self.n_units) + len(self.dialogues)
        found[self.units.codes] = self.dialogues.codes
        return found

    def matrix(self) -> Array:
        """Values by unit and rater, shape (n_units, n_raters), NaN where there is none.

        Of several passes the first counts (`passes` in the order of their names).
        """
        found = np.full((self.n_units, len(self.raters)), np.nan)
        order = np.argsort(-self.passes.codes, kind="stable")
        found[self.units.codes[order], self.raters.codes[order]] = self.values[order]
        return found

    def subset(self, rows: Array) -> Ratings:
        """The ratings at these rows (numbers or a mask); names without a row are left out."""
        return replace(
            self,
            values=self.values[rows],
            items=self.items.subset(rows),
            raters=self.raters.subset(rows),
            systems=self.systems.subset(rows),
            dialogues=self.dialogues.subset(rows),
            passes=self.passes.subset(rows),
            positions=None if self.positions is None else self.positions[rows],
        )


@dataclass(frozen=True, eq=False)
class Judgments:
    """Answers to one question about two responses to the same item, a row an answer; build it with `of`.

    ``first`` and ``second`` hold the numbers of the two systems in ``systems``, always first < second, so
    that nothing depends on which side a response was shown; ``outcomes`` are 1 (``first`` wins), 0 (tie) or
    −1, NaN for "neither"; ``shown`` is 1 where ``first`` was shown first, −1 where ``second`` was, 0 where
    that is not known. All have shape (n_rows,).
    """

    systems: tuple[str, ...]
    first: Array
    second: Array
    outcomes: Array
    shown: Array
    items: Factor
    raters: Factor
    dialogues: Factor

    @classmethod
    def of(
        cls,
        systems_a: Sequence[str],
        systems_b: Sequence[str],
        winners: Sequence[str | None],
        *,
        items: Iterable[Hashable],
        raters: Iterable[Hashable],
        dialogues: Iterable[Hashable] | None = None,
        first_shown: Sequence[str | None] | None = None,
    ) -> Judgments:
        """Judgments from columns; a winner is one of the two names, ``tie`` or ``neither``.

        >>> found = Judgments.of(["y"], ["x"], ["y"], items=["i"], raters=["r"], first_shown=["y"])
        >>> found.systems, found.outcomes.tolist(), found.shown.tolist()
        (('x', 'y'), [-1.0], [-1])
        """
        names = tuple(sorted({*systems_a, *systems_b}))
        code = {name: i for i, name in enumerate(names)}
        a, b = (np.array([code[name] for name in side], dtype=np.int64) for side in (systems_a, systems_b))
        first, second = np.minimum(a, b), np.maximum(a, b)

        def signs(chosen: Sequence[str | None]) -> list[float]:
            return [
                {"tie": 0.0, "neither": np.nan, None: 0.0}.get(name, np.nan)
                if name not in code
                else (1.0 if code[name] == low else -1.0)
                for name, low in zip(chosen, first.tolist(), strict=True)
            ]

        item = Factor.of(items)
        shown = [None] * len(winners) if first_shown is None else first_shown
        return cls(
            names,
            first,
            second,
            np.array(signs(winners), dtype=np.float64),
            np.array(signs(shown), dtype=np.int64),
            item,
            Factor.of(raters),
            item if dialogues is None else Factor.of(dialogues),
        )

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of systems that were judged, in order."""
        return sorted(set(zip(self.first.tolist(), self.second.tolist(), strict=True)))

    def of_pair(self, pair: tuple[int, int]) -> Judgments:
        """The judgments of one pair of systems."""
        return self.subset((self.first == pair[0]) & (self.second == pair[1]))

    def subset(self, rows: Array) -> Judgments:
        """The judgments at these rows (numbers or a mask); the systems keep their numbers."""
        return replace(
            self,
            first=self.first[rows],
            second=self.second[rows],
            outcomes=self.outcomes[rows],
            shown=self.shown[rows],
            items=self.items.subset(rows),
            raters=self.raters.subset(rows),
            dialogues=self.dialogues.subset(rows),
        )
