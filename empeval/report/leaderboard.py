"""The leaderboard: the numbers of one or several score documents, arranged so that they may be compared.

A column is one metric under one signature; a row is a system. What differs in tokenisation, corpus, cohort
or version never shares a column, and best values and tiers are found within a column only. How a table
looks is the business of `empeval.report.formats`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from empeval.errors import UnknownName
from empeval.report import assembly
from empeval.report.columns import Document, tabulate
from empeval.report.tables import (
    Breakdown,
    Cell,
    CheckedClaim,
    Column,
    Interval,
    Row,
    Run,
    Section,
    Tiers,
    differing_parts,
    only_column,
)

__all__ = [
    "Breakdown",
    "Cell",
    "CheckedClaim",
    "Column",
    "Interval",
    "Leaderboard",
    "Row",
    "Run",
    "Section",
    "Tiers",
    "differing_parts",
    "leaderboard",
]


@dataclass(frozen=True)
class Leaderboard:
    """Systems × (metric, signature), with what a reader needs to judge the numbers.

    ``columns`` stand metric by metric in the order asked for, ``rows`` in the order given. ``documents`` are
    the score documents that it was made from, with the names of their runs.

    >>> board = Leaderboard.from_document({
    ...     "corpus": {"name": "tiny", "n_segments": 2, "n_dialogues": 1, "fingerprint": "0f"},
    ...     "cohort": {"rule": "intersection", "n_segments": 2, "n_dialogues": 1, "dropped": {}},
    ...     "systems": ["echo"],
    ...     "scores": [{"system": "echo", "metric": "length", "value": 3.5, "interval": None, "n_segments": 2,
    ...                 "n_empty": 0, "reason": None, "signature": "length|n:2", "higher_is_better": None}]})
    >>> board.cell("echo", "length").value
    3.5
    """

    runs: tuple[Run, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    breakdowns: tuple[Breakdown, ...] = ()
    claims: tuple[CheckedClaim, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()
    documents: tuple[tuple[str, Document], ...] = field(default=(), repr=False)

    @classmethod
    def from_document(cls, document: Document) -> Leaderboard:
        """The leaderboard of one score document; raises InputError where it is not one."""
        return cls.from_documents([("", document)])

    @classmethod
    def from_documents(cls, runs: Iterable[tuple[str, Document]]) -> Leaderboard:
        """Join the score documents of several runs, given as (run name, document).

        A system of the same name in several runs is one row where its values agree; else its rows are named
        ``run/system``. Raises InputError for a document that is not a score document.
        """
        documents = assembly.checked(runs)
        labels = assembly.row_labels(documents)
        columns, rows = tabulate(documents, labels)
        return cls(
            runs=tuple(assembly.provenance(run, document) for run, document in documents),
            columns=columns,
            rows=rows,
            breakdowns=assembly.breakdowns(documents, labels),
            claims=assembly.claims(documents, labels),
            warnings=assembly.warnings(documents),
            documents=documents,
        )

    def column(self, metric: str) -> Column:
        """The one column of a metric.

        Raises UnknownName where there is none and IncomparableScores where its scores carry several
        signatures, naming the parts that differ.
        """
        return only_column(metric, self.columns)

    def cell(self, system: str, metric: str) -> Cell:
        """The score of a system (a row's name) under a metric; raises as `column` does."""
        at = self.columns.index(self.column(metric))
        for row in self.rows:
            if row.system == system:
                return row.cells[at]
        raise UnknownName("system", system, [row.system for row in self.rows])

    def render(self, format: str) -> str:
        """The table in a format given by its text form, such as ``markdown`` or ``text(width=120)``."""
        from empeval.report.formats import render

        return render(self, format)

    def to_text(self, *, width: int = 80, color: bool = False) -> str:
        """Tables for a terminal of ``width`` characters; a wide one comes in several parts."""
        return self.render(f"text(width={width},color={color})")

    def to_markdown(self) -> str:
        """GitHub tables with notes."""
        return self.render("markdown")

    def to_latex(self) -> str:
        """Tables in the style of booktabs, to be included in a paper."""
        return self.render("latex")

    def to_csv(self) -> str:
        """One line a score, values unrounded."""
        return self.render("csv")

    def to_html(self) -> str:
        """One self-contained page."""
        return self.render("html")

    def to_json(self) -> str:
        """The score document itself, or ``{"runs": {name: document}}`` where several were joined."""
        return self.render("json")


@runtime_checkable
class _HasDocument(Protocol):
    def to_dict(self) -> dict[str, Any]: ...


def leaderboard(scores: Document | _HasDocument) -> Leaderboard:
    """The leaderboard of `Scores`, or of a score document read from ``scores.json``."""
    return Leaderboard.from_document(scores.to_dict() if isinstance(scores, _HasDocument) else scores)
