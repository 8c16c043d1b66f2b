"""Logs that the published systems wrote: records of several lines, each line a prefix and a value.

A reader states its grammar: which lines a record has, in which order, what separates records. The first
record settles which optional lines a file has; from then on every record must have exactly these, so that
a log that was cut or damaged is an error and never a shorter or shifted test set.
"""

from __future__ import annotations

from typing import ClassVar

from empeval import records, specs
from empeval.readers._grammar import Grammar
from empeval.readers._headers import claims_by_decode
from empeval.readers._record_parser import RecordParser
from empeval.readers.base import Parser, ReadOptions, Sample, Source, maybe_truncated
from empeval.records import Notice, Records

__all__ = ["LogReader"]


class LogReader:
    """The base of readers of logs; a subclass states its `grammar`."""

    name: ClassVar[str]
    description: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = ()
    grammar: ClassVar[Grammar]

    def recognises(self, sample: Sample) -> float:
        """The share of lines that the grammar knows, so that a damaged line changes little."""
        lines = [line for line in sample.lines if line.strip()]
        while lines and self.grammar.is_header(lines[0]):
            del lines[0]
        known = sum(self.grammar.find(line) is not None for line in lines)
        return known / len(lines) if lines else 0.0

    def read(self, source: Source, options: ReadOptions) -> list[Records]:
        """Read each decode as a system; they share all other columns."""
        log = RecordParser(source, self.grammar, authors=options.parser == "authors")
        for number, text in enumerate(source.lines(), 1):
            log.take(number, text)
        log.finish()
        claims = claims_by_decode(
            source.name, log.header, list(log.hypotheses), self.grammar.headlines, self.grammar.header_names
        )
        decodes: list[str | None] = [None] if options.corpus else list(log.hypotheses)
        return [
            self._records(log, decode, claims.get(decode or "", ()), source, options) for decode in decodes
        ]

    def _records(
        self,
        log: RecordParser,
        decode: str | None,
        claims: tuple[records.Claim, ...],
        source: Source,
        options: ReadOptions,
    ) -> Records:
        system, columns = None, log.columns
        if decode is not None:
            system = options.system if len(log.hypotheses) == 1 else f"{options.system}:{decode}"
            columns = columns | {"hypothesis": log.hypotheses[decode]}
        return Records(
            source=source.name,
            reader=specs.format_spec(self.name, self),
            system=system,
            columns=columns,
            lines=log.starts,
            claims=claims,
            notices=maybe_truncated(source) + _damage(log, decode, system or source.name, options.parser),
            options={"parser": options.parser},
        )


def _damage(log: RecordParser, decode: str | None, whose: str, parser: Parser) -> tuple[Notice, ...]:
    """What reading as the authors' scripts do has changed."""
    if parser != "authors":
        return ()
    n_responses = log.changed[decode] if decode is not None else 0
    message = (
        f"{whose}: {n_responses} responses and {log.changed['references']} references of {len(log.starts)} "
        "are damaged, because the authors' scripts strip a set of characters where they mean a prefix"
    )
    return (Notice("authors_parser", message, n_responses),)
