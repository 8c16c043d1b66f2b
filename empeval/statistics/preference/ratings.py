"""Judgments of pairs as ratings, so that agreement is computed by the coefficients there are."""

from __future__ import annotations

import numpy as np

from empeval.statistics.design import Factor, Judgments, Ratings

__all__ = ["judgments_as_ratings"]


def judgments_as_ratings(judgments: Judgments) -> Ratings:
    """One unit for each item and unordered pair of systems, one value 1, 0 or −1 for each of its raters.

    1 says that the system whose name sorts first won, −1 that the other did, 0 a tie. "Neither" is left out.
    Of a rater who judged a unit more than once (both orders, say) the sign of the sum counts, so that someone
    who contradicts themselves has answered "tie".

    >>> judged = Judgments.of(["a", "b"], ["b", "a"], ["a", "b"], items=["i", "i"], raters=["r", "s"])
    >>> judgments_as_ratings(judged).matrix().tolist()
    [[1.0, -1.0]]
    """
    used = judgments.subset(np.isfinite(judgments.outcomes))
    pairs = Factor.of(zip(used.first.tolist(), used.second.tolist(), strict=True))
    names = tuple((judgments.systems[first], judgments.systems[second]) for first, second in pairs.names)
    units = used.items.crossed(Factor(names, pairs.codes))
    cell, at, row_of = np.unique(
        units.codes * max(1, len(used.raters)) + used.raters.codes, return_index=True, return_inverse=True
    )
    values = np.sign(np.bincount(row_of, weights=used.outcomes, minlength=len(cell)))
    raters = Factor(used.raters.names, used.raters.codes[at])
    dialogues = Factor(used.dialogues.names, used.dialogues.codes[at])
    constant = Factor(("",) if len(at) else (), np.zeros(len(at), dtype=np.int64))
    return Ratings(values, Factor(units.names, units.codes[at]), raters, constant, dialogues, constant)
