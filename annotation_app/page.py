"""One run: find out who is there and where he stands, and draw that screen."""

from __future__ import annotations

import streamlit as st
from sqlalchemy.exc import SQLAlchemyError

from annotation_app import entrance, faults, settings
from annotation_app.screens import draw_screen, item, preview
from annotation_app.screens.waiting import look_again
from empeval.study.service.rater import RaterService
from empeval.study.service.views import ItemView

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
    st.set_page_config(
        page_title=service.protocol.title, layout="centered", initial_sidebar_state="collapsed"
    )
    st.html(_STYLE)
    if key := st.query_params.get("preview"):
        preview.draw(service, key)
        return
    try:
        found = entrance.arrive(service)
        view = service.screen(found) if isinstance(found, str) else found
    except SQLAlchemyError as error:  # the database is out of reach: it may be back soon
        _without_database(service, error)
        return
    if not isinstance(view, ItemView):
        st.session_state.pop("shown", None)
    draw_screen(service, found if isinstance(found, str) else "", view)


def _without_database(service: RaterService, error: SQLAlchemyError) -> None:
    """An item that is on the screen stays there, with what was typed; anything else waits."""
    shown, access = st.session_state.get("shown"), st.session_state.get("access")
    if isinstance(shown, ItemView) and isinstance(access, str):
        faults.report(error)
        item.draw_again(service, access, shown)
    else:
        faults.draw(error)
    look_again()
