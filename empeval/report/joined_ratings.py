"""Ratings joined to the segments and systems of a finished run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from empeval.errors import InputError
from empeval.ratings import QuestionRatings
from empeval.records import Notice
from empeval.report.scored_run import ScoredRun
from empeval.statistics.correlation.ceiling import mean_ratings
from empeval.statistics.correlation.system_level import item_means, outlier_systems
from empeval.statistics.design import Ratings
from empeval.statistics.segments import Array

__all__ = ["Joined"]


@dataclass(frozen=True, eq=False)
class Joined:
    """The responses that both sides have.

    ``people`` (n_items, n_systems) are mean ratings, NaN where there is none; ``at`` (n_items,) the items'
    places in the run, ``dialogues`` (n_items,) the numbers of their dialogues.
    """

    run: ScoredRun
    ratings: Ratings
    people: Array
    at: Array
    dialogues: Array
    lost_items: tuple[str, ...]
    lost_systems: tuple[str, ...]

    @classmethod
    def of(cls, run: ScoredRun, question: QuestionRatings, source: str, folder: str) -> Joined:
        """Join items to segments and systems to systems; InputError where nothing is common."""
        place = {segment: i for i, segment in enumerate(run.segments)}
        systems = {system: i for i, system in enumerate(run.systems)}
        ratings = question.ratings
        items = [str(name) for name in ratings.items.names]
        named = [str(name) for name in ratings.systems.names]
        if named == [""] and len(run.systems) == 1:
            named = [run.systems[0]]
        known_items = np.array([item in place for item in items], dtype=bool)
        known_systems = np.array([system in systems for system in named], dtype=bool)
        lost_items = tuple(item for item, known in zip(items, known_items, strict=True) if not known)
        lost_systems = tuple(name for name, known in zip(named, known_systems, strict=True) if not known)
        if not known_items.any() or not known_systems.any():
            raise InputError(
                _nothing_common(run, items, named, folder, any_item=bool(known_items.any())), source=source
            )
        rows = known_items[ratings.items.codes] & known_systems[ratings.systems.codes]
        kept = ratings.subset(rows)
        used = [systems[named[code]] for code in np.unique(ratings.systems.codes[rows])]
        at = np.array([place[str(item)] for item in kept.items.names], dtype=np.int64)
        chosen = run.subset(used)
        dialogues = np.unique([run.dialogues[i] or run.segments[i] for i in at], return_inverse=True)[1]
        return cls(chosen, kept, mean_ratings(kept), at, dialogues, lost_items, lost_systems)

    def notices(self, question: str) -> list[Notice]:
        """What did not join, and systems that stand apart."""
        found = []
        if self.lost_items:
            message = f"{question}: items that the run does not hold are left out"
            found.append(Notice("items_not_in_run", message, len(self.lost_items), self.lost_items[:20]))
        if self.lost_systems:
            message = f"{question}: systems that the run does not hold are left out"
            found.append(Notice("systems_not_in_run", message, len(self.lost_systems), self.lost_systems))
        scores = item_means(self.people)(np.ones((1, len(self.people))))[0]
        apart = tuple(self.run.systems[i] for i in outlier_systems(scores))
        if apart:
            message = f"{question}: a correlation at system level rests on systems far from the others"
            found.append(Notice("outlier_systems", message, len(apart), apart))
        return found


def _nothing_common(
    run: ScoredRun, items: Sequence[str], systems: Sequence[str], folder: str, *, any_item: bool
) -> str:
    if not any_item:
        return (
            f"no item is a segment of {folder}: the ratings have {items[0]!r}, the run has "
            f"{run.segments[0]!r}; `item` must be the segment's id"
        )
    if list(systems) == [""]:
        return f"the ratings name no system, and {folder} has {len(run.systems)}; add a column `system`"
    return (
        f"no system of the ratings is in {folder}: they have {', '.join(map(repr, systems[:5]))}, the run "
        f"{', '.join(map(repr, run.systems[:5]))}"
    )
