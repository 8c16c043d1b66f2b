"""How often tests call systems different that are not: the default analyses beside the usual ones.

Every design has no true difference on average; what varies is how much items and raters differ in the
difference they see. A test at 5 % should be wrong in 5 % of studies.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import bdtr, ndtr, stdtr
from scipy.stats import rankdata

from benchmarks.simulations.rows import Row
from empeval.statistics.means import clustered_sum, two_way_moments

NAME = "Type-I error of comparisons"
N_SIMULATIONS = 10_000
_ALPHA = 0.05


def run() -> list[Row]:
    """Crossed ratings, crossed preferences, crowds."""
    rng = np.random.default_rng(2026)
    rows: list[Row] = []
    for n_raters in (3, 5, 10):
        for item, rater in ((0.0, 0.0), (0.5, 0.0), (0.5, 0.3)):
            rows += _ratings(rng, n_raters, item, rater)
    for n_judges in (3, 5):
        for item, judge in ((0.0, 0.0), (1.0, 0.0), (1.0, 0.5)):
            rows += _preferences(rng, n_judges, item, judge)
    for rater in (0.0, 0.3):
        rows += _crowd(rng, rater)
    return rows


def _ratings(rng: np.random.Generator, n_raters: int, item: float, rater: float) -> list[Row]:
    """50 items rated 1–5 by every rater under two systems."""
    found = _Shares()
    for n in _blocks():
        shape = (n, 50, n_raters)
        base = 3 + rng.normal(0, 0.7, (n, 50, 1)) + rng.normal(0, 0.4, (n, 1, n_raters))
        sides = []
        for _ in range(2):
            own = rng.normal(0, item / 2**0.5, (n, 50, 1)) + rng.normal(0, rater / 2**0.5, (n, 1, n_raters))
            sides.append(np.clip(np.rint(base + own + rng.normal(0, 0.8, shape)), 1, 5))
        differences = sides[0] - sides[1]
        found.add("two-way random", _two_way(differences))
        found.add("t-test of item means", _t_test(differences.mean(axis=2)))
        found.add("Wilcoxon of all ratings", _wilcoxon(differences.reshape(n, -1)))
    design = f"ratings, 50 items × {n_raters} raters; SD of item × system {item}, rater × system {rater}"
    return found.rows(design, "two-way random", 0.06)


def _preferences(rng: np.random.Generator, n_judges: int, item: float, judge: float) -> list[Row]:
    """100 items judged A, B or tie by every judge; a fifth of the judgments of a balanced item are ties."""
    found = _Shares()
    for n in _blocks():
        lean = rng.normal(0, item, (n, 100, 1)) + rng.normal(0, judge, (n, 1, n_judges))
        latent = lean + rng.logistic(0, 1, (n, 100, n_judges))
        values = np.sign(latent) * (np.abs(latent) > 0.405)
        found.add("two-way random", _two_way(values))
        found.add("t-test of item means", _t_test(values.mean(axis=2)))
        wins, losses = (values > 0).sum(axis=(1, 2)), (values < 0).sum(axis=(1, 2))
        found.add("binomial test of judgments", 2 * bdtr(np.minimum(wins, losses), wins + losses, 0.5))
    design = f"A/B, 100 items × {n_judges} judges; SD of item {item}, of judge {judge} (logits)"
    return found.rows(design, "two-way random", 0.07 if n_judges == 3 else 0.06)


def _crowd(rng: np.random.Generator, rater: float) -> list[Row]:
    """60 items × 2 systems × 3 ratings by 30 raters who see each item under one system only."""
    found = _Shares()
    n_items, n_raters, times = 60, 30, 3
    items = np.tile(np.repeat(np.arange(n_items), times), 2)
    systems = np.repeat([0, 1], n_items * times)
    sign = np.where(systems == 0, 1.0, -1.0) / (n_items * times)
    for _ in range(N_SIMULATIONS):
        # a rater has 12 slots; of one item he gets at most one
        order = np.argsort(rng.random((n_items, n_raters)), axis=1)[:, : 2 * times]
        raters = np.concatenate([order[:, :times].ravel(), order[:, times:].ravel()])
        effects = rng.normal(0, 0.7, n_items)[items] + rng.normal(0, 0.4, n_raters)[raters]
        effects += rng.normal(0, 0.35, (2, n_items))[systems, items]
        effects += rng.normal(0, rater / 2**0.5, (2, n_raters))[systems, raters]
        values = np.clip(np.rint(3 + effects + rng.normal(0, 0.8, len(items))), 1, 5)
        value = float(sign @ values)
        means = np.array([values[systems == side].mean() for side in (0, 1)])
        influence = sign * (values - means[systems])
        clustered = clustered_sum(value, influence, items, raters).p_value
        by_item = np.bincount(items, sign * values * n_items, n_items)
        found.add("clusters of dialogues and raters", np.array([1.0 if clustered is None else clustered]))
        found.add("t-test of item means", _t_test(by_item[None, :]))
        found.add("Mann–Whitney of all ratings", _mann_whitney(values[systems == 0], values[systems == 1]))
    design = f"crowd, 60 items × 2 systems × 3 ratings, 30 raters; SD of rater × system {rater}"
    return found.rows(design, "clusters of dialogues and raters", 0.06)


class _Shares:
    """How often each test finds a difference."""

    def __init__(self) -> None:
        self._found: dict[str, list[float]] = {}

    def add(self, test: str, p_values: Any) -> None:
        self._found.setdefault(test, []).extend((np.asarray(p_values) <= _ALPHA).tolist())

    def rows(self, design: str, default: str, high: float) -> list[Row]:
        return [
            Row(
                design,
                f"{test} (default)" if test == default else test,
                float(np.mean(shares)),
                None,
                high if test == default else None,
            )
            for test, shares in self._found.items()
        ]


def _blocks(size: int = 500) -> list[int]:
    return [size] * (N_SIMULATIONS // size)


def _two_way(values: np.ndarray) -> np.ndarray:
    """p-values of the default test, shape (n_studies,)."""
    mean, squared, df = two_way_moments(values)
    return np.asarray(2 * stdtr(df, -np.abs(mean) / np.sqrt(np.maximum(squared, 1e-300))))


def _t_test(values: np.ndarray) -> np.ndarray:
    n = values.shape[1]
    error = np.maximum(values.std(axis=1, ddof=1), 1e-300) / n**0.5
    return np.asarray(2 * stdtr(n - 1, -np.abs(values.mean(axis=1)) / error))


def _wilcoxon(values: np.ndarray) -> np.ndarray:
    """Signed ranks, zeros dropped, by the normal approximation."""
    found = []
    for row in values:
        kept = row[row != 0]
        ranks = rankdata(np.abs(kept))
        found.append((ranks * np.sign(kept)).sum() / max((ranks**2).sum(), 1e-300) ** 0.5)
    return np.asarray(2 * ndtr(-np.abs(found)))


def _mann_whitney(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    ranks = rankdata(np.concatenate([x, y]))
    n, m = len(x), len(y)
    spread = ranks.var(ddof=1) * n * m / (n + m)
    away = ranks[:n].sum() - n * (n + m + 1) / 2
    return np.asarray([2 * ndtr(-abs(away) / max(spread, 1e-300) ** 0.5)])
