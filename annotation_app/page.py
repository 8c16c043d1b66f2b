"""One run: find out who is there and where he stands, and draw that screen."""

from __future__ import annotations

import streamlit as st

from annotation_app import entrance, settings
from annotation_app.screens import draw_screen, preview
from annotation_app.texts import text

__all__ = ["draw"]

_STYLE = """<style>
[data-testid="stMainBlockContainer"] { max-width: 46rem; padding: 1.5rem 1rem 3rem; }
[data-testid="stStatusWidget"], [data-testid="stHeader"] { display: none; }
[data-stale="true"] { opacity: 1 !important; transition: none !important; }
h1 a, h2 a, h3 a { display: none !important; }
h2 { font-size: 1.7rem !important; }
h3 { font-size: 1.15rem !important; }
[data-testid="stCheckbox"] p, [data-testid="stRadio"] p, [data-testid="stWidgetLabel"] p { font-size: 1rem; }
button p, [data-testid="stLinkButton"] p { font-size: 1rem !important; font-weight: 600 !important; }
[data-testid="stCode"] code { font-size: 1.2rem; letter-spacing: 0.05em; }
</style>"""


def draw() -> None:
    """Draw the page."""
    service = settings.service()
    title = service.protocol.title or text("page.fallback_title")
    st.set_page_config(page_title=title, layout="centered", initial_sidebar_state="collapsed")
    st.html(_STYLE)
    if key := st.query_params.get("preview"):
        preview.draw(service, key)
        return
    found = entrance.arrive(service)
    if not isinstance(found, str):
        draw_screen(service, "", found)
        return
    draw_screen(service, found, service.screen(found))
