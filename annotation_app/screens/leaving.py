"""The way out at any time: withdrawing takes two steps, so that nobody does it by accident."""

from __future__ import annotations

import streamlit as st

from annotation_app.texts import literal, text
from empeval.study.service.rater import RaterService

__all__ = ["draw"]


def draw(service: RaterService, access: str) -> None:
    """Draw it folded."""
    policy = "removed" if service.protocol.forget == "remove_ratings" else "kept"
    with st.expander(literal(text("leaving.heading"))):
        st.text(text("leaving.text"))
        st.text(text(f"leaving.{policy}"))
        with st.form("leaving", border=False):
            st.checkbox(literal(text("leaving.confirm")), value=False, key="leaving-sure")
            st.form_submit_button(literal(text("leaving.button")), on_click=_leave, args=(service, access))


def _leave(service: RaterService, access: str) -> None:
    if st.session_state.get("leaving-sure"):
        service.withdraw(access)
