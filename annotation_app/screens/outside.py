"""Screens for those who are not in the study: no link, a wrong one, a study that is not open."""

from __future__ import annotations

import streamlit as st

from annotation_app.texts import literal, text
from empeval.study.service.rater import RaterService
from empeval.study.service.views import Closed, Refused, Unknown

__all__ = ["draw_closed", "draw_refused", "draw_unknown"]


def draw_closed(_service: RaterService, _access: str, _view: Closed) -> None:
    """The study is not open."""
    st.header(literal(text("closed.heading")))
    st.text(text("closed.text"))


def draw_unknown(_service: RaterService, _access: str, _view: Unknown) -> None:
    """No rater has this link."""
    st.header(literal(text("unknown.heading")))
    st.text(text("unknown.text"))


def draw_refused(_service: RaterService, _access: str, view: Refused) -> None:
    """Somebody was not let in, and why."""
    st.header(literal(text("entrance.not_let_in")))
    st.text(text(f"entrance.{view.reason}"))
