"""What all groups of queries share."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from empeval.study.ids import new_id
from empeval.study.store.people import Audit

__all__ = ["Queries"]


class Queries:
    """Queries within one session."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def is_postgresql(self) -> bool:
        return self.session.get_bind().dialect.name == "postgresql"

    def flush(self) -> None:
        """Send what has been changed so far; constraints speak up here."""
        self.session.flush()

    def record(
        self, study_id: str | None, now: datetime, actor: str, action: str, target: str = "", **detail: Any
    ) -> None:
        """Add a line to the audit."""
        row = Audit(
            id=new_id(),
            study_id=study_id,
            at=now,
            actor=actor,
            action=action,
            target=target,
            detail_json=detail,
        )
        self.session.add(row)
