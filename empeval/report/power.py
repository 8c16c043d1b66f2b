"""What planned studies of several sizes could find, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from empeval.errors import InputError
from empeval.records import Notice
from empeval.report.pilots import Design, Pilot
from empeval.report.power_sentences import methods_sentence, results_sentence
from empeval.statistics.means import FEWEST_RATERS
from empeval.statistics.power.components import Answers
from empeval.statistics.power.plans import Cost, PlanRow, affordable, corrected_level, power_table
from empeval.statistics.power.simulation import Size, sample_size
from empeval.statistics.results import Estimate

__all__ = ["CROWD_ITEMS", "PowerReport", "StudyPlan", "power_report"]

#: How many items a rater of a crowd answers to, unless stated.
CROWD_ITEMS = 20


@dataclass(frozen=True)
class StudyPlan:
    """Which studies are asked about.

    ``items`` are the numbers of items, None where a ``budget`` says how many each number of ``raters``
    leaves; ``effect`` is in points of the scale, or a net preference for ``pairwise``.
    """

    design: Design
    effect: float
    raters: Sequence[int]
    items: Sequence[int] | None = None
    items_per_rater: int | None = None
    cost: Cost | None = None
    budget: float | None = None
    n_systems: int = 2
    power: float = 0.8
    level: float = 0.95
    n_simulations: int = 1000
    seed: int = 0

    @property
    def share(self) -> int | None:
        """How many items one rater answers to, None for all."""
        if self.items_per_rater is None and self.design == "crowd":
            return CROWD_ITEMS
        return self.items_per_rater

    def sizes(self, components: Answers) -> list[Size]:
        """The sizes asked about, by raters within items; raises InputError where the budget buys none."""
        if self.items is not None:
            return [Size(n_items, n_raters, self.share) for n_items in self.items for n_raters in self.raters]
        if self.budget is None or self.cost is None:
            raise InputError("numbers of items are needed, or a budget with the cost of an answer")
        found = affordable(
            components,
            self.raters,
            budget=self.budget,
            cost=self.cost,
            items_per_rater=self.share,
            n_systems=self.n_systems,
        )
        if not found:
            raise InputError(f"a budget of {self.budget:g} does not pay for two items: raise it")
        return found


@dataclass(frozen=True)
class PowerReport:
    """The studies asked about, a row each; none where the pilot tells nothing (``pilot.status``).

    ``needed`` has, for each number of raters, how many items have the power asked for (not with a budget).
    """

    plan: StudyPlan
    pilot: Pilot
    rows: tuple[PlanRow, ...]
    needed: tuple[tuple[int, Estimate], ...]
    methods: str
    results: str
    notices: tuple[Notice, ...]

    def to_dict(self) -> dict[str, Any]:
        """The document that ``--format json`` prints."""
        plan, pilot = self.plan, self.pilot
        shared = ("effect", "power", "level", "n_systems", "n_simulations", "seed")
        return {
            "design": plan.design,
            **{name: getattr(plan, name) for name in shared},
            "cost_per_answer": None if plan.cost is None else plan.cost.per_answer,
            "budget": plan.budget,
            "components": pilot.to_dict(),
            "pilot": None
            if pilot.source is None
            else {"source": pilot.source, "n_answers": pilot.n_answers, "note": pilot.note},
            "status": pilot.status,
            "rows": [_row(row) for row in self.rows],
            "needed": [_needed_row(n_raters, found) for n_raters, found in self.needed],
            "methods": self.methods,
            "results": self.results,
            "warnings": [asdict(notice) | {"ids": list(notice.ids)} for notice in self.notices],
        }


def power_report(plan: StudyPlan, pilot: Pilot) -> PowerReport:
    """Simulate every study of the plan.

    Raises InputError for numbers that no study can have.

    >>> from empeval.report.pilots import stated
    >>> plan = StudyPlan("crossed", 0.4, raters=[4], items=[50], n_simulations=200)
    >>> found = power_report(plan, stated("crossed", {"item_system": 0.3, "residual": 0.8}))
    >>> len(found.rows), found.rows[0].n_answers
    (1, 400)
    """
    if pilot.components is None:
        notices = (Notice("pilot", pilot.note),) if pilot.note else ()
        return PowerReport(plan, pilot, (), (), "", "", notices)
    if plan.design == "pairwise" and abs(plan.effect) > pilot.components.largest:
        raise InputError(f"a net preference of {plan.effect:g} does not lie between −0.95 and 0.95")
    rows = tuple(
        power_table(
            pilot.components,
            plan.sizes(pilot.components),
            effect=plan.effect,
            power=plan.power,
            cost=plan.cost,
            n_systems=plan.n_systems,
            level=plan.level,
            n_simulations=plan.n_simulations,
            seed=plan.seed,
        )
    )
    needed = () if plan.budget is not None else _needed(plan, pilot.components)
    methods, results = methods_sentence(plan, pilot, rows), results_sentence(plan, rows)
    return PowerReport(plan, pilot, rows, needed, methods, results, _notices(pilot, rows))


def _needed(plan: StudyPlan, components: Answers) -> tuple[tuple[int, Estimate], ...]:
    if plan.effect == 0:
        return ()
    return tuple(
        (
            n_raters,
            sample_size(
                components,
                n_raters=n_raters,
                effect=plan.effect,
                power=plan.power,
                items_per_rater=plan.share,
                level=corrected_level(plan.level, plan.n_systems),
                n_simulations=plan.n_simulations,
                rng=np.random.default_rng(plan.seed),
            ),
        )
        for n_raters in plan.raters
    )


def _row(row: PlanRow) -> dict[str, Any]:
    interval = row.power.interval
    return {
        "n_items": row.size.n_items,
        "n_raters_per_item": row.size.n_raters,
        "n_raters": row.size.n_pool,
        "n_answers": row.n_answers,
        "cost": row.cost,
        "power": row.power.power,
        "interval": None if interval is None else asdict(interval),
        "mean_difference": row.power.mean,
        "n_undefined": row.power.n_undefined,
        "minimum_detectable_difference": row.detectable.value,
        "status": row.detectable.status,
        "method": row.power.method,
    }


def _needed_row(n_raters: int, found: Estimate) -> dict[str, Any]:
    n_items = None if found.value is None else int(found.value)
    return {"n_raters_per_item": n_raters, "n_items": n_items, "status": found.status}


def _notices(pilot: Pilot, rows: Sequence[PlanRow]) -> tuple[Notice, ...]:
    found = []
    if pilot.note:
        found.append(Notice("pilot", pilot.note))
    few = sorted({row.size.n_pool for row in rows if row.size.n_pool < FEWEST_RATERS})
    if few:
        found.append(
            Notice(
                "these_raters_only",
                f"with fewer than {FEWEST_RATERS} raters the analysis speaks of these raters only, and its "
                "power is not to be compared with that of more raters",
                len(few),
            )
        )
    return tuple(found)
