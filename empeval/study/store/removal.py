"""Taking things back: opening slots again, and removing a person."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Delete, delete, func, select, update

from empeval.study.ids import new_pseudonym, new_token, sha256
from empeval.study.store.models import Showing, Slot
from empeval.study.store.people import (
    Claim,
    Draft,
    FormAnswer,
    Payment,
    PlatformSession,
    QcEvent,
    Rater,
    Rating,
    RatingValue,
)
from empeval.study.store.session import Queries

__all__ = ["RemovalQueries"]


class RemovalQueries(Queries):
    """What has to be undone or removed for one rater."""

    def release_held(self, rater_id: str) -> int:
        """Open what a rater holds: for others, or for himself where it is one of his checks."""
        slots = self.session.scalars(
            select(Slot).where(Slot.rater_id == rater_id, Slot.state == "held").with_for_update()
        ).all()
        for slot in slots:
            slot.state, slot.rater_id, slot.token, slot.held_until = "open", None, None, None
        self.flush()
        return len(slots)

    def void_private(self, rater_id: str) -> None:
        """Close the checks that a rater will not come to."""
        self.session.execute(
            update(Slot)
            .where(Slot.preset_rater_id == rater_id, Slot.state == "open")
            .values(state="void")
            .execution_options(synchronize_session="fetch")
        )

    def reopen_done(self, rater_id: str, reason: str) -> int:
        """Count a rater's answers to main items no longer, and open their slots for others."""
        slots = self.session.scalars(
            select(Slot)
            .where(Slot.rater_id == rater_id, Slot.state == "done", Slot.preset_rater_id.is_(None))
            .with_for_update()
        ).all()
        for slot in slots:
            for rating in self.session.scalars(
                select(Rating).where(Rating.slot_id == slot.id, Rating.counted)
            ):
                rating.counted, rating.not_counted_reason = False, reason
            slot.state, slot.rater_id, slot.token, slot.held_until = "open", None, None, None
        self.flush()
        return len(slots)

    def footprint(self, rater_id: str) -> dict[str, int]:
        """How many rows there are about a rater, by table."""
        counts = {}
        for table in (PlatformSession, FormAnswer, QcEvent, Payment, Claim, Rating):
            query = select(func.count()).select_from(table).where(table.rater_id == rater_id)
            counts[table.__tablename__] = self.session.scalar(query) or 0
        drafts = (select(func.count()).select_from(Draft).join(Claim, Claim.token == Draft.token)).where(
            Claim.rater_id == rater_id
        )
        comments = select(func.count()).where(Rating.rater_id == rater_id, Rating.comment.is_not(None))
        counts["draft"] = self.session.scalar(drafts) or 0
        counts["comment"] = self.session.scalar(comments) or 0
        return dict(sorted(counts.items()))

    def remove_person(self, rater_id: str) -> None:
        """Remove what says who a rater is: sessions, forms, drafts, checks and payments."""
        tokens = select(Claim.token).where(Claim.rater_id == rater_id)
        self._delete(delete(Draft).where(Draft.token.in_(tokens)))
        for table in (PlatformSession, FormAnswer, QcEvent, Payment):
            self._delete(delete(table).where(table.rater_id == rater_id))

    def remove_words(self, rater_id: str, text_questions: Sequence[str]) -> None:
        """Remove what a rater wrote in words of his own, and what his browser said of itself."""
        for rating in self.session.scalars(select(Rating).where(Rating.rater_id == rater_id)):
            rating.comment, rating.client_json = None, None
            rating.values_json = {
                name: value for name, value in rating.values_json.items() if name not in text_questions
            }
        ratings = select(Rating.id).where(Rating.rater_id == rater_id)
        self._delete(
            delete(RatingValue).where(
                RatingValue.rating_id.in_(ratings), RatingValue.question.in_(list(text_questions))
            )
        )

    def rename(self, rater: Rater) -> None:
        """Leave a rater without a name, a link, or a platform's id."""
        rater.pseudonym = new_pseudonym()
        rater.platform_id_hmac = new_token()
        rater.platform_id_enc = None
        rater.access_nonce = new_token()
        rater.access_token_sha256 = sha256(new_token())
        rater.ui_lang, rater.block_reason = None, None
        self.flush()

    def remove_rater(self, rater: Rater) -> None:
        """Remove a rater with every answer, check and claim; his main slots must be open again."""
        ratings = select(Rating.id).where(Rating.rater_id == rater.id)
        self._delete(delete(RatingValue).where(RatingValue.rating_id.in_(ratings)))
        self._delete(delete(Rating).where(Rating.rater_id == rater.id))
        self._delete(delete(Claim).where(Claim.rater_id == rater.id))
        mine = select(Slot.showing_id).where(Slot.preset_rater_id == rater.id)
        repeats = list(
            self.session.scalars(
                select(Showing.id).where(Showing.id.in_(mine), Showing.purpose == "duplicate")
            )
        )
        self._delete(delete(Slot).where(Slot.preset_rater_id == rater.id))
        self._delete(delete(Showing).where(Showing.id.in_(repeats)))
        self.session.expire_all()
        self._delete(delete(Rater).where(Rater.id == rater.id))

    def _delete(self, statement: Delete) -> None:
        self.session.execute(statement.execution_options(synchronize_session=False))
