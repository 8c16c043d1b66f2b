"""Screens that look again by themselves: come back later, paused, full."""

from __future__ import annotations

import streamlit as st

from annotation_app.screens import leaving
from annotation_app.texts import literal, text
from empeval.study.service.rater import RaterService
from empeval.study.service.views import ComeBack, Full, Paused

__all__ = ["draw_come_back", "draw_full", "draw_paused", "look_again"]

#: How often a screen that waits looks again.
_SECONDS = 20


def draw_come_back(service: RaterService, access: str, view: ComeBack) -> None:
    """Others hold the last items."""
    one = view.minutes <= 1
    heading = text("waiting.heading_one") if one else text("waiting.heading", minutes=view.minutes)
    st.header(literal(heading))
    st.text(text("waiting.text"))
    leaving.draw(service, access)
    look_again()


def draw_paused(_service: RaterService, _access: str, _view: Paused) -> None:
    """The study is paused."""
    st.header(literal(text("paused.heading")))
    st.text(text("paused.text"))
    look_again()


def draw_full(_service: RaterService, _access: str, view: Full) -> None:
    """No place at the moment, or no more for good."""
    st.header(literal(text("full.heading")))
    if view.minutes is None:
        st.text(text("full.text_for_good"))
        return
    st.text(text("full.text", minutes=view.minutes))
    look_again()


def look_again() -> None:
    """Run the page again after a while, without anybody's doing."""
    runs = 0

    def look() -> None:
        nonlocal runs
        runs += 1
        if runs > 1:
            st.rerun()

    st.fragment(look, run_every=_SECONDS)()
