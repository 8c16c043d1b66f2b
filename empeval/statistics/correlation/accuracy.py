"""Whether a metric orders pairs as people do: pairwise accuracy, with ties, and softened by uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.results import Estimate, undefined
from empeval.statistics.segments import Array

__all__ = [
    "Calibrated",
    "accuracy_with_ties",
    "calibrated_accuracy",
    "one_sided_p_values",
    "pair_differences",
    "pairwise_accuracy",
    "soft_pairwise_accuracy",
]


def pairwise_accuracy(people: Array, metric: Array) -> Estimate:
    """The share of pairs of systems that the metric orders as people do, from 0 to 1.

    Columns have shape (n_systems,); pairs that people tie are left out. Source: Kocmi et al. (2021).

    >>> pairwise_accuracy(np.array([1, 2, 3, 4]), np.array([0.1, 0.3, 0.2, 0.4])).value  # doctest: +ELLIPSIS
    0.833...
    """
    of_people, of_metric = pair_differences(people), pair_differences(metric)
    kept = of_people != 0
    if not kept.any():
        return undefined("no_variation" if len(people) > 1 else "too_few_systems")
    return Estimate(float((np.sign(of_people[kept]) == np.sign(of_metric[kept])).mean()))


def accuracy_with_ties(people: Array, metric: Array, *, threshold: float = 0.0) -> Estimate:
    """acc_eq: the share of all pairs with the same order or the same tie, from 0 to 1.

    The metric ties where two values differ by at most ``threshold``. Source: Deutsch et al. (2023).

    >>> accuracy_with_ties(np.array([1, 1, 2, 3, 3, 5]), np.array([0.5, 0.5, 0.4, 0.9, 0.8, 1.0])).value
    0.8
    """
    of_people, of_metric = pair_differences(people), pair_differences(metric)
    if not len(of_people):
        return undefined("too_few_units")
    predicted = np.where(np.abs(of_metric) <= threshold, 0.0, np.sign(of_metric))
    return Estimate(float((predicted == np.sign(of_people)).mean()))


@dataclass(frozen=True)
class Calibrated:
    """The best acc_eq over thresholds, and the threshold; the best of its own data, so rather too high."""

    accuracy: Estimate
    threshold: float


def calibrated_accuracy(people: Array, metric: Array) -> Calibrated:
    """acc_eq with the threshold of the metric's ties that suits best, over differences of pairs (n_pairs,).

    Metrics hardly ever tie and people often do; without a threshold every tie counts against the metric.
    Source: Deutsch et al. (2023).

    >>> found = calibrated_accuracy(np.array([0, 1, 0, -1]), np.array([0.1, 0.9, -0.2, -0.7]))
    >>> found.accuracy.value, found.threshold
    (1.0, 0.2)
    """
    n = len(people)
    if not n:
        return Calibrated(undefined("too_few_units"), 0.0)
    apart = np.abs(metric)
    order = np.argsort(apart, kind="stable")
    right = (np.sign(people) == np.sign(metric))[order]
    tied = (people == 0)[order]
    # hits where the first i differences are called ties and the others keep their sign
    hits = np.concatenate([[0], np.cumsum(tied)]) + right.sum() - np.concatenate([[0], np.cumsum(right)])
    ends = np.concatenate([[True], apart[order][1:] != apart[order][:-1], [True]])
    # a metric that ties exactly always does so
    ends[0] = not (apart == 0).any()
    best = int(np.argmax(np.where(ends, hits, -1)))
    threshold = 0.0 if best == 0 else float(apart[order][best - 1])
    return Calibrated(Estimate(float(hits[best]) / n), threshold)


def soft_pairwise_accuracy(people: Array, metric: Array) -> Estimate:
    """1 − mean |p_people − p_metric| over pairs of systems, p one-sided (n_pairs,), from 0 to 1.

    It asks a metric to be as sure of a pair as people are. Source: Thompson et al. (2024).

    >>> round(soft_pairwise_accuracy(np.array([0.01, 0.2, 0.4]), np.array([0.05, 0.6, 0.3])).value, 4)
    0.82
    """
    if not len(people):
        return undefined("too_few_systems")
    return Estimate(1.0 - float(np.abs(np.asarray(people) - np.asarray(metric)).mean()))


def one_sided_p_values(
    values: Array, *, n_resamples: int = 1000, rng: np.random.Generator | None = None
) -> Array:
    """p of "the first system is no better" for each pair, by signs drawn for items, shape (n_pairs,).

    ``values`` has shape (n_items, n_systems) without gaps. Equal systems have p = ½, so that p of a pair
    and of its reverse sum to 1.

    >>> one_sided_p_values(np.array([[2.0, 1.0]] * 9)).round(2).tolist()
    [0.0]
    """
    rng = np.random.default_rng(0) if rng is None else rng
    n_items, n_systems = values.shape
    signs = rng.integers(0, 2, (n_resamples, n_items)) * 2.0 - 1.0
    first, second = np.triu_indices(n_systems, 1)
    differences = values[:, first] - values[:, second]
    null, observed = signs @ differences, differences.sum(axis=0)
    slack = 1e-9 * np.maximum(1.0, np.abs(observed))
    above = (null > observed + slack).sum(axis=0)
    level = (np.abs(null - observed) <= slack).sum(axis=0)
    return np.asarray((above + level / 2 + 0.5) / (n_resamples + 1))


def pair_differences(values: Array) -> Array:
    """First minus second of every pair, shape (n (n − 1) / 2,)."""
    first, second = np.triu_indices(len(values), 1)
    column = np.asarray(values)
    return np.asarray(column[first] - column[second])
