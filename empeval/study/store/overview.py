"""Queries over a whole study: how far it is, and every row for an export."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, case, func, or_, select
from sqlalchemy.orm import aliased

from empeval.study.store.models import Response, Segment, Showing, Slot, Study, System
from empeval.study.store.people import Audit, Claim, Rater, Rating, RatingValue
from empeval.study.store.session import Queries

__all__ = ["Hole", "OverviewQueries", "Place", "Row"]


@dataclass(frozen=True)
class Hole:
    """A showing that still lacks answers: its segment, its systems, and how many are there of how many."""

    item: str
    systems: tuple[str, ...]
    n_done: int
    n_slots: int


@dataclass(frozen=True)
class Row:
    """One answer with everything that it is about."""

    slot: Slot
    showing: Showing
    segment: Segment
    low: System
    high: System
    rater: Rater
    rating: Rating
    attempt: int


@dataclass(frozen=True)
class Place:
    """A showing by what it shows: the segment's id in the corpus, and the names of the systems."""

    item: str
    kind: str
    low: str
    high: str
    purpose: str
    replicate: int
    showing: Showing


def _with_systems(
    query: Select[*tuple[Any, ...]], low: type[System], high: type[System]
) -> Select[*tuple[Any, ...]]:
    """A query on showings, joined to their segment and to the systems of both sides."""
    response_low, response_high = aliased(Response), aliased(Response)
    return (
        query.join(Segment, Segment.id == Showing.segment_id)
        .join(response_low, response_low.id == Showing.response_low)
        .join(response_high, response_high.id == Showing.response_high)
        .join(low, low.id == response_low.system_id)
        .join(high, high.id == response_high.system_id)
    )


class OverviewQueries(Queries):
    """Counts and listings of a study."""

    def studies(self) -> Sequence[Study]:
        """Every study of this database."""
        return self.session.scalars(select(Study).order_by(Study.slug, Study.version)).all()

    def slot_counts(self, study_id: str, now: datetime) -> dict[str, int]:
        """How many main slots are open, held, done and void; one whose lease ran out is open."""
        state = case((and_(Slot.state == "held", Slot.held_until < now), "open"), else_=Slot.state)
        query = (
            select(state.label("now"), func.count())
            .where(Slot.study_id == study_id, Slot.preset_rater_id.is_(None))
            .group_by(state)
        )
        found: dict[str, int] = dict(self.session.execute(query).all())
        return {name: int(found.get(name, 0)) for name in ("open", "held", "done", "void")}

    def rater_counts(self, study_id: str) -> dict[str, int]:
        """How many raters are in each state."""
        query = select(Rater.state, func.count()).where(Rater.study_id == study_id).group_by(Rater.state)
        return dict(sorted((state, int(n)) for state, n in self.session.execute(query)))

    def n_kind(self, study_id: str, kind: str) -> int:
        """How many raters are persons, simulated or models."""
        query = select(func.count()).where(Rater.study_id == study_id, Rater.kind == kind)
        return self.session.scalar(query) or 0

    def sides(self, study_id: str) -> dict[str, int]:
        """How many comparisons showed the earlier system of the file first (AB), and the other (BA)."""
        query = (
            select(Slot.first, func.count())
            .join(Showing, Showing.id == Slot.showing_id)
            .where(
                Slot.study_id == study_id,
                Slot.preset_rater_id.is_(None),
                Slot.state == "done",
                Showing.kind == "pair",
            )
            .group_by(Slot.first)
        )
        found: dict[str, int] = dict(self.session.execute(query).all())
        return {"ab": int(found.get("low", 0)), "ba": int(found.get("high", 0))}

    def holes(self, study_id: str) -> list[Hole]:
        """Main showings with fewer answers than they should have."""
        return [cell for cell in self.cells(study_id) if cell.n_done < cell.n_slots]

    def cells(self, study_id: str) -> list[Hole]:
        """Every main showing with how many answers it has."""
        low, high = aliased(System), aliased(System)
        done = func.sum(case((Slot.state == "done", 1), else_=0))
        query = (
            _with_systems(
                select(Segment.external_id, low.name, high.name, done, func.count())
                .select_from(Slot)
                .join(Showing, Showing.id == Slot.showing_id),
                low,
                high,
            )
            .where(Slot.study_id == study_id, Slot.preset_rater_id.is_(None))
            .group_by(Showing.id, Segment.external_id, low.name, high.name)
            .order_by(Segment.external_id, low.name, high.name)
        )
        return [
            Hole(item, (one,) if one == two else (one, two), int(n_done), int(n))
            for item, one, two, n_done, n in self.session.execute(query)
        ]

    def places(self, study_id: str) -> list[Place]:
        """Every showing that was made with the study, by what it shows."""
        low, high = aliased(System), aliased(System)
        query = _with_systems(
            select(Segment.external_id, low.name, high.name, Showing).select_from(Showing),
            low,
            high,
        ).where(Showing.study_id == study_id, Showing.purpose != "duplicate")
        return [
            Place(item, showing.kind, one, two, showing.purpose, showing.replicate, showing)
            for item, one, two, showing in self.session.execute(query)
        ]

    def winners(self, study_id: str) -> dict[tuple[str, str], str]:
        """What the choices between two mean, by answer and question."""
        query = (
            select(RatingValue.rating_id, RatingValue.question, RatingValue.winner)
            .join(Rating, Rating.id == RatingValue.rating_id)
            .join(Slot, Slot.id == Rating.slot_id)
            .where(Slot.study_id == study_id, RatingValue.winner.is_not(None))
        )
        return {
            (rating_id, question): str(winner) for rating_id, question, winner in self.session.execute(query)
        }

    def n_taken(self, study_id: str, now: datetime) -> int:
        """How many main slots are done or held."""
        query = select(func.count()).where(
            Slot.study_id == study_id,
            Slot.preset_rater_id.is_(None),
            or_(Slot.state == "done", and_(Slot.state == "held", Slot.held_until >= now)),
        )
        return self.session.scalar(query) or 0

    def rows(self, study_id: str) -> Iterator[Row]:
        """Every answer, in the order in which they were handed in."""
        low, high = aliased(System), aliased(System)
        query = (
            _with_systems(
                select(Slot, Showing, Segment, low, high, Rater, Rating, Claim.attempt)
                .select_from(Rating)
                .join(Slot, Slot.id == Rating.slot_id)
                .join(Showing, Showing.id == Slot.showing_id),
                low,
                high,
            )
            .join(Rater, Rater.id == Rating.rater_id)
            .join(Claim, Claim.token == Rating.token)
            .where(Slot.study_id == study_id)
            .order_by(Rating.submitted_at, Rating.id)
        )
        for row in self.session.execute(query):
            yield Row(*row)

    def spans(self, study_id: str) -> dict[str, tuple[datetime, datetime]]:
        """When raters who finished were handed their first item, and when they handed in their last."""
        query = (
            select(Rater.pseudonym, func.min(Rating.served_at), func.max(Rating.submitted_at))
            .join(Rating, Rating.rater_id == Rater.id)
            .where(Rater.study_id == study_id, Rater.state == "finished")
            .group_by(Rater.pseudonym)
        )
        return {name: (first, last) for name, first, last in self.session.execute(query)}

    def audit(self, study_id: str) -> Sequence[Audit]:
        """What was done to a study, in order."""
        return self.session.scalars(
            select(Audit).where(Audit.study_id == study_id).order_by(Audit.at, Audit.id)
        ).all()
