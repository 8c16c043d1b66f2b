"""Every screen for the researcher, page by page; nothing is stored, and nothing can be."""

from __future__ import annotations

import streamlit as st

from annotation_app import rating_form
from annotation_app.screens import consent, form, instructions
from annotation_app.texts import literal, text
from empeval.study.service.rater import RaterService
from empeval.study.service.views import AskConsent, AskForm, ItemView, Screen, ShowInstructions

__all__ = ["draw"]


def draw(service: RaterService, key: str) -> None:
    """Draw the page of the preview that this tab has come to."""
    pages = service.preview(key)
    if not pages:
        st.header(literal(text("unknown.heading")))
        st.text(text("preview.wrong"))
        return
    here = min(max(0, int(st.session_state.get("preview-page", 0))), len(pages) - 1)
    st.info(literal(text("preview.banner", n=here + 1, total=len(pages))))
    before, after = st.columns(2)
    before.button(literal(text("preview.previous")), on_click=_turn, args=(here - 1,), disabled=here == 0)
    after.button(
        literal(text("preview.next")), on_click=_turn, args=(here + 1,), disabled=here == len(pages) - 1
    )
    _page(service, pages[here])


def _turn(page: int) -> None:
    st.session_state["preview-page"] = page


def _page(service: RaterService, view: Screen) -> None:
    if isinstance(view, AskConsent):
        consent.draw(service, "", view, is_preview=True)
    elif isinstance(view, AskForm):
        form.draw(service, "", view, is_preview=True)
    elif isinstance(view, ShowInstructions):
        instructions.draw(service, "", view, is_preview=True)
    elif isinstance(view, ItemView):
        rating_form.draw(view, service.instructions(), handlers={}, is_preview=True)
