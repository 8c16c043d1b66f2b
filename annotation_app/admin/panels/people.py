"""Raters with their checks; blocking, and opening the places of those who are excluded."""

from __future__ import annotations

from dataclasses import asdict

import pandas as pd
import streamlit as st

from empeval.errors import EmpevalError
from empeval.study.service.admin import AdminService, RaterLine

__all__ = ["draw"]


def draw(admin: AdminService) -> None:
    """The list, and what can be done about one of them."""
    raters = admin.raters()
    if not raters:
        st.text("Nobody has come yet.")
        return
    st.dataframe(pd.DataFrame([_row(line) for line in raters]), hide_index=True)
    st.text("Checks are notes. Exclude by rules that were fixed before, never by what the answers say.")
    names = [line.rater for line in raters]
    chosen = st.selectbox("Rater", names)
    line = raters[names.index(chosen)]
    if line.state == "blocked":
        st.button("Unblock", on_click=_try, args=(admin.unblock, chosen))
    else:
        why = st.text_input("Reason, for exports and the report")
        st.button("Block", on_click=_try, args=(admin.block, chosen, why))
    blocked = [other.rater for other in raters if other.state == "blocked"]
    if blocked:
        st.text(
            f"Blocked: {', '.join(blocked)}. Their answers count until their places are opened for others."
        )
        st.button("Exclude the blocked, open their places", on_click=_try, args=(admin.topup,))


def _row(line: RaterLine) -> dict[str, object]:
    row = asdict(line)
    row["failed_checks"] = ", ".join(line.failed_checks)
    row["median_seconds"] = None if line.median_seconds is None else round(line.median_seconds, 1)
    return {name.replace("_", " "): value for name, value in row.items()}


def _try(action: object, *arguments: object) -> None:
    try:
        action(*arguments)  # type: ignore[operator]
    except EmpevalError as error:
        st.error(str(error))
