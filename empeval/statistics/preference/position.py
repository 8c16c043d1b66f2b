"""Whether the response that was shown first was preferred for being first."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from empeval.statistics.design import Judgments
from empeval.statistics.preference.net import clipped, mean_outcome
from empeval.statistics.results import Estimate, undefined

__all__ = ["PositionEffect", "net_without_position", "position_effect"]


@dataclass(frozen=True)
class PositionEffect:
    """How often the response shown first won, of the judgments that chose one and whose order is known.

    ``share`` is 0.5 where order does not matter; ``p_value`` tests that.
    """

    n: int
    n_first_won: int
    share: Estimate
    p_value: float | None


def position_effect(judgments: Judgments, *, level: float = 0.95) -> PositionEffect:
    """The share of wins of the response shown first, with an interval by the design of the judgments.

    >>> judged = Judgments.of(
    ...     ["a"] * 4, ["b"] * 4, ["a", "b", "a", "tie"],
    ...     items=[1, 2, 3, 4], raters=["r"] * 4, first_shown=["a", "b", "b", "a"],
    ... )
    >>> found = position_effect(judged)
    >>> found.n, found.n_first_won
    (3, 2)
    """
    known = np.isfinite(judgments.outcomes) & (judgments.outcomes != 0) & (judgments.shown != 0)
    used = judgments.subset(known)
    signs = used.outcomes * used.shown
    found = mean_outcome(signs / 2.0, used, level=level)
    if found.value is None:
        return PositionEffect(0, 0, undefined("no_judgments"), None)
    n_first = int((signs > 0).sum())
    around = found.interval
    if around is not None:
        around = replace(around, low=0.5 + around.low, high=0.5 + around.high)
    share = Estimate(n_first / len(signs), note=found.note)
    share = share.with_interval(clipped(around, 0.0, 1.0), found.status)
    return PositionEffect(len(signs), n_first, share, found.p_value)


def net_without_position(judgments: Judgments, *, level: float = 0.95) -> Estimate:
    """The net preference for the first system of one pair, were each system shown first equally often.

    The mean of the net preferences in the two orders, which is what least squares finds with a term for the
    position; its interval comes from each judgment's influence on it. Judgments whose order is not known are
    left out; ``no_variation`` where only one order was shown.
    """
    used = judgments.subset(np.isfinite(judgments.outcomes) & (judgments.shown != 0))
    outcomes, shown = used.outcomes, used.shown
    if not len(outcomes):
        return undefined("no_judgments")
    orders = [shown > 0, shown < 0]
    if not all(order.any() for order in orders):
        return undefined("no_variation", "all were shown in one order")
    means = [float(outcomes[order].mean()) for order in orders]
    value = sum(means) / 2.0
    influence = np.zeros(len(outcomes))
    for order, mean in zip(orders, means, strict=True):
        influence[order] = (outcomes[order] - mean) * len(outcomes) / (2.0 * order.sum())
    found = mean_outcome(value + influence, used, level=level)
    return Estimate(value, note=found.note).with_interval(clipped(found.interval, -1.0, 1.0), found.status)
