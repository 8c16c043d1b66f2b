"""How far the study is, and its state: open, soft launch, pause, close."""

from __future__ import annotations

import streamlit as st

from empeval.errors import EmpevalError
from empeval.study.service.admin import AdminService, Status
from empeval.study.service.oversight import pay_per_hour

__all__ = ["draw"]


def draw(admin: AdminService, status: Status) -> None:
    """The heading, four numbers, and the buttons that change the state."""
    st.header("The study", anchor=False)
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
    columns = st.columns([1, 1, 2, 2])
    if status.state == "open":
        columns[0].button("Pause", on_click=_set, args=(admin, "paused"))
    else:
        columns[0].button("Open", on_click=_set, args=(admin, "open"))
    n = columns[2].number_input("Answers of a soft launch", min_value=1, value=10, step=1)
    columns[2].button("Soft launch", on_click=_launch, args=(admin, int(n)))
    if status.pause_after is not None:
        st.text(f"Pauses by itself once {status.pause_after:,} places are filled.")
    sure = columns[3].checkbox("Close for good")
    columns[3].button("Close", on_click=_set, args=(admin, "closed"), disabled=not sure)


def _set(admin: AdminService, state: str) -> None:
    try:
        admin.set_state(state)  # type: ignore[arg-type]  # one of the three, as the buttons have them
    except EmpevalError as error:
        st.error(str(error))


def _launch(admin: AdminService, n: int) -> None:
    try:
        admin.soft_launch(n)
    except EmpevalError as error:
        st.error(str(error))
