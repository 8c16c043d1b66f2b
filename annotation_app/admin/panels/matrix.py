"""The item × system matrix: how many answers each place has, and where there are holes."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotation_app.admin import table
from empeval.study.service import oversight
from empeval.study.service.admin import AdminService
from empeval.study.store.overview import Hole

__all__ = ["draw"]


def draw(admin: AdminService) -> None:
    """How far each system, or pair of them, is; then one row an item, one column a system or pair."""
    cells = oversight.matrix(admin)
    holes = [cell for cell in cells if cell.n_done < cell.n_slots]
    st.text(f"{len(holes):,} of {len(cells):,} showings still lack answers.")
    table.draw(_by_system(cells))
    only = st.toggle("Only items with holes", value=True)
    shown = {cell.item for cell in holes} if only else {cell.item for cell in cells}
    rows: dict[str, dict[str, str]] = {}
    for cell in cells:
        if cell.item in shown:
            row = rows.setdefault(cell.item, {"item \\ system": cell.item})
            row[_name(cell)] = f"{cell.n_done}/{cell.n_slots}"
    if rows:
        table.draw(list(rows.values()))
    else:
        st.text("No holes: every place is filled.")


def _by_system(cells: Sequence[Hole]) -> list[dict[str, object]]:
    of: dict[str, list[Hole]] = {}
    for cell in cells:
        of.setdefault(_name(cell), []).append(cell)
    return [
        {
            "system": name,
            "answers": sum(cell.n_done for cell in mine),
            "places": sum(cell.n_slots for cell in mine),
            "items with holes": sum(cell.n_done < cell.n_slots for cell in mine),
        }
        for name, mine in of.items()
    ]


def _name(cell: Hole) -> str:
    return " against ".join(cell.systems)
