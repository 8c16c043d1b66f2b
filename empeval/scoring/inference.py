"""Intervals, paired tests and tiers for a table of systems by metrics."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from empeval.errors import InputError
from empeval.metrics.base import Metric
from empeval.scoring.results import Comparison
from empeval.scoring.signature import Signature
from empeval.statistics.multiplicity import holm, tiers
from empeval.statistics.resampling import (
    Interval,
    Resampler,
    jackknife_error,
    jackknife_interval,
    minimum_detectable_difference,
    percentile_interval,
    permutation_p_value,
)
from empeval.statistics.segments import Array, SegmentStats, Stats
from empeval.statistics.whole import Whole

__all__ = ["CORRECTION", "Grouping", "Inference", "Settings", "Table", "fewest_dialogues"]

CORRECTION = "holm"
#: beyond this the tables of resampled totals no longer fit into memory
_MOST_SWAPS = 500_000


@dataclass(frozen=True)
class Settings:
    """How uncertainty is measured; raises InputError for values that make no sense."""

    seed: int = 0
    n_resamples: int = 1000
    level: float = 0.95

    def __post_init__(self) -> None:
        if not 0.0 < self.level < 1.0:
            raise InputError(f"level must lie between 0 and 1, not {self.level}")
        if self.n_resamples < 0:
            raise InputError(f"the number of resamples must not be negative, and is {self.n_resamples}")
        if self.n_resamples > _MOST_SWAPS:
            raise InputError(
                f"{self.n_resamples:,} resamples are too many; at most {_MOST_SWAPS:,} can be held"
            )

    def n_swaps(self, n_pairs: int) -> int:
        """Resamples of a test: enough for Holm over these pairs to reach 1 − level."""
        n_swaps = max(self.n_resamples, math.ceil(20 * n_pairs / (1 - self.level) - 1e-6))
        if n_swaps > _MOST_SWAPS:
            raise InputError(
                f"{n_pairs} pairs of systems at level {self.level} need {n_swaps:,} resamples, more than "
                f"{_MOST_SWAPS:,}; choose a lower level, fewer systems or fewer resamples"
            )
        return n_swaps


def fewest_dialogues(n_pairs: int, level: float) -> int:
    """How many dialogues a test of all swaps needs so that Holm over these pairs can reach 1 − level.

    n dialogues can be swapped in 2^n ways, and two of them differ by as much as what was observed: p is at
    least 2 / 2^n.

    >>> fewest_dialogues(1, 0.95), fewest_dialogues(21, 0.95)
    (6, 10)
    """
    return 1 + math.ceil(math.log2(n_pairs / (1 - level)) - 1e-9)


class Grouping:
    """Joins rows by dialogue: ``groups`` has shape (n_segments,) and holds 0 … n_groups − 1.

    Metrics that share their dense rows go on sharing them, and are resampled once.
    """

    def __init__(self, groups: Array, n_groups: int) -> None:
        self._groups, self._n_groups = groups, n_groups
        # the rows are kept beside what they became, so that no other rows can take their identity
        self._made: dict[int, tuple[Stats, Stats]] = {}

    def __call__(self, stats: Stats) -> Stats:
        if not isinstance(stats, SegmentStats):
            return stats.grouped(self._groups, self._n_groups)
        if id(stats) not in self._made:
            self._made[id(stats)] = (stats, stats.grouped(self._groups, self._n_groups))
        return self._made[id(stats)][1]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of every system under every metric; ``cells[m, s]`` holds them, or why there are none.

    ``empty`` has shape (n_systems, n_segments): whether a response is empty.
    """

    systems: Sequence[str]
    metrics: Sequence[tuple[str, Metric]]
    signatures: Sequence[Signature]
    cells: Mapping[tuple[int, int], Stats | str]
    empty: Array

    @property
    def n_segments(self) -> int:
        return int(self.empty.shape[1])

    def n_empty(self, s: int) -> int:
        """How many responses of a system are empty."""
        return int(np.count_nonzero(self.empty[s]))

    def value(self, m: int, s: int) -> tuple[float | None, str | None]:
        """The score, or None and the reason."""
        cell = self.cells[m, s]
        if isinstance(cell, str):
            return None, cell
        metric = self.metrics[m][1]
        value = float(metric.aggregate(cell.totals()))
        return (value, None) if math.isfinite(value) else (None, metric.why_undefined)

    def defined(self, m: int) -> list[int]:
        """The systems that have a value."""
        return [s for s in range(len(self.systems)) if self.value(m, s)[0] is not None]

    def stats(self, m: int, s: int) -> Stats:
        """The rows of a system that has a value."""
        cell = self.cells[m, s]
        assert not isinstance(cell, str)
        return cell

    def grouped(self, joining: Grouping) -> Table:
        """Join the rows of each dialogue."""
        cells = {at: cell if isinstance(cell, str) else joining(cell) for at, cell in self.cells.items()}
        return replace(self, cells=cells)

    def subset(self, rows: Array, by: str, group: str) -> Table:
        """The segments at these rows, which are one group of a breakdown."""
        made: dict[int, Stats] = {}

        def part(cell: Stats | str) -> Stats | str:
            if isinstance(cell, str):
                return cell
            if id(cell) not in made:
                made[id(cell)] = cell.subset(rows)
            return made[id(cell)]

        cells = {at: part(cell) for at, cell in self.cells.items()}
        signatures = [signature.within(by, group, len(rows)) for signature in self.signatures]
        return replace(self, cells=cells, signatures=signatures, empty=self.empty[:, rows])


@dataclass(frozen=True, eq=False)
class _Replicates:
    """Scores over resamples (``bootstrap``), or without each dialogue in turn (``jackknife``)."""

    method: str
    scores: Array

    def minus(self, other: _Replicates) -> _Replicates:
        return _Replicates(self.method, self.scores - other.scores)

    def error(self) -> float | None:
        """The standard error, or None where it is undefined."""
        if self.method == "jackknife":
            return jackknife_error(self.scores)
        defined = self.scores[np.isfinite(self.scores)]
        return float(np.std(defined)) if len(defined) > 1 else None


class Inference:
    """Resamples the dialogues once and answers for every metric and system of a table.

    ``keys`` name the dialogues, shape (n_units,), in the order of the table's rows.
    """

    def __init__(self, table: Table, keys: Array, settings: Settings) -> None:
        self._table = table
        self._settings = settings
        self._resampler = Resampler(keys, settings.seed)
        self._replicates = self._resample() if settings.n_resamples and len(keys) > 1 else {}

    def _resample(self) -> dict[tuple[int, int], _Replicates]:
        table, resampler = self._table, self._resampler
        found: dict[tuple[int, int], _Replicates] = {}
        dense: dict[tuple[int, int], SegmentStats] = {}
        for m, (_, metric) in enumerate(table.metrics):
            for s in table.defined(m):
                stats = table.stats(m, s)
                if metric.resampling == "bootstrap" and isinstance(stats, SegmentStats):
                    dense[m, s] = stats
                elif metric.resampling == "jackknife":
                    found[m, s] = _Replicates("jackknife", metric.aggregate(stats.leave_one_out()))
        totals = resampler.bootstrap_totals(list(dense.values()), self._settings.n_resamples)
        method = "exact bootstrap" if resampler.enumerates_bootstrap() else "bootstrap"
        for (m, s), resampled in zip(dense, totals, strict=True):
            found[m, s] = _Replicates(method, table.metrics[m][1].aggregate(resampled))
        return found

    def interval(self, m: int, s: int) -> Interval | None:
        """The interval of one score: by jackknife where a bootstrap fails to hold its own estimate."""
        value = self._table.value(m, s)[0]
        replicates = self._replicates.get((m, s))
        if value is None or replicates is None:
            return None
        metric = self._table.metrics[m][1]
        level = self._settings.level
        if replicates.method != "jackknife":
            found = percentile_interval(value, replicates.scores, level, method=replicates.method)
            if found:
                return found
            replicates = self._left_out(m, s)
        return jackknife_interval(value, replicates.scores, level, bounds=metric.limits)

    def _left_out(self, m: int, s: int) -> _Replicates:
        metric = self._table.metrics[m][1]
        return _Replicates("jackknife", metric.aggregate(self._table.stats(m, s).leave_one_out()))

    def _difference(self, m: int, a: int, b: int, difference: float) -> tuple[Interval | None, float | None]:
        """The interval and the standard error of a difference."""
        if (m, a) not in self._replicates:
            return None, None
        paired = self._replicates[m, a].minus(self._replicates[m, b])
        error, level = paired.error(), self._settings.level
        if paired.method != "jackknife":
            found = percentile_interval(difference, paired.scores, level, method=paired.method)
            if found:
                return found, error
            paired = self._left_out(m, a).minus(self._left_out(m, b))
        return jackknife_interval(difference, paired.scores, level), error

    def comparisons(self) -> list[Comparison]:
        """Every pair of systems on every metric, p-values corrected over the pairs of a metric."""
        by_metric: dict[int, list[Comparison]] = {}
        families: dict[tuple[int, ...], list[int]] = {}
        for m in range(len(self._table.metrics)):
            families.setdefault(tuple(self._table.defined(m)), []).append(m)
        for systems, metrics in families.items():
            by_metric.update(self._family(systems, metrics))
        return [comparison for m in sorted(by_metric) for comparison in by_metric[m]]

    def _family(self, systems: Sequence[int], metrics: Sequence[int]) -> dict[int, list[Comparison]]:
        """The comparisons of the metrics for which exactly these systems have a value."""
        table = self._table
        pairs = list(itertools.combinations(range(len(systems)), 2))
        if not pairs:
            return {}
        p_values: dict[int, list[float]] = {}
        tested = [m for m in metrics if not self._is_whole(m, systems)]
        if tested and self._settings.n_resamples and self._resampler.n_units > 1:
            stats = [[table.stats(m, s) for s in systems] for m in tested]
            n_swaps = self._settings.n_swaps(len(pairs))
            swapped = self._resampler.swapped_totals(stats, pairs, n_swaps)
            for m, totals in zip(tested, swapped, strict=True):
                p_values[m] = self._p_values(m, systems, pairs, totals)
        return {m: self._compared(m, systems, pairs, p_values.get(m)) for m in metrics}

    def _p_values(
        self,
        m: int,
        systems: Sequence[int],
        pairs: Sequence[tuple[int, int]],
        totals: Iterable[tuple[Array, Array]],
    ) -> list[float]:
        metric, exact = self._table.metrics[m][1], self._resampler.enumerates_swaps()
        observed = [float(metric.aggregate(self._table.stats(m, s).totals())) for s in systems]
        return [
            permutation_p_value(
                observed[a] - observed[b],
                metric.aggregate(first) - metric.aggregate(second),
                exact=exact,
            )
            for (a, b), (first, second) in zip(pairs, totals, strict=True)
        ]

    def _compared(
        self,
        m: int,
        systems: Sequence[int],
        pairs: Sequence[tuple[int, int]],
        p_values: Sequence[float] | None,
    ) -> list[Comparison]:
        table, level = self._table, self._settings.level
        exact = self._resampler.enumerates_swaps()
        separable = self._resampler.n_units >= fewest_dialogues(len(pairs), level)
        adjusted = holm(p_values) if p_values else [None] * len(pairs)
        found = []
        for i, (first, second) in enumerate(pairs):
            a, b = systems[first], systems[second]
            difference = _defined(table.value(m, a)[0]) - _defined(table.value(m, b)[0])
            interval, error = self._difference(m, a, b, difference)
            found.append(
                Comparison(
                    metric=table.metrics[m][0],
                    system_a=table.systems[a],
                    system_b=table.systems[b],
                    difference=difference,
                    interval=interval,
                    p_value=p_values[i] if p_values else None,
                    p_adjusted=adjusted[i],
                    correction=CORRECTION,
                    method=("exact permutation" if exact else "paired permutation") if p_values else None,
                    minimum_detectable_difference=minimum_detectable_difference(error, level)
                    if error and separable
                    else None,
                    reason=None if p_values else self._why_untested(m, systems),
                )
            )
        return found

    def _is_whole(self, m: int, systems: Sequence[int]) -> bool:
        """Whether a metric's scores would have to be computed anew for every resample."""
        return any(isinstance(self._table.stats(m, s), Whole) for s in systems)

    def _why_untested(self, m: int, systems: Sequence[int]) -> str:
        if self._is_whole(m, systems):
            return "not_resampled: the score is one number of all segments together"
        if self._settings.n_resamples == 0:
            return "no_resampling: resampling was switched off"
        return "too_few_dialogues: a paired test needs at least two dialogues"

    def tiers(self, comparisons: Iterable[Comparison]) -> dict[str, list[list[str]]]:
        """Best tier first, for every metric that has a direction and tests."""
        alpha = 1.0 - self._settings.level
        better: dict[str, set[tuple[str, str]]] = {}
        for c in comparisons:
            if c.p_adjusted is not None and c.difference is not None:
                pairs = better.setdefault(c.metric, set())
                if c.p_adjusted < alpha and c.difference:
                    higher = (c.system_a, c.system_b) if c.difference > 0 else (c.system_b, c.system_a)
                    pairs.add(higher)
        found = {}
        for m, (text, metric) in enumerate(self._table.metrics):
            if metric.higher_is_better is None or text not in better:
                continue
            sign = -1.0 if metric.higher_is_better else 1.0
            ranked = sorted(
                (sign * _defined(self._table.value(m, s)[0]), self._table.systems[s])
                for s in self._table.defined(m)
            )
            wins = better[text] if sign < 0 else {(low, high) for high, low in better[text]}
            found[text] = tiers([system for _, system in ranked], wins)
        return found


def _defined(value: float | None) -> float:
    assert value is not None  # only systems that have a value are compared
    return value
