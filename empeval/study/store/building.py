"""Making a study's rows: what is judged, every showing, and every place for a rater."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select

from empeval.study.ids import new_id, new_pseudonym
from empeval.study.store.columns import Base
from empeval.study.store.models import Showing, Slot, Study
from empeval.study.store.people import FormAnswer, PlatformSession, Rater
from empeval.study.store.session import Queries

__all__ = ["BuildQueries"]

#: Rows of one INSERT; PostgreSQL takes 65,535 parameters.
_BATCH = 1000


class BuildQueries(Queries):
    """Adding rows."""

    def add_study(self, study: Study) -> Study:
        """Add a study."""
        self.session.add(study)
        self.flush()
        return study

    def add_all(self, table: type[Base], rows: Iterable[dict[str, Any]]) -> None:
        """Add many rows of one table."""
        listed = list(rows)
        for start in range(0, len(listed), _BATCH):
            self.session.execute(insert(table), listed[start : start + _BATCH])

    def showings(self, study_id: str, purpose: str) -> list[Showing]:
        """The showings of a purpose, in the order of their making."""
        query = (
            select(Showing)
            .where(Showing.study_id == study_id, Showing.purpose == purpose)
            .order_by(Showing.replicate, Showing.id)
        )
        return list(self.session.scalars(query))

    def some_showings(self, study_id: str, purpose: str, kind: str, n: int) -> list[Showing]:
        """The first showings of a purpose and kind."""
        query = (
            select(Showing)
            .where(Showing.study_id == study_id, Showing.purpose == purpose, Showing.kind == kind)
            .order_by(Showing.replicate, Showing.id)
            .limit(n)
        )
        return list(self.session.scalars(query))

    def add_repeat(self, showing: Showing) -> Showing:
        """Add a showing that repeats another one."""
        last = self.session.scalar(
            select(func.max(Showing.replicate)).where(
                Showing.duplicate_of == showing.id, Showing.purpose == "duplicate"
            )
        )
        again = Showing(
            id=new_id(),
            study_id=showing.study_id,
            kind=showing.kind,
            segment_id=showing.segment_id,
            response_low=showing.response_low,
            response_high=showing.response_high,
            purpose="duplicate",
            duplicate_of=showing.id,
            replicate=0 if last is None else last + 1,
        )
        self.session.add(again)
        self.flush()
        return again

    def add_private(
        self, rater: Rater, showing_id: str | None, position: int, first: str, order: int
    ) -> Slot:
        """Add a place for one rater alone."""
        slot = Slot(
            id=new_id(),
            study_id=rater.study_id,
            showing_id=showing_id,
            rep=order,
            first=first,
            shuffle=order,
            state="open",
            attempt=0,
            preset_rater_id=rater.id,
            position=position,
        )
        self.session.add(slot)
        return slot

    def add_named(self, rater: Rater) -> None:
        """Add a rater who has a pseudonym."""
        self.session.add(rater)
        self.flush()

    def add_rater(self, rater: Rater) -> Rater:
        """Add a rater, under a pseudonym that nobody of the study has."""
        taken = select(Rater.id).where(Rater.study_id == rater.study_id)
        rater.pseudonym = new_pseudonym()
        while self.session.scalar(taken.where(Rater.pseudonym == rater.pseudonym)):
            rater.pseudonym = new_pseudonym()
        self.session.add(rater)
        self.flush()
        return rater

    def add_session(
        self, rater: Rater, session_ref: str, study_ref: str | None, now: datetime
    ) -> PlatformSession:
        """Add a platform's submission."""
        row = PlatformSession(
            id=new_id(),
            study_id=rater.study_id,
            rater_id=rater.id,
            platform=rater.platform,
            study_ref=study_ref,
            session_ref=session_ref,
            first_seen=now,
            params_json={},
        )
        self.session.add(row)
        return row

    def put_form(self, rater_id: str, form: str, answers: dict[str, str], now: datetime) -> None:
        """Keep the answers to a form, in place of those that were kept before."""
        known = {
            row.question: row
            for row in self.session.scalars(
                select(FormAnswer).where(FormAnswer.rater_id == rater_id, FormAnswer.form == form)
            )
        }
        for question, value in answers.items():
            if question in known:
                known[question].value, known[question].answered_at = value, now
            else:
                self.session.add(
                    FormAnswer(
                        id=new_id(),
                        rater_id=rater_id,
                        form=form,
                        question=question,
                        value=value,
                        answered_at=now,
                    )
                )
