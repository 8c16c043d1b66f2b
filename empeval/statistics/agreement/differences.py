"""Differences of two agreements on the same units, with intervals that know they are the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from empeval.statistics.agreement.units import Evaluate, Units, distinct_rows, estimated
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate, undefined
from empeval.statistics.segments import Array

__all__ = ["Prepare", "agreement_difference", "paired"]

#: What makes units and a coefficient of ratings: any function named ``prepared`` in this package.
Prepare = Callable[[Ratings], tuple[Units, Evaluate]]


def agreement_difference(
    first: Ratings,
    second: Ratings,
    prepare: Prepare,
    prepare_second: Prepare | None = None,
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """The first agreement minus the second on the units that both have, whose dialogues are drawn together.

    The ratings may be those of two questions, two guidelines or two groups of raters; with the same ratings
    twice and ``prepare_second``, two coefficients are compared. Each coefficient keeps its own rule for
    units with too few ratings. The interval is that of `agreement_interval` over the dialogues of either.
    Undefined with the status of no common unit, or where one of the two is undefined.

    >>> from empeval.statistics.agreement.percent import prepared
    >>> careful = Ratings.from_matrix([[1, 1], [2, 2], [3, 3], [2, 1]])
    >>> hasty = Ratings.from_matrix([[1, 2], [2, 2], [1, 3], [2, 1]])
    >>> agreement_difference(careful, hasty, prepared).value
    0.5
    """
    left, right, note = _common(first, second)
    a, b = prepare(left), (prepare_second or prepare)(right)
    if not a[0].n or not b[0].n:
        return undefined("no_pairable_units", note)
    units, evaluate = paired(a, b)
    found = estimated(units, evaluate, level=level, n_resamples=n_resamples, rng=rng, bounds=(None, None))
    return Estimate(found.value, found.interval, found.status, found.interval_status, note)


def paired(first: tuple[Units, Evaluate], second: tuple[Units, Evaluate]) -> tuple[Units, Evaluate]:
    """Two agreements as one: the resampling units of either, by their labels, and the difference.

    >>> from empeval.statistics.agreement.percent import prepared
    >>> one = prepared(Ratings.from_matrix([[1, 1], [2, 2], [3, 1]]))
    >>> units, evaluate = paired(one, one)
    >>> units.n, evaluate(units.weights[None, :]).tolist()
    (3, [0.0])
    """
    from scipy.sparse import csr_array, hstack

    (a, evaluate_a), (b, evaluate_b) = first, second
    labels = np.union1d(_labels(a), _labels(b))
    kinds = np.stack([_kinds_of(labels, a), _kinds_of(labels, b)], axis=1)
    distinct, kind, times = distinct_rows(kinds)
    sides = []
    for side, units in enumerate((a, b)):
        there = np.flatnonzero(distinct[:, side] >= 0)
        shape = (len(distinct), len(units.times))
        chosen = csr_array((np.ones(len(there)), (there, distinct[there, side])), shape=shape)
        sides.append(chosen if units.profiles is None else chosen @ csr_array(units.profiles))
    cut = len(a.rows)

    def evaluate(weights: Array) -> Array:
        return evaluate_a(weights[:, :cut]) - evaluate_b(weights[:, cut:])

    rows = np.arange(cut + len(b.rows), dtype=np.float64)[:, None]
    return Units(rows, csr_array(hstack(sides)), times, labels, kind), evaluate


def _labels(units: Units) -> Array:
    return np.arange(units.n) if units.labels is None else units.labels


def _kinds_of(labels: Array, units: Units) -> Array:
    """The kind of each label among these units, −1 where it has none."""
    own = _labels(units)
    kinds = np.repeat(np.arange(len(units.times)), units.times) if units.kinds is None else units.kinds
    found = np.full(len(labels), -1, dtype=np.int64)
    found[np.searchsorted(labels, own)] = kinds
    return found


def _common(first: Ratings, second: Ratings) -> tuple[Ratings, Ratings, str]:
    """The rows of both in units that both have, and a sentence on what was left out."""
    if first is second:
        return first, second, ""
    names = [_unit_names(ratings) for ratings in (first, second)]
    both = set(names[0]) & set(names[1])
    kept = [np.array([name in both for name in own], dtype=bool) for own in names]
    left_out = sum(len(set(own)) - len(both) for own in names)
    note = f"{left_out} units that only one side has were left out." if left_out else ""
    left, right = (ratings.subset(rows) for ratings, rows in zip((first, second), kept, strict=True))
    return left, right, note


def _unit_names(ratings: Ratings) -> list[tuple[object, object, object]]:
    """Item, system and dialogue of each row."""
    factors = (ratings.items, ratings.systems, ratings.dialogues)
    columns = [[factor.names[code] for code in factor.codes.tolist()] for factor in factors]
    return list(zip(*columns, strict=True))
