"""Queries about studies and raters."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select

from empeval.study.store.models import Slot, Study
from empeval.study.store.people import FormAnswer, PlatformSession, Rater
from empeval.study.store.session import Queries

__all__ = ["IN_STUDY", "RaterQueries"]

#: States of raters who may still get items.
IN_STUDY = ("consented", "practising", "active")


class RaterQueries(Queries):
    """Studies, raters, their sessions and forms."""

    def study(self, study_id: str) -> Study:
        """The study of an id."""
        return self.session.get_one(Study, study_id)

    def study_named(self, slug: str, version: int | None) -> Study | None:
        """The study of a name: this version of it, else its latest."""
        query = select(Study).where(Study.slug == slug).order_by(Study.version.desc()).limit(1)
        if version is not None:
            query = query.where(Study.version == version)
        return self.session.scalars(query).first()

    def lock_study(self, study_id: str) -> Study:
        """The study, for whoever admits raters: one at a time."""
        query = select(Study).where(Study.id == study_id).with_for_update()
        return self.session.scalars(query).one()

    def rater_by_access(self, study_id: str, token_sha256: str, *, lock: bool = False) -> Rater | None:
        """The rater whose link has this hash; locked, so that two tabs of one person take turns."""
        query = select(Rater).where(Rater.study_id == study_id, Rater.access_token_sha256 == token_sha256)
        return self.session.scalars(query.with_for_update() if lock else query).first()

    def rater_by_platform(self, study_id: str, platform: str, platform_id_hmac: str) -> Rater | None:
        """The rater whom a platform knows by the id with this hash."""
        query = select(Rater).where(
            Rater.study_id == study_id,
            Rater.platform == platform,
            Rater.platform_id_hmac == platform_id_hmac,
        )
        return self.session.scalars(query).first()

    def rater_by_pseudonym(self, study_id: str, pseudonym: str, *, lock: bool = False) -> Rater | None:
        """The rater of a pseudonym."""
        query = select(Rater).where(Rater.study_id == study_id, Rater.pseudonym == pseudonym)
        return self.session.scalars(query.with_for_update() if lock else query).first()

    def raters(self, study_id: str) -> Sequence[Rater]:
        """All raters, in the order in which they came."""
        return self.session.scalars(select(Rater).where(Rater.study_id == study_id).order_by(Rater.id)).all()

    def platform_session(self, study_id: str, platform: str, session_ref: str) -> PlatformSession | None:
        """The session of a platform's submission."""
        query = select(PlatformSession).where(
            PlatformSession.study_id == study_id,
            PlatformSession.platform == platform,
            PlatformSession.session_ref == session_ref,
        )
        return self.session.scalars(query).first()

    def n_raters(self, study_id: str, states: Sequence[str] | None = None) -> int:
        """How many raters there are, in these states."""
        query = select(func.count()).select_from(Rater).where(Rater.study_id == study_id)
        if states is not None:
            query = query.where(Rater.state.in_(states))
        return self.session.scalar(query) or 0

    def n_live(self, study_id: str, now: datetime) -> int:
        """How many raters hold a slot whose lease runs."""
        query = (
            select(func.count())
            .select_from(Slot)
            .where(Slot.study_id == study_id, Slot.state == "held", Slot.held_until >= now)
        )
        return self.session.scalar(query) or 0

    def form(self, rater_id: str, form: str) -> dict[str, FormAnswer]:
        """The answers to a form, by question."""
        query = select(FormAnswer).where(FormAnswer.rater_id == rater_id, FormAnswer.form == form)
        return {row.question: row for row in self.session.scalars(query)}
