"""Handing in: what becomes of an answer, which is never thrown away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from empeval.study import lifecycle
from empeval.study.ids import new_id
from empeval.study.questions import Answer, Question, parse_answers, storable
from empeval.study.service import checking, showing, standing
from empeval.study.service.assigning import own_claim
from empeval.study.service.context import Context
from empeval.study.service.views import (
    AlreadySaved,
    Kept,
    Refused,
    Rejected,
    Saved,
    Submission,
    Submitted,
    TryAgain,
)
from empeval.study.store.models import Showing, Slot
from empeval.study.store.people import Claim, Rater, Rating
from empeval.study.store.transaction import Transaction

__all__ = ["draft", "heartbeat", "skip", "submit"]

_LONGEST_COMMENT = 5_000
#: A browser's measurements are kept up to this; more is no time that somebody spent on one item.
_LONGEST_MS = 7 * 24 * 3600 * 1000
_CLIENT_KEYS = ("width", "height", "touch", "language")


def submit(
    tx: Transaction, context: Context, access: str, token: str, submission: Submission, now: datetime
) -> Submitted:
    """Keep an answer: counted, a correction, late, or already there."""
    rater = standing.rater(tx, context, access)
    claim = own_claim(tx, rater, token)
    if rater is None or claim is None:
        return Refused("not_yours")
    slot = tx.slot(claim.slot_id, lock=True)
    shown = tx.showing(slot.showing_id or "")
    if shown.purpose == "practice" and slot.state == "done":
        return AlreadySaved()  # its explanation has been read by now, and tries are limited
    asked = context.protocol.asked_about("rating" if shown.kind == "rating" else "pair")
    values, problems = parse_answers(asked, dict(submission.values))
    if problems:
        return Rejected(problems)
    submission = replace(submission, comment=storable(str(submission.comment or "")))
    comment = submission.comment
    if len(comment) > _LONGEST_COMMENT:
        return Rejected({showing.COMMENT: f"At most {_LONGEST_COMMENT:,} characters, please."})
    return _hand_in(tx, context, rater, claim, slot, shown, values, submission, now, skip=False)


def skip(tx: Transaction, context: Context, access: str, token: str, now: datetime) -> Submitted:
    """Pass over an item: it goes to others, and counts for this rater's pay."""
    rater = standing.rater(tx, context, access)
    claim = own_claim(tx, rater, token)
    if rater is None or claim is None:
        return Refused("not_yours")
    slot = tx.slot(claim.slot_id, lock=True)
    shown = tx.showing(slot.showing_id or "")
    part = context.protocol.skip
    history = tx.history(slot.id, rater.id)
    if any(rating.skipped for rating in history):
        return AlreadySaved()
    used_up = part.max_per_rater is not None and tx.n_skipped(rater.id) >= part.max_per_rater
    if not part.allowed or used_up or shown.purpose == "practice" or claim.purpose == "edit" or history:
        return Refused("not_now")
    return _hand_in(tx, context, rater, claim, slot, shown, {}, Submission({}), now, skip=True)


def _hand_in(
    tx: Transaction,
    context: Context,
    rater: Rater,
    claim: Claim,
    slot: Slot,
    shown: Showing,
    values: Mapping[str, Answer],
    submission: Submission,
    now: datetime,
    *,
    skip: bool,
) -> Submitted:
    history = tx.history(slot.id, rater.id)
    verdict = lifecycle.judge_submission(
        _facts(tx, rater, claim, slot),
        [_earlier(rating, claim, submission) for rating in history],
        values,
        skip=skip,
        standing="good" if rater.state in ("practising", "active", "finished") else "blocked",
    )
    if verdict.saved:
        return AlreadySaved()
    is_try = shown.purpose == "practice" and verdict.counted
    counted = tx.counted(slot.id)
    if verdict.counted and counted is not None:
        tx.discount(counted, "revised")
    revision = history[-1].revision + 1 if history else 1
    rating = _rating(context, rater, claim, slot, values, submission, revision, verdict, now, skip=skip)
    tx.add_rating(rating, _winners(context, shown, slot, values))
    tx.drop_draft(claim.token)
    rater.last_seen_at = now
    if is_try and (again := _another_try(tx, context, rater, slot, shown, values, revision, now)) is not None:
        return again
    _settle(tx, slot, rater, claim, verdict)
    checking.judge_answer(tx, context, rater, slot, shown, rating, now)
    if verdict.counted and shown.purpose == "main":
        _pause_if_due(tx, context, now)
    if not verdict.counted:
        return Kept(verdict.reason or "late")
    return Saved(revision, _explanation(shown) if is_try else None)


def _facts(tx: Transaction, rater: Rater, claim: Claim, slot: Slot) -> lifecycle.SlotFacts:
    state: lifecycle.SlotState = slot.state  # type: ignore[assignment]  # a constraint of the table
    return lifecycle.SlotFacts(
        state=state,
        mine=slot.rater_id == rater.id and state in ("held", "done"),
        untouched=state == "open" and slot.attempt == claim.attempt,
        repeat=tx.has_other_slot(rater.id, slot),
        private=slot.preset_rater_id is not None,
    )


def _earlier(rating: Rating, claim: Claim, submission: Submission) -> lifecycle.Earlier:
    same_words = (rating.comment or "") == str(submission.comment or "") and bool(rating.flags_json) == bool(
        submission.flagged
    )
    return lifecycle.Earlier(
        same_token=rating.token == claim.token and (same_words or rating.skipped),
        values=rating.values_json,
        skipped=rating.skipped,
        counted=rating.counted,
        reason=rating.not_counted_reason,
    )


def _rating(
    context: Context,
    rater: Rater,
    claim: Claim,
    slot: Slot,
    values: Mapping[str, Answer],
    submission: Submission,
    revision: int,
    verdict: lifecycle.Verdict,
    now: datetime,
    *,
    skip: bool,
) -> Rating:
    first_ms, active_ms = _milliseconds(submission.first_input_ms), _milliseconds(submission.active_ms)
    first_at = None if first_ms is None else min(now, claim.issued_at + timedelta(milliseconds=first_ms))
    client = {
        key: submission.client[key]
        for key in _CLIENT_KEYS
        if isinstance(submission.client.get(key), int | bool | str) and len(str(submission.client[key])) < 40
    }
    return Rating(
        id=new_id(),
        slot_id=slot.id,
        revision=revision,
        token=claim.token,
        rater_id=rater.id,
        values_json=dict(values),
        comment=str(submission.comment) if submission.comment else None,
        flags_json=["flagged"] if submission.flagged else [],
        skipped=skip,
        counted=verdict.counted,
        not_counted_reason=None if verdict.counted else verdict.reason,
        served_at=claim.issued_at,
        first_input_at=first_at,
        submitted_at=now,
        active_ms=active_ms,
        client_json=client or None,
        app_version=context.app_version,
    )


def _milliseconds(value: object) -> int | None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= _LONGEST_MS:
        return None
    return int(value)


def _winners(
    context: Context, shown: Showing, slot: Slot, values: Mapping[str, Answer]
) -> dict[str, str | None]:
    """Which response a choice between two means: sides become responses here, once and for all."""
    other = "high" if slot.first == "low" else "low"
    meaning = {"first": slot.first, "second": other, "tie": "tie", "neither": "neither"}
    kinds = {question.name: question.kind for question in context.protocol.questions}
    return {
        name: meaning.get(str(value)) if kinds[name] == "pairwise" and shown.kind == "pair" else None
        for name, value in values.items()
    }


def _another_try(
    tx: Transaction,
    context: Context,
    rater: Rater,
    slot: Slot,
    shown: Showing,
    values: Mapping[str, Answer],
    n_tries: int,
    now: datetime,
) -> TryAgain | None:
    """Feedback on a practice item, and a fresh token for the next try, as long as there are tries left."""
    part = context.protocol.practice
    wrong = checking.differs(values, shown)
    if part is None or not wrong or n_tries >= part.tries or slot.state != "held":
        return None
    tx.issue_again(slot, rater.id, now)
    return TryAgain(tuple(wrong), _explanation(shown))


def _explanation(shown: Showing) -> str | None:
    said = (shown.gold_json or {}).get("explanation")
    return None if said is None else str(said)


def _settle(tx: Transaction, slot: Slot, rater: Rater, claim: Claim, verdict: lifecycle.Verdict) -> None:
    if verdict.slot == "open":
        tx.release(slot)
    elif verdict.slot == "done":
        slot.state, slot.held_until, slot.rater_id = "done", None, rater.id
        if slot.token is None:
            slot.token = claim.token
    tx.flush()


def _pause_if_due(tx: Transaction, context: Context, now: datetime) -> None:
    """End a soft launch once enough answers are in."""
    study = tx.study(context.study_id)
    if study.pause_after is None or study.state != "open":
        return
    if tx.slot_counts(study.id, now)["done"] >= study.pause_after:
        study.state = "paused"
        study.pause_after = None
        tx.record(study.id, now, "service", "pause", detail="soft launch is complete")


def draft(
    tx: Transaction,
    context: Context,
    access: str,
    token: str,
    values: Mapping[str, object],
    comment: str,
    flagged: bool,
    now: datetime,
) -> bool:
    """Keep what stands in a form, as far as it is an answer to what was asked."""
    rater = standing.rater(tx, context, access)
    claim = own_claim(tx, rater, token)
    if rater is None or claim is None or rater.state not in ("practising", "active"):
        return False
    slot = tx.slot(claim.slot_id)
    if claim.purpose == "take" and (slot.rater_id != rater.id or slot.state != "held" or slot.token != token):
        return False
    shown = tx.showing(slot.showing_id or "")
    asked = context.protocol.asked_about("rating" if shown.kind == "rating" else "pair")
    kept: dict[str, object] = dict(_valid(asked, values))
    if comment:
        kept[showing.COMMENT] = storable(comment)[:_LONGEST_COMMENT]
    if flagged:
        kept[showing.FLAG] = True
    tx.put_draft(token, kept, now)
    rater.last_seen_at = now
    return True


def _valid(asked: Sequence[Question], values: Mapping[str, object]) -> dict[str, Answer]:
    parsed, _ = parse_answers(asked, values)
    return parsed


def heartbeat(tx: Transaction, context: Context, access: str, token: str, now: datetime) -> bool:
    """Hold an item longer while its page is open, up to the study's cap."""
    rater = standing.rater(tx, context, access)
    claim = own_claim(tx, rater, token)
    if rater is None or claim is None:
        return False
    slot = tx.slot(claim.slot_id, lock=True)
    if slot.state != "held" or slot.token != token or slot.held_until is None:
        return False
    protocol = context.protocol
    slot.held_until = lifecycle.renewed(
        slot.held_until, claim.issued_at, now, protocol.lease_minutes, protocol.lease_cap_minutes
    )
    rater.last_seen_at = now
    return True
