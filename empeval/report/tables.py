"""The values a leaderboard is made of: frozen, numbers and names only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from empeval.errors import IncomparableScores, UnknownName

__all__ = [
    "Breakdown",
    "Cell",
    "CheckedClaim",
    "Column",
    "Interval",
    "Row",
    "Run",
    "Section",
    "Tiers",
    "differing_parts",
    "only_column",
]


@dataclass(frozen=True)
class Interval:
    """A confidence interval [low, high] at a level, and the method that made it."""

    low: float
    high: float
    level: float
    method: str


@dataclass(frozen=True)
class Cell:
    """One score; a value of None has a reason. ``tier`` is a letter, a for the best tier."""

    value: float | None
    interval: Interval | None = None
    tier: str | None = None
    best: bool = False
    reason: str | None = None
    n_segments: int | None = None
    n_empty: int = 0
    signature: str = ""


@dataclass(frozen=True)
class Tiers:
    """Sets of systems, best first, and the family of tests at level ``alpha`` that separates them.

    ``within`` are the pairs (better, worse) that differ significantly although they share a tier: a tier ends
    only where all of its systems beat all those below.
    """

    sets: tuple[tuple[str, ...], ...]
    alpha: float
    correction: str
    test: str
    within: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Column:
    """One metric under one signature.

    ``tiers`` is None where the metric has no direction, where fewer than two systems have a value, and where
    the systems come from runs that were never tested against each other (``untested`` is then true).
    """

    metric: str
    signature: str
    higher_is_better: bool | None = None
    decimals: int = 2
    n_dialogues: int | None = None
    tiers: Tiers | None = None
    untested: bool = False


@dataclass(frozen=True)
class Row:
    """A system, or ``run/system``, and its cells, one a column."""

    system: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Section:
    """One group of a breakdown: the rows that its segments give."""

    group: str
    n_segments: int
    n_dialogues: int | None
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Breakdown:
    """The scores of one run within each group of a field; tests are corrected within each group.

    ``columns`` name the metrics; best values and tiers are those of each section, and each cell carries its
    own signature, which counts the segments of its group.
    """

    run: str
    by: str
    correction: str
    columns: tuple[Column, ...]
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class CheckedClaim:
    """A number that a file states about itself, as printed, beside what the outputs give."""

    system: str
    name: str
    text: str
    recomputed: float | None
    status: str


@dataclass(frozen=True)
class Run:
    """Where scores come from: the corpus, and the segments that all systems of the run share."""

    name: str
    corpus: str
    fingerprint: str
    rule: str
    n_segments: int
    n_dialogues: int | None
    dropped: tuple[tuple[str, int], ...] = ()


def differing_parts(one: str, other: str) -> list[tuple[str, str, str]]:
    """The parts (key, in one, in the other) in which two signatures differ; an absent part is ``absent``.

    >>> differing_parts("bleu|tok:13a|n:5255", "bleu|tok:intl|n:5255|case:lc")
    [('tok', '13a', 'intl'), ('case', 'absent', 'lc')]
    """
    a, b = _parts(one), _parts(other)
    return [
        (place[0], a.get(place, "absent"), b.get(place, "absent"))
        for place in dict.fromkeys((*a, *b))
        if a.get(place) != b.get(place)
    ]


def _parts(signature: str) -> dict[tuple[str, int], str]:
    """(key, how many of this key stand before) → value: ``n`` is an order of Distinct and a count as well."""
    name, *parts = signature.split("|")
    found = {("metric", 0): name}
    before: Counter[str] = Counter(("metric",))
    for key, _, value in (part.partition(":") for part in parts):
        found[key, before[key]] = value
        before[key] += 1
    return found


def only_column(metric: str, columns: Iterable[Column]) -> Column:
    """The one column of a metric.

    Raises UnknownName where there is none and IncomparableScores where there are several, naming the parts
    of the signatures that differ.
    """
    columns = list(columns)
    found = [column for column in columns if column.metric == metric]
    if not found:
        raise UnknownName("column", metric, {column.metric for column in columns})
    if len(found) > 1:
        one, other = found[0].signature, found[1].signature
        parts = "; ".join(f"{key} is {a} and {b}" for key, a, b in differing_parts(one, other))
        raise IncomparableScores(
            f"the scores of {metric!r} cannot share a column: {parts}. The signatures are {one} and {other}; "
            "score the systems together, or with the same options on the same corpus"
        )
    return found[0]
