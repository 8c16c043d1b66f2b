"""From the scores of documents to columns: what may stand together, and what is best within a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from empeval.errors import EmpevalError
from empeval.report.tables import Cell, Column, Interval, Row, Tiers

__all__ = ["NOT_SCORED", "Document", "Documents", "Labels", "tabulate"]

Document = Mapping[str, Any]
Documents = Sequence[tuple[str, Document]]
#: (run, system) → the name of its row
Labels = Mapping[tuple[str, str], str]

NOT_SCORED = "no score of this system under this signature"
NO_REASON = "undefined; no reason was recorded"


@dataclass(frozen=True)
class _Gathered:
    """The scores of one column by row name, and the runs that they came from."""

    scores: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    origins: dict[str, Document] = field(default_factory=dict)


def tabulate(documents: Documents, labels: Labels) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    """Columns, metric by metric, and the row of every system, in the order given."""
    gathered: dict[tuple[str, str], _Gathered] = {}
    for run, document in documents:
        for score in document["scores"]:
            one = gathered.setdefault((score["metric"], score["signature"]), _Gathered())
            one.scores.setdefault(labels[run, score["system"]], score)
            one.origins[run] = document
    metrics = list(dict.fromkeys(metric for metric, _ in gathered))
    columns, cells = [], []
    for key in sorted(gathered, key=lambda key: metrics.index(key[0])):
        column = _column(*key, gathered[key], labels)
        columns.append(column)
        cells.append(_cells(column, gathered[key].scores))
    systems = dict.fromkeys(
        labels[run, system] for run, document in documents for system in document["systems"]
    )
    blanks = [Cell(None, reason=NOT_SCORED, signature=column.signature) for column in columns]
    rows = tuple(
        Row(system, tuple(made.get(system, blank) for made, blank in zip(cells, blanks, strict=True)))
        for system in systems
    )
    return tuple(columns), rows


def _column(metric: str, signature: str, gathered: _Gathered, labels: Labels) -> Column:
    scores, origins = gathered.scores, gathered.origins
    direction = next(iter(scores.values()))["higher_is_better"]
    valued = {system for system, score in scores.items() if score["value"] is not None}
    tiers = None
    if direction is not None and len(valued) > 1:
        # Tiers of one run say nothing about the systems of another: one run must hold them all.
        offered = (_tiers(metric, run, document, labels, valued) for run, document in origins.items())
        tiers = next((found for found in offered if found), None)
    return Column(
        metric,
        signature,
        higher_is_better=direction,
        decimals=_decimals(metric),
        n_dialogues=next(iter(origins.values()))["cohort"].get("n_dialogues"),
        tiers=tiers,
        untested=tiers is None and direction is not None and len(valued) > 1 and len(origins) > 1,
    )


def _tiers(metric: str, run: str, document: Document, labels: Labels, valued: set[str]) -> Tiers | None:
    """The tiers of a run, if they place every system of the column that has a value."""
    given = (document.get("tiers") or {}).get(metric) or ()
    named = (tuple(labels.get((run, system), system) for system in tier) for tier in given)
    sets = tuple(kept for tier in named if (kept := tuple(name for name in tier if name in valued)))
    if {system for tier in sets for system in tier} != valued:
        return None
    tests = [test for test in document.get("comparisons") or () if test["metric"] == metric]
    levels = [test["interval"]["level"] for test in tests if test.get("interval")]
    alpha = round(1 - levels[0], 10) if levels else 0.05
    place = {system: i for i, tier in enumerate(sets) for system in tier}
    significant = (
        [labels.get((run, test[side]), test[side]) for side in ("system_a", "system_b")]
        for test in tests
        if test.get("p_adjusted") is not None and test["p_adjusted"] < alpha
    )
    # the tiers are in the order of the values, so the better one of a pair comes first in its tier
    ranked = [system for tier in sets for system in tier]
    within = [
        sorted(pair, key=ranked.index)
        for pair in significant
        if place.keys() >= set(pair) and len({place[system] for system in pair}) == 1
    ]
    return Tiers(
        sets,
        within=tuple((better, worse) for better, worse in within),
        alpha=alpha,
        correction=tests[0]["correction"] if tests else "holm",
        test=next((test["method"] for test in tests if test.get("method")), ""),
    )


def _decimals(metric: str) -> int:
    from empeval.metrics.base import METRICS, Metric

    try:
        made: Metric = METRICS.create(metric)
    except EmpevalError:  # a column of human ratings, or a metric of a package that is not installed here
        return Metric.decimals
    return made.decimals


def _cells(column: Column, scores: Mapping[str, Mapping[str, Any]]) -> dict[str, Cell]:
    """The cells of one column by row name, with tiers and the best value marked.

    Values that print alike are equally best; alone, a value is not best.
    """
    printed = {
        system: float(f"{score['value']:.{column.decimals}f}")
        for system, score in scores.items()
        if score["value"] is not None
    }
    best = None
    if column.higher_is_better is not None and len(printed) > 1:
        best = max(printed.values()) if column.higher_is_better else min(printed.values())
    tier_of = {
        system: _letter(i)
        for i, tier in enumerate(column.tiers.sets if column.tiers else ())
        for system in tier
    }
    return {
        system: Cell(
            score["value"],
            interval=_interval(score["interval"]),
            tier=tier_of.get(system),
            best=best is not None and printed.get(system) == best,
            reason=(score["reason"] or NO_REASON) if score["value"] is None else None,
            n_segments=score["n_segments"],
            n_empty=score["n_empty"],
            signature=column.signature,
        )
        for system, score in scores.items()
    }


def _letter(i: int) -> str:
    """The letter of a tier: a to z, then aa, ab and so on."""
    head, tail = divmod(i, 26)
    return (_letter(head - 1) if head else "") + chr(ord("a") + tail)


def _interval(given: Mapping[str, Any] | None) -> Interval | None:
    return None if given is None else Interval(given["low"], given["high"], given["level"], given["method"])
