"""Which published numbers the published outputs give: a verdict for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from empeval.cohort import Cohort, join
from empeval.errors import InputError
from empeval.metrics.base import parse_metrics
from empeval.protocols import Protocol, load
from empeval.protocols.automatic import MetricColumn
from empeval.protocols.published import Cell as PublishedCell
from empeval.readers import read
from empeval.records import Claim, Notice, Records
from empeval.report.pipeline import fingerprints, without_last_chunk
from empeval.scoring import score

__all__ = ["GrimRow", "ReproducedCell", "Reproduction", "Verdict", "reproduce"]

Verdict = Literal["reproduced", "reproduced_authors_parser", "differs", "not_checkable", "unverified_source"]


@dataclass(frozen=True)
class ReproducedCell:
    """One published number of one system beside what its outputs give.

    All values are on the printed scale. ``recomputed`` is computed as the authors did it, their parser
    included if it damages text and only then gives the number; ``standard`` is the toolkit's own way, on
    undamaged text. ``difference`` is recomputed − published. ``n_published`` and ``n_recomputed`` are the
    numbers of segments. ``paper_system`` is what the published table calls the system.
    """

    system: str
    paper_system: str
    metric: str
    form: str | None
    standard_form: str | None
    published: float | None
    published_text: str | None
    source: str | None
    source_kind: str | None
    verified: bool | None
    table: str | None
    n_published: int | None
    n_recomputed: int | None
    recomputed: float | None
    recomputed_authors_parser: float | None
    standard: float | None
    claimed: str | None
    difference: float | None
    verdict: Verdict | None
    note: str | None = None


@dataclass(frozen=True)
class GrimRow:
    """One row of a human table, and whether whole answers of its n items can give it."""

    table: str
    row: str
    values: Mapping[str, str]
    n: int
    raters: int | None
    passes: bool


@dataclass(frozen=True)
class Reproduction:
    """Every published number of a protocol, checked as far as the given outputs allow."""

    protocol: str
    title: str | None
    systems: tuple[str, ...]
    cells: tuple[ReproducedCell, ...]
    grim: tuple[GrimRow, ...]
    parser: Mapping[str, Any]
    warnings: tuple[Notice, ...]
    inputs: tuple[Mapping[str, Any], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The document that ``--format json`` prints."""
        document = asdict(self)
        for key in ("systems", "cells", "grim", "warnings", "inputs"):
            document[key] = list(document[key])
        for warning in document["warnings"]:
            warning["ids"] = list(warning["ids"])
        return document

    def counts(self) -> dict[str, int]:
        """How many cells have each verdict."""
        verdicts = [cell.verdict for cell in self.cells if cell.verdict]
        return {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}


def reproduce(
    protocol: Protocol | str,
    files: Sequence[str],
    *,
    reader: str | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Reproduction:
    """Recompute a paper's published numbers on outputs, the authors' way and the standard way.

    ``protocol`` is a name, a path or a loaded `Protocol`. Every file is scored on all of its own records.
    Raises InputError for files that cannot be read, ProtocolError for a protocol that is not valid.
    """
    recipe = protocol if isinstance(protocol, Protocol) else load(protocol)
    if not recipe.metrics:
        raise InputError(f"the protocol {recipe.id!r} has no automatic part to reproduce")
    progress("reading")
    tables = read(files, reader=reader, columns=dict(columns or {}))
    damaged = _read_damaged(recipe, files, reader, columns)
    systems = []
    for table in tables:
        progress(f"{table.system}")
        systems.append(_System(recipe, table, damaged.get(str(table.system))))
    cells = [cell for system in systems for cell in system.cells()]
    cells += _without_outputs(recipe, {system.paper_name for system in systems})
    notices = [notice for table in (*tables, *damaged.values()) for notice in table.notices]
    parser = recipe.outputs.authors_parser if recipe.outputs else None
    return Reproduction(
        protocol=recipe.id,
        title=recipe.paper.title if recipe.paper else None,
        systems=tuple(system.name for system in systems),
        cells=tuple(cells),
        grim=tuple(_grim(recipe)),
        parser={
            "damages": bool(parser and parser.damages),
            "changed": {system.name: system.n_changed for system in systems if system.authors},
        },
        warnings=tuple(dict.fromkeys(notices)),
        inputs=tuple(fingerprints(tables)),
    )


def _read_damaged(
    protocol: Protocol, files: Sequence[str], reader: str | None, columns: Mapping[str, str] | None
) -> dict[str, Records]:
    """The same files as the authors' scripts read them, where that damages text."""
    parser = protocol.outputs.authors_parser if protocol.outputs else None
    if parser is None or not parser.damages or "-" in files:
        return {}
    tables = read(files, reader=reader, columns=dict(columns or {}), parser="authors")
    return {str(table.system): table for table in tables}


class _System:
    """One system's outputs, undamaged and as the authors' scripts read them."""

    def __init__(self, protocol: Protocol, table: Records, damaged: Records | None) -> None:
        self.name = str(table.system)
        self._protocol = protocol
        self._clean = join([table])
        self.authors = join([damaged]) if damaged is not None else None
        self.paper_name, self._stream = protocol.printed_name(self.name)
        self._claims = {claim.name: claim for claim in table.claims}
        self._known: dict[tuple[str, bool], float | None] = {}

    @property
    def n_changed(self) -> int:
        """Responses that the authors' parser changes."""
        if self.authors is None:
            return 0
        pairs = zip(self._clean.systems[0].hypotheses, self.authors.systems[0].hypotheses, strict=True)
        return sum(clean != damaged for clean, damaged in pairs)

    def cells(self) -> list[ReproducedCell]:
        """A cell for each published number, and one for each column that has none."""
        found = []
        for column in self._protocol.metrics:
            published: list[PublishedCell | None] = [
                cell
                for cell in self._protocol.cells()
                if cell.part == "automatic"
                and cell.group is None
                and (cell.system, cell.column) == (self.paper_name, column.label)
                and cell.stream in (None, self._stream)
            ]
            found += [self._cell(column, cell) for cell in published or [None]]
        return found

    def _cell(self, column: MetricColumn, published: PublishedCell | None) -> ReproducedCell:
        clean = self._value(column, column.as_coded, damaged=False)
        damaged = self._value(column, column.as_coded, damaged=True) if self.authors else None
        verdict, recomputed = _verdict(published, clean, damaged)
        claim = self._claims.get(column.claim or "")
        return ReproducedCell(
            system=self.name,
            paper_system=self.paper_name,
            metric=column.label,
            form=column.as_coded,
            standard_form=column.as_standard,
            recomputed=recomputed,
            recomputed_authors_parser=damaged,
            standard=self._value(column, column.as_standard, damaged=False),
            claimed=claim.text if claim else None,
            n_recomputed=len(self._cohort(column, damaged=False).corpus),
            difference=recomputed - published.number if published and recomputed is not None else None,
            verdict=verdict,
            note=self._note(published, clean, column, claim),
            **_published(published),
        )

    def _note(
        self,
        published: PublishedCell | None,
        value: float | None,
        column: MetricColumn,
        claim: Claim | None,
    ) -> str | None:
        if published is None or value is not None:
            return published.note if published else None
        if claim is None:
            return "the outputs do not hold what this number is computed from"
        stated = claim.value * column.claim_scale
        agrees = _prints_as(stated, published)
        return f"only the file's header has it, {claim.text}: {'the same' if agrees else 'another'} number"

    def _cohort(self, column: MetricColumn, *, damaged: bool) -> Cohort:
        cohort = self.authors if damaged and self.authors else self._clean
        return cohort if column.chunk is None else without_last_chunk(cohort, column.chunk)

    def _value(self, column: MetricColumn, form: str | None, *, damaged: bool) -> float | None:
        """The score on the printed scale, None where undefined."""
        if form is None:
            return None
        key = (form, damaged)
        if key not in self._known:
            cohort = self._cohort(column, damaged=damaged)
            scores = score(cohort, metrics=[parse_metrics(form)[0]], n_resamples=0)
            self._known[key] = scores.scores[0].value
        value = self._known[key]
        return None if value is None else value / column.divisor


def _verdict(
    published: PublishedCell | None, clean: float | None, damaged: float | None
) -> tuple[Verdict | None, float | None]:
    """The verdict and the value that it rests on: the authors' parser's where only that gives the number."""
    authors_way = clean if damaged is None else damaged
    if published is None:
        return None, authors_way
    if published.source_kind == "memory":
        return "unverified_source", authors_way
    if clean is None or authors_way is None:
        return "not_checkable", None
    if _prints_as(clean, published):
        return "reproduced", clean
    if damaged is not None and _prints_as(damaged, published):
        return "reproduced_authors_parser", damaged
    return "differs", authors_way


def _prints_as(value: float, published: PublishedCell) -> bool:
    """Whether the value, rounded to the printed decimals, is the published number."""
    half = 0.5 * 10.0**-published.decimals
    return abs(value - published.number) <= half * (1 + 1e-9)


def _published(cell: PublishedCell | None) -> dict[str, Any]:
    if cell is None:
        return dict.fromkeys(
            (
                "published",
                "published_text",
                "source",
                "source_kind",
                "verified",
                "table",
                "n_published",
            )
        )
    return {
        "published": cell.number,
        "published_text": cell.value,
        "source": cell.source,
        "source_kind": cell.source_kind,
        "verified": cell.verified,
        "table": cell.table,
        "n_published": cell.n,
    }


def _without_outputs(protocol: Protocol, present: set[str]) -> list[ReproducedCell]:
    """Published numbers of systems that no file holds."""
    columns = {column.label: column for column in protocol.metrics}
    return [
        ReproducedCell(
            system=cell.system,
            paper_system=cell.system,
            metric=cell.column,
            form=columns[cell.column].as_coded,
            standard_form=columns[cell.column].as_standard,
            n_recomputed=None,
            recomputed=None,
            recomputed_authors_parser=None,
            standard=None,
            claimed=None,
            difference=None,
            verdict="unverified_source" if cell.source_kind == "memory" else "not_checkable",
            note="no file holds outputs of this system",
            **_published(cell),
        )
        for cell in protocol.cells()
        if cell.part == "automatic" and cell.group is None and cell.system not in present
    ]


def _grim(protocol: Protocol) -> list[GrimRow]:
    """The rows of the human tables whose number of items is known."""
    found = []
    for table in protocol.published if protocol.checks.grim else ():
        for row, passes in table.grim_rows().items():
            if passes is not None and table.n is not None:
                shown = {
                    column: value
                    for column, value in zip(table.columns, table.rows[row], strict=True)
                    if value is not None
                }
                found.append(GrimRow(table.title, row, shown, table.n, table.raters, passes))
    return found
