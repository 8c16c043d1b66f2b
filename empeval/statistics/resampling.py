"""Intervals and paired tests for scores that are functions of summed rows.

Bootstrap = weighted sums with random weights; paired permutation = each unit's rows keep or swap their
systems; both are matrix products over the units, so one pass serves every metric and system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import TypeVar

import numpy as np

from empeval.statistics.segments import Array, SegmentStats, Stats, TypeStats
from empeval.statistics.typeswaps import swapped_type_totals
from empeval.statistics.weights import bits, poisson_weights, swap_words

__all__ = [
    "Aggregate",
    "Interval",
    "Resampler",
    "TestResult",
    "interval",
    "jackknife_interval",
    "minimum_detectable_difference",
    "paired_permutation_test",
    "percentile_interval",
]

T = TypeVar("T")
Aggregate = Callable[[Array], Array]
#: Enumerate all resamples instead of drawing them where there are no more than this.
EXACT_LIMIT = 100_000
_BLOCK_UNITS = 2048
_POWER = 0.80


@dataclass(frozen=True)
class Interval:
    """A confidence interval: ``low`` ≤ estimate ≤ ``high`` at a confidence ``level``, and how it was made."""

    low: float
    high: float
    level: float
    method: str


@dataclass(frozen=True)
class TestResult:
    """An observed difference, its two-sided p-value in (0, 1], and how it was found."""

    __test__ = False  # pytest would take the name for a test class

    difference: float
    p_value: float
    method: str


@dataclass(frozen=True, eq=False)
class Resampler:
    """Random resamples of one set of units, the same for every metric and system.

    ``keys`` has shape (n_units,) and names the units (see `weights.hashed_keys`).
    """

    keys: Array
    seed: int = 0

    @property
    def n_units(self) -> int:
        return len(self.keys)

    def enumerates_bootstrap(self) -> bool:
        """Whether all n^n resamples are few enough to take every one."""
        return 1 <= self.n_units <= 6  # 6^6 = 46,656; 7^7 is over the limit

    def enumerates_swaps(self) -> bool:
        """Whether all 2^n swaps are few enough to take every one."""
        return 2**self.n_units <= EXACT_LIMIT if self.n_units <= 62 else False

    def bootstrap_totals(self, stats: Sequence[SegmentStats], n_resamples: int) -> list[Array]:
        """Weighted totals of each, shape (n_resamples, n_columns), under the same weights."""
        if self.enumerates_bootstrap():
            return self._weighted(stats, lambda at: self._all_resamples[at])
        return self._weighted(stats, lambda at: poisson_weights(self.keys[at], self.seed, n_resamples))

    @cached_property
    def _all_resamples(self) -> Array:
        """Every resample of n units with replacement as counts, shape (n_units, n^n)."""
        n = self.n_units
        drawn = np.indices((n,) * n).reshape(n, -1)
        return np.stack([(drawn == unit).sum(axis=0) for unit in range(n)])

    def n_swaps(self, n_resamples: int) -> int:
        """How many swaps a test uses: all of them where they are few."""
        return 2**self.n_units if self.enumerates_swaps() else n_resamples

    def swap_words(self, n_resamples: int) -> Array:
        """Packed fair bits (n_units, n_words): set where a unit keeps its systems."""
        if self.enumerates_swaps():
            every = np.arange(2**self.n_units, dtype=np.uint64)
            kept = (every[None, :] >> np.arange(self.n_units, dtype=np.uint64)[:, None]) & np.uint64(1)
            padded = np.zeros((self.n_units, -(-len(every) // 64) * 64), dtype=np.uint8)
            padded[:, : len(every)] = kept
            return np.packbits(padded, axis=1, bitorder="little").view("<u8")
        return swap_words(self.keys, self.seed, n_resamples)

    def swapped_totals(
        self, stats: Sequence[Sequence[Stats]], pairs: Sequence[tuple[int, int]], n_resamples: int
    ) -> Iterator[Iterator[tuple[Array, Array]]]:
        """For each metric, for each pair: totals of the two pseudo-systems, (n_swaps, n_columns) each.

        ``stats[m][s]`` belongs to metric m and system s; a pair is two system numbers.
        """
        n = self.n_swaps(n_resamples)
        words = self.swap_words(n_resamples)
        dense = [s for metric in stats for s in metric if isinstance(s, SegmentStats)]
        kept = iter(self._weighted(dense, lambda at: bits(words[at], n)))
        for metric in stats:
            if all(isinstance(s, SegmentStats) for s in metric):
                yield _dense_swaps(metric, [next(kept) for _ in metric], pairs)
            else:
                types = [s for s in metric if isinstance(s, TypeStats)]
                yield swapped_type_totals(types, pairs, words, n)

    def _weighted(self, stats: Sequence[SegmentStats], weights: Callable[[slice], Array]) -> list[Array]:
        """Totals under weights(block) of shape (units of the block, n_resamples).

        Columns of counts are stacked into one product, which is exact whatever their order; rows of
        fractions are multiplied one table at a time, so that the other systems cannot change a last bit.
        """
        distinct = {id(s): s for s in stats}
        counts = [s for s in distinct.values() if s.values.dtype.kind in "iu"]
        fractions = [s for s in distinct.values() if s.values.dtype.kind not in "iu"]
        tables = [np.concatenate([s.values for s in counts], axis=1)] if counts else []
        tables += [s.values.astype(np.float64, copy=False) for s in fractions]
        sums: list[Array | float] = [0.0] * len(tables)
        for start in range(0, self.n_units if stats else 0, _BLOCK_UNITS):
            at = slice(start, start + _BLOCK_UNITS)
            drawn = weights(at).T
            by_type: dict[np.dtype[np.floating], Array] = {}
            for i, table in enumerate(tables):
                rows = table[at]
                kind = _exact_type(rows, drawn)
                if kind not in by_type:
                    by_type[kind] = drawn.astype(kind)
                # the narrower type is exact within a block, the sum over blocks needs the wider one
                sums[i] = np.add(sums[i], by_type[kind] @ rows.astype(kind), dtype=np.float64)
        found: dict[int, Array] = {}
        if counts:
            cuts = np.cumsum([s.values.shape[1] for s in counts])[:-1]
            parts = np.split(np.asarray(sums[0], dtype=np.float64), cuts, axis=1)
            found.update((id(s), part) for s, part in zip(counts, parts, strict=True))
            sums = sums[1:]
        found.update((id(s), np.asarray(total)) for s, total in zip(fractions, sums, strict=True))
        return [found[id(s)] for s in stats]


def _exact_type(rows: Array, weights: Array) -> np.dtype[np.floating]:
    """float32 where it holds every partial sum of these counts exactly, else float64."""
    if rows.dtype.kind not in "iu":
        return np.dtype(np.float64)
    bound = np.abs(rows).sum(axis=0, dtype=np.int64).max(initial=0) * int(weights.max(initial=1))
    return np.dtype(np.float32) if bound < 2**24 else np.dtype(np.float64)


def _dense_swaps(
    stats: Sequence[Stats], kept: Sequence[Array], pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[Array, Array]]:
    totals = [s.totals().astype(np.float64) for s in stats]
    for a, b in pairs:
        yield kept[a] + (totals[b] - kept[b]), kept[b] + (totals[a] - kept[a])


def percentile_interval(
    estimate: float, resampled: Array, level: float, *, method: str = "bootstrap"
) -> Interval | None:
    """The percentile interval of resampled scores, or None where it fails to hold the estimate.

    Resamples with an undefined score are left out; with more than 5 % of them there is no interval.
    """
    defined = resampled[np.isfinite(resampled)]
    if len(defined) < 0.95 * len(resampled) or not len(defined):
        return None
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(defined, [tail, 1.0 - tail])
    if not low <= estimate <= high:
        return None
    return Interval(float(low), float(high), level, method)


def jackknife_interval(
    estimate: float,
    left_out: Array,
    level: float,
    *,
    bounds: tuple[float | None, float | None] = (None, None),
) -> Interval | None:
    """The jackknife-t interval from scores without each unit in turn, shape (n_units,).

    SE² = (n − 1) / n · Σ (θ_i − mean θ)²; estimate ± t · SE with n − 1 degrees of freedom, cut at ``bounds``.
    Source: Efron and Tibshirani (1993), chapter 11.

    >>> jackknife_interval(2.0, np.array([2.5, 2.0, 1.5]), 0.95)  # doctest: +ELLIPSIS
    Interval(low=-0.48..., high=4.48..., level=0.95, method='jackknife')
    """
    error = jackknife_error(left_out)
    if error is None:
        return None
    from scipy.special import stdtrit

    margin = float(stdtrit(len(left_out) - 1, 0.5 + level / 2.0)) * error
    low, high = estimate - margin, estimate + margin
    if bounds[0] is not None:
        low = min(max(low, bounds[0]), estimate)
    if bounds[1] is not None:
        high = max(min(high, bounds[1]), estimate)
    return Interval(low, high, level, "jackknife")


def jackknife_error(left_out: Array) -> float | None:
    """The jackknife standard error, or None with fewer than two units or an undefined score among them."""
    n = len(left_out)
    if n < 2 or not np.all(np.isfinite(left_out)):
        return None
    return float(np.sqrt((n - 1) / n * np.sum((left_out - left_out.mean()) ** 2)))


def permutation_p_value(observed: float, null: Array, *, exact: bool) -> float:
    """The share of resampled differences at least as large as the observed one, ties counted.

    Drawn resamples add one to both counts, so that p is never 0 (Phipson and Smyth, 2010); a resample with
    an undefined score counts as extreme.
    """
    # as in SciPy: equal values may differ by rounding
    slack = max(1e-12, 1e-10 * abs(observed))
    extreme = int(np.count_nonzero(~(np.abs(null) < abs(observed) - slack)))
    return extreme / len(null) if exact else (extreme + 1) / (len(null) + 1)


def minimum_detectable_difference(error: float, level: float) -> float:
    """The true difference that a two-sided test finds with 80 % power: (z_{1−α/2} + z_{0.8}) · SE.

    >>> round(minimum_detectable_difference(1.0, 0.95), 3)
    2.802
    """
    normal = NormalDist()
    return (normal.inv_cdf(0.5 + level / 2.0) + normal.inv_cdf(_POWER)) * error


def interval(
    stats: Stats,
    aggregate: Aggregate,
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    keys: Array | None = None,
) -> Interval | None:
    """A confidence interval of one score: bootstrap for dense rows, jackknife for types.

    A bootstrap that fails to hold its own estimate gives way to the jackknife. None with a single unit.

    >>> stats = SegmentStats(np.array([[1, 1], [0, 1]] * 50), ("hits", "n"))
    >>> found = interval(stats, lambda t: t[..., 0] / t[..., 1])
    >>> 0.35 < found.low < 0.5 < found.high < 0.65
    True
    """
    estimate = float(aggregate(stats.totals()))
    if stats.n_units < 2 or not np.isfinite(estimate):
        return None
    if isinstance(stats, SegmentStats):
        resampler = Resampler(_default_keys(stats, keys), seed)
        resampled = aggregate(resampler.bootstrap_totals([stats], n_resamples)[0])
        method = "exact bootstrap" if resampler.enumerates_bootstrap() else "bootstrap"
        found = percentile_interval(estimate, resampled, level, method=method)
        if found:
            return found
    return jackknife_interval(estimate, aggregate(stats.leave_one_out()), level)


def paired_permutation_test(
    a: Stats,
    b: Stats,
    aggregate: Aggregate,
    *,
    n_resamples: int = 1000,
    seed: int = 0,
    keys: Array | None = None,
) -> TestResult:
    """Test whether two systems' scores differ beyond which system answered which unit.

    Each unit's rows keep or swap their systems with probability 1/2; p is the share of differences at least
    as large as the observed one. All 2^n swaps are taken where there are at most 100,000. Source: Noreen
    (1989).

    >>> same = SegmentStats(np.array([[1, 1], [0, 1], [1, 1]]), ("hits", "n"))
    >>> paired_permutation_test(same, same, lambda t: t[..., 0] / t[..., 1]).p_value
    1.0
    """
    resampler = Resampler(_default_keys(a, keys), seed)
    first, second = next(next(resampler.swapped_totals([[a, b]], [(0, 1)], n_resamples)))
    observed = float(aggregate(a.totals()) - aggregate(b.totals()))
    exact = resampler.enumerates_swaps()
    p_value = permutation_p_value(observed, aggregate(first) - aggregate(second), exact=exact)
    return TestResult(observed, p_value, "exact permutation" if exact else "paired permutation")


def _default_keys(stats: Stats, keys: Array | None) -> Array:
    return np.arange(stats.n_units, dtype=np.uint64) if keys is None else keys
