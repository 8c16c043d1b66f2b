"""The door: who is let in, what he agrees to, and how he leaves."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta

from empeval.study import design
from empeval.study.ids import access_token, hidden, new_id, new_token, sha256
from empeval.study.questions import storable
from empeval.study.service import standing
from empeval.study.service.context import Context
from empeval.study.service.views import Arrival, Closed, Entered, Full, Paused, Refused
from empeval.study.store.people import Rater
from empeval.study.store.raters import IN_STUDY
from empeval.study.store.transaction import Transaction

__all__ = ["admission", "answer_form", "begin", "consent", "enter", "invite", "new_rater", "withdraw"]

FORM = "demographics"
_LONGEST = 2_000


def enter(
    tx: Transaction, context: Context, arrival: Arrival, now: datetime
) -> Entered | Refused | Closed | Paused | Full:
    """Let somebody in who has a link, whom the platform sent, or who comes to an open study.

    A platform's id alone lets nobody back in: the submission's reference must be the one of the first visit.
    """
    if arrival.token is not None:
        known = tx.rater_by_access(context.study_id, sha256(arrival.token))
        return Entered(arrival.token) if known is not None else Refused("wrong_link")
    platform = context.protocol.platform
    if platform == "lab":
        return Refused("no_link")
    if platform == "open":
        return _admit(tx, context, new_token(), None, None, now)
    if not arrival.platform_id or not arrival.session_ref:
        return Refused("no_link")
    return _from_platform(tx, context, arrival.platform_id, arrival.session_ref, arrival.study_ref, now)


def _from_platform(
    tx: Transaction, context: Context, person: str, session_ref: str, study_ref: str | None, now: datetime
) -> Entered | Refused | Closed | Paused | Full:
    platform = context.protocol.platform
    tx.lock_study(context.study_id)
    own = hidden(context.secret, "platform", platform, person)
    reference = hidden(context.secret, "session", platform, session_ref)
    session = tx.platform_session(context.study_id, platform, reference)
    rater = tx.rater_by_platform(context.study_id, platform, own)
    if rater is None:
        if session is not None:
            return Refused("other_session")
        return _admit(tx, context, person, reference, study_ref, now)
    if session is None or session.rater_id != rater.id:
        return Refused("other_session")
    return Entered(access_token(context.secret, rater.id, rater.access_nonce))


def _admit(
    tx: Transaction,
    context: Context,
    person: str,
    session_ref: str | None,
    study_ref: str | None,
    now: datetime,
) -> Entered | Closed | Paused | Full:
    study = tx.lock_study(context.study_id)
    if study.state in ("draft", "closed"):
        return Closed()
    if study.state == "paused":
        return Paused()
    if (refusal := admission(tx, context, now)) is not None:
        return refusal
    rater, token = new_rater(tx, context, context.protocol.platform, person, now)
    if session_ref is not None:
        tx.add_session(rater, session_ref, None if study_ref is None else storable(study_ref), now)
    return Entered(token)


def admission(tx: Transaction, context: Context, now: datetime, rater: Rater | None = None) -> Full | None:
    """Full, where one more rater (or this one, who has not agreed yet) could not be served to the end.

    Places are promised to everybody who was seen within the time of one lease.
    """
    protocol = context.protocol
    if protocol.platform == "lab":
        return None
    others = [known for known in tx.raters(context.study_id) if rater is None or known.id != rater.id]
    taking_part = [known for known in others if known.state not in ("withdrawn", "screened_out", "blocked")]
    agreed = [known for known in taking_part if known.state != "invited"]
    if protocol.max_raters is not None and len(agreed) >= protocol.max_raters:
        return Full(None)
    if tx.n_live(context.study_id, now) >= protocol.capacity:
        return Full(max(1, round(protocol.lease_minutes / 4)))
    recent = now - timedelta(minutes=protocol.lease_minutes)
    active = [
        known
        for known in taking_part
        if known.state in (*IN_STUDY, "invited")
        and known.last_seen_at is not None
        and known.last_seen_at >= recent
    ]
    counts = tx.slot_counts(context.study_id, now)
    left = counts["open"] + counts["held"]
    if left == 0:
        return Full(None)
    quota = protocol.quota
    if quota is None:
        return None
    promised = sum(max(0, quota - tx.n_behind(known.id)) for known in active)
    if left - promised < min(quota, left):
        return Full(round(protocol.lease_minutes)) if active else Full(None)
    return None


def new_rater(
    tx: Transaction, context: Context, platform: str, person: str, now: datetime, *, kind: str = "person"
) -> tuple[Rater, str]:
    """Make a rater, and the token of his link; what the platform calls him is kept as a keyed hash."""
    rater_id, nonce = new_id(), new_token()
    token = access_token(context.secret, rater_id, nonce)
    rater = Rater(
        id=rater_id,
        study_id=context.study_id,
        platform=platform,
        platform_id_hmac=hidden(context.secret, "platform", platform, person),
        access_nonce=nonce,
        access_token_sha256=sha256(token),
        kind=kind,
        seed=secrets.randbits(48),
        last_seen_at=now,
    )
    return tx.add_rater(rater), token


def invite(tx: Transaction, context: Context, names: tuple[str, ...], now: datetime) -> list[tuple[str, str]]:
    """A personal link's token for each name; the same token for a name that was invited before."""
    tx.lock_study(context.study_id)
    links = []
    for name in names:
        rater = tx.rater_by_platform(context.study_id, "lab", hidden(context.secret, "platform", "lab", name))
        if rater is None:
            _, token = new_rater(tx, context, "lab", name, now)
        else:
            token = access_token(context.secret, rater.id, rater.access_nonce)
        links.append((name, token))
    return links


def consent(
    tx: Transaction,
    context: Context,
    access: str,
    agreed: tuple[bool, ...],
    language: str | None,
    now: datetime,
) -> bool:
    """Note that a rater agreed to every statement, and make his checks, if there still is a place for him."""
    rater = standing.rater(tx, context, access)
    asked = context.protocol.consent
    if rater is None or rater.state != "invited":
        return rater is not None
    if asked is not None and (len(agreed) != len(asked.statements) or not all(agreed)):
        return False
    study = tx.lock_study(context.study_id)
    if study.state != "open" or admission(tx, context, now, rater) is not None:
        return True  # others agreed first, or the study ended; the next screen says so
    agree(tx, context, rater, now)
    rater.ui_lang = language[:20] if language else None
    return True


def agree(tx: Transaction, context: Context, rater: Rater, now: datetime) -> None:
    """Take a rater into the study: his checks get their places here."""
    asked = context.protocol.consent
    rater.state, rater.consented_at = "consented", now
    rater.consent_version = None if asked is None else asked.version
    tx.flush()
    _make_checks(tx, context, rater, now)


def _make_checks(tx: Transaction, context: Context, rater: Rater, now: datetime) -> None:
    protocol = context.protocol
    pools = {
        purpose: tx.showings(context.study_id, purpose)
        for purpose in ("practice", "attention", "gold", "damaged")
    }

    def wanted(part: object, purpose: str) -> tuple[int, int]:
        return getattr(part, "per_rater", 0), len(pools[purpose])

    n_main = protocol.quota or standing.n_reachable(tx, context, rater, now)
    rng = context.generator(rater)
    repeats = protocol.duplicates
    made = design.controls_for(
        n_main,
        n_practice=len(pools["practice"]),
        attention=wanted(protocol.attention, "attention"),
        gold=wanted(protocol.gold, "gold"),
        damaged=wanted(protocol.damaged, "damaged"),
        n_duplicates=repeats.per_rater if repeats else 0,
        min_gap=repeats.min_gap if repeats else 1,
        rng=rng,
    )
    for order, control in enumerate(made):
        showing = pools[control.purpose][control.index] if control.purpose in pools else None
        first = "low"
        if control.purpose == "damaged" and rng.integers(2):
            first = "high"
        tx.add_private(rater, None if showing is None else showing.id, control.position, first, order)
    tx.flush()


def answer_form(
    tx: Transaction, context: Context, access: str, answers: Mapping[str, object], now: datetime
) -> dict[str, str]:
    """Keep what a rater says about himself, each field as text; what is wrong, by field."""
    rater = standing.rater(tx, context, access)
    if rater is None or rater.state != "consented":
        return {}
    kept: dict[str, str] = {}
    problems: dict[str, str] = {}
    for field in context.protocol.demographics:
        value = answers.get(field.name)
        text = storable(value.strip()) if isinstance(value, str) else ""
        if not text and field.required:
            problems[field.name] = "Please answer this."
        elif len(text) > _LONGEST or (text and field.kind == "choice" and text not in field.options):
            problems[field.name] = "That is not one of the answers."
        elif text and field.kind == "number" and not _is_number(text):
            problems[field.name] = "Please write a number."
        kept[field.name] = text
    if not problems:
        tx.put_form(rater.id, FORM, kept, now)
    return problems


def _is_number(text: str) -> bool:
    return text.isascii() and text.replace(".", "", 1).isdigit()


def begin(tx: Transaction, context: Context, access: str, now: datetime) -> None:
    """Go on from the instructions to the practice, or to the items."""
    rater = standing.rater(tx, context, access)
    if rater is None or rater.state != "consented" or standing.form_is_due(tx, context, rater):
        return
    has_practice = context.protocol.practice is not None
    rater.state = "practising" if has_practice else "active"
    rater.last_seen_at = now


def withdraw(tx: Transaction, context: Context, access: str, now: datetime) -> None:
    """Let a rater go: what he holds is opened, and his answers stay or count no longer, as the study says."""
    rater = standing.rater(tx, context, access)
    if rater is None or rater.state in ("withdrawn", "screened_out", "blocked"):
        return
    n_held = tx.release_held(rater.id)
    tx.void_private(rater.id)
    remove = context.protocol.forget == "remove_ratings"
    n_reopened = tx.reopen_done(rater.id, "withdrawn") if remove else 0
    rater.state = "withdrawn"
    tx.record(
        context.study_id,
        now,
        "rater",
        "withdraw",
        policy=context.protocol.forget,
        held=n_held,
        reopened=n_reopened,
    )
