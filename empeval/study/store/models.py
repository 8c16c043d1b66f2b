"""The tables of what is judged: studies, systems, segments, responses, showings and their slots."""

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

__all__ = ["Response", "Segment", "Showing", "Slot", "Study", "System"]

PURPOSES = ("main", "gold", "attention", "duplicate", "practice", "damaged")


class Study(Base):
    """A study of one version; its configuration never changes once it has been opened."""

    __tablename__ = "study"
    __table_args__ = (
        UniqueConstraint("slug", "version"),
        one_of("state", "draft", "open", "paused", "closed"),
        CheckConstraint("pause_after IS NULL OR pause_after > 0", name="pause_after"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    slug: Mapped[str]
    version: Mapped[int]
    config_json: Mapped[Any] = mapped_column(Json)
    config_sha256: Mapped[str]
    seed: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(default="draft")
    pause_after: Mapped[int | None]
    created_at: Mapped[datetime] = mapped_column(Moment)


class System(Base):
    """What produced responses; ``is_control`` for the one that stands for the study's own texts."""

    __tablename__ = "system"
    __table_args__ = (UniqueConstraint("study_id", "name"), UniqueConstraint("study_id", "alias"))

    id: Mapped[str] = mapped_column(primary_key=True)
    study_id: Mapped[str] = mapped_column(ForeignKey("study.id"))
    name: Mapped[str]
    alias: Mapped[str]
    ordinal: Mapped[int]
    is_control: Mapped[bool] = mapped_column(default=False)


class Segment(Base):
    """A dialogue up to the response; ``external_id`` is the corpus's id."""

    __tablename__ = "segment"
    __table_args__ = (UniqueConstraint("study_id", "external_id"), UniqueConstraint("id", "study_id"))

    id: Mapped[str] = mapped_column(primary_key=True)
    study_id: Mapped[str] = mapped_column(ForeignKey("study.id"))
    external_id: Mapped[str]
    dialogue_id: Mapped[str]
    turns_json: Mapped[Any] = mapped_column(Json)
    emotion: Mapped[str | None]
    situation: Mapped[str | None]
    content_sha256: Mapped[str]


class Response(Base):
    """What one system answered to one segment."""

    __tablename__ = "response"
    __table_args__ = (UniqueConstraint("segment_id", "system_id"), UniqueConstraint("id", "segment_id"))

    id: Mapped[str] = mapped_column(primary_key=True)
    segment_id: Mapped[str] = mapped_column(ForeignKey("segment.id"))
    system_id: Mapped[str] = mapped_column(ForeignKey("system.id"))
    text: Mapped[str]
    content_sha256: Mapped[str]


class Showing(Base):
    """A segment with one response (both columns name it) or two, and what it is shown for."""

    __tablename__ = "showing"
    __table_args__ = (
        ForeignKeyConstraint(["segment_id", "study_id"], ["segment.id", "segment.study_id"]),
        ForeignKeyConstraint(["response_low", "segment_id"], ["response.id", "response.segment_id"]),
        ForeignKeyConstraint(["response_high", "segment_id"], ["response.id", "response.segment_id"]),
        UniqueConstraint("study_id", "kind", "response_low", "response_high", "purpose", "replicate"),
        one_of("kind", "rating", "pair"),
        one_of("purpose", *PURPOSES),
        CheckConstraint("(kind = 'rating') = (response_low = response_high)", name="responses"),
        CheckConstraint("response_low <= response_high", name="order"),
        CheckConstraint("(purpose = 'duplicate') = (duplicate_of IS NOT NULL)", name="duplicate_of"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    study_id: Mapped[str] = mapped_column(ForeignKey("study.id"))
    kind: Mapped[str]
    segment_id: Mapped[str] = mapped_column(index=True)
    response_low: Mapped[str]
    response_high: Mapped[str]
    purpose: Mapped[str] = mapped_column(default="main")
    duplicate_of: Mapped[str | None] = mapped_column(ForeignKey("showing.id"))
    gold_json: Mapped[Any | None] = mapped_column(Json)
    replicate: Mapped[int] = mapped_column(default=0)


class Slot(Base):
    """One place for one rater on one showing.

    A private slot has a preset rater and its position in that rater's order; a repeat gets its showing only
    when it is due, because it repeats what the rater has seen by then.
    """

    __tablename__ = "slot"
    __table_args__ = (
        Index(
            "uq_slot_showing_id_rep",
            "showing_id",
            "rep",
            unique=True,
            sqlite_where=text("preset_rater_id IS NULL"),
            postgresql_where=text("preset_rater_id IS NULL"),
        ),
        Index(
            "uq_slot_showing_id_rater_id",
            "showing_id",
            "rater_id",
            unique=True,
            sqlite_where=text("rater_id IS NOT NULL"),
            postgresql_where=text("rater_id IS NOT NULL"),
        ),
        Index(
            "uq_slot_held_rater_id",
            "rater_id",
            unique=True,
            sqlite_where=text("state = 'held'"),
            postgresql_where=text("state = 'held'"),
        ),
        Index("ix_slot_rater_id", "rater_id"),
        Index("ix_slot_preset_rater_id_position", "preset_rater_id", "position"),
        Index("ix_slot_study_id_state", "study_id", "state"),
        UniqueConstraint("token"),
        one_of("state", "open", "held", "done", "void"),
        one_of("first", "low", "high"),
        CheckConstraint("rep >= 0 AND attempt >= 0", name="counts"),
        CheckConstraint(
            "state <> 'open' OR (rater_id IS NULL AND token IS NULL AND held_until IS NULL)", name="is_open"
        ),
        CheckConstraint(
            "state <> 'held' OR (rater_id IS NOT NULL AND token IS NOT NULL AND held_until IS NOT NULL)",
            name="is_held",
        ),
        CheckConstraint("state <> 'done' OR rater_id IS NOT NULL", name="is_done"),
        CheckConstraint(
            "rater_id IS NULL OR preset_rater_id IS NULL OR rater_id = preset_rater_id", name="preset_rater"
        ),
        CheckConstraint("(preset_rater_id IS NULL) = (position IS NULL)", name="position"),
        CheckConstraint(
            "showing_id IS NOT NULL OR (preset_rater_id IS NOT NULL AND state IN ('open', 'void'))",
            name="showing",
        ),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    study_id: Mapped[str] = mapped_column(ForeignKey("study.id"))
    showing_id: Mapped[str | None] = mapped_column(ForeignKey("showing.id"))
    rep: Mapped[int]
    first: Mapped[str] = mapped_column(default="low")
    shuffle: Mapped[int] = mapped_column(BigInteger, default=0)
    state: Mapped[str] = mapped_column(default="open")
    rater_id: Mapped[str | None] = mapped_column(ForeignKey("rater.id"))
    preset_rater_id: Mapped[str | None] = mapped_column(ForeignKey("rater.id"))
    position: Mapped[int | None]
    token: Mapped[str | None]
    held_until: Mapped[datetime | None] = mapped_column(Moment)
    attempt: Mapped[int] = mapped_column(default=0)
