"""Items, systems or both drawn anew, and intervals of what is computed under their weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from empeval.statistics.resampling import percentile_interval
from empeval.statistics.results import Estimate, Status, undefined
from empeval.statistics.segments import Array

__all__ = ["Resample", "Resampled", "Weighted"]

#: What is drawn anew: other items, other systems, or both.
Resample = Literal["items", "systems", "both"]
#: Weights of items (n_resamples, n_items) and systems (n_resamples, n_systems) → values (n_resamples,).
Weighted = Callable[[Array, Array], Array]

#: Percentiles of fewer draws of units say nothing.
FEWEST_UNITS = 5


@dataclass(frozen=True, eq=False)
class Resampled:
    """The same draws for every metric and statistic: weights of items, by their dialogues, and of systems.

    Where what is drawn has fewer than five units there is no interval.
    """

    items: Array
    systems: Array
    level: float
    resample: Resample
    status: Status

    @classmethod
    def of(
        cls,
        dialogues: Array,
        n_systems: int,
        *,
        resample: Resample = "items",
        level: float = 0.95,
        n_resamples: int = 1000,
        rng: np.random.Generator | None = None,
    ) -> Resampled:
        """Draw dialogues (n_items,) with replacement, systems too where asked for.

        >>> found = Resampled.of(np.array([0, 0, 1]), 2, n_resamples=10)
        >>> found.items.shape, bool((found.items[:, 0] == found.items[:, 1]).all()), found.status
        ((10, 3), True, 'too_few_items')
        """
        rng = np.random.default_rng(0) if rng is None else rng
        at = np.unique(dialogues, return_inverse=True)[1]
        n_dialogues = int(at.max(initial=-1)) + 1
        items, systems = np.ones((n_resamples, len(dialogues))), np.ones((n_resamples, n_systems))
        status: Status = "ok"
        if resample in ("items", "both"):
            items = _drawn(n_dialogues, n_resamples, rng)[:, at]
            status = "too_few_items" if n_dialogues < FEWEST_UNITS else status
        if resample in ("systems", "both"):
            systems = _drawn(n_systems, n_resamples, rng)
            status = "too_few_systems" if n_systems < FEWEST_UNITS else status
        return cls(items, systems, level, resample, status)

    def estimate(self, weighted: Weighted, *, why: Status = "no_variation", note: str = "") -> Estimate:
        """The value of the data as they are, and the percentiles of it under the draws."""
        ones = np.ones((1, self.items.shape[1])), np.ones((1, self.systems.shape[1]))
        value = float(weighted(*ones)[0])
        if not np.isfinite(value):
            return undefined(why, note)
        found = Estimate(value, note=note)
        if not len(self.items):
            return found
        if self.status != "ok":
            return found.with_interval(None, self.status)
        method = f"bootstrap of {'items and systems' if self.resample == 'both' else self.resample}"
        interval = percentile_interval(value, weighted(self.items, self.systems), self.level, method=method)
        return found.with_interval(interval, "ok" if interval else "no_variation")


def _drawn(n: int, n_resamples: int, rng: np.random.Generator) -> Array:
    """How often each of n units is drawn, shape (n_resamples, n)."""
    if not n:
        return np.ones((n_resamples, 0))
    return rng.multinomial(n, np.full(n, 1.0 / n), size=n_resamples).astype(np.float64)
