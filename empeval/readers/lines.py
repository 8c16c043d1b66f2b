"""Bare text: one response a line, joined to a corpus by its position alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from empeval import specs
from empeval.readers.base import READERS, ReadOptions, Sample, Source, maybe_truncated
from empeval.records import Records

__all__ = ["Lines"]

_STRUCTURED = re.compile(
    r"""\s*(?:\{\s*(?:["'}]|\w+\s*:)|\[\s*[\[{"]|[{}\[\]],?\s*$|<\?xml|<!doctype|<html)""", re.IGNORECASE
)


@READERS.register("lines")
@dataclass(frozen=True)
class Lines:
    """Reads bare text; a blank line is an empty response, and the newline at the end starts no line."""

    name: ClassVar[str] = "lines"
    description: ClassVar[str] = "bare text: one response a line, in the order of the corpus"
    suffixes: ClassVar[tuple[str, ...]] = ()

    def recognises(self, sample: Sample) -> float:
        """Little, since anything is text; nothing if it looks like a table or like JSON."""
        tabs = {line.count("\t") for line in sample.lines}
        looks_like_table = len(sample.lines) > 1 and len(tabs) == 1 and tabs != {0}
        structured = any(_STRUCTURED.match(line) for line in sample.lines[:20])
        return 0.0 if looks_like_table or structured else 0.1

    def read(self, source: Source, options: ReadOptions) -> list[Records]:
        """Read lines as responses, or as references where a corpus is wanted."""
        texts = list(source.lines())
        columns: dict[str, list[Any]] = (
            {"references": [(text,) for text in texts]} if options.corpus else {"hypothesis": texts}
        )
        return [
            Records(
                source=source.name,
                reader=specs.format_spec(self.name, self),
                system=None if options.corpus else options.system,
                columns=columns,
                lines=range(1, len(texts) + 1),
                notices=maybe_truncated(source),
                positional=True,
            )
        ]
