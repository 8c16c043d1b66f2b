"""One line a score, values unrounded, for spreadsheets and data frames."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from empeval.report.formats._base import FORMATS, Format

if TYPE_CHECKING:
    from empeval.report.leaderboard import Leaderboard
    from empeval.report.tables import Cell, Column

HEADER = (
    "system",
    "metric",
    "value",
    "low",
    "high",
    "level",
    "method",
    "tier",
    "best",
    "n_segments",
    "n_empty",
    "reason",
    "signature",
    "group",
)
_QUOTED = re.compile('[",\r\n]')


@FORMATS.register("csv")
@dataclass(frozen=True)
class CsvFormat(Format):
    """Tidy long form (RFC 4180, lines end in LF); an absent value is an empty field.

    Names and values stand exactly as they are. ``group`` is empty for scores on the whole cohort.
    """

    name: ClassVar[str] = "csv"
    suffix: ClassVar[str] = ".csv"

    def render(self, board: Leaderboard) -> str:
        """A header, then system by system, each in the order of the columns; then the groups."""
        lines: list[tuple[str, ...]] = [HEADER]
        for row in board.rows:
            lines.extend(_fields(row.system, board.columns, row.cells, ""))
        for breakdown in board.breakdowns:
            for section in breakdown.sections:
                for row in section.rows:
                    lines.extend(_fields(row.system, breakdown.columns, row.cells, section.group))
        return "".join(",".join(map(_quoted, line)) + "\n" for line in lines)


def _fields(
    system: str, columns: Iterable[Column], cells: Iterable[Cell], group: str
) -> Iterable[tuple[str, ...]]:
    for column, cell in zip(columns, cells, strict=True):
        interval = cell.interval
        ends = (interval.low, interval.high, interval.level, interval.method) if interval else (None,) * 4
        yield (
            system,
            column.metric,
            _plain(cell.value),
            *map(_plain, ends),
            _plain(cell.tier),
            "true" if cell.best else "false",
            _plain(cell.n_segments),
            _plain(cell.n_empty),
            _plain(cell.reason),
            cell.signature,
            group,
        )


def _plain(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    # csv.writer with LF line ends leaves a lone CR unquoted before Python 3.13, which no reader takes back.
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text
