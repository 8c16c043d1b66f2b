"""Grids in every format that a leaderboard has."""

from __future__ import annotations

from collections.abc import Sequence

from empeval.report.formats import _tex as tex
from empeval.report.formats import html, latex
from empeval.report.grids import Grid, as_markdown, as_text

__all__ = ["as_html", "as_latex", "render_grids"]

#: lines of a LaTeX table that a page holds
_LINES = 40


def render_grids(grids: Sequence[Grid], format: str, *, heading: str) -> str:
    """Grids as ``text``, ``markdown``, ``latex`` or ``html``; ``heading`` is that of the page.

    >>> print(render_grids([Grid("Ranks", ("system", "rank"), [("a", "1")])], "text", heading=""), end="")
    Ranks
    system  rank
    a          1
    """
    if format == "latex":
        return as_latex(grids)
    if format == "html":
        return as_html(grids, heading)
    return as_markdown(grids) if format == "markdown" else as_text(grids)


def as_latex(grids: Sequence[Grid]) -> str:
    """The grids as tables in the style of booktabs, notes below each; what is longer than a page in parts."""
    blocks = [latex.PREAMBLE]
    for grid in grids:
        pages = [grid.rows[i : i + _LINES] for i in range(0, len(grid.rows), _LINES)]
        for at, rows in enumerate(pages, 1):
            caption = grid.caption + (f" (part {at} of {len(pages)})" if len(pages) > 1 else "")
            columns = "".join("l" if i < grid.left else "r" for i in range(len(grid.header)))
            cells = [[tex.escape(text) for text in row] for row in rows]
            header = [tex.escape(text) for text in grid.header]
            blocks.append(latex.floated(latex.tabular(tex.escape(caption), columns, header, cells)))
        noted = "".join(rf"{tex.escape(note)}\par" + "\n" for note in grid.notes)
        if noted:
            head = "" if grid.rows else rf"\textbf{{{tex.escape(grid.caption)}}}\par" + "\n"
            blocks.append(
                "\\begin{flushleft}\n\\footnotesize\\raggedright\n" + head + noted + "\\end{flushleft}"
            )
    return "\n\n".join(blocks) + "\n"


def as_html(grids: Sequence[Grid], heading: str) -> str:
    """The grids as one page that needs nothing from outside itself."""
    body = []
    for grid in grids:
        heads = [_cell("th", text, i >= grid.left, ' scope="col"') for i, text in enumerate(grid.header)]
        rows = [html.tr(_row(grid, row)) for row in grid.rows]
        caption = f"<h2>{html.escape(grid.caption)}</h2>"
        body.append(html.frame(grid.caption, heads, rows) if rows else caption)
        body.append(html.listed("ul", (f"<li>{html.escape(note)}</li>" for note in grid.notes)))
    return html.page(heading, heading, body)


def _row(grid: Grid, row: Sequence[str]) -> list[str]:
    first = f'<th scope="row">{html.name_cell(row[0])}</th>'
    return [first, *(_cell("td", text, i >= grid.left) for i, text in enumerate(row[1:], 1))]


def _cell(tag: str, text: str, is_number: bool, scope: str = "") -> str:
    kind = ' class="number"' if is_number else ""
    return f"<{tag}{scope}{kind}>{html.escape(text)}</{tag}>"
