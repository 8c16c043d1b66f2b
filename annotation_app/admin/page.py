"""One run: the password first, then the study, panel by panel."""

from __future__ import annotations

import streamlit as st

from annotation_app.admin import acting, admission, settings
from annotation_app.admin.panels import agreement, exports, matrix, people, state

__all__ = ["draw"]

_PANELS = {
    "Progress": matrix.draw,
    "Raters": people.draw,
    "Agreement so far": agreement.draw,
    "Exports and audit": exports.draw,
}


def draw() -> None:
    """Draw the page; nothing of the study is read before the password is right."""
    st.set_page_config(page_title="Study", layout="wide", initial_sidebar_state="collapsed")
    if not admission.is_inside():
        _ask()
        return
    admin = settings.service()
    status = admin.status()
    acting.tell()
    if status.n_simulated:
        st.warning("SIMULATED raters took part in this study.")
    state.draw(admin, status)
    for tab, panel in zip(st.tabs(list(_PANELS)), _PANELS.values(), strict=True):
        with tab:
            panel(admin)


def _ask() -> None:
    st.header("The researcher's page", anchor=False)
    wait = admission.wait()
    if wait > 0:
        st.error(f"Too many wrong tries. Come back in {round(wait / 60) + 1} minutes.")
        return
    with st.form("door", border=False):
        given = st.text_input("Password", type="password", max_chars=1000, autocomplete="current-password")
        if st.form_submit_button("Log in") and given:
            if admission.enter(given):
                st.rerun()
            st.error("That is not the password.")
