"""The instructions before the first item, with examples."""

from __future__ import annotations

import streamlit as st

from annotation_app.reading import read
from annotation_app.texts import literal, text
from empeval.study.service.rater import RaterService
from empeval.study.service.views import ShowInstructions

__all__ = ["draw"]


def draw(service: RaterService, access: str, view: ShowInstructions, *, is_preview: bool = False) -> None:
    """Show them, and a button to go on."""
    st.header(literal(text("instructions.heading")))
    read(view.text, examples=view.examples)
    if view.has_practice:
        st.text(text("instructions.practice"))
    st.button(
        literal(text("instructions.begin_practice" if view.has_practice else "instructions.begin")),
        type="primary",
        on_click=service.begin,
        args=(access,),
        disabled=is_preview,
    )
