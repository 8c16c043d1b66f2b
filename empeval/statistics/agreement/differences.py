"""Whether agreement differs: two coefficients on the same units, resampled together."""

from __future__ import annotations

import numpy as np

from empeval.statistics.agreement.units import BOOTSTRAP_FROM, Evaluate, Units
from empeval.statistics.resampling import jackknife_interval, percentile_interval
from empeval.statistics.results import Estimate, undefined
from empeval.statistics.segments import Array

__all__ = ["Prepared", "agreement_difference"]

#: Units and a coefficient on them, as the ``prepared`` functions of the coefficients give it.
Prepared = tuple[Units, Evaluate]


def agreement_difference(
    first: Prepared,
    second: Prepared,
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """The first coefficient minus the second, with an interval that resamples the units of both together.

    Both must come from ratings whose dialogues are numbered alike, as two questions about the same responses
    are, or two coefficients of one question. Units that only one of them can use count for that one alone.

    >>> from empeval.statistics.agreement.alpha import prepared
    >>> from empeval.statistics.design import Ratings
    >>> one = Ratings.from_matrix([[1, 1], [2, 2], [3, 3], [1, 2]])
    >>> other = Ratings.from_matrix([[1, 2], [2, 2], [3, 1], [1, 2]])
    >>> round(agreement_difference(prepared(one, "interval"), prepared(other, "interval")).value, 3)
    1.321
    """
    values = [
        float(evaluate(units.weights[None, :])[0]) if units.n else np.nan
        for units, evaluate in (first, second)
    ]
    if not np.isfinite(values).all():
        return undefined("no_variation", "one of the two coefficients is not defined")
    estimate = values[0] - values[1]
    joint = _Joint((first[0], second[0]))
    if n_resamples == 0:
        return Estimate(estimate)
    if joint.n < 2:
        return Estimate(estimate).with_interval(None, "too_few_units")

    def difference(times: Array) -> Array:
        parts = [
            evaluate(_rows(units, times @ kinds))
            for (units, evaluate), kinds in zip((first, second), joint.kinds, strict=True)
        ]
        return np.asarray(parts[0] - parts[1])

    if joint.n >= BOOTSTRAP_FROM:
        rng = np.random.default_rng(0) if rng is None else rng
        drawn = rng.multinomial(joint.n, joint.times / joint.n, size=n_resamples).astype(np.float64)
        found = percentile_interval(estimate, difference(drawn), level)
        if found is not None:
            return Estimate(estimate, found)
    left = np.repeat(joint.times[None, :].astype(np.float64), len(joint.times), axis=0) - np.eye(
        len(joint.times)
    )
    found = jackknife_interval(estimate, np.repeat(difference(left), joint.times), level)
    return Estimate(estimate).with_interval(found, "ok" if found else "no_variation")


class _Joint:
    """Pairs of kinds that resampling units are of: how often each occurs, and which kind it is on each side.

    ``kinds`` are two tables (n_pairs, n_kinds) with a one where a pair is of that kind.
    """

    def __init__(self, both: tuple[Units, Units]) -> None:
        names = [np.arange(units.n) if units.labels is None else units.labels for units in both]
        every = np.unique(np.concatenate(names))
        sides = []
        for units, labels in zip(both, names, strict=True):
            kind = np.full(len(every), -1, dtype=np.int64)
            if len(labels):
                kind[np.searchsorted(every, labels)] = np.asarray(units.kinds)
            sides.append(kind)
        pairs, self.times = np.unique(np.stack(sides, axis=1), axis=0, return_counts=True)
        self.n = int(self.times.sum())
        self.kinds = []
        for units, kind in zip(both, pairs.T, strict=True):
            table = np.zeros((len(pairs), len(units.times)))
            table[np.flatnonzero(kind >= 0), kind[kind >= 0]] = 1.0
            self.kinds.append(table)


def _rows(units: Units, times: Array) -> Array:
    return times if units.profiles is None else np.asarray(times @ units.profiles)
