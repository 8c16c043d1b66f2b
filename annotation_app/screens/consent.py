"""The consent page: text, notes on the contents, statements to tick."""

from __future__ import annotations

import streamlit as st

from annotation_app.reading import read
from annotation_app.texts import literal, text
from empeval.study.service.rater import RaterService
from empeval.study.service.views import AskConsent

__all__ = ["draw"]


def draw(service: RaterService, access: str, view: AskConsent, *, is_preview: bool = False) -> None:
    """Ask; nothing is ticked beforehand."""
    st.header(literal(view.title))
    read(
        view.text,
        heading=text("consent.heading"),
        notes=view.content_notes,
        notes_heading=text("consent.notes"),
    )
    with st.form("consent", border=False):
        for i, statement in enumerate(view.statements):
            st.checkbox(literal(statement), value=False, key=f"agreed-{i}")
        st.form_submit_button(
            literal(text("consent.agree")),
            type="primary",
            on_click=_agree,
            args=(service, access, len(view.statements)),
            disabled=is_preview,
        )
    if st.session_state.pop("consent_incomplete", False):
        st.error(literal(text("consent.incomplete")))


def _agree(service: RaterService, access: str, n: int) -> None:
    agreed = [bool(st.session_state.get(f"agreed-{i}")) for i in range(n)]
    if not service.consent(access, agreed, st.context.locale):
        st.session_state["consent_incomplete"] = True
