"""The tables of who judged and what: raters, claims, ratings, drafts, forms, checks, payments, the audit."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from empeval.study.store.columns import Base, Json, Moment, one_of

__all__ = [
    "Audit",
    "Claim",
    "Draft",
    "FormAnswer",
    "Payment",
    "PlatformSession",
    "QcEvent",
    "Rater",
    "Rating",
    "RatingValue",
]

STATES = (
    "invited",
    "consented",
    "practising",
    "active",
    "finished",
    "screened_out",
    "withdrawn",
    "blocked",
)


class Rater(Base):
    """A person, a simulated rater or a model; known by hashes alone."""

    __tablename__ = "rater"
    __table_args__ = (
        UniqueConstraint("study_id", "platform", "platform_id_hmac"),
        UniqueConstraint("access_token_sha256"),
        UniqueConstraint("study_id", "pseudonym"),
        one_of("kind", "person", "simulated", "model"),
        one_of("state", *STATES),
        CheckConstraint(
            "state = 'invited' OR state IN ('blocked', 'withdrawn') OR consented_at IS NOT NULL",
            name="consent",
        ),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    study_id: Mapped[str] = mapped_column(ForeignKey("study.id"))
    pseudonym: Mapped[str]
    platform: Mapped[str]
    platform_id_hmac: Mapped[str]
    platform_id_enc: Mapped[str | None]
    access_nonce: Mapped[str]
    access_token_sha256: Mapped[str]
    kind: Mapped[str] = mapped_column(default="person")
    state: Mapped[str] = mapped_column(default="invited")
    state_before_block: Mapped[str | None]
    block_reason: Mapped[str | None]
    seed: Mapped[int] = mapped_column(BigInteger)
    ui_lang: Mapped[str | None]
    consent_version: Mapped[str | None]
    consented_at: Mapped[datetime | None] = mapped_column(Moment)
    finished_at: Mapped[datetime | None] = mapped_column(Moment)
    last_seen_at: Mapped[datetime | None] = mapped_column(Moment)
    is_test: Mapped[bool] = mapped_column(default=False)


class PlatformSession(Base):
    """A submission on a crowd platform, which lets its rater back in."""

    __tablename__ = "platform_session"
    __table_args__ = (UniqueConstraint("study_id", "platform", "session_ref"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    study_id: Mapped[str] = mapped_column(ForeignKey("study.id"))
    rater_id: Mapped[str] = mapped_column(ForeignKey("rater.id"), index=True)
    platform: Mapped[str]
    study_ref: Mapped[str | None]
    session_ref: Mapped[str]
    first_seen: Mapped[datetime] = mapped_column(Moment)
    params_json: Mapped[Any] = mapped_column(Json)


class Claim(Base):
    """That a slot was handed to a rater: taken, or opened again to be edited; the token is what he holds."""

    __tablename__ = "claim"
    __table_args__ = (UniqueConstraint("token", "slot_id", "rater_id"), one_of("purpose", "take", "edit"))

    token: Mapped[str] = mapped_column(primary_key=True)
    slot_id: Mapped[str] = mapped_column(ForeignKey("slot.id"), index=True)
    rater_id: Mapped[str] = mapped_column(ForeignKey("rater.id"), index=True)
    attempt: Mapped[int]
    purpose: Mapped[str] = mapped_column(default="take")
    issued_at: Mapped[datetime] = mapped_column(Moment)


class Rating(Base):
    """One answer that a rater handed in; a later one to the same slot is a new revision."""

    __tablename__ = "rating"
    __table_args__ = (
        ForeignKeyConstraint(
            ["token", "slot_id", "rater_id"], ["claim.token", "claim.slot_id", "claim.rater_id"]
        ),
        UniqueConstraint("slot_id", "rater_id", "revision"),
        Index(
            "uq_rating_counted_slot_id",
            "slot_id",
            unique=True,
            sqlite_where=text("counted"),
            postgresql_where=text("counted"),
        ),
        CheckConstraint("counted = (not_counted_reason IS NULL)", name="reason"),
        CheckConstraint("NOT (skipped AND counted)", name="skipped"),
        CheckConstraint("revision >= 1", name="revision"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    slot_id: Mapped[str] = mapped_column(ForeignKey("slot.id"))
    revision: Mapped[int]
    token: Mapped[str] = mapped_column(index=True)
    rater_id: Mapped[str] = mapped_column(ForeignKey("rater.id"), index=True)
    values_json: Mapped[Any] = mapped_column(Json)
    comment: Mapped[str | None]
    flags_json: Mapped[Any] = mapped_column(Json)
    skipped: Mapped[bool] = mapped_column(default=False)
    counted: Mapped[bool]
    not_counted_reason: Mapped[str | None]
    served_at: Mapped[datetime] = mapped_column(Moment)
    first_input_at: Mapped[datetime | None] = mapped_column(Moment)
    submitted_at: Mapped[datetime] = mapped_column(Moment)
    active_ms: Mapped[int | None] = mapped_column(BigInteger)
    client_json: Mapped[Any | None] = mapped_column(Json)
    app_version: Mapped[str | None]


class RatingValue(Base):
    """The answer to one question; for a choice between two, also which response it means."""

    __tablename__ = "rating_value"
    __table_args__ = (
        CheckConstraint("winner IS NULL OR winner IN ('low', 'high', 'tie', 'neither')", name="winner"),
    )

    rating_id: Mapped[str] = mapped_column(ForeignKey("rating.id"), primary_key=True)
    question: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]
    winner: Mapped[str | None]


class Draft(Base):
    """What stands in a form that was not handed in; keyed by the token, so that no other rater gets it."""

    __tablename__ = "draft"

    token: Mapped[str] = mapped_column(ForeignKey("claim.token"), primary_key=True)
    values_json: Mapped[Any] = mapped_column(Json)
    updated_at: Mapped[datetime] = mapped_column(Moment)


class FormAnswer(Base):
    """What a rater said about himself."""

    __tablename__ = "form_answer"
    __table_args__ = (UniqueConstraint("rater_id", "form", "question"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    rater_id: Mapped[str] = mapped_column(ForeignKey("rater.id"))
    form: Mapped[str]
    question: Mapped[str]
    value: Mapped[str]
    answered_at: Mapped[datetime] = mapped_column(Moment)


class QcEvent(Base):
    """The verdict of one check on one rater."""

    __tablename__ = "qc_event"
    __table_args__ = (one_of("verdict", "pass", "fail", "unknown"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    rater_id: Mapped[str] = mapped_column(ForeignKey("rater.id"), index=True)
    rating_id: Mapped[str | None] = mapped_column(ForeignKey("rating.id"))
    kind: Mapped[str]
    verdict: Mapped[str]
    detail: Mapped[str]
    at: Mapped[datetime] = mapped_column(Moment)


class Payment(Base):
    """What a rater is owed, and whether the platform confirmed it."""

    __tablename__ = "payment"
    __table_args__ = (UniqueConstraint("rater_id", "kind"), one_of("state", "due", "sent", "confirmed"))

    id: Mapped[str] = mapped_column(primary_key=True)
    rater_id: Mapped[str] = mapped_column(ForeignKey("rater.id"))
    kind: Mapped[str]
    amount_minor: Mapped[int]
    currency: Mapped[str]
    state: Mapped[str] = mapped_column(default="due")
    at: Mapped[datetime] = mapped_column(Moment)


class Audit(Base):
    """What was done to the study, in order; rows are only ever added, and name no person."""

    __tablename__ = "audit"

    id: Mapped[str] = mapped_column(primary_key=True)
    study_id: Mapped[str | None] = mapped_column(ForeignKey("study.id"), index=True)
    at: Mapped[datetime] = mapped_column(Moment)
    actor: Mapped[str]
    action: Mapped[str]
    target: Mapped[str]
    detail_json: Mapped[Any] = mapped_column(Json)
