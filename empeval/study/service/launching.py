"""Ending the limit of a soft launch before it is reached."""

from __future__ import annotations

from empeval.study.service.admin import AdminService
from empeval.study.store.transaction import Transaction

__all__ = ["lift_limit"]


def lift_limit(admin: AdminService) -> None:
    """Let a study that was opened for so many answers go on without a limit; its state stays as it is."""
    now = admin.now()

    def work(tx: Transaction) -> None:
        study = tx.lock_study(admin.context.study_id)
        if study.pause_after is None:
            return
        study.pause_after = None
        tx.record(study.id, now, "researcher", "lift_limit")

    admin.store.write(work)
