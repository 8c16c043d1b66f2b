"""Raters with their checks; blocking, and opening the places of those who are excluded."""

from __future__ import annotations

from dataclasses import asdict

import streamlit as st

from annotation_app.admin import table
from annotation_app.admin.acting import act
from empeval.study.service.admin import AdminService, RaterLine
from empeval.study.service.oversight_raters import QualitySoFar, quality_so_far

__all__ = ["draw"]

_CHOSEN = "chosen"


def draw(admin: AdminService) -> None:
    """The list, and what can be done about one of them."""
    raters = admin.raters()
    if not raters:
        st.text("Nobody has come yet.")
        return
    table.draw([_row(line) for line in raters])
    st.text("Checks are notes. Exclude by rules that were fixed before, never by what the answers say.")
    if st.button("Judge the answers so far"):
        st.text("What the checks over all answers would say now; they are stored when a rater finishes.")
        table.draw([_quality(one) for one in quality_so_far(admin)])
    names = [line.rater for line in raters]
    chosen = st.selectbox("Rater", names, key=_CHOSEN)
    line = raters[names.index(chosen)]
    if line.state == "blocked":
        st.button("Unblock", on_click=act, args=(_unblock, admin))
    else:
        st.text_input("Reason, for exports and the report", key=_why(chosen))
        st.button("Block", on_click=act, args=(_block, admin))
    _exclude(admin, [other for other in raters if other.state == "blocked"])


def _block(admin: AdminService) -> None:
    """Block who is chosen in the browser now, which a click may be faster than a run to tell."""
    chosen = st.session_state[_CHOSEN]
    admin.block(chosen, st.session_state.get(_why(chosen)))


def _unblock(admin: AdminService) -> None:
    admin.unblock(st.session_state[_CHOSEN])


def _why(rater: str) -> str:
    return f"why {rater}"


def _exclude(admin: AdminService, blocked: list[RaterLine]) -> None:
    if not blocked:
        return
    names = tuple(line.rater for line in blocked)
    st.text(f"Blocked: {', '.join(names)}. Their answers count until their places are opened for others.")
    # By name: whoever is blocked elsewhere meanwhile has not been seen here, and stays as he is.
    st.button("Exclude the blocked, open their places", on_click=act, args=(admin.topup, names))


def _row(line: RaterLine) -> dict[str, object]:
    row = asdict(line)
    row["failed_checks"] = ", ".join(line.failed_checks)
    row["median_seconds"] = None if line.median_seconds is None else round(line.median_seconds, 1)
    return {name.replace("_", " "): value for name, value in row.items()}


def _quality(one: QualitySoFar) -> dict[str, object]:
    row: dict[str, object] = {"rater": one.rater, "state": one.state, "answers": one.n_answers}
    for verdict in one.verdicts:
        row[verdict.check.replace("_", "-")] = f"{verdict.verdict}: {verdict.detail}"
    return row
