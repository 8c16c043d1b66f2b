"""The header of a log: numbers that its system printed about itself, read as claims to be checked."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from empeval.errors import InputError
from empeval.records import Claim

__all__ = ["Headline", "claims_by_decode"]

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)", re.IGNORECASE)


@dataclass(frozen=True)
class Headline:
    """What recomputes a number of a header (see `Claim`), and the decode it speaks of (None: every one)."""

    metric: str | None = None
    divisor: float = 1.0
    log_of: str | None = None
    decode: str | None = None


def claims_by_decode(
    source: str,
    header: Sequence[tuple[int, str]],
    decodes: Sequence[str],
    headlines: Mapping[str, Headline],
    names: Sequence[str] = (),
) -> dict[str, tuple[Claim, ...]]:
    """The claims that a header makes about each decode.

    ``header`` are lines with their numbers: comments, then a line of names, then a line of numbers (perhaps
    after a label such as ``test``), both cut at tabs. ``names`` replace those of a header that does not name
    its numbers; if they are too many or too few, the numbers stay without meaning. Raises InputError where
    the header's own names and its numbers do not match.
    """
    rows = [(number, _cells(text)) for number, text in header if not text.startswith("#")]
    if not rows:
        return dict.fromkeys(decodes, ())
    line = rows[-1][0]
    if len(rows) != 2:
        raise InputError(
            f"expected a header of two lines, names and numbers, and found {len(rows)}",
            source=source,
            line=line,
        )
    (_, printed), (_, cells) = rows
    if cells and not _NUMBER.fullmatch(cells[0]):
        cells = cells[1:]
    wrong = next((cell for cell in cells if not _NUMBER.fullmatch(cell)), None)
    if wrong is not None:
        raise InputError(f"expected a number in the header, found {wrong!r}", source=source, line=line)
    if not names:
        names = printed[1:] if printed[:1] == ["EVAL"] else printed
    elif len(names) != len(cells):
        names = [f"number {i}" for i in range(1, len(cells) + 1)]
    if len(names) != len(cells):
        raise InputError(
            f"the header names {len(names)} numbers ({', '.join(names)}), and here are {len(cells)}",
            source=source,
            line=line,
        )
    found = [(name, text, headlines.get(name, Headline())) for name, text in zip(names, cells, strict=True)]
    return {
        decode: tuple(
            Claim(name, float(text), text, headline.metric, headline.divisor, headline.log_of)
            for name, text, headline in found
            if headline.decode in (None, decode) and math.isfinite(float(text))
        )
        for decode in decodes
    }


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell in text.split("\t") if cell.strip()]
