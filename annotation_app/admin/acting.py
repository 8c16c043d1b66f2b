"""What buttons do: an action of the service, for whoever is in, with what came of it in words."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from annotation_app.admin import admission
from annotation_app.texts import literal
from empeval.errors import EmpevalError

__all__ = ["act", "tell"]

_KEY = "told"


def act(action: Callable[..., object], *arguments: object) -> None:
    """Do it, and keep a refusal for the page.

    Streamlit calls this before the page is drawn, so that it has to look for itself who is in.
    """
    if not admission.is_inside():
        return
    try:
        action(*arguments)
    except EmpevalError as error:
        st.session_state[_KEY] = str(error)


def tell() -> None:
    """Show what was refused, once."""
    refused = st.session_state.pop(_KEY, None)
    if refused is not None:
        st.error(literal(str(refused)))
