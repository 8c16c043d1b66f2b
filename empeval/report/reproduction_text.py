"""A reproduction as grids: published numbers, what the outputs give, and a verdict for each."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from empeval.report.formats._printed import DASH, count, number
from empeval.report.grids import Grid, as_csv
from empeval.report.reproduce import GrimRow, ReproducedCell, Reproduction

__all__ = ["VERDICTS", "reproduction_csv", "reproduction_grids"]

VERDICTS = {
    "reproduced": "reproduced",
    "reproduced_authors_parser": "reproduced with the authors' parser",
    "differs": "differs",
    "not_checkable": "not checkable",
    "unverified_source": "unverified source",
    None: DASH,
}


def reproduction_grids(found: Reproduction) -> list[Grid]:
    """The automatic numbers, then the human tables where a GRIM check is possible."""
    grids = [_numbers(found)]
    if found.grim:
        grids.append(_grim(found.grim))
    return grids


def _numbers(found: Reproduction) -> Grid:
    header = (
        "system",
        "metric",
        "source",
        "published",
        "authors' way",
        "standard",
        "difference",
        "n",
        "verdict",
    )
    rows = [
        (
            cell.system,
            cell.metric,
            _source(cell),
            cell.published_text or DASH,
            _authors_way(cell),
            _value(cell.standard, cell),
            _difference(cell),
            _n(cell),
            VERDICTS[cell.verdict],
        )
        for cell in found.cells
    ]
    title = f"{found.protocol}: {found.title}" if found.title else found.protocol
    return Grid(title, header, rows, 3, _notes(found))


def _source(cell: ReproducedCell) -> str:
    if cell.source is None:
        return DASH
    mark = {"secondary": " (secondary source)", "memory": " (from memory)"}.get(cell.source_kind or "", "")
    return f"{cell.source}{mark}"


def _authors_way(cell: ReproducedCell) -> str:
    if cell.recomputed is None and cell.claimed is not None:
        return f"{cell.claimed} (header)"
    return _value(cell.recomputed, cell)


def _value(value: float | None, cell: ReproducedCell) -> str:
    return DASH if value is None else number(value, _decimals(cell))


def _decimals(cell: ReproducedCell) -> int:
    """Two more than printed, so that a difference in the last printed place can be judged."""
    return len((cell.published_text or "0.00").partition(".")[2]) + (2 if cell.verdict == "differs" else 0)


def _difference(cell: ReproducedCell) -> str:
    if cell.difference is None or cell.verdict != "differs":
        return DASH
    # whole numbers are printed of percentages, where a difference below one still matters
    decimals = max(2, len((cell.published_text or "").partition(".")[2]))
    return f"{cell.difference:+.{decimals}f}"


def _n(cell: ReproducedCell) -> str:
    if cell.n_recomputed is None:
        return count(cell.n_published) if cell.n_published else DASH
    if cell.n_published and cell.n_published != cell.n_recomputed:
        return f"{count(cell.n_published)} / {count(cell.n_recomputed)}"
    return count(cell.n_recomputed)


def _notes(found: Reproduction) -> list[str]:
    counts = ", ".join(f"{n} {VERDICTS[verdict]}" for verdict, n in found.counts().items())
    notes = [f"Verdicts: {counts}."] if counts else []
    notes.append(
        "n: segments; where the published number rests on others than are here, both (published / here)."
    )
    if found.parser["damages"] and found.parser["changed"]:
        changed = ", ".join(f"{n} of {system}" for system, n in found.parser["changed"].items())
        notes.append(f"The authors' parser damages text; it changes so many responses: {changed}.")
    present = [cell for cell in found.cells if cell.system in found.systems]
    return [*notes, *_on_cells(present), *_on_tables(present)]


def _on_cells(cells: Sequence[ReproducedCell]) -> list[str]:
    """What is to be said of single cells: once for all systems and metrics of which it holds."""
    systems: dict[tuple[str, str], dict[str, None]] = {}
    for cell in cells:
        if cell.note:
            systems.setdefault((cell.metric, cell.note), {})[cell.system] = None
    metrics: dict[tuple[str, str], list[str]] = {}
    for (metric, note), names in systems.items():
        metrics.setdefault((", ".join(names), note), []).append(metric)
    return [f"{', '.join(listed)} of {names}: {note}." for (names, note), listed in metrics.items()]


def _on_tables(cells: Sequence[ReproducedCell]) -> list[str]:
    """What the protocol says of its published tables."""
    return list(dict.fromkeys(f"{cell.table}: {cell.table_note}" for cell in cells if cell.table_note))


def _grim(rows: Sequence[GrimRow]) -> Grid:
    shown = [
        (
            row.table,
            row.row,
            ", ".join(f"{column} {value}" for column, value in row.values.items()),
            f"{row.n}" + (f" × {row.raters}" if row.raters else ""),
            "possible" if row.passes else "impossible",
        )
        for row in rows
    ]
    return Grid(
        "Human tables: can so many answers give these numbers (GRIM; Brown and Heathers, 2017)?",
        ("table", "row", "values", "n", "verdict"),
        shown,
        3,
        [f"{sum(row.passes for row in rows)} of {len(rows)} rows are possible."],
    )


def reproduction_csv(found: Reproduction) -> str:
    """One row a published number."""
    names = [field.name for field in dataclasses.fields(ReproducedCell)]
    return as_csv(names, [[getattr(cell, name) for name in names] for cell in found.cells])
