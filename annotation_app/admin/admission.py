"""Who is in: a session that gave the password, until it leaves or has been silent for long."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass

import streamlit as st

from annotation_app.admin import settings

__all__ = ["IDLE_SECONDS", "enter", "is_inside", "leave", "wait"]

#: After so long without a click, the password is asked for again.
IDLE_SECONDS = 3600.0

_LOG = logging.getLogger("annotation_app.admin")
_KEY = "admitted"


@dataclass
class _Admitted:
    """What no message of a browser can make: values of widgets are texts, numbers and truths."""

    last_seen: float


def wait() -> float:
    """Seconds for which nobody's password is looked at."""
    return settings.door().wait(time.monotonic())


def enter(password: str) -> bool:
    """Let this session in, if this is the password."""
    now = time.monotonic()
    if not settings.door().opens(password, now):
        _LOG.warning("a password was wrong, or came too early after wrong ones")
        return False
    st.session_state[_KEY] = _Admitted(now)
    return True


def is_inside() -> bool:
    """Whether this session is in; each look counts as a sign of life."""
    admitted, now = st.session_state.get(_KEY), time.monotonic()
    if not isinstance(admitted, _Admitted):
        return False
    if now - admitted.last_seen > IDLE_SECONDS:
        leave()
        return False
    admitted.last_seen = now
    return True


def leave() -> None:
    """Forget this session, and everything that it holds."""
    st.session_state.clear()
