"""What a metric could reach: each rater in turn as a metric of the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.agreement.icc import icc
from empeval.statistics.correlation.resampled import Resampled
from empeval.statistics.correlation.segment_level import SegmentStatistic, segment_level
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate, undefined
from empeval.statistics.segments import Array

__all__ = ["Ceiling", "human_ceiling", "mean_ratings"]


@dataclass(frozen=True)
class Ceiling:
    """The mean over raters of each one's statistics against the mean of the others.

    ``reliability`` is ICC(2,k) of the mean rating; no metric can be expected to correlate with the means by
    more than its square root.
    """

    statistics: dict[SegmentStatistic, Estimate]
    n_raters: int
    reliability: Estimate

    @property
    def attenuated(self) -> float | None:
        """√reliability, or None where it is undefined or not positive."""
        value = self.reliability.value
        return None if value is None or value <= 0 else value**0.5


def mean_ratings(ratings: Ratings) -> Array:
    """The mean rating of each item under each system, shape (n_items, n_systems), NaN where there is none.

    >>> mean_ratings(Ratings.of([1, 3, 5], items="aab", raters="rsr", systems="xxy")).tolist()
    [[2.0, nan], [nan, 5.0]]
    """
    return np.asarray(_table(ratings, np.ones(len(ratings.values), dtype=bool)))


def human_ceiling(ratings: Ratings, draws: Resampled) -> Ceiling:
    """Leave-one-out raters as metrics, with the draws of items and systems that metrics have.

    Raters who share no response with others are left out; undefined with fewer than two.

    >>> rows = [(i, r, s) for i in range(6) for r in "pq" for s in "xyz"]
    >>> ratings = Ratings.of(
    ...     [1 + (i + ord(s)) % 5 for i, r, s in rows],
    ...     items=[i for i, r, s in rows],
    ...     raters=[r for i, r, s in rows],
    ...     systems=[s for i, r, s in rows],
    ... )
    >>> human_ceiling(ratings, Resampled.of(np.arange(6), 3, n_resamples=50)).statistics["acc_eq"].value
    1.0
    """
    reliability = icc(ratings, n_resamples=0)["icc_2_k"]
    found: list[dict[SegmentStatistic, Estimate]] = []
    for rater in range(len(ratings.raters)):
        mine = ratings.raters.codes == rater
        own, others = _table(ratings, mine), _table(ratings, ~mine)
        if (np.isfinite(own) & np.isfinite(others)).sum() > 1:
            found.append({part.statistic: part.estimate for part in segment_level(others, own, draws)})
    if len(ratings.raters) < 2 or not found:
        lacking = undefined("too_few_raters")
        names: tuple[SegmentStatistic, ...] = ("kendall_tau_b", "acc_eq", "pearson_pooled", "spearman_pooled")
        return Ceiling(dict.fromkeys(names, lacking), 0, reliability)
    return Ceiling({name: _mean([of[name] for of in found]) for name in found[0]}, len(found), reliability)


def _mean(estimates: list[Estimate]) -> Estimate:
    """The mean over raters of what is defined; its note says for how many."""
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    if not values:
        return undefined(estimates[0].status)
    return Estimate(float(np.mean(values)), note=f"mean over {len(values)} raters, each against the others")


def _table(ratings: Ratings, rows: Array) -> Array:
    n_systems = len(ratings.systems)
    cells = (ratings.items.codes * n_systems + ratings.systems.codes)[rows]
    size = len(ratings.items) * n_systems
    n = np.bincount(cells, minlength=size)
    total = np.bincount(cells, ratings.values[rows], size)
    found = np.divide(total, n, out=np.full(size, np.nan), where=n > 0)
    return np.asarray(found.reshape(len(ratings.items), n_systems))
