"""Items against raters at a cost: what a study of each size could find."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from empeval.statistics.power.components import Answers
from empeval.statistics.power.simulation import (
    PowerResult,
    Size,
    minimum_detectable_effect,
    simulate_power,
)
from empeval.statistics.results import Estimate

__all__ = ["Cost", "PlanRow", "affordable", "corrected_level", "plan", "power_table"]


@dataclass(frozen=True)
class Cost:
    """What one answer (one rating, or one judgment of a pair) costs, in any currency.

    >>> Cost.of_time(minutes=0.5, pay_per_hour=12.0).per_answer
    0.1
    """

    per_answer: float

    @classmethod
    def of_time(cls, *, minutes: float, pay_per_hour: float) -> Cost:
        """The pay for the minutes that one answer takes."""
        return cls(minutes * pay_per_hour / 60.0)


@dataclass(frozen=True)
class PlanRow:
    """One size of a study: what it costs and what it finds.

    ``n_answers`` is the number of answers, ``cost`` their price or None; ``detectable`` the smallest effect
    found with the power asked for.
    """

    size: Size
    n_answers: int
    cost: float | None
    power: PowerResult
    detectable: Estimate


def power_table(
    components: Answers,
    sizes: Iterable[Size],
    *,
    effect: float,
    power: float = 0.8,
    cost: Cost | None = None,
    n_systems: int = 2,
    level: float = 0.95,
    n_simulations: int = 1000,
    seed: int = 0,
) -> list[PlanRow]:
    """Power, detectable effect and cost of studies of these sizes, by their default analyses.

    With more than two systems every pair is tested, at 1 − ``level`` over the number of pairs (the first and
    strictest step of Holm's correction). All sizes begin from the same seed.

    >>> from empeval.statistics.power.components import Components
    >>> parts = Components(item_system=0.3, residual=0.8)
    >>> rows = power_table(parts, [Size(50, 3), Size(100, 3)], effect=0.3, cost=Cost(0.1), n_simulations=200)
    >>> [row.cost for row in rows], rows[0].power.power < rows[1].power.power
    ([30.0, 60.0], True)
    """
    corrected = corrected_level(level, n_systems)
    rows = []
    for size in sizes:
        n_answers = size.n_items * size.n_raters * components.answers_per_item(n_systems)
        found = simulate_power(
            components,
            n_items=size.n_items,
            n_raters=size.n_raters,
            items_per_rater=size.items_per_rater,
            effect=effect,
            level=corrected,
            n_simulations=n_simulations,
            rng=np.random.default_rng(seed),
        )
        detectable = minimum_detectable_effect(
            components,
            n_items=size.n_items,
            n_raters=size.n_raters,
            items_per_rater=size.items_per_rater,
            power=power,
            level=corrected,
            n_simulations=n_simulations,
            rng=np.random.default_rng(seed),
        )
        price = None if cost is None else round(n_answers * cost.per_answer, 6)
        rows.append(PlanRow(size, n_answers, price, found, detectable))
    return rows


def corrected_level(level: float, n_systems: int) -> float:
    """The level of one pair's test where all pairs of systems are tested.

    >>> round(corrected_level(0.95, 4), 6)
    0.991667
    """
    return 1.0 - (1.0 - level) / max(1, n_systems * (n_systems - 1) // 2)


def affordable(
    components: Answers,
    raters: Sequence[int],
    *,
    budget: float,
    cost: Cost,
    items_per_rater: int | None = None,
    n_systems: int = 2,
) -> list[Size]:
    """The largest study that the budget pays for with each number of raters; none where it has no two items.

    >>> from empeval.statistics.power.components import Components
    >>> [size.n_items for size in affordable(Components(), [3, 5], budget=60.0, cost=Cost(0.1))]
    [100, 60]
    """
    each = components.answers_per_item(n_systems) * cost.per_answer
    # a cent of a cent, so that rounding does not lose an item
    sizes = [Size(int((budget + 1e-9) / (n * each)), n, items_per_rater) for n in raters]
    return [size for size in sizes if size.n_items >= 2]


def plan(
    components: Answers,
    *,
    budget: float,
    cost: Cost,
    effect: float,
    raters: Sequence[int] = (1, 2, 3, 4, 5, 7, 10, 15),
    items_per_rater: int | None = None,
    power: float = 0.8,
    n_systems: int = 2,
    level: float = 0.95,
    n_simulations: int = 1000,
    seed: int = 0,
) -> list[PlanRow]:
    """Items × raters at one cost: the studies that a budget pays for, in the order of ``raters``.

    >>> from empeval.statistics.power.components import Components
    >>> parts = Components(item_system=0.3, rater_system=0.2, residual=0.8)
    >>> rows = plan(parts, budget=100.0, cost=Cost(0.1), effect=0.4, raters=[3, 5, 10], n_simulations=300)
    >>> [(row.size.n_items, row.size.n_raters) for row in rows]
    [(166, 3), (100, 5), (50, 10)]
    """
    sizes = affordable(
        components, raters, budget=budget, cost=cost, items_per_rater=items_per_rater, n_systems=n_systems
    )
    return power_table(
        components,
        sizes,
        effect=effect,
        power=power,
        cost=cost,
        n_systems=n_systems,
        level=level,
        n_simulations=n_simulations,
        seed=seed,
    )
