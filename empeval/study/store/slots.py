"""Queries about slots: which one a rater gets next, and who holds what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, literal, or_, select, union
from sqlalchemy.orm import aliased

from empeval.study.ids import new_token
from empeval.study.store.models import Response, Showing, Slot
from empeval.study.store.people import Claim, Rater, Rating
from empeval.study.store.raters import IN_STUDY
from empeval.study.store.session import Queries

__all__ = ["Seen", "SlotQueries", "Waiting"]


@dataclass(frozen=True)
class Seen:
    """How often a rater has been shown each system, and each side first in a pair."""

    systems: Mapping[str, int]
    sides: Mapping[str, int]


@dataclass(frozen=True)
class Waiting:
    """What there still is for a rater: slots that are free, slots that others hold, and when one may be free.

    ``n_units`` is how many of them he could take, as one rater gets each showing once.
    """

    n_free: int
    n_held: int
    first_end: datetime | None
    n_units: int


class SlotQueries(Queries):
    """Which slot a rater holds, may take, or is due."""

    def slot(self, slot_id: str, *, lock: bool = False) -> Slot:
        """A slot by its id."""
        query = select(Slot).where(Slot.id == slot_id)
        return self.session.scalars(query.with_for_update() if lock else query).one()

    def showing(self, showing_id: str) -> Showing:
        """A showing by its id."""
        return self.session.get_one(Showing, showing_id)

    def held_by(self, rater_id: str) -> Slot | None:
        """The slot that a rater holds, whether or not its lease still runs."""
        query = select(Slot).where(Slot.rater_id == rater_id, Slot.state == "held").with_for_update()
        return self.session.scalars(query).first()

    def due_private(self, rater_id: str, n_main: int) -> Slot | None:
        """The first private slot of a rater that is due after so many main items."""
        query = (
            select(Slot)
            .where(Slot.preset_rater_id == rater_id, Slot.state == "open", Slot.position <= n_main)
            .order_by(Slot.position, Slot.shuffle)
            .limit(1)
            .with_for_update()
        )
        return self.session.scalars(query).first()

    def n_private(self, rater_id: str) -> int:
        """How many private slots a rater has, practice aside."""
        query = select(func.count()).where(
            Slot.preset_rater_id == rater_id, Slot.position >= 0, Slot.state != "void"
        )
        return self.session.scalar(query) or 0

    def has_other_slot(self, rater_id: str, slot: Slot) -> bool:
        """Whether the rater has another slot of the same showing."""
        query = (
            select(Slot.id)
            .where(Slot.rater_id == rater_id, Slot.showing_id == slot.showing_id, Slot.id != slot.id)
            .limit(1)
        )
        return self.session.scalar(query) is not None

    def hold(self, slot: Slot, rater_id: str, until: datetime, now: datetime) -> Claim:
        """Hand a slot to a rater under a fresh token."""
        slot.state, slot.rater_id, slot.token, slot.held_until = "held", rater_id, new_token(), until
        slot.attempt += 1
        self.flush()
        return self.issue(slot, rater_id, slot.token, "take", now)

    def issue(self, slot: Slot, rater_id: str, token: str, purpose: str, now: datetime) -> Claim:
        """Note under which token a rater was shown a slot."""
        claim = Claim(
            token=token,
            slot_id=slot.id,
            rater_id=rater_id,
            attempt=slot.attempt,
            purpose=purpose,
            issued_at=now,
        )
        self.session.add(claim)
        return claim

    def issue_edit(self, slot: Slot, rater_id: str, now: datetime) -> Claim:
        """Let a rater correct what he handed in, under a token that stands for this alone."""
        return self.issue(slot, rater_id, new_token(), "edit", now)

    def issue_again(self, slot: Slot, rater_id: str, now: datetime) -> Claim:
        """Give a slot that a rater holds a fresh token, for another try."""
        slot.token = new_token()
        self.flush()
        return self.issue(slot, rater_id, slot.token, "take", now)

    def issue_past(
        self, slot: Slot, rater_id: str, attempt: int, revision: int, issued_at: datetime
    ) -> Claim:
        """Note a claim of the past."""
        claim = Claim(
            token=new_token(),
            slot_id=slot.id,
            rater_id=rater_id,
            attempt=attempt,
            purpose="take" if revision == 1 else "edit",
            issued_at=issued_at,
        )
        self.session.add(claim)
        self.flush()
        return claim

    def main_slots(self, study_id: str) -> Sequence[Slot]:
        """Every place of the main part."""
        return self.session.scalars(
            select(Slot).where(Slot.study_id == study_id, Slot.preset_rater_id.is_(None))
        ).all()

    def release(self, slot: Slot) -> None:
        """Open a slot for whoever comes next."""
        slot.state, slot.rater_id, slot.token, slot.held_until = "open", None, None, None

    def claim(self, token: str) -> Claim | None:
        """What a token was issued for."""
        return self.session.get(Claim, token)

    def seen(self, rater_id: str) -> Seen:
        """What a rater's main slots have shown so far."""
        high = aliased(Response)
        query = (
            select(Response.system_id, high.system_id, Slot.first, Showing.kind)
            .join(Showing, Slot.showing_id == Showing.id)
            .join(Response, Response.id == Showing.response_low)
            .join(high, high.id == Showing.response_high)
            .where(Slot.rater_id == rater_id, Showing.purpose == "main")
        )
        systems: dict[str, int] = {}
        sides = {"low": 0, "high": 0}
        for low_id, high_id, first, kind in self.session.execute(query):
            for system_id in {low_id, high_id}:
                systems[system_id] = systems.get(system_id, 0) + 1
            if kind == "pair":
                sides[first] += 1
        return Seen(systems, sides)

    def pick_main(
        self, study_id: str, rater_id: str, now: datetime, most_per_segment: int | None, *, skip_locked: bool
    ) -> Slot | None:
        """The main slot that a rater gets next, or None.

        First come those of the units (showings, or segments where a rater gets only some of one) that the
        fewest raters are left for: what finished raters have had, fewer can still take. Then come the lowest
        repetition, the systems and the side that this rater has seen least, and the order that was drawn.
        """
        seen = self.seen(rater_id)
        high = aliased(Response)
        unit = Showing.id if most_per_segment is None else Showing.segment_id
        scarce = self._had_by_finished(study_id, unit)
        rank = [
            func.coalesce(scarce.c.n, 0),
            Slot.rep,
            _count(seen.systems, Response.system_id) + _count(seen.systems, high.system_id),
            _count(seen.sides, Slot.first),
            Slot.shuffle,
        ]
        query = (
            self._takeable(study_id, rater_id, most_per_segment, select(Slot))
            .join(Response, Response.id == Showing.response_low)
            .join(high, high.id == Showing.response_high)
            .outerjoin(scarce, scarce.c.unit == unit)
            .where(or_(Slot.state == "open", and_(Slot.state == "held", Slot.held_until < now)))
            .order_by(*rank)
            .limit(1)
            .with_for_update(of=Slot, skip_locked=skip_locked)
        )
        return self.session.scalars(query).first()

    def waiting(self, study_id: str, rater_id: str, now: datetime, most_per_segment: int | None) -> Waiting:
        """What is left for a rater among the slots that are open or held."""
        live = and_(Slot.state == "held", Slot.held_until >= now)
        columns = select(
            func.sum(case((live, 0), else_=1)),
            func.sum(case((live, 1), else_=0)),
            func.min(case((live, Slot.held_until))),
            func.count(func.distinct(Slot.showing_id)),
            func.count(func.distinct(Showing.segment_id)),
        ).select_from(Slot)
        query = self._takeable(study_id, rater_id, most_per_segment, columns).where(
            Slot.state.in_(("open", "held"))
        )
        n_free, n_held, first_end, n_showings, n_segments = self.session.execute(query).one()
        n_units = n_showings if most_per_segment is None else min(n_showings, most_per_segment * n_segments)
        return Waiting(int(n_free or 0), int(n_held or 0), first_end, int(n_units))

    def _takeable(
        self, study_id: str, rater_id: str, most_per_segment: int | None, query: Select[*tuple[Any, ...]]
    ) -> Select[*tuple[Any, ...]]:
        """Main slots of showings that a rater has neither had, answered nor skipped, as the policy allows."""
        had = union(
            select(Slot.showing_id).where(Slot.rater_id == rater_id, Slot.showing_id.is_not(None)),
            select(Slot.showing_id)
            .join(Rating, Rating.slot_id == Slot.id)
            .where(Rating.rater_id == rater_id, Slot.showing_id.is_not(None)),
        ).subquery("had")
        query = query.join(Showing, Slot.showing_id == Showing.id).where(
            Slot.study_id == study_id,
            Slot.preset_rater_id.is_(None),
            Slot.showing_id.not_in(select(had.c.showing_id)),
        )
        if most_per_segment is not None:
            earlier = aliased(Showing)
            full = (
                select(earlier.segment_id)
                .join(had, had.c.showing_id == earlier.id)
                .where(earlier.purpose == "main")
                .group_by(earlier.segment_id)
                .having(func.count() >= most_per_segment)
            )
            query = query.where(Showing.segment_id.not_in(full))
        return query

    def _had_by_finished(self, study_id: str, unit: Any) -> Any:
        """How many slots of each unit were done by raters who take no more."""
        done, shown = aliased(Slot), aliased(Showing)
        column = shown.id if unit is Showing.id else shown.segment_id
        return (
            select(column.label("unit"), func.count().label("n"))
            .select_from(done)
            .join(shown, done.showing_id == shown.id)
            .join(Rater, Rater.id == done.rater_id)
            .where(
                done.study_id == study_id,
                done.state == "done",
                done.preset_rater_id.is_(None),
                Rater.state.not_in(IN_STUDY),
            )
            .group_by(column)
            .subquery("had_by_finished")
        )


def _count(counts: Mapping[str, int], column: Any) -> ColumnElement[int]:
    """A column of names as how often each was seen."""
    return case(dict(counts), value=column, else_=0) if counts else literal(0)
