"""A metric against people response by response: within items, and over all responses together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from empeval.statistics.correlation.accuracy import calibrated_accuracy
from empeval.statistics.correlation.coefficients import mid_ranks
from empeval.statistics.correlation.resampled import Resampled, Weighted
from empeval.statistics.resampling import TestResult
from empeval.statistics.results import Estimate, Status, undefined
from empeval.statistics.segments import Array
from empeval.statistics.sign_flip import sign_flip_test

__all__ = ["SEGMENT_STATISTICS", "SegmentLevel", "SegmentStatistic", "compare_within_items", "segment_level"]

SegmentStatistic = Literal["kendall_tau_b", "acc_eq", "pearson_pooled", "spearman_pooled"]
#: The first two compare systems within each item; pooled ones also see that items differ.
SEGMENT_STATISTICS: tuple[SegmentStatistic, ...] = (
    "kendall_tau_b",
    "acc_eq",
    "pearson_pooled",
    "spearman_pooled",
)


@dataclass(frozen=True)
class SegmentLevel:
    """One statistic: its estimate, ``n`` responses or items that it rests on, and ``n_skipped`` items.

    An item is skipped where people, or the metric, do not tell any two systems apart on it.
    """

    statistic: SegmentStatistic
    estimate: Estimate
    n: int
    n_skipped: int = 0


def segment_level(people: Array, metric: Array, draws: Resampled) -> list[SegmentLevel]:
    """All statistics of a metric against people, both of shape (n_items, n_systems), NaN for what is missing.

    kendall_tau_b: the mean over items of τ_b between systems. acc_eq: pairwise accuracy with ties within
    items, the metric's threshold calibrated on these data. pearson_pooled and spearman_pooled: over all
    responses. Sources: Deutsch, Dror and Roth (2021); Deutsch et al. (2023).

    >>> people = np.array([[1.0, 2, 3], [2, 2, 3], [1, 3, 3], [5, 4, 3], [2, 3, 5]])
    >>> draws = Resampled.of(np.arange(5), 3, n_resamples=200)
    >>> [round(found.estimate.value, 2) for found in segment_level(people, people * 10, draws)]
    [1.0, 1.0, 1.0, 1.0]
    """
    there = np.isfinite(people) & np.isfinite(metric)
    n_cells = int(there.sum())
    pooled = [
        SegmentLevel("pearson_pooled", _pooled(people, metric, there, draws, ranks=False), n_cells),
        SegmentLevel("spearman_pooled", _pooled(people, metric, there, draws, ranks=True), n_cells),
    ]
    if people.shape[1] < 2:
        few = undefined("too_few_systems", "items with one response say nothing on which is better")
        return [SegmentLevel("kendall_tau_b", few, 0), SegmentLevel("acc_eq", few, 0), *pooled]
    return [*_within_items(people, metric, there, draws), *pooled]


def compare_within_items(
    people: Array,
    first: Array,
    second: Array,
    dialogues: Array,
    *,
    n_resamples: int = 10_000,
    rng: np.random.Generator | None = None,
) -> TestResult | None:
    """Test whether two metrics' mean τ_b within items differ, by exchanging them dialogue by dialogue.

    Only items on which both are defined count; None where there is none. Source: Deutsch, Dror and Roth
    (2021), permuting both inputs.

    >>> people = np.array([[1.0, 2, 3]] * 6)
    >>> compare_within_items(people, people, -people, np.arange(6)).p_value
    0.03125
    """
    taus = []
    for metric in (first, second):
        there = np.isfinite(people) & np.isfinite(metric)
        taus.append(_taus(people, metric, there))
    both = np.isfinite(taus[0]) & np.isfinite(taus[1])
    return sign_flip_test((taus[0] - taus[1])[both], dialogues[both], n_resamples=n_resamples, rng=rng)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Signs of differences within items, shape (n_items, n_pairs), 0 where a response is missing."""

    people: Array
    metric: Array
    there: Array
    systems: tuple[Array, Array]

    @classmethod
    def of(cls, people: Array, metric: Array, there: Array) -> _Pairs:
        first, second = np.triu_indices(people.shape[1], 1)
        both = there[:, first] & there[:, second]
        gaps = [np.where(both, table[:, first] - table[:, second], 0.0) for table in (people, metric)]
        return cls(gaps[0], gaps[1], both, (first, second))

    def weights(self, systems: Array) -> Array:
        """How often each pair is drawn, (n_resamples, n_pairs)."""
        return np.asarray(systems[:, self.systems[0]] * systems[:, self.systems[1]])


def _taus(people: Array, metric: Array, there: Array) -> Array:
    """τ_b of each item, NaN where undefined."""
    pairs = _Pairs.of(people, metric, there)
    return np.asarray(_tau_parts(pairs, np.ones((1, pairs.there.shape[1])))[0])


def _tau_parts(pairs: _Pairs, weights: Array) -> Array:
    """τ_b by resample and item under weights of pairs, (n_resamples, n_items)."""
    a, b = np.sign(pairs.people), np.sign(pairs.metric)
    concordant, of_people, of_metric = (weights @ part.T for part in (a * b, a**2, b**2))
    product = np.sqrt(of_people * of_metric)
    found = np.divide(concordant, product, out=np.full(product.shape, np.nan), where=product > 0)
    return np.asarray(found)


def _within_items(people: Array, metric: Array, there: Array, draws: Resampled) -> list[SegmentLevel]:
    pairs = _Pairs.of(people, metric, there)
    defined = np.isfinite(_taus(people, metric, there))

    def mean_tau(items: Array, systems: Array) -> Array:
        same = (systems == systems[:1]).all()
        taus = _tau_parts(pairs, pairs.weights(systems[:1] if same else systems))
        known = np.isfinite(taus)
        total = (items * np.where(known, taus, 0.0)).sum(axis=1)
        n = (items * known).sum(axis=1)
        return np.asarray(np.divide(total, n, out=np.full(len(items), np.nan), where=n > 0))

    best = calibrated_accuracy(pairs.people[pairs.there], pairs.metric[pairs.there])
    predicted = np.where(np.abs(pairs.metric) <= best.threshold, 0.0, np.sign(pairs.metric))
    hits = ((predicted == np.sign(pairs.people)) & pairs.there).astype(np.float64)

    def accuracy(items: Array, systems: Array) -> Array:
        weights = pairs.weights(systems)
        right = ((items @ hits) * weights).sum(axis=1)
        n = ((items @ pairs.there.astype(np.float64)) * weights).sum(axis=1)
        return np.asarray(np.divide(right, n, out=np.full(len(items), np.nan), where=n > 0))

    n_items = int(pairs.there.any(axis=1).sum())
    note = f"ties of the metric: differences up to {best.threshold:.4g}, calibrated on these data"
    why: Status = "no_variation" if n_items else "no_pairable_units"
    return [
        SegmentLevel(
            "kendall_tau_b",
            draws.estimate(mean_tau, why=why),
            int(defined.sum()),
            n_items - int(defined.sum()),
        ),
        SegmentLevel("acc_eq", draws.estimate(accuracy, why="no_pairable_units", note=note), n_items),
    ]


def _pooled(people: Array, metric: Array, there: Array, draws: Resampled, *, ranks: bool) -> Estimate:
    if there.sum() < 2:
        return undefined("no_pairable_units")
    item, system = np.nonzero(there)
    x, y = people[there], metric[there]
    if ranks:
        # ranks of the data as they are; under resampled weights they hardly move
        x, y = mid_ranks(x), mid_ranks(y)
    return draws.estimate(_pearson(x, y, item, system))


def _pearson(x: Array, y: Array, item: Array, system: Array) -> Weighted:
    """Pearson's correlation of cells under the product of the weights of their item and system."""
    x, y = (column - column.mean() for column in (x, y))
    x, y = (column / max(1e-300, np.abs(column).max()) for column in (x, y))
    table = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y], axis=1)
    n_systems = int(system.max()) + 1

    def weighted(items: Array, systems: Array) -> Array:
        sums = np.zeros((len(items), 6))
        for s in range(n_systems):
            mine = system == s
            sums += (items[:, item[mine]] @ table[mine]) * systems[:, s : s + 1]
        n = np.maximum(sums[:, 0], 1e-300)
        mean_x, mean_y = sums[:, 1] / n, sums[:, 2] / n
        var_x, var_y = sums[:, 3] / n - mean_x**2, sums[:, 4] / n - mean_y**2
        product = np.sqrt(np.maximum(var_x, 0.0) * np.maximum(var_y, 0.0))
        both = sums[:, 5] / n - mean_x * mean_y
        found = np.divide(both, product, out=np.full(len(n), np.nan), where=product > 1e-12)
        return np.asarray(np.clip(found, -1.0, 1.0))

    return weighted
