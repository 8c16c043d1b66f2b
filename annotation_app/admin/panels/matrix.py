"""The item × system matrix: how many answers each place has, and where there are holes."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from empeval.study.service import oversight
from empeval.study.service.admin import AdminService

__all__ = ["draw"]


def draw(admin: AdminService) -> None:
    """One row an item, one column a system or a pair of them."""
    cells = oversight.matrix(admin)
    holes = [cell for cell in cells if cell.n_done < cell.n_slots]
    st.text(f"{len(holes):,} of {len(cells):,} showings still lack answers.")
    only = st.toggle("Only items with holes", value=True)
    shown = {cell.item for cell in holes} if only else {cell.item for cell in cells}
    table: dict[str, dict[str, str]] = {}
    for cell in cells:
        if cell.item in shown:
            column = " against ".join(cell.systems)
            table.setdefault(cell.item, {})[column] = f"{cell.n_done}/{cell.n_slots}"
    if table:
        st.dataframe(pd.DataFrame.from_dict(table, orient="index"))
    else:
        st.text("No holes: every place is filled.")
