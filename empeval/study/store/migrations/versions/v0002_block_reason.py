"""Why a rater was blocked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Give raters a place for the reason; earlier blocks have none."""
    op.add_column("rater", sa.Column("block_reason", sa.String(), nullable=True))
