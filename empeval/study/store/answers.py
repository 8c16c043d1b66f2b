"""Queries about what raters handed in: answers, drafts, checks, and what lies behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select

from empeval.study.ids import new_id
from empeval.study.store.models import Response, Segment, Showing, Slot
from empeval.study.store.people import Draft, QcEvent, Rating, RatingValue
from empeval.study.store.session import Queries

__all__ = ["AnswerQueries", "Answered", "Shown"]


@dataclass(frozen=True)
class Shown:
    """A showing with its texts: the segment, and the responses of its low and its high side."""

    showing: Showing
    segment: Segment
    low: Response
    high: Response


@dataclass(frozen=True)
class Answered:
    """A slot that a rater is done with, and the last answer to it."""

    slot: Slot
    showing: Showing
    rating: Rating


class AnswerQueries(Queries):
    """Answers and drafts of one rater."""

    def shown(self, showing_id: str) -> Shown:
        """A showing with all that is drawn of it."""
        showing = self.session.get_one(Showing, showing_id)
        return Shown(
            showing,
            self.session.get_one(Segment, showing.segment_id),
            self.session.get_one(Response, showing.response_low),
            self.session.get_one(Response, showing.response_high),
        )

    def history(self, slot_id: str, rater_id: str) -> Sequence[Rating]:
        """A rater's answers to one slot, from the first revision."""
        query = (
            select(Rating)
            .where(Rating.slot_id == slot_id, Rating.rater_id == rater_id)
            .order_by(Rating.revision)
        )
        return self.session.scalars(query).all()

    def add_rating(self, rating: Rating, winners: Mapping[str, str | None]) -> Rating:
        """Add an answer, one row a question below it; ``winners`` says which response a choice means."""
        self.session.add(rating)
        self.flush()
        for question, value in rating.values_json.items():
            self.session.add(
                RatingValue(
                    rating_id=rating.id, question=question, value=str(value), winner=winners.get(question)
                )
            )
        return rating

    def counted(self, slot_id: str) -> Rating | None:
        """The answer to a slot that counts."""
        return self.session.scalars(select(Rating).where(Rating.slot_id == slot_id, Rating.counted)).first()

    def discount(self, rating: Rating, reason: str) -> None:
        """Keep an answer and count it no longer."""
        rating.counted, rating.not_counted_reason = False, reason
        self.flush()

    def n_behind(self, rater_id: str) -> int:
        """How many main items lie behind a rater: handed in, late or skipped."""
        query = (
            select(func.count(func.distinct(Slot.showing_id)))
            .select_from(Rating)
            .join(Slot, Slot.id == Rating.slot_id)
            .where(Rating.rater_id == rater_id, Slot.preset_rater_id.is_(None))
        )
        return self.session.scalar(query) or 0

    def n_private_behind(self, rater_id: str) -> int:
        """How many checks lie behind a rater, practice aside."""
        query = select(func.count()).where(
            Slot.preset_rater_id == rater_id, Slot.state == "done", Slot.position >= 0
        )
        return self.session.scalar(query) or 0

    def n_skipped(self, rater_id: str) -> int:
        """How many items a rater has passed over."""
        query = select(func.count(func.distinct(Rating.slot_id))).where(
            Rating.rater_id == rater_id, Rating.skipped
        )
        return self.session.scalar(query) or 0

    def answered(self, rater_id: str) -> list[Answered]:
        """What a rater is done with, in the order of first handing in; the last revision of each."""
        query = (
            select(Slot, Showing, Rating)
            .join(Showing, Showing.id == Slot.showing_id)
            .join(Rating, Rating.slot_id == Slot.id)
            .where(Rating.rater_id == rater_id)
            .order_by(Rating.submitted_at, Rating.id)
        )
        last: dict[str, Answered] = {}
        for slot, showing, rating in self.session.execute(query):
            before = last.get(slot.id)
            if before is None or rating.revision > before.rating.revision:
                last[slot.id] = Answered(slot, showing, rating)
        return list(last.values())

    def has_correctable(self, rater_id: str, slot_id: str) -> bool:
        """Whether a rater is done with any item but this one, practice aside."""
        query = (
            select(Slot.id)
            .join(Showing, Showing.id == Slot.showing_id)
            .where(
                Slot.rater_id == rater_id,
                Slot.state == "done",
                Slot.id != slot_id,
                Showing.purpose != "practice",
            )
            .limit(1)
        )
        return self.session.scalar(query) is not None

    def put_draft(self, token: str, values: Mapping[str, Any], now: datetime) -> None:
        """Keep what stands in a form, in place of what was kept before."""
        draft = self.session.get(Draft, token)
        if draft is None:
            self.session.add(Draft(token=token, values_json=dict(values), updated_at=now))
        else:
            draft.values_json, draft.updated_at = dict(values), now

    def draft(self, token: str) -> Mapping[str, Any] | None:
        """What was kept of a form."""
        draft = self.session.get(Draft, token)
        return None if draft is None else draft.values_json

    def drop_draft(self, token: str) -> None:
        """Forget what was kept of a form."""
        self.session.execute(delete(Draft).where(Draft.token == token))

    def add_check(
        self, rater_id: str, rating_id: str | None, kind: str, verdict: str, detail: str, now: datetime
    ) -> None:
        """Note the verdict of a check."""
        self.session.add(
            QcEvent(
                id=new_id(),
                rater_id=rater_id,
                rating_id=rating_id,
                kind=kind,
                verdict=verdict,
                detail=detail,
                at=now,
            )
        )

    def drop_checks(self, slot_id: str, rater_id: str) -> None:
        """Forget the verdicts on earlier answers of a rater to a slot, which a correction replaces."""
        earlier = select(Rating.id).where(Rating.slot_id == slot_id, Rating.rater_id == rater_id)
        self.session.execute(
            delete(QcEvent).where(QcEvent.rating_id.in_(earlier)).execution_options(synchronize_session=False)
        )

    def checks(self, rater_id: str) -> Sequence[QcEvent]:
        """All verdicts about a rater."""
        return self.session.scalars(
            select(QcEvent).where(QcEvent.rater_id == rater_id).order_by(QcEvent.at, QcEvent.id)
        ).all()
