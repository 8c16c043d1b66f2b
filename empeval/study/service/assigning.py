"""Which screen a rater is on, and which item he gets."""

from __future__ import annotations

from datetime import datetime

from empeval.study import lifecycle
from empeval.study.service import ending, entering, showing, standing
from empeval.study.service.context import Context
from empeval.study.service.views import (
    Blocked,
    Closed,
    ComeBack,
    GaveUp,
    ItemView,
    Paused,
    Refused,
    Screen,
    ScreenedOut,
    Unknown,
)
from empeval.study.store.models import Slot, Study
from empeval.study.store.people import Claim, Rater
from empeval.study.store.transaction import Transaction

__all__ = ["back", "claim", "item", "screen"]


def screen(tx: Transaction, context: Context, access: str, now: datetime) -> Screen:
    """What a rater is to see: the end he has come to, the page he has to pass, or an item."""
    rater = standing.rater(tx, context, access)
    if rater is None:
        return Unknown()
    if (ended := _ended(tx, context, rater)) is not None:
        return ended
    study = tx.study(context.study_id)
    if study.state in ("draft", "closed"):
        return Closed()
    if study.state == "paused":
        return Paused()
    if rater.state == "invited":
        if (full := entering.admission(tx, context, now, rater)) is not None:
            return full
        rater.last_seen_at = now
        if context.protocol.consent is not None:
            return showing.consent_page(context)
        entering.agree(tx, context, rater, now)
    rater.last_seen_at = now
    if rater.state == "consented":
        if standing.form_is_due(tx, context, rater):
            return showing.form_page(context)
        return showing.instructions_page(context)
    return claim(tx, context, study, rater, now)


def _ended(tx: Transaction, context: Context, rater: Rater) -> Screen | None:
    codes = context.protocol.completion
    if rater.state == "finished":
        return ending.finished_page(tx, context, rater)
    if rater.state == "screened_out":
        return ScreenedOut(codes.screened_out, ending.way_back(context, codes.screened_out))
    if rater.state == "withdrawn":
        return GaveUp(codes.problem, ending.way_back(context, codes.problem))
    if rater.state == "blocked":
        return Blocked(codes.problem, ending.way_back(context, codes.problem))
    return None


def claim(tx: Transaction, context: Context, study: Study, rater: Rater, now: datetime) -> Screen:
    """The item that a rater has in hand, else the check that is due, else a new one, else the end."""
    until = lifecycle.lease_end(now, context.protocol.lease_minutes)
    held = tx.held_by(rater.id)
    if held is not None:
        if not lifecycle.is_live(held.held_until, now):
            held.held_until = until
        return _view(tx, context, rater, held, now)
    due = _private_due(tx, context, rater)
    if due is None and rater.state == "practising":
        if ending.fails_practice(tx, context, rater):
            ending.screen_out(tx, context, rater, now)
            return _ended(tx, context, rater) or Unknown()
        rater.state = "active"
        due = _private_due(tx, context, rater)
    if due is not None:
        tx.hold(due, rater.id, until, now)
        return _view(tx, context, rater, due, now)
    if context.protocol.quota is not None and tx.n_behind(rater.id) >= context.protocol.quota:
        return ending.finish(tx, context, rater, now)
    if study.pause_after is not None and tx.n_taken(study.id, now) >= study.pause_after:
        return Paused()
    return _main(tx, context, rater, until, now)


def _main(tx: Transaction, context: Context, rater: Rater, until: datetime, now: datetime) -> Screen:
    most = context.protocol.max_responses_per_segment
    slot = tx.pick_main(context.study_id, rater.id, now, most, skip_locked=tx.is_postgresql)
    if slot is None and tx.is_postgresql:
        # What others are taking at this moment was passed over; now it is worth waiting for them.
        slot = tx.pick_main(context.study_id, rater.id, now, most, skip_locked=False)
    if slot is not None:
        tx.hold(slot, rater.id, until, now)
        return _view(tx, context, rater, slot, now)
    left = tx.waiting(context.study_id, rater.id, now, most)
    if left.n_free + left.n_held == 0:
        return ending.finish(tx, context, rater, now)
    return ComeBack(1 if left.first_end is None else lifecycle.minutes_until(left.first_end, now))


def _private_due(tx: Transaction, context: Context, rater: Rater) -> Slot | None:
    """The check that comes now; a repeat gets its showing here, or is given up where there is none."""
    n_main = -1 if rater.state == "practising" else tx.n_behind(rater.id)
    while (slot := tx.due_private(rater.id, n_main)) is not None:
        if slot.showing_id is not None:
            return slot
        repeated = _to_repeat(tx, context, rater)
        if repeated is None:
            slot.state = "void"
            tx.flush()
            continue
        slot.showing_id, slot.first = repeated
        return slot
    return None


def _to_repeat(tx: Transaction, context: Context, rater: Rater) -> tuple[str, str] | None:
    """Of the items that this rater answered long enough ago, the showing and side of one to show again."""
    part = context.protocol.duplicates
    behind = tx.answered(rater.id)
    repeated = {done.showing.duplicate_of for done in behind if done.showing.purpose == "duplicate"}
    main = [done for done in behind if done.showing.purpose == "main"]
    gap = part.min_gap if part else 1
    usable = [
        done
        for done in main[: max(0, len(main) - gap + 1)]
        if not done.rating.skipped and done.showing.id not in repeated
    ]
    if not usable:
        return None
    chosen = usable[int(context.generator(rater).integers(len(usable)))]
    first = chosen.slot.first
    if chosen.showing.kind == "pair":
        first = "high" if first == "low" else "low"
    return tx.add_repeat(chosen.showing).id, first


def item(tx: Transaction, context: Context, access: str, token: str, now: datetime) -> ItemView | Refused:
    """An item by the token that this rater got for it."""
    rater = standing.rater(tx, context, access)
    found = own_claim(tx, rater, token)
    if rater is None or found is None:
        return Refused("not_yours")
    return showing.item_view(tx, context, rater, tx.slot(found.slot_id), found, now)


def own_claim(tx: Transaction, rater: Rater | None, token: object) -> Claim | None:
    """What a token stands for, if it was given to this rater."""
    if rater is None or not isinstance(token, str) or len(token) > 64:
        return None
    found = tx.claim(token)
    return found if found is not None and found.rater_id == rater.id else None


def back(tx: Transaction, context: Context, access: str, token: str, now: datetime) -> ItemView | Refused:
    """The item before the one of a token, under a token of its own, to be corrected."""
    rater = standing.rater(tx, context, access)
    here = own_claim(tx, rater, token)
    if rater is None or here is None:
        return Refused("not_yours")
    if not context.protocol.back or rater.state != "active" or tx.study(context.study_id).state != "open":
        return Refused("not_now")
    before = showing.before(tx, rater, here.slot_id)
    if before is None:
        return Refused("not_now")
    slot = tx.slot(before.slot.id, lock=True)
    found = tx.issue_edit(slot, rater.id, now)
    tx.flush()
    return showing.item_view(tx, context, rater, slot, found, now)


def _view(tx: Transaction, context: Context, rater: Rater, slot: Slot, now: datetime) -> ItemView:
    tx.flush()
    found = tx.claim(slot.token or "")
    assert found is not None, "a slot that is held has a claim"
    return showing.item_view(tx, context, rater, slot, found, now)
