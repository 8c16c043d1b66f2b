"""One system's published numbers beside what its outputs give, the authors' way and the standard way."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from empeval.cohort import Cohort, join
from empeval.metrics.base import parse_metrics
from empeval.protocols import Protocol
from empeval.protocols.automatic import MetricColumn
from empeval.protocols.chunks import n_in_chunks
from empeval.protocols.published import Cell as PublishedCell
from empeval.records import Notice, Records
from empeval.report.pipeline import without_last_chunk
from empeval.scoring import score

__all__ = ["ReproducedCell", "System", "Verdict", "without_outputs"]

Verdict = Literal["reproduced", "reproduced_authors_parser", "differs", "not_checkable", "unverified_source"]

_OTHER_SEGMENTS = "the outputs behind it are not public, and this file holds another number of segments"
_ANOTHER_RUN = "the outputs behind it are not public; this file is another run"


@dataclass(frozen=True)
class ReproducedCell:
    """One published number of one system beside what its outputs give.

    All values are on the printed scale. ``recomputed`` is computed as the authors did it, their parser
    included if it damages text and only then gives the number; ``standard`` is the toolkit's own way, on
    undamaged text. ``difference`` is recomputed − published, None where the two cannot be compared.
    ``n_published`` and ``n_recomputed`` are the numbers of segments. ``paper_system`` is what the published
    table calls the system. ``note`` is about this cell, ``table_note`` about the published table.
    """

    system: str
    paper_system: str
    metric: str
    form: str | None
    standard_form: str | None
    published: float | None = None
    published_text: str | None = None
    source: str | None = None
    source_kind: str | None = None
    verified: bool | None = None
    table: str | None = None
    n_published: int | None = None
    n_recomputed: int | None = None
    recomputed: float | None = None
    recomputed_authors_parser: float | None = None
    standard: float | None = None
    claimed: str | None = None
    difference: float | None = None
    verdict: Verdict | None = None
    note: str | None = None
    table_note: str | None = None


class System:
    """One system's outputs, undamaged and, where their parser damages text, as the authors read them."""

    def __init__(
        self, protocol: Protocol, table: Records, damaged: Records | None, corpus: Records | None
    ) -> None:
        self.name = str(table.system)
        self.paper_name, self._stream = protocol.printed_name(self.name)
        self._protocol = protocol
        self._clean = join([table], corpus=corpus)
        self._damaged = None if damaged is None else _joined_alike(table, damaged, corpus)
        self._claims = {claim.name: claim for claim in table.claims}
        self._known: dict[tuple[int | None, bool], Mapping[str, float | None]] = {}
        #: of reading and joining
        self.notices: tuple[Notice, ...] = (*self._clean.notices, *(damaged.notices if damaged else ()))

    @property
    def n_changed(self) -> int | None:
        """Responses that the authors' parser changes; None where it was not tried."""
        if self._damaged is None:
            return None
        clean, damaged = (cohort.systems[0].hypotheses for cohort in (self._clean, self._damaged))
        return sum(one != other for one, other in zip(clean, damaged, strict=True))

    def cells(self) -> list[ReproducedCell]:
        """A cell for each published number, and one for each column that has none."""
        found = []
        for column in self._protocol.metrics:
            published: list[PublishedCell | None] = [
                cell
                for cell in _automatic(self._protocol)
                if (cell.system, cell.column) == (self.paper_name, column.label)
                and cell.stream in (None, self._stream)
            ]
            found += [self._cell(column, cell) for cell in published or [None]]
        return found

    def _cell(self, column: MetricColumn, published: PublishedCell | None) -> ReproducedCell:
        clean = self._value(column, column.as_coded)
        damaged = self._value(column, column.as_coded, damaged=True) if self._damaged else None
        cell = replace(
            _blank(self.name, self.paper_name, column, published),
            n_recomputed=self._n(column),
            recomputed=clean if damaged is None else damaged,
            recomputed_authors_parser=damaged,
            standard=self._value(column, column.as_standard),
            claimed=self._claims[column.claim].text if column.claim in self._claims else None,
        )
        return cell if published is None else self._judged(cell, column, published, clean, damaged)

    def _judged(
        self,
        cell: ReproducedCell,
        column: MetricColumn,
        published: PublishedCell,
        clean: float | None,
        damaged: float | None,
    ) -> ReproducedCell:
        """The cell with its verdict; the authors' parser counts only where the number needs it."""
        if published.source_kind == "memory":
            return replace(cell, verdict="unverified_source")
        authors_way = clean if damaged is None else damaged
        if clean is None or authors_way is None:
            return replace(cell, verdict="not_checkable", note=self._why_undefined(column, published))
        if not self._may_be_the_published(published, cell.n_recomputed):
            return replace(cell, verdict="not_checkable", note=_OTHER_SEGMENTS)
        verdict: Verdict = "differs"
        if _prints_as(clean, published):
            verdict, authors_way = "reproduced", clean
        elif _prints_as(authors_way, published):
            verdict = "reproduced_authors_parser"
        return replace(
            cell,
            verdict=verdict,
            recomputed=authors_way,
            difference=authors_way - published.number,
            note=_ANOTHER_RUN if self._never_published else None,
        )

    @property
    def _never_published(self) -> bool:
        """Whether nobody else has the outputs behind the paper's numbers."""
        return self._protocol.outputs is not None and self._protocol.outputs.public is False

    def _may_be_the_published(self, published: PublishedCell, n: int | None) -> bool:
        """Where outputs are not public, a file of the same name with other segments is surely not those."""
        return not self._never_published or published.n in (None, n)

    def _why_undefined(self, column: MetricColumn, published: PublishedCell) -> str:
        claim = self._claims.get(column.claim or "")
        if claim is not None:
            same = _prints_as(claim.value * column.claim_scale, published)
            return f"only the file's header has it, {claim.text}: {'the same' if same else 'another'} number"
        if not self._n(column):
            return f"the file holds no more than one chunk of {column.chunk}, and the last chunk is left out"
        return "the outputs do not hold what this number is computed from"

    def _n(self, column: MetricColumn) -> int:
        n = len(self._clean.corpus)
        return n if column.chunk is None else n_in_chunks(n, column.chunk)

    def _value(self, column: MetricColumn, form: str | None, *, damaged: bool = False) -> float | None:
        """The score on the printed scale, None where undefined."""
        if form is None or not self._n(column):
            return None
        key = (column.chunk, damaged)
        if key not in self._known:
            self._known[key] = self._scores(column.chunk, damaged=damaged)
        value = self._known[key][_canonical(form)]
        return None if value is None else value / column.divisor

    def _scores(self, chunk: int | None, *, damaged: bool) -> dict[str, float | None]:
        """All forms that the columns of one chunk size name, by their canonical texts."""
        cohort = self._damaged if damaged and self._damaged else self._clean
        columns = [column for column in self._protocol.metrics if column.chunk == chunk]
        forms = [form for column in columns for form in (column.as_coded, column.as_standard) if form]
        found = score(
            cohort if chunk is None else without_last_chunk(cohort, chunk),
            metrics=list(dict.fromkeys(map(_canonical, forms))),
            n_resamples=0,
        )
        return {entry.metric: entry.value for entry in found.scores}


def without_outputs(protocol: Protocol, present: Collection[str]) -> list[ReproducedCell]:
    """The published numbers of systems that no file holds."""
    columns = {column.label: column for column in protocol.metrics}
    return [
        replace(
            _blank(cell.system, cell.system, columns[cell.column], cell),
            verdict="unverified_source" if cell.source_kind == "memory" else "not_checkable",
            note="no file holds outputs of this system",
        )
        for cell in _automatic(protocol)
        if cell.system not in present
    ]


def _automatic(protocol: Protocol) -> list[PublishedCell]:
    return [cell for cell in protocol.cells() if cell.part == "automatic" and cell.group is None]


def _joined_alike(table: Records, damaged: Records, corpus: Records | None) -> Cohort:
    """The damaged responses on the same segments; references of a corpus of its own are not damaged."""
    if corpus is None:
        return join([damaged])
    hypotheses = {"hypothesis": damaged.columns["hypothesis"]}
    return join([replace(table, columns={**table.columns, **hypotheses})], corpus=corpus)


def _blank(
    system: str, paper_system: str, column: MetricColumn, published: PublishedCell | None
) -> ReproducedCell:
    """A cell with what is published, and nothing recomputed."""
    printed: dict[str, Any] = {}
    if published is not None:
        printed = {
            "published": published.number,
            "published_text": published.value,
            "source": published.source,
            "source_kind": published.source_kind,
            "verified": published.verified,
            "table": published.table,
            "n_published": published.n,
            "table_note": published.note,
        }
    return ReproducedCell(system, paper_system, column.label, column.as_coded, column.as_standard, **printed)


def _prints_as(value: float, published: PublishedCell) -> bool:
    """Whether the value, rounded to the printed decimals, is the published number."""
    half = 0.5 * 10.0**-published.decimals
    return abs(value - published.number) <= half * (1 + 1e-9)


def _canonical(form: str) -> str:
    return parse_metrics(form)[0].spec
