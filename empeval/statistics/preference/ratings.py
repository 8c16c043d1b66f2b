"""Judgments of pairs as ratings, so that agreement is computed by the coefficients there are."""

from __future__ import annotations

import numpy as np

from empeval.statistics.design import Factor, Judgments, Ratings
from empeval.statistics.segments import Array

__all__ = ["judgments_as_ratings"]


def judgments_as_ratings(judgments: Judgments) -> Ratings:
    """One unit for each item and unordered pair of systems, one value 1, 0 or −1 for each of its raters.

    1 says that the favourite of the pair won (the system that won more often over all items), −1 that the
    other did, 0 a tie: chance agreement then knows that there are favourites, and the names of the systems
    cannot change it. "Neither" is left out. Of a rater who judged a unit more than once (both orders, say)
    the sign of the sum counts, so that someone who contradicts themselves has answered "tie".

    >>> judged = Judgments.of(["a", "b"], ["b", "a"], ["b", "b"], items=["i", "i"], raters=["r", "s"])
    >>> judgments_as_ratings(judged).matrix().tolist()
    [[1.0, 1.0]]
    """
    used = judgments.subset(np.isfinite(judgments.outcomes))
    pair_code = used.first * max(1, len(used.systems)) + used.second
    kinds, pair = np.unique(pair_code, return_inverse=True)
    names = tuple(
        (used.systems[kind // len(used.systems)], used.systems[kind % len(used.systems)])
        for kind in kinds.tolist()
    )
    units = used.items.crossed(Factor(names, pair))
    cell, at, row_of = np.unique(
        units.codes * max(1, len(used.raters)) + used.raters.codes, return_index=True, return_inverse=True
    )
    values = np.sign(np.bincount(row_of, weights=used.outcomes, minlength=len(cell)))
    values = values * _favourites(values, pair[at], units.codes[at])[pair[at]]
    constant = Factor(("",) if len(at) else (), np.zeros(len(at), dtype=np.int64))
    return Ratings(
        # no −0.0 among the values
        values + 0.0,
        Factor(units.names, units.codes[at]),
        Factor(used.raters.names, used.raters.codes[at]),
        constant,
        Factor(used.dialogues.names, used.dialogues.codes[at]),
        constant,
    )


def _favourites(values: Array, pair: Array, unit: Array) -> Array:
    """1 or −1 for each pair: which of its systems won more often.

    Of two with as many wins, the one that won more often where raters can be compared, or else the larger
    share of the units. Where these are the same too, turning the signs changes no share of a value, and so no
    coefficient.
    """
    n_raters = np.bincount(unit, minlength=1)[unit]
    found = np.zeros(int(pair.max(initial=-1)) + 1)
    for weights in (np.ones(len(values)), n_raters > 1, 1.0 / n_raters):
        net = np.bincount(pair, weights=values * weights, minlength=len(found))
        # shares add up with rounding
        found = np.where(found != 0, found, np.sign(np.where(np.abs(net) > 1e-9, net, 0.0)))
    return np.where(found != 0, found, 1.0)
