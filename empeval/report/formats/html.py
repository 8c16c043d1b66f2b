"""One page that needs nothing from outside itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape as escape_html
from typing import TYPE_CHECKING, ClassVar

from empeval.report.formats import _printed as printed
from empeval.report.formats._base import FORMATS, Format
from empeval.report.formats._notes import Note, Notes, notes
from empeval.report.formats._sheets import CLAIM_CAPTION, CLAIM_HEADER, Sheet, claim_lines, sheets

if TYPE_CHECKING:
    from empeval.report.leaderboard import Leaderboard
    from empeval.report.tables import Cell, Column

_STYLE = """\
:root { color-scheme: light dark; }
body { font: 100%/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
.table { margin: 0 0 2rem; overflow-x: auto; }
table { border-collapse: collapse; }
caption { font-weight: 600; padding-bottom: .5rem; text-align: start; }
th, td { padding: .3rem .75rem; text-align: start; white-space: nowrap; }
thead th { border-bottom: 2px solid; vertical-align: bottom; white-space: normal; }
tbody tr { border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
tbody th { font-weight: normal; white-space: normal; }
.number { font-variant-numeric: tabular-nums; text-align: end; }
.interval { font-size: .85em; opacity: .85; }
li { margin-bottom: .25rem; overflow-wrap: anywhere; }"""

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<main>
<h1>{heading}</h1>
{body}
</main>
</body>
</html>
"""

_SPOKEN = {True: "higher is better", False: "lower is better"}


@FORMATS.register("html")
@dataclass(frozen=True)
class HtmlFormat(Format):
    """One HTML file with its style inside, in the reader's light or dark scheme."""

    name: ClassVar[str] = "html"
    suffix: ClassVar[str] = ".html"

    def render(self, board: Leaderboard) -> str:
        """Tables with captions and scopes, then the notes that their marks link to."""
        found = notes(board, "bold")
        parts = sheets(board)
        body = [_table(sheet, found) for sheet in parts]
        if board.claims:
            rows = (
                tr(
                    [
                        f'<th scope="row">{name_cell(line[0])}</th>',
                        *(f"<td>{escape(text)}</td>" for text in line[1:]),
                    ]
                )
                for line in claim_lines(board.claims)
            )
            body.append(frame(CLAIM_CAPTION, (f'<th scope="col">{text}</th>' for text in CLAIM_HEADER), rows))
        body.append(listed("ol", (_note(note) for note in found.numbered)))
        body.append(listed("ul", (f"<li>{escape(text)}</li>" for text in found.general)))
        return page("Leaderboard", f"Leaderboard: {parts[0].caption}", body)


def page(heading: str, title: str, body: Iterable[str]) -> str:
    """A whole page around the parts of its body, empty ones left out."""
    parts = "\n".join(part for part in body if part)
    return _PAGE.format(title=escape(title), style=_STYLE, heading=escape(heading), body=parts)


def escape(text: str) -> str:
    """A text as HTML shows it literally, in an element or an attribute."""
    return escape_html(printed.visible(text))


def name_cell(text: str) -> str:
    """A name for a cell."""
    # A name in a right-to-left script must not reorder the numbers beside it.
    return f"<bdi>{escape(text)}</bdi>"


def _table(sheet: Sheet, found: Notes) -> str:
    heads = [
        *(f'<th scope="col">{escape(text)}</th>' for text in sheet.stub),
        *(_header(column, mark) for column, mark in zip(sheet.columns, sheet.marks, strict=True)),
    ]
    rows = (
        tr(
            [
                *(f'<th scope="row">{name_cell(text)}</th>' for text in line.stub),
                *(_cell(cell, column, found) for cell, column in zip(line.cells, sheet.columns, strict=True)),
            ]
        )
        for line in sheet.lines
    )
    return frame(sheet.caption, heads, rows)


def frame(caption: str, heads: Iterable[str], rows: Iterable[str]) -> str:
    """A table with its caption, header cells and rows."""
    # Scrollable by keyboard, hence focusable and named (WCAG 2.1.1).
    label = escape(caption)
    return "\n".join(
        [
            f'<div class="table" role="region" tabindex="0" aria-label="{label}">',
            "<table>",
            f"<caption>{label}</caption>",
            "<thead>",
            tr(heads),
            "</thead>",
            "<tbody>",
            *rows,
            "</tbody>",
            "</table>",
            "</div>",
        ]
    )


def tr(cells: Iterable[str]) -> str:
    """One row of cells."""
    return f"<tr>{''.join(cells)}</tr>"


def _header(column: Column, mark: int | None) -> str:
    text = escape(column.metric).replace(",", ",<wbr>").replace("(", "<wbr>(")
    if column.higher_is_better is not None:
        spoken = _SPOKEN[column.higher_is_better]
        text += f' <span role="img" aria-label="{spoken}">{printed.arrow(column)}</span>'
    return f'<th scope="col" class="number">{text}{_mark(mark)}</th>'


def _mark(number: int | None) -> str:
    return "" if number is None else f'<sup><a href="#note-{number}">{number}</a></sup>'


def _cell(cell: Cell, column: Column, found: Notes) -> str:
    text = printed.value(cell, column)
    if cell.value is None:
        return f'<td class="number">{text}{_mark(found.reasons[cell.reason or ""])}</td>'
    parts = [f"<strong>{text}</strong>" if cell.best else text]
    if cell.tier:
        parts.append(f'<span class="tier">{cell.tier}</span>')
    if cell.interval:
        parts.append(f'<span class="interval">{printed.bracket(cell, column)}</span>')
    return f'<td class="number">{" ".join(parts)}</td>'


def _note(note: Note) -> str:
    code = f": <code>{escape(note.code)}</code>" if note.code else ""
    return f'<li id="note-{note.number}">{escape(note.text)}{code}</li>'


def listed(kind: str, items: Iterable[str]) -> str:
    """The items as a list, ``ol`` or ``ul``; nothing where there are none."""
    lines = list(items)
    return "\n".join([f"<{kind}>", *lines, f"</{kind}>"]) if lines else ""
