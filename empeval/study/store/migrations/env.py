"""Alembic's entry point; the connection comes from `empeval.study.store.upgrading`."""

from __future__ import annotations

from alembic import context

from empeval.study.store.columns import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
