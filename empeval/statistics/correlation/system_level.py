"""A metric against people system by system, on the same items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from empeval.statistics.correlation.accuracy import one_sided_p_values, soft_pairwise_accuracy
from empeval.statistics.correlation.coefficients import correlation
from empeval.statistics.correlation.resampled import Resampled
from empeval.statistics.resampling import Interval, percentile_interval
from empeval.statistics.results import Estimate, Status, undefined
from empeval.statistics.segments import Array

__all__ = [
    "FEWEST_FOR_CORRELATION",
    "SYSTEM_STATISTICS",
    "SystemLevel",
    "SystemScores",
    "SystemStatistic",
    "item_means",
    "outlier_systems",
    "system_level",
]

SystemStatistic = Literal["pairwise_accuracy", "soft_pairwise_accuracy", "pearson", "kendall_tau_b"]
SYSTEM_STATISTICS: tuple[SystemStatistic, ...] = (
    "pairwise_accuracy",
    "soft_pairwise_accuracy",
    "pearson",
    "kendall_tau_b",
)
_CORRELATIONS: tuple[Literal["pearson", "kendall_tau_b"], ...] = ("pearson", "kendall_tau_b")
#: A correlation of fewer points is decided by one of them.
FEWEST_FOR_CORRELATION = 8

#: Weights of items (n_resamples, n_items) → a score of each system (n_resamples, n_systems).
SystemScores = Callable[[Array], Array]


@dataclass(frozen=True)
class SystemLevel:
    """One statistic over ``n`` systems."""

    statistic: SystemStatistic
    estimate: Estimate
    n: int


def item_means(values: Array) -> SystemScores:
    """Means over items of a table (n_items, n_systems), NaN where there is none.

    >>> item_means(np.array([[1.0, 2.0], [3.0, np.nan]]))(np.ones((1, 2))).tolist()
    [[2.0, 2.0]]
    """
    there = np.isfinite(values)
    filled = np.where(there, values, 0.0)

    def scores(items: Array) -> Array:
        n = items @ there.astype(np.float64)
        return np.asarray(np.divide(items @ filled, n, out=np.full(n.shape, np.nan), where=n > 0))

    return scores


def system_level(
    people: Array,
    metric: SystemScores,
    draws: Resampled,
    *,
    segments: Array | None = None,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> list[SystemLevel]:
    """All statistics of systems' scores against means of ratings (n_items, n_systems).

    ``segments`` (n_items, n_systems) are the metric's values of single responses, by which soft pairwise
    accuracy knows how sure the metric is; without them it is undefined. Pearson and Kendall need eight
    systems. Sources: Kocmi et al. (2021); Thompson et al. (2024).

    >>> people = np.array([[1.0, 2, 4], [2, 2, 5], [1, 3, 3], [2, 2, 4], [1, 1, 4]])
    >>> found = system_level(people, item_means(people), Resampled.of(np.arange(5), 3), segments=people)
    >>> [part.estimate.value for part in found]
    [1.0, 1.0, None, None]
    """
    n = people.shape[1]
    if n < 2:
        few = undefined("too_few_systems")
        return [SystemLevel(name, few, n) for name in SYSTEM_STATISTICS]
    of_people = item_means(people)
    first, second = np.triu_indices(n, 1)

    def accuracy(items: Array, systems: Array) -> Array:
        gaps = [scores[:, first] - scores[:, second] for scores in (of_people(items), metric(items))]
        weights = systems[:, first] * systems[:, second] * (gaps[0] != 0)
        right = (weights * (np.sign(gaps[0]) == np.sign(gaps[1]))).sum(axis=1)
        total = weights.sum(axis=1)
        found = np.divide(right, total, out=np.full(len(items), np.nan), where=total > 0)
        return np.asarray(np.where(np.isfinite(gaps[1]).all(axis=1), found, np.nan))

    return [
        SystemLevel("pairwise_accuracy", draws.estimate(accuracy), n),
        SystemLevel("soft_pairwise_accuracy", _soft(people, segments, draws, n_resamples, rng), n),
        *(SystemLevel(name, _correlated(name, of_people, metric, draws, n), n) for name in _CORRELATIONS),
    ]


def outlier_systems(scores: Array, *, limit: float = 2.5) -> list[int]:
    """Systems whose score lies far from the others', by the median absolute deviation.

    |x − median| > limit · 1.483 · MAD; a correlation that rests on them says little of the others. None with
    fewer than four systems. Source: Mathur, Baldwin and Cohn (2020).

    >>> outlier_systems(np.array([3.1, 3.2, 3.0, 3.15, 1.2]))
    [4]
    """
    scores = np.asarray(scores, dtype=np.float64)
    if len(scores) < 4 or not np.isfinite(scores).all():
        return []
    away = np.abs(scores - np.median(scores))
    spread = 1.483 * float(np.median(away))
    return [] if spread == 0 else np.flatnonzero(away > limit * spread).tolist()


def _correlated(
    name: Literal["pearson", "kendall_tau_b"],
    people: SystemScores,
    metric: SystemScores,
    draws: Resampled,
    n: int,
) -> Estimate:
    if n < FEWEST_FOR_CORRELATION:
        return undefined("too_few_systems", f"with fewer than {FEWEST_FOR_CORRELATION} one system decides it")

    def weighted(items: Array, systems: Array) -> Array:
        pairs = zip(people(items), metric(items), systems, strict=True)
        return np.array(
            [_value(correlation(name, *(np.repeat(x, w.astype(int)) for x in (a, b)))) for a, b, w in pairs]
        )

    return draws.estimate(weighted)


def _value(found: Estimate) -> float:
    return np.nan if found.value is None else found.value


def _soft(
    people: Array, segments: Array | None, draws: Resampled, n_resamples: int, rng: np.random.Generator | None
) -> Estimate:
    if segments is None:
        return undefined("no_segment_values", "the metric has no values of single responses")
    whole: Array = np.asarray(np.isfinite(people).all(axis=1) & np.isfinite(segments).all(axis=1))
    if not whole.any():
        return undefined("no_pairable_units", "no item has all systems")
    rng = np.random.default_rng(0) if rng is None else rng
    # both under the same signs, so that chance cannot tell them apart
    seed = int(rng.integers(2**32))
    p_people, p_metric = (
        one_sided_p_values(table[whole], n_resamples=max(200, n_resamples), rng=np.random.default_rng(seed))
        for table in (people, segments)
    )
    found = soft_pairwise_accuracy(p_people, p_metric)
    if found.value is None:
        return found
    return found.with_interval(*_soft_interval(found.value, people, segments, whole, draws))


def _soft_interval(
    value: float, people: Array, segments: Array, whole: Array, draws: Resampled
) -> tuple[Interval | None, Status]:
    """Percentiles under the draws, p-values by the normal distribution of signed sums."""
    if draws.status != "ok" or not len(draws.items):
        return None, draws.status
    from scipy.special import ndtr

    first, second = np.triu_indices(people.shape[1], 1)
    weights, items = draws.systems[:, first] * draws.systems[:, second], draws.items[:, whole]
    p_values = []
    for table in (people[whole], segments[whole]):
        gaps = table[:, first] - table[:, second]
        spread = np.sqrt(items @ gaps**2)
        p_values.append(ndtr(-np.divide(items @ gaps, spread, out=np.zeros_like(spread), where=spread > 0)))
    total = weights.sum(axis=1)
    apart = (weights * np.abs(p_values[0] - p_values[1])).sum(axis=1)
    drawn = 1.0 - np.divide(apart, total, out=np.full(len(total), np.nan), where=total > 0)
    interval = percentile_interval(value, drawn, draws.level, method=f"bootstrap of {draws.resample}")
    return interval, "ok" if interval else "no_variation"
