"""Screens at an end: finished, screened out, withdrawn, blocked; with the way back to the platform."""

from __future__ import annotations

import streamlit as st

from annotation_app.reading import read
from annotation_app.texts import literal, text
from empeval.study.service.rater import RaterService
from empeval.study.service.views import Blocked, Finished, GaveUp, ScreenedOut

__all__ = ["draw_blocked", "draw_finished", "draw_screened_out", "draw_withdrawn"]


def draw_finished(_service: RaterService, _access: str, view: Finished) -> None:
    """All is done: the code first, since it is what somebody on a platform came for."""
    st.header(literal(text("finished.heading")))
    st.text(text("finished.text", n=view.n_rated))
    _way_back(view.code, view.url)
    leaves = view.url is not None and not view.debrief
    if view.debrief or leaves:
        read(
            view.debrief or text("finished.redirect"),
            heading=text("finished.debrief") if view.debrief else None,
            redirect=view.url if leaves else None,
        )
    if view.url is None:
        st.text(text("finished.bye"))


def draw_screened_out(_service: RaterService, _access: str, view: ScreenedOut) -> None:
    """The practice did not go well."""
    st.header(literal(text("screened_out.heading")))
    st.text(text("screened_out.text"))
    _way_back(view.code, view.url)


def draw_withdrawn(_service: RaterService, _access: str, view: GaveUp) -> None:
    """The rater has stopped."""
    st.header(literal(text("withdrawn.heading")))
    st.text(text("withdrawn.text"))
    _way_back(view.code, view.url)


def draw_blocked(_service: RaterService, _access: str, view: Blocked) -> None:
    """The researchers have stopped the rater."""
    st.header(literal(text("blocked.heading")))
    st.text(text("blocked.text"))
    _way_back(view.code, view.url)


def _way_back(code: str | None, url: str | None) -> None:
    if code is not None:
        st.subheader(literal(text("finished.code")))
        st.code(code, language=None)
    if url is not None:
        st.link_button(literal(text("finished.link")), url, type="primary")
