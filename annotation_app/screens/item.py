"""An item: drawn by the rating form; every value that comes back names the item by its token."""

from __future__ import annotations

import functools
from collections.abc import Callable

import streamlit as st
from sqlalchemy.exc import SQLAlchemyError

from annotation_app import faults, rating_form
from annotation_app.rating_form import Payload
from annotation_app.screens import leaving
from annotation_app.texts import text
from empeval.study.service.rater import RaterService
from empeval.study.service.views import (
    ItemView,
    Kept,
    Refused,
    Rejected,
    Saved,
    Submitted,
    TryAgain,
)

__all__ = ["draw", "draw_again"]

#: An open page tells that it is there this often, and no less than four times in a lease.
_BEAT_SECONDS = 60.0


def draw(service: RaterService, access: str, view: ItemView) -> None:
    """Draw the item in hand, or the earlier one that is being corrected."""
    view = _edited(service, access) or view
    st.session_state["shown"] = view
    draw_again(service, access, view)
    leaving.draw(service, access)
    _beat(service, access, view.token)


def draw_again(service: RaterService, access: str, view: ItemView) -> None:
    """Draw an item as it was, also where the database is out of reach: what was typed stays in the form."""
    rating_form.draw(
        view,
        service.instructions(),
        handlers={
            name: functools.partial(_guarded, handler, service, access) for name, handler in _HANDLERS.items()
        },
        notice=st.session_state.get("notice"),
        reply=st.session_state.get("reply"),
    )


def _edited(service: RaterService, access: str) -> ItemView | None:
    token = st.session_state.get("editing")
    if token is None:
        return None
    try:
        found = service.item(access, token)
    except SQLAlchemyError as error:
        faults.report(error)
        return st.session_state.get("shown")
    if isinstance(found, Refused):
        del st.session_state["editing"]
        return None
    return found


def _beat(service: RaterService, access: str, token: str) -> None:
    runs = 0

    def beat() -> None:
        nonlocal runs
        runs += 1
        if runs > 1:
            try:
                service.heartbeat(access, token)
            except SQLAlchemyError as error:
                faults.report(error)  # the next one may get through

    st.fragment(beat, run_every=min(_BEAT_SECONDS, service.protocol.lease_minutes * 15))()


# ----------------------------------------------------------------------------- what comes back

Handler = Callable[[RaterService, str, str, Payload], None]


def _guarded(handler: Handler, service: RaterService, access: str, token: str, payload: Payload) -> None:
    """Handle it; where the database is out of reach the browser keeps what it has, and sends it again."""
    try:
        handler(service, access, token, payload)
    except SQLAlchemyError as error:
        faults.report(error)
        _reply(payload, "failed")


def _reply(payload: Payload, state: str, problems: dict[str, str] | None = None) -> None:
    st.session_state["reply"] = {"n": str(payload.get("n"))[:40], "state": state, "problems": problems or {}}


def _notice(mood: str, *lines: str | None) -> None:
    st.session_state["notice"] = {"mood": mood, "lines": [line for line in lines if line]}


def _turn_page() -> None:
    for name in ("notice", "reply", "editing"):
        st.session_state.pop(name, None)


def _on_draft(service: RaterService, access: str, token: str, payload: Payload) -> None:
    sent = rating_form.submission_of(payload)
    service.draft(access, token, sent.values, sent.comment, sent.flagged)


def _on_submit(service: RaterService, access: str, token: str, payload: Payload) -> None:
    was_edit = st.session_state.get("editing") == token
    prompts = {question.name: question.prompt for question in service.protocol.questions}
    _settle(service.submit(access, token, rating_form.submission_of(payload)), payload, was_edit, prompts)


def _on_skip(service: RaterService, access: str, token: str, payload: Payload) -> None:
    _settle(service.skip(access, token), payload, False, {})


def _settle(outcome: Submitted, payload: Payload, was_edit: bool, prompts: dict[str, str]) -> None:
    """Turn what became of an answer into what the next screen says."""
    if isinstance(outcome, Rejected):
        _reply(payload, "rejected", dict(outcome.problems))
        return
    if isinstance(outcome, Refused):
        _reply(payload, outcome.reason)
        return
    _turn_page()
    if isinstance(outcome, TryAgain):
        names = " · ".join(prompts.get(name, name) for name in outcome.questions)
        _notice("bad", text("item.again"), text("item.again_at", questions=names), outcome.note)
    elif isinstance(outcome, Saved) and was_edit:
        _notice("good", text("item.saved"))
    elif isinstance(outcome, Saved) and outcome.note:
        _notice("good", text("item.note", note=outcome.note))
    elif isinstance(outcome, Kept) and outcome.reason != "skipped":
        _notice("good", text("item.late" if outcome.reason == "late" else "item.kept"))


def _on_back(service: RaterService, access: str, token: str, payload: Payload) -> None:
    _on_draft(service, access, token, payload)
    found = service.back(access, token)
    if isinstance(found, Refused):
        _reply(payload, found.reason)
        return
    _turn_page()
    st.session_state["editing"] = found.token


def _on_cancel(_service: RaterService, _access: str, _token: str, _payload: Payload) -> None:
    _turn_page()


_HANDLERS: dict[str, Handler] = {
    "draft": _on_draft,
    "submit": _on_submit,
    "skip": _on_skip,
    "back": _on_back,
    "cancel": _on_cancel,
}
