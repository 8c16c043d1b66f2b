"""Who is there: from the page's address to the token of a personal link."""

from __future__ import annotations

import streamlit as st

from empeval.study.service.rater import RaterService
from empeval.study.service.views import Arrival, Closed, Entered, Full, Paused, Refused

__all__ = ["arrive"]

TOKEN = "t"
_PERSON, _SESSION, _STUDY = "PROLIFIC_PID", "SESSION_ID", "STUDY_ID"
_LONGEST = 200


def arrive(service: RaterService) -> str | Refused | Closed | Paused | Full:
    """The token of whoever is there, also put into the address, so that a reload leads back.

    A token in the address comes first; then what a platform put there; then what this tab knew before.
    """
    told = {name: st.query_params.get(name, "")[:_LONGEST] for name in (TOKEN, _PERSON, _SESSION, _STUDY)}
    if told[TOKEN]:
        return _remember(told[TOKEN])
    if not told[_PERSON] and "access" in st.session_state:
        return _remember(str(st.session_state["access"]))
    found = service.enter(
        Arrival(
            platform_id=told[_PERSON] or None,
            session_ref=told[_SESSION] or None,
            study_ref=told[_STUDY] or None,
        )
    )
    return _remember(found.token) if isinstance(found, Entered) else found


def _remember(token: str) -> str:
    if st.session_state.get("access") != token:
        for name in ("editing", "notice", "reply", "shown"):
            st.session_state.pop(name, None)
        st.session_state["access"] = token
    if list(st.query_params) != [TOKEN] or st.query_params[TOKEN] != token:
        st.query_params.from_dict({TOKEN: token})
    return token
