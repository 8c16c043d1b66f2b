"""Rules that no constraint can state: the audit only grows, and an open study keeps its configuration."""

from __future__ import annotations

__all__ = ["statements"]

_SQLITE = (
    *(
        f"CREATE TRIGGER audit_no_{action} BEFORE {action.upper()} ON audit "
        "BEGIN SELECT RAISE(ABORT, 'the audit only grows'); END"
        for action in ("update", "delete")
    ),
    (
        "CREATE TRIGGER study_is_fixed BEFORE UPDATE ON study WHEN OLD.state <> 'draft' AND "
        "(NEW.config_json <> OLD.config_json OR NEW.config_sha256 <> OLD.config_sha256 "
        "OR NEW.seed <> OLD.seed "
        "OR NEW.slug <> OLD.slug OR NEW.version <> OLD.version) "
        "BEGIN SELECT RAISE(ABORT, 'an open study keeps its configuration'); END"
    ),
)

_POSTGRESQL = (
    (
        "CREATE FUNCTION audit_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$ "
        "BEGIN RAISE EXCEPTION 'the audit only grows' USING ERRCODE = 'restrict_violation'; END $$"
    ),
    (
        "CREATE TRIGGER audit_no_change BEFORE UPDATE OR DELETE ON audit "
        "FOR EACH ROW EXECUTE FUNCTION audit_only_grows()"
    ),
    (
        "CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON audit "
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_only_grows()"
    ),
    (
        "CREATE FUNCTION study_keeps_configuration() RETURNS trigger LANGUAGE plpgsql AS $$ "
        "BEGIN RAISE EXCEPTION 'an open study keeps its configuration' USING ERRCODE = 'restrict_violation'; "
        "END $$"
    ),
    (
        "CREATE TRIGGER study_is_fixed BEFORE UPDATE ON study FOR EACH ROW WHEN (OLD.state <> 'draft' AND "
        "(NEW.config_json, NEW.config_sha256, NEW.seed, NEW.slug, NEW.version) IS DISTINCT FROM "
        "(OLD.config_json, OLD.config_sha256, OLD.seed, OLD.slug, OLD.version)) "
        "EXECUTE FUNCTION study_keeps_configuration()"
    ),
)


def statements(dialect: str) -> tuple[str, ...]:
    """The statements that enter the rules into a database."""
    return _POSTGRESQL if dialect == "postgresql" else _SQLITE
