"""Many comparisons at once: Holm's correction and significance tiers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["holm", "tiers"]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjusted p-values; an undefined p-value (None) stays so and is not counted.

    Sorted ascending, p̃_(i) = max over j ≤ i of min(1, (m − j + 1) · p_(j)). Source: Holm (1979).

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    defined = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    running = 0.0
    for rank, (p, i) in enumerate(defined):
        running = max(running, min(1.0, (len(defined) - rank) * p))
        adjusted[i] = running
    return adjusted


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
