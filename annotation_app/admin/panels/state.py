"""How far the study is, and its state: open, soft launch, pause, close."""

from __future__ import annotations

import streamlit as st

from annotation_app.admin import admission
from annotation_app.admin.acting import act
from empeval.study.service.admin import AdminService, Status
from empeval.study.service.launching import lift_limit
from empeval.study.service.oversight import pay_per_hour

__all__ = ["draw"]

_ANSWERS = "answers"


def draw(admin: AdminService, status: Status) -> None:
    """The heading, four numbers, and the buttons that change the state."""
    heading, again, out = st.columns([8, 1, 1], vertical_alignment="center")
    heading.header("The study", anchor=False)
    again.button("Look again")
    out.button("Log out", on_click=admission.leave)
    st.text(f"{status.study}, version {status.version}: {status.state}")
    total = sum(status.slots.values())
    columns = st.columns(4)
    columns[0].metric("Places filled", f"{status.slots['done']:,} of {total:,}")
    columns[1].metric("In hand", f"{status.slots['held']:,}")
    columns[2].metric("Earlier system first", f"{status.sides['ab']} of {sum(status.sides.values())}")
    pay = pay_per_hour(admin)
    rate = "–" if pay is None or pay.median is None else f"{pay.median:.2f} {pay.currency}"
    columns[3].metric("Pay per hour, median", rate)
    st.progress(status.slots["done"] / total if total else 0.0)
    if pay is not None and pay.below:
        st.text(f"Below the minimum of the study's file: {', '.join(pay.below)}")
    _buttons(admin, status)


def _buttons(admin: AdminService, status: Status) -> None:
    if status.state == "closed":
        st.text("The study is closed; it stays as it is.")
        return
    columns = st.columns([1, 2, 2])
    if status.state == "open":
        columns[0].button("Pause", on_click=act, args=(admin.set_state, "paused"))
    else:
        columns[0].button("Open", on_click=act, args=(admin.set_state, "open"))
    columns[1].number_input("Answers of a soft launch", min_value=1, value=10, step=1, key=_ANSWERS)
    columns[1].button("Soft launch", on_click=act, args=(_launch, admin))
    if status.pause_after is not None:
        st.text(f"Pauses by itself once {status.pause_after:,} places are filled.")
        st.button("Lift this limit", on_click=act, args=(lift_limit, admin))
    sure = columns[2].checkbox("Close for good")
    columns[2].button("Close", on_click=act, args=(admin.set_state, "closed"), disabled=not sure)


def _launch(admin: AdminService) -> None:
    """Launch with the number in the browser now, which a click may be faster than a run to tell."""
    admin.soft_launch(int(st.session_state[_ANSWERS]))
