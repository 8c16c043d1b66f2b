"""Tables of the page: cells are text as it stands, and harmless in the CSV that a table offers of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from empeval.study.exporting.layout import guarded

__all__ = ["draw"]


def draw(rows: Sequence[Mapping[str, object]]) -> None:
    """Draw rows with the columns of all of them; formulas get an apostrophe before them, as in exports."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[_cell(row.get(name)) for name in columns] for row in rows]
    frame = pd.DataFrame(cells, columns=[guarded(name) for name in columns])
    st.dataframe(frame, hide_index=True)


def _cell(value: object) -> object:
    return guarded(value) if isinstance(value, str) else value
