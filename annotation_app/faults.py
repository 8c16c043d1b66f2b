"""What raters and the log get to know of a fault: a number. Messages may hold texts, and stay out."""

from __future__ import annotations

import logging
import secrets
import traceback
from pathlib import Path

import streamlit as st

from annotation_app.texts import literal, text

__all__ = ["draw", "report"]

_LOG = logging.getLogger("annotation_app")
_FRAMES = 8


def report(error: Exception) -> str:
    """Log what kind of fault it was and where, under the number that is given back."""
    number = secrets.token_hex(4)
    frames = traceback.extract_tb(error.__traceback__)
    where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames[-_FRAMES:]))
    _LOG.error("fault %s: %s at %s", number, type(error).__name__, where)
    return number


def draw(error: Exception) -> bool:
    """Show the number; True says to Streamlit that nothing else is to be shown."""
    number = report(error)
    st.header(literal(text("fault.heading")))
    st.text(text("fault.text", number=number))
    return True
