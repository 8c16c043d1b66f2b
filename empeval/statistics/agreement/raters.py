"""Each rater beside the others: how he used the scale, and how far he follows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from empeval.statistics.agreement.counts import Categories
from empeval.statistics.agreement.pairs import cohen_kappa
from empeval.statistics.agreement.percent import percent_agreement, percent_agreement_within
from empeval.statistics.design import Factor, Ratings
from empeval.statistics.results import Estimate, undefined
from empeval.statistics.segments import Array

__all__ = ["Consistency", "RaterReport", "rater_reports", "self_consistency"]


@dataclass(frozen=True)
class RaterReport:
    """One rater: ratings, mean and standard deviation of his own, and what he shares with the others.

    ``leave_one_out`` is the correlation with the mean of the other raters of a unit; ``exact`` and
    ``within_1`` the share of the others' ratings that his equal, or differ from by at most 1; ``influence``
    a coefficient of all raters minus that without this one: negative where the others agree better alone.
    ``commonest`` is the share of his ratings that are the one he gives most.
    """

    rater: str
    n: int
    mean: float | None
    sd: float | None
    leave_one_out: Estimate
    exact: Estimate
    within_1: Estimate
    influence: Estimate
    commonest: float | None


def rater_reports(
    ratings: Ratings, coefficient: Callable[[Ratings], Estimate] | None = None
) -> list[RaterReport]:
    """A report of every rater in the order of their names; means and the like only of numbers.

    ``coefficient`` gives the agreement whose change without a rater is his influence. Correlations are over
    units that he and at least one other rated.

    >>> table = Ratings.from_matrix([[1, 2, 1], [2, 2, 3], [4, 5, 4], [5, 5, 1]])
    >>> [round(report.leave_one_out.value, 2) for report in rater_reports(table)]
    [0.73, 0.81, 0.16]
    """
    matrix = ratings.matrix()
    there = ~np.isnan(matrix)
    filled = np.where(there, matrix, 0.0)
    sums, counts = filled.sum(axis=1), there.sum(axis=1)
    whole = None if coefficient is None else coefficient(ratings).value
    return [
        _report(ratings, column, matrix, (sums, counts), coefficient, whole)
        for column in range(len(ratings.raters))
    ]


def _report(
    ratings: Ratings,
    column: int,
    matrix: Array,
    of_unit: tuple[Array, Array],
    coefficient: Callable[[Ratings], Estimate] | None,
    whole: float | None,
) -> RaterReport:
    own = matrix[:, column]
    mine = ~np.isnan(own)
    others = of_unit[1] - mine
    shared = mine & (others > 0)
    values = own[mine]
    numeric = not ratings.words
    name = str(ratings.raters.names[column])
    near = [
        _share_within(own[shared], np.delete(matrix[shared], column, axis=1), tolerance)
        for tolerance in (0.0, 1.0)
    ]
    mean_of_others = (of_unit[0][shared] - own[shared]) / np.maximum(others[shared], 1)
    return RaterReport(
        name,
        len(values),
        float(values.mean()) if numeric and len(values) else None,
        float(values.std(ddof=1)) if numeric and len(values) > 1 else None,
        _correlation(own[shared], mean_of_others) if numeric else undefined("no_pairable_units"),
        near[0],
        near[1] if numeric else undefined("no_pairable_units"),
        _influence(ratings, column, coefficient, whole),
        float(np.unique(values, return_counts=True)[1].max() / len(values)) if len(values) else None,
    )


def _share_within(own: Array, others: Array, tolerance: float) -> Estimate:
    """The mean over units of the share of others' ratings at most so far from one's own."""
    if not len(own):
        return undefined("no_pairable_units")
    there = ~np.isnan(others)
    near = there & (np.abs(np.where(there, others, np.inf) - own[:, None]) <= tolerance)
    return Estimate(float((near.sum(axis=1) / there.sum(axis=1)).mean()))


def _correlation(x: Array, y: Array) -> Estimate:
    if len(x) < 2:
        return undefined("no_pairable_units")
    x, y = x - x.mean(), y - y.mean()
    product = float(np.sqrt((x @ x) * (y @ y)))
    if product <= 1e-12:
        return undefined("no_variation")
    return Estimate(float(x @ y) / product)


def _influence(
    ratings: Ratings,
    column: int,
    coefficient: Callable[[Ratings], Estimate] | None,
    whole: float | None,
) -> Estimate:
    if coefficient is None or whole is None:
        return undefined("no_pairable_units")
    if len(ratings.raters) < 3:
        return undefined("too_few_raters")
    rest = coefficient(ratings.subset(ratings.raters.codes != column))
    return undefined(rest.status) if rest.value is None else Estimate(whole - rest.value)


@dataclass(frozen=True)
class Consistency:
    """How far raters repeat themselves on the ``n`` units that they rated twice or more."""

    n: int
    exact: Estimate
    within_1: Estimate
    kappa: Estimate


def self_consistency(
    ratings: Ratings, rater: str | None = None, *, categories: Categories = None, **settings: Any
) -> Consistency:
    """Agreement of the first with the second pass of one rater, or of all raters together.

    Percent agreement exactly and within 1, and Cohen's kappa (quadratic weights where the answers are
    numbers). ``settings`` are ``level``, ``n_resamples`` and ``rng`` of the intervals.

    >>> found = self_consistency(
    ...     Ratings.of([1, 1, 4, 5], items="aabb", raters="rrrr", passes=[1, 2, 1, 2])
    ... )
    >>> found.n, found.exact.value, found.within_1.value
    (2, 0.5, 1.0)
    """
    codes = ratings.raters.codes
    mine = np.ones(len(codes), dtype=bool)
    if rater is not None:
        mine = np.array([str(name) == rater for name in ratings.raters.names], dtype=bool)[codes]
    own = ratings.subset(mine)
    # a rater's unit is a unit, and his passes are its raters
    cells = own.units.crossed(own.raters) if len(own.values) else own.units
    order = np.lexsort((own.passes.codes, cells.codes))
    starts = np.searchsorted(cells.codes[order], np.arange(len(cells)))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - starts[cells.codes[order]]
    repeated = np.bincount(cells.codes, minlength=len(cells))[cells.codes] > 1
    kept = own.subset(repeated & (place < 2))
    both = cells.subset(repeated & (place < 2))
    passes = Factor((0, 1), place[repeated & (place < 2)])
    twice = Ratings(kept.values, both, passes, _one(kept), kept.dialogues, _one(kept), None, kept.words)
    if not len(both):
        lacking = undefined("no_pairable_units", "nobody rated a unit twice")
        return Consistency(0, lacking, lacking, lacking)
    weights: Any = "unweighted" if ratings.words else "quadratic"
    return Consistency(
        len(both),
        percent_agreement(twice, **settings),
        undefined("no_pairable_units")
        if ratings.words
        else percent_agreement_within(twice, 1, categories=categories, **settings),
        cohen_kappa(twice, weights, categories=categories, **settings),
    )


def _one(ratings: Ratings) -> Factor:
    return Factor(("",), np.zeros(len(ratings.values), dtype=np.int64))
