"""Where a rater stands: who has this link, and what lies ahead of him."""

from __future__ import annotations

from datetime import datetime

from empeval.study.ids import sha256
from empeval.study.service.context import Context
from empeval.study.service.views import Progress
from empeval.study.store.people import Rater
from empeval.study.store.transaction import Transaction

__all__ = ["form_is_due", "n_reachable", "progress", "rater"]

_FORM = "demographics"
_TOKEN_LENGTH = 200


def rater(tx: Transaction, context: Context, access: object) -> Rater | None:
    """The rater of a link, locked until the transaction ends, so that two tabs of one person take turns."""
    if not isinstance(access, str) or not 0 < len(access) <= _TOKEN_LENGTH:
        return None
    return tx.rater_by_access(context.study_id, sha256(access), lock=True)


def form_is_due(tx: Transaction, context: Context, rater: Rater) -> bool:
    """Whether the form about the rater has not been handed in."""
    asked = {field.name for field in context.protocol.demographics}
    return bool(asked - set(tx.form(rater.id, _FORM)))


def n_reachable(tx: Transaction, context: Context, rater: Rater, now: datetime) -> int:
    """How many main items a rater can still get, if nobody takes them first."""
    most = context.protocol.max_responses_per_segment
    return tx.waiting(context.study_id, rater.id, now, most).n_units


def progress(tx: Transaction, context: Context, rater: Rater, now: datetime) -> Progress:
    """How far a rater is, checks among the items included."""
    n_main = tx.n_behind(rater.id)
    done = n_main + tx.n_private_behind(rater.id)
    ahead = context.protocol.quota
    if ahead is None:
        held = tx.held_by(rater.id)
        n_in_hand = int(held is not None and held.preset_rater_id is None)
        ahead = n_main + n_in_hand + n_reachable(tx, context, rater, now)
    return Progress(done, max(done + 1, ahead + tx.n_private(rater.id)))
