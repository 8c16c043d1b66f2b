"""Which published numbers the published outputs give: a verdict for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from empeval.errors import InputError
from empeval.protocols import Protocol, load
from empeval.readers import read
from empeval.records import Notice, Records
from empeval.report.pipeline import fingerprints, read_test_set, versions
from empeval.report.recomputed import ReproducedCell, System, Verdict, without_outputs
from empeval.version import __version__

__all__ = ["GrimRow", "ReproducedCell", "Reproduction", "Verdict", "reproduce"]


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
    """Every published number of a protocol, checked as far as the given outputs allow.

    ``parser`` says whether the authors' own parser damages text, and how many responses of each system it
    changes. ``manifest`` is what it takes to do the same again.
    """

    protocol: str
    title: str | None
    systems: tuple[str, ...]
    cells: tuple[ReproducedCell, ...]
    grim: tuple[GrimRow, ...]
    parser: Mapping[str, Any]
    warnings: tuple[Notice, ...]
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The document that ``--format json`` prints."""
        document = asdict(self)
        for key in ("systems", "cells", "grim", "warnings"):
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
    corpus: str | None = None,
    reader: str | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Reproduction:
    """Recompute a paper's published numbers on outputs, the authors' way and the standard way.

    ``protocol`` is a name, a path or a loaded `Protocol`. Every file is scored on all of its own records;
    ``corpus`` is a test set with what they lack. Raises InputError for files that cannot be read,
    ProtocolError for a protocol that is not valid.

    >>> from empeval.example import corpus_file, system_files
    >>> found = reproduce("cem", [str(system_files()[0])], corpus=str(corpus_file()))
    >>> found.counts()
    {'not_checkable': 4, 'unverified_source': 20}
    """
    recipe = protocol if isinstance(protocol, Protocol) else load(protocol)
    if not recipe.metrics:
        raise InputError(f"the protocol {recipe.id!r} has no automatic part to reproduce")
    progress("reading")
    given: dict[str, Any] = {"reader": reader, "columns": dict(columns or {})}
    tables = read(files, **given)
    test_set = None if corpus is None else read_test_set(corpus, given["columns"])
    damaged, skipped = _read_damaged(recipe, files, given)
    systems = []
    for table in tables:
        progress(f"{table.system}")
        systems.append(System(recipe, table, damaged.get(str(table.system)), test_set))
    cells = [cell for system in systems for cell in system.cells()]
    cells += without_outputs(recipe, {system.paper_name for system in systems})
    parser = recipe.outputs.authors_parser if recipe.outputs else None
    name = protocol if isinstance(protocol, str) else recipe.id
    return Reproduction(
        protocol=recipe.id,
        title=recipe.paper.title if recipe.paper else None,
        systems=tuple(system.name for system in systems),
        cells=tuple(cells),
        grim=tuple(_grim(recipe)),
        parser={
            "damages": bool(parser and parser.damages),
            "changed": {s.name: s.n_changed for s in systems if s.n_changed is not None},
        },
        warnings=tuple(dict.fromkeys([*(n for s in systems for n in s.notices), *skipped])),
        manifest={
            "empeval": __version__,
            "command": _command(name, files, corpus=corpus, **given),
            "options": {"protocol": name, "files": list(map(str, files)), "corpus": corpus, **given},
            "inputs": fingerprints([*tables, *([test_set] if test_set else [])]),
            "versions": versions(),
        },
    )


def _read_damaged(
    protocol: Protocol, files: Sequence[str], given: Mapping[str, Any]
) -> tuple[dict[str, Records], list[Notice]]:
    """The same files as the authors' scripts read them, where that damages text; and what was not tried."""
    parser = protocol.outputs.authors_parser if protocol.outputs else None
    if parser is None or not parser.damages:
        return {}, []
    again = [file for file in files if str(file).rpartition("=")[2] != "-"]
    message = "standard input is read once, and so not as the authors' parser reads it"
    skipped = [Notice("authors_parser_skipped", message, len(files) - len(again))]
    tables = read(again, **given, parser="authors") if again else []
    return {str(table.system): table for table in tables}, skipped if len(again) < len(files) else []


def _command(
    protocol: str,
    files: Sequence[str],
    *,
    corpus: str | None,
    reader: str | None,
    columns: Mapping[str, str],
) -> list[str]:
    """The command line that asks for the same."""
    words = ["empeval", "reproduce", protocol, *map(str, files)]
    mapped = ",".join(f"{ours}={theirs}" for ours, theirs in columns.items())
    for option, value in (("--corpus", corpus), ("--reader", reader), ("--columns", mapped)):
        words += [option, value] if value else []
    return words


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
