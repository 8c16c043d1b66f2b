"""Counts of paired comparisons by pair of systems, and which systems they connect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from empeval.statistics.design import Judgments
from empeval.statistics.segments import Array

__all__ = ["Pairs", "beaten_chain", "counts_by_dialogue", "counts_of_matrix", "estimable", "groups"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of systems that counts are about: ``first`` and ``second``, shape (n_pairs,).

    Counts have shape (…, n_pairs, 3): wins of the first, ties, wins of the second.
    """

    n_systems: int
    first: Array
    second: Array

    @classmethod
    def of(cls, n_systems: int, pairs: Sequence[tuple[int, int]] | None = None) -> Pairs:
        """These pairs, or all of them, in the order of `numpy.triu_indices`."""
        if pairs is None:
            first, second = np.triu_indices(n_systems, 1)
        else:
            first, second = np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T
        return cls(n_systems, first, second)

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def incidence(self) -> Array:
        """1 for the first system of a pair, −1 for the second, shape (n_pairs, n_systems)."""
        found = np.zeros((len(self), self.n_systems))
        found[np.arange(len(self)), self.first] = 1.0
        found[np.arange(len(self)), self.second] = -1.0
        return found

    def laplacian(self, weights: Array) -> Array:
        """Σ weight · incidence · incidenceᵀ, (n, n_systems, n_systems), of weights (n, n_pairs)."""
        found = np.zeros((len(weights), self.n_systems, self.n_systems))
        found[:, self.first, self.second] = -weights
        found[:, self.second, self.first] = -weights
        diagonal = np.arange(self.n_systems)
        found[:, diagonal, diagonal] = weights @ np.abs(self.incidence)
        return found


def counts_of_matrix(wins: Array, ties: Array | None = None) -> tuple[Pairs, Array]:
    """Pairs and counts (n_pairs, 3) of square tables: ``wins[i, j]`` says how often i beat j.

    >>> counts_of_matrix(np.array([[0, 3], [1, 0]]))[1].tolist()
    [[3.0, 0.0, 1.0]]
    """
    wins = np.asarray(wins, dtype=np.float64)
    tied = np.zeros_like(wins) if ties is None else np.asarray(ties, dtype=np.float64)
    pairs = Pairs.of(len(wins))
    at, mirrored = (pairs.first, pairs.second), (pairs.second, pairs.first)
    return pairs, np.stack([wins[at], tied[at], wins[mirrored]], axis=-1)


def counts_by_dialogue(judgments: Judgments) -> tuple[Pairs, Array]:
    """Pairs that were judged, and counts of shape (n_dialogues, n_pairs, 3) without "neither".

    Dialogues with nothing but "neither" are left out.
    """
    usable = judgments.subset(np.isfinite(judgments.outcomes))
    pairs = Pairs.of(len(judgments.systems), usable.pairs)
    place = {pair: i for i, pair in enumerate(usable.pairs)}
    keys = zip(usable.first.tolist(), usable.second.tolist(), strict=True)
    pair = np.array([place[key] for key in keys], dtype=np.int64)
    shape = (len(usable.dialogues), len(pairs), 3)
    cells = (usable.dialogues.codes * len(pairs) + pair) * 3 + (1 - usable.outcomes).astype(np.int64)
    counts = np.bincount(cells, minlength=shape[0] * shape[1] * 3)
    return pairs, counts.reshape(shape).astype(np.float64)


def beaten_chain(pairs: Pairs, counts: Array) -> Array:
    """Whether a chain of wins or ties leads from one system to another, shape (n, n_systems, n_systems).

    ``counts`` has shape (n, n_pairs, 3); every system reaches itself.
    """
    reach = np.zeros((len(counts), pairs.n_systems, pairs.n_systems), dtype=bool)
    reach[:, pairs.first, pairs.second] = (counts[..., 0] > 0) | (counts[..., 1] > 0)
    reach[:, pairs.second, pairs.first] = (counts[..., 2] > 0) | (counts[..., 1] > 0)
    reach |= np.eye(pairs.n_systems, dtype=bool)
    for _ in range(max(1, int(np.ceil(np.log2(max(2, pairs.n_systems)))))):
        reach = np.matmul(reach, reach)
    return reach


def groups(reach: Array) -> tuple[tuple[int, ...], ...]:
    """Systems that reach each other both ways, best group first; ``reach`` is (n_systems, n_systems).

    >>> groups(np.array([[True, False, True], [True, True, True], [True, False, True]]))
    ((1,), (0, 2))
    """
    mutual = reach & reach.T
    found = sorted({tuple(np.flatnonzero(row).tolist()) for row in mutual})
    # a group above another reaches all that the other reaches, and itself
    return tuple(sorted(found, key=lambda group: (-int(reach[group[0]].sum()), group)))


def estimable(pairs: Pairs, counts: Array, *, tie_parameter: bool) -> Array:
    """Whether each table of counts (n, n_pairs, 3) has finite strengths, shape (n,).

    Bradley–Terry: every system must reach every other by a chain of wins (Ford, 1957). With Davidson's tie
    parameter, ties in the chain are paid for: where the strengths can be spread so that each win spans two
    steps and each tie no more than two, the likelihood has no maximum; such a spread is ruled out by a cycle
    that holds more wins than ties. Tables without any tie are judged as Bradley–Terry.
    """
    # resamples share few patterns of zeros, and only the pattern matters
    packed = np.packbits((counts > 0).reshape(len(counts), -1), axis=1)
    rows_of: dict[bytes, list[int]] = {}
    for row, pattern in enumerate(packed):
        rows_of.setdefault(pattern.tobytes(), []).append(row)
    distinct = counts[[rows[0] for rows in rows_of.values()]] > 0
    good: Array = np.asarray(beaten_chain(pairs, distinct).all(axis=(1, 2)))
    if tie_parameter:
        good &= ~distinct[..., 1].any(axis=1) | _has_costly_cycle(pairs, distinct)
    found = np.zeros(len(counts), dtype=bool)
    for rows, verdict in zip(rows_of.values(), good.tolist(), strict=True):
        found[rows] = verdict
    return found


def _has_costly_cycle(pairs: Pairs, pattern: Array) -> Array:
    """Whether some cycle holds more wins than ties, by Floyd's algorithm on costs −1 and +1."""
    cost = np.full((len(pattern), pairs.n_systems, pairs.n_systems), np.inf)
    for a, b, column in ((pairs.first, pairs.second, 0), (pairs.second, pairs.first, 2)):
        cost[:, a, b] = np.where(pattern[..., column], -1.0, np.where(pattern[..., 1], 1.0, np.inf))
    for middle in range(pairs.n_systems):
        cost = np.minimum(cost, cost[:, :, middle, None] + cost[:, None, middle, :])
        # costs only have to stay below zero once they are
        cost = np.maximum(cost, -2.0 * pairs.n_systems)
    return np.asarray((np.diagonal(cost, axis1=1, axis2=2) < 0).any(axis=1))
