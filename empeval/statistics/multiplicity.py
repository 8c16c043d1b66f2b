"""Many comparisons at once: adjusted p-values. An undefined p-value (None) stays so and is not counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal

import numpy as np

__all__ = [
    "Correction",
    "adjust",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bonferroni",
    "holm",
    "hommel",
    "tiers",
]

PValues = Sequence[float | None]
Correction = Literal["bh", "bonferroni", "by", "holm", "hommel"]


def adjust(p_values: PValues, correction: Correction = "holm") -> list[float | None]:
    """The adjusted p-values of a family by the name of the correction.

    >>> adjust([0.01, 0.04, None], "bonferroni")
    [0.02, 0.08, None]
    """
    return _CORRECTIONS[correction](p_values)


def holm(p_values: PValues) -> list[float | None]:
    """Holm's step-down adjusted p-values.

    Sorted ascending, p̃_(i) = max over j ≤ i of min(1, (m − j + 1) · p_(j)). Source: Holm (1979).

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    return _sorted(p_values, lambda p, m: np.maximum.accumulate((m - np.arange(m)) * p))


def bonferroni(p_values: PValues) -> list[float | None]:
    """p-values times their number, at most 1. Source: Dunn (1961).

    >>> bonferroni([0.02, None, 0.6])
    [0.04, None, 1.0]
    """
    return _sorted(p_values, lambda p, m: m * p)


def hommel(p_values: PValues) -> list[float | None]:
    """Hommel's adjusted p-values: closed testing with Simes's test. Source: Hommel (1988); Wright (1992).

    >>> hommel([0.01, 0.02, 0.03])
    [0.03, 0.03, 0.03]
    """
    return _sorted(p_values, _hommel)


def benjamini_hochberg(p_values: PValues) -> list[float | None]:
    """Adjusted p-values that bound the false discovery rate: min over j ≥ i of min(1, m / j · p_(j)).

    Source: Benjamini and Hochberg (1995).

    >>> benjamini_hochberg([0.01, 0.02, None, 0.03])
    [0.03, 0.03, None, 0.03]
    """
    return _sorted(p_values, _step_up)


def benjamini_yekutieli(p_values: PValues) -> list[float | None]:
    """As `benjamini_hochberg` under any dependence: times Σ 1 / j. Source: Benjamini and Yekutieli (2001).

    >>> benjamini_yekutieli([0.01, 0.02])
    [0.03, 0.03]
    """
    return _sorted(p_values, lambda p, m: _step_up(p, m) * (1.0 / np.arange(1, m + 1)).sum())


def tiers(order: Sequence[str], better: Collection[tuple[str, str]]) -> list[list[str]]:
    """Cut a ranking wherever every system above is significantly better than every system below.

    ``order`` is best first; ``better`` holds the pairs (winner, loser) found significant. Systems in one
    tier are not separated as groups. Source: the clusters of the WMT evaluation campaigns.

    >>> tiers(["a", "b", "c"], {("a", "c"), ("b", "c")})
    [['a', 'b'], ['c']]
    """
    wins = set(better)
    found: list[list[str]] = []
    for i, system in enumerate(order):
        cut = all((above, below) in wins for above in order[:i] for below in order[i:])
        if i == 0 or cut:
            found.append([])
        found[-1].append(system)
    return found


Ascending = np.ndarray


def _sorted(p_values: PValues, adjusted: Callable[[Ascending, int], Ascending]) -> list[float | None]:
    """Adjust the defined p-values in ascending order, and put them back."""
    places = [i for i, p in enumerate(p_values) if p is not None]
    given = np.array([p_values[i] for i in places], dtype=np.float64)
    order = np.argsort(given, kind="stable")
    found: list[float | None] = [None] * len(p_values)
    if len(given):
        values = np.minimum(1.0, adjusted(given[order], len(given)))
        for i, value in zip(order.tolist(), values.tolist(), strict=True):
            found[places[i]] = value
    return found


def _step_up(p: Ascending, m: int) -> Ascending:
    scaled = m / np.arange(1, m + 1) * p
    return np.asarray(np.minimum.accumulate(scaled[::-1])[::-1])


def _hommel(p: Ascending, m: int) -> Ascending:
    found = np.full(m, float((m / np.arange(1, m + 1) * p).min()))
    for size in range(m - 1, 1, -1):
        # Simes's test of the hypothesis with the largest p-values of this many
        tail = float((size * p[m - size + 1 :] / np.arange(2, size + 1)).min())
        bound = np.minimum(size * p, tail)
        bound[m - size + 1 :] = bound[m - size]
        found = np.maximum(found, bound)
    return np.asarray(np.maximum(found, p))


_CORRECTIONS: dict[Correction, Callable[[PValues], list[float | None]]] = {
    "bh": benjamini_hochberg,
    "bonferroni": bonferroni,
    "by": benjamini_yekutieli,
    "holm": holm,
    "hommel": hommel,
}
