"""Odds of higher ratings, system against system: the cumulative-link model of a rating study."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from empeval.statistics.design import Ratings
from empeval.statistics.mixed.effects import Effect
from empeval.statistics.mixed.ordinal import CumulativeResult, cumulative_link_mixed_model
from empeval.statistics.mixed.ratings import rated
from empeval.statistics.multiplicity import holm
from empeval.statistics.resampling import Interval
from empeval.statistics.results import Status

__all__ = ["OddsRatio", "RatingOdds", "rating_odds"]

_ALONE = "Raters have no random effect here, so differences that few raters make look surer than they are."


@dataclass(frozen=True)
class OddsRatio:
    """How many times higher ``system_a``'s odds of a better rating are than those of ``system_b``.

    ``effect`` is the logarithm of ``ratio``; ``p_adjusted`` is its p-value after Holm over all pairs.
    """

    system_a: str
    system_b: str
    ratio: float | None
    interval: Interval | None
    effect: Effect
    p_adjusted: float | None


@dataclass(frozen=True, eq=False)
class RatingOdds:
    """Odds ratios of all pairs of systems, the model, and a sentence for the methods section."""

    ratios: tuple[OddsRatio, ...]
    model: CumulativeResult | None
    methods: str
    status: Status = "ok"
    note: str = ""


def rating_odds(ratings: Ratings, *, n_nodes: int = 10, level: float = 0.95) -> RatingOdds:
    """Fit rating ~ system + (1|item) as a proportional-odds model; the random intercept is the item's.

    It takes ratings for ordered categories, not for numbers, and so tells whether a result of the linear
    model hangs on equal distances between them. Source: Liddell and Kruschke (2018).

    >>> items = [i for i in "abcdef" for _ in range(2)]
    >>> values = [1, 3, 2, 3, 3, 2, 1, 2, 2, 1, 1, 3]
    >>> found = rating_odds(Ratings.of(values, items=items, raters=["r"] * 12, systems=["x", "y"] * 6))
    >>> found.ratios[0].ratio < 1, found.status
    (True, 'ok')
    """
    kept, status, note = rated(ratings)
    if status == "ok" and len(kept.systems) < 2:
        status, note = "too_few_systems", "There is a single system."
    if status != "ok":
        return RatingOdds((), None, "", status, note)
    names = [str(name) for name in kept.systems.names]
    fixed = {name: (kept.systems.codes == code).astype(np.float64) for code, name in enumerate(names)}
    del fixed[names[0]]
    model = cumulative_link_mixed_model(kept.values, fixed, kept.items.codes, n_nodes=n_nodes, level=level)
    pairs = list(itertools.combinations(names, 2))
    effects = [
        model.contrast({name: sign for name, sign in ((a, 1.0), (b, -1.0)) if name in fixed}, f"{a} − {b}")
        for a, b in pairs
    ]
    adjusted = holm([effect.p_value for effect in effects])
    return RatingOdds(
        tuple(_ratio(*pair, effect, p) for pair, effect, p in zip(pairs, effects, adjusted, strict=True)),
        model,
        _methods(kept, n_nodes) if model.status == "ok" else "",
        model.status,
        " ".join(part for part in (note, model.note, _ALONE if len(kept.raters) > 1 else "") if part),
    )


def _ratio(system_a: str, system_b: str, effect: Effect, p_adjusted: float | None) -> OddsRatio:
    if effect.value is None or effect.interval is None:
        return OddsRatio(system_a, system_b, None, None, effect, None)
    bounds = effect.interval
    interval = Interval(math.exp(bounds.low), math.exp(bounds.high), bounds.level, bounds.method)
    return OddsRatio(system_a, system_b, math.exp(effect.value), interval, effect, p_adjusted)


def _methods(ratings: Ratings, n_nodes: int) -> str:
    how = "Laplace's approximation" if n_nodes == 1 else f"{n_nodes}-point adaptive Gauss–Hermite quadrature"
    return (
        f"Cumulative-link mixed model (logit) with a random intercept of {len(ratings.items)} items, fitted "
        f"to {len(ratings.values)} ratings by {how}; Wald intervals, p-values adjusted after Holm."
    )
