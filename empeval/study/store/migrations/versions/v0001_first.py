"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from empeval.study.store.columns import Json, Moment
from empeval.study.store.triggers import statements

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make every table, then the rules that constraints cannot state."""
    _study()
    _audit()
    _rater()
    _segment()
    _system()
    _form_answer()
    _payment()
    _platform_session()
    _response()
    _showing()
    _slot()
    _claim()
    _draft()
    _rating()
    _qc_event()
    _rating_value()
    for statement in statements(op.get_bind().dialect.name):
        op.execute(statement)


def _study() -> None:
    op.create_table(
        "study",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("config_json", Json(), nullable=False),
        sa.Column("config_sha256", sa.String(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("pause_after", sa.Integer(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.CheckConstraint("state IN ('draft', 'open', 'paused', 'closed')", name=op.f("ck_study_state")),
        sa.CheckConstraint("pause_after IS NULL OR pause_after > 0", name=op.f("ck_study_pause_after")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study")),
        sa.UniqueConstraint("slug", "version", name=op.f("uq_study_slug_version")),
    )


def _audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("study_id", sa.String(), nullable=True),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("detail_json", Json(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_audit_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_study_id"), "audit", ["study_id"], unique=False)


def _rater() -> None:
    op.create_table(
        "rater",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("study_id", sa.String(), nullable=False),
        sa.Column("pseudonym", sa.String(), nullable=False),
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("platform_id_hmac", sa.String(), nullable=False),
        sa.Column("platform_id_enc", sa.String(), nullable=True),
        sa.Column("access_nonce", sa.String(), nullable=False),
        sa.Column("access_token_sha256", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("state_before_block", sa.String(), nullable=True),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("ui_lang", sa.String(), nullable=True),
        sa.Column("consent_version", sa.String(), nullable=True),
        sa.Column("consented_at", Moment(), nullable=True),
        sa.Column("finished_at", Moment(), nullable=True),
        sa.Column("last_seen_at", Moment(), nullable=True),
        sa.Column("is_test", sa.Boolean(), nullable=False),
        sa.CheckConstraint("kind IN ('person', 'simulated', 'model')", name=op.f("ck_rater_kind")),
        sa.CheckConstraint(
            "state = 'invited' OR state IN ('blocked', 'withdrawn') OR consented_at IS NOT NULL",
            name=op.f("ck_rater_consent"),
        ),
        sa.CheckConstraint(
            "state IN ('invited', 'consented', 'practising', 'active', 'finished', "
            "'screened_out', 'withdrawn', 'blocked')",
            name=op.f("ck_rater_state"),
        ),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_rater_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rater")),
        sa.UniqueConstraint("access_token_sha256", name=op.f("uq_rater_access_token_sha256")),
        sa.UniqueConstraint(
            "study_id",
            "platform",
            "platform_id_hmac",
            name=op.f("uq_rater_study_id_platform_platform_id_hmac"),
        ),
        sa.UniqueConstraint("study_id", "pseudonym", name=op.f("uq_rater_study_id_pseudonym")),
    )


def _segment() -> None:
    op.create_table(
        "segment",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("study_id", sa.String(), nullable=False),
        sa.Column("external_id", sa.String(), nullable=False),
        sa.Column("dialogue_id", sa.String(), nullable=False),
        sa.Column("turns_json", Json(), nullable=False),
        sa.Column("emotion", sa.String(), nullable=True),
        sa.Column("situation", sa.String(), nullable=True),
        sa.Column("content_sha256", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_segment_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_segment")),
        sa.UniqueConstraint("id", "study_id", name=op.f("uq_segment_id_study_id")),
        sa.UniqueConstraint("study_id", "external_id", name=op.f("uq_segment_study_id_external_id")),
    )


def _system() -> None:
    op.create_table(
        "system",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("study_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("alias", sa.String(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("is_control", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_system_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_system")),
        sa.UniqueConstraint("study_id", "alias", name=op.f("uq_system_study_id_alias")),
        sa.UniqueConstraint("study_id", "name", name=op.f("uq_system_study_id_name")),
    )


def _form_answer() -> None:
    op.create_table(
        "form_answer",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("rater_id", sa.String(), nullable=False),
        sa.Column("form", sa.String(), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("answered_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_form_answer_rater_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_form_answer")),
        sa.UniqueConstraint(
            "rater_id", "form", "question", name=op.f("uq_form_answer_rater_id_form_question")
        ),
    )


def _payment() -> None:
    op.create_table(
        "payment",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("rater_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("amount_minor", sa.Integer(), nullable=False),
        sa.Column("currency", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.CheckConstraint("state IN ('due', 'sent', 'confirmed')", name=op.f("ck_payment_state")),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_payment_rater_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment")),
        sa.UniqueConstraint("rater_id", "kind", name=op.f("uq_payment_rater_id_kind")),
    )


def _platform_session() -> None:
    op.create_table(
        "platform_session",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("study_id", sa.String(), nullable=False),
        sa.Column("rater_id", sa.String(), nullable=False),
        sa.Column("platform", sa.String(), nullable=False),
        sa.Column("study_ref", sa.String(), nullable=True),
        sa.Column("session_ref", sa.String(), nullable=False),
        sa.Column("first_seen", Moment(), nullable=False),
        sa.Column("params_json", Json(), nullable=False),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_platform_session_rater_id")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_platform_session_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_platform_session")),
        sa.UniqueConstraint(
            "study_id",
            "platform",
            "session_ref",
            name=op.f("uq_platform_session_study_id_platform_session_ref"),
        ),
    )
    op.create_index(op.f("ix_platform_session_rater_id"), "platform_session", ["rater_id"], unique=False)


def _response() -> None:
    op.create_table(
        "response",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("segment_id", sa.String(), nullable=False),
        sa.Column("system_id", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("content_sha256", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["segment_id"], ["segment.id"], name=op.f("fk_response_segment_id")),
        sa.ForeignKeyConstraint(["system_id"], ["system.id"], name=op.f("fk_response_system_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_response")),
        sa.UniqueConstraint("id", "segment_id", name=op.f("uq_response_id_segment_id")),
        sa.UniqueConstraint("segment_id", "system_id", name=op.f("uq_response_segment_id_system_id")),
    )


def _showing() -> None:
    op.create_table(
        "showing",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("study_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("segment_id", sa.String(), nullable=False),
        sa.Column("response_low", sa.String(), nullable=False),
        sa.Column("response_high", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("duplicate_of", sa.String(), nullable=True),
        sa.Column("gold_json", Json(), nullable=True),
        sa.Column("replicate", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "(kind = 'rating') = (response_low = response_high)", name=op.f("ck_showing_responses")
        ),
        sa.CheckConstraint(
            "(purpose = 'duplicate') = (duplicate_of IS NOT NULL)", name=op.f("ck_showing_duplicate_of")
        ),
        sa.CheckConstraint("kind IN ('rating', 'pair')", name=op.f("ck_showing_kind")),
        sa.CheckConstraint(
            "purpose IN ('main', 'gold', 'attention', 'duplicate', 'practice', 'damaged')",
            name=op.f("ck_showing_purpose"),
        ),
        sa.CheckConstraint("response_low <= response_high", name=op.f("ck_showing_order")),
        sa.ForeignKeyConstraint(["duplicate_of"], ["showing.id"], name=op.f("fk_showing_duplicate_of")),
        sa.ForeignKeyConstraint(
            ["response_high", "segment_id"],
            ["response.id", "response.segment_id"],
            name=op.f("fk_showing_response_high_segment_id"),
        ),
        sa.ForeignKeyConstraint(
            ["response_low", "segment_id"],
            ["response.id", "response.segment_id"],
            name=op.f("fk_showing_response_low_segment_id"),
        ),
        sa.ForeignKeyConstraint(
            ["segment_id", "study_id"],
            ["segment.id", "segment.study_id"],
            name=op.f("fk_showing_segment_id_study_id"),
        ),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_showing_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_showing")),
        sa.UniqueConstraint(
            "study_id",
            "kind",
            "response_low",
            "response_high",
            "purpose",
            "replicate",
            name=op.f("uq_showing_study_id_kind_response_low_response_high_purpose_replicate"),
        ),
    )
    op.create_index(op.f("ix_showing_segment_id"), "showing", ["segment_id"], unique=False)


def _slot() -> None:
    op.create_table(
        "slot",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("study_id", sa.String(), nullable=False),
        sa.Column("showing_id", sa.String(), nullable=True),
        sa.Column("rep", sa.Integer(), nullable=False),
        sa.Column("first", sa.String(), nullable=False),
        sa.Column("shuffle", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("rater_id", sa.String(), nullable=True),
        sa.Column("preset_rater_id", sa.String(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("token", sa.String(), nullable=True),
        sa.Column("held_until", Moment(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.CheckConstraint("first IN ('low', 'high')", name=op.f("ck_slot_first")),
        sa.CheckConstraint(
            "showing_id IS NOT NULL OR (preset_rater_id IS NOT NULL AND state IN ('open', 'void'))",
            name=op.f("ck_slot_showing"),
        ),
        sa.CheckConstraint("state <> 'done' OR rater_id IS NOT NULL", name=op.f("ck_slot_is_done")),
        sa.CheckConstraint(
            "state <> 'held' OR (rater_id IS NOT NULL AND token IS NOT NULL AND held_until IS NOT NULL)",
            name=op.f("ck_slot_is_held"),
        ),
        sa.CheckConstraint(
            "state <> 'open' OR (rater_id IS NULL AND token IS NULL AND held_until IS NULL)",
            name=op.f("ck_slot_is_open"),
        ),
        sa.CheckConstraint("state IN ('open', 'held', 'done', 'void')", name=op.f("ck_slot_state")),
        sa.CheckConstraint("(preset_rater_id IS NULL) = (position IS NULL)", name=op.f("ck_slot_position")),
        sa.CheckConstraint(
            "rater_id IS NULL OR preset_rater_id IS NULL OR rater_id = preset_rater_id",
            name=op.f("ck_slot_preset_rater"),
        ),
        sa.CheckConstraint("rep >= 0 AND attempt >= 0", name=op.f("ck_slot_counts")),
        sa.ForeignKeyConstraint(["preset_rater_id"], ["rater.id"], name=op.f("fk_slot_preset_rater_id")),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_slot_rater_id")),
        sa.ForeignKeyConstraint(["showing_id"], ["showing.id"], name=op.f("fk_slot_showing_id")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_slot_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_slot")),
        sa.UniqueConstraint("token", name=op.f("uq_slot_token")),
    )
    op.create_index("ix_slot_preset_rater_id_position", "slot", ["preset_rater_id", "position"], unique=False)
    op.create_index("ix_slot_rater_id", "slot", ["rater_id"], unique=False)
    op.create_index("ix_slot_study_id_state", "slot", ["study_id", "state"], unique=False)
    op.create_index(
        "uq_slot_held_rater_id",
        "slot",
        ["rater_id"],
        unique=True,
        sqlite_where=sa.text("state = 'held'"),
        postgresql_where=sa.text("state = 'held'"),
    )
    op.create_index(
        "uq_slot_showing_id_rater_id",
        "slot",
        ["showing_id", "rater_id"],
        unique=True,
        sqlite_where=sa.text("rater_id IS NOT NULL"),
        postgresql_where=sa.text("rater_id IS NOT NULL"),
    )
    op.create_index(
        "uq_slot_showing_id_rep",
        "slot",
        ["showing_id", "rep"],
        unique=True,
        sqlite_where=sa.text("preset_rater_id IS NULL"),
        postgresql_where=sa.text("preset_rater_id IS NULL"),
    )


def _claim() -> None:
    op.create_table(
        "claim",
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("slot_id", sa.String(), nullable=False),
        sa.Column("rater_id", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("issued_at", Moment(), nullable=False),
        sa.CheckConstraint("purpose IN ('take', 'edit')", name=op.f("ck_claim_purpose")),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_claim_rater_id")),
        sa.ForeignKeyConstraint(["slot_id"], ["slot.id"], name=op.f("fk_claim_slot_id")),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_claim")),
        sa.UniqueConstraint("token", "slot_id", "rater_id", name=op.f("uq_claim_token_slot_id_rater_id")),
    )
    op.create_index(op.f("ix_claim_rater_id"), "claim", ["rater_id"], unique=False)
    op.create_index(op.f("ix_claim_slot_id"), "claim", ["slot_id"], unique=False)


def _draft() -> None:
    op.create_table(
        "draft",
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("values_json", Json(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["token"], ["claim.token"], name=op.f("fk_draft_token")),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_draft")),
    )


def _rating() -> None:
    op.create_table(
        "rating",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("slot_id", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("rater_id", sa.String(), nullable=False),
        sa.Column("values_json", Json(), nullable=False),
        sa.Column("comment", sa.String(), nullable=True),
        sa.Column("flags_json", Json(), nullable=False),
        sa.Column("skipped", sa.Boolean(), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.Column("not_counted_reason", sa.String(), nullable=True),
        sa.Column("served_at", Moment(), nullable=False),
        sa.Column("first_input_at", Moment(), nullable=True),
        sa.Column("submitted_at", Moment(), nullable=False),
        sa.Column("active_ms", sa.BigInteger(), nullable=True),
        sa.Column("client_json", Json(), nullable=True),
        sa.Column("app_version", sa.String(), nullable=True),
        sa.CheckConstraint("NOT (skipped AND counted)", name=op.f("ck_rating_skipped")),
        sa.CheckConstraint("counted = (not_counted_reason IS NULL)", name=op.f("ck_rating_reason")),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_rating_revision")),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_rating_rater_id")),
        sa.ForeignKeyConstraint(["slot_id"], ["slot.id"], name=op.f("fk_rating_slot_id")),
        sa.ForeignKeyConstraint(
            ["token", "slot_id", "rater_id"],
            ["claim.token", "claim.slot_id", "claim.rater_id"],
            name=op.f("fk_rating_token_slot_id_rater_id"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating")),
        sa.UniqueConstraint(
            "slot_id", "rater_id", "revision", name=op.f("uq_rating_slot_id_rater_id_revision")
        ),
    )
    op.create_index(op.f("ix_rating_rater_id"), "rating", ["rater_id"], unique=False)
    op.create_index(op.f("ix_rating_token"), "rating", ["token"], unique=False)
    op.create_index(
        "uq_rating_counted_slot_id",
        "rating",
        ["slot_id"],
        unique=True,
        sqlite_where=sa.text("counted"),
        postgresql_where=sa.text("counted"),
    )


def _qc_event() -> None:
    op.create_table(
        "qc_event",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("rater_id", sa.String(), nullable=False),
        sa.Column("rating_id", sa.String(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.CheckConstraint("verdict IN ('pass', 'fail', 'unknown')", name=op.f("ck_qc_event_verdict")),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name=op.f("fk_qc_event_rater_id")),
        sa.ForeignKeyConstraint(["rating_id"], ["rating.id"], name=op.f("fk_qc_event_rating_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_qc_event")),
    )
    op.create_index(op.f("ix_qc_event_rater_id"), "qc_event", ["rater_id"], unique=False)


def _rating_value() -> None:
    op.create_table(
        "rating_value",
        sa.Column("rating_id", sa.String(), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("winner", sa.String(), nullable=True),
        sa.CheckConstraint(
            "winner IS NULL OR winner IN ('low', 'high', 'tie', 'neither')",
            name=op.f("ck_rating_value_winner"),
        ),
        sa.ForeignKeyConstraint(["rating_id"], ["rating.id"], name=op.f("fk_rating_value_rating_id")),
        sa.PrimaryKeyConstraint("rating_id", "question", name=op.f("pk_rating_value")),
    )
