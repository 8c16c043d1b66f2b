"""From score documents to columns and rows: what may stand together, and what is best within a column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from empeval.errors import EmpevalError, InputError
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
    only_column,
)

__all__ = ["Document", "breakdowns", "checked", "claims", "provenance", "row_labels", "tabulate", "warnings"]

Document = Mapping[str, Any]
Documents = Sequence[tuple[str, Document]]
#: (run, system) → the name of its row
Labels = Mapping[tuple[str, str], str]

SCORE_FIELDS = (
    "system",
    "metric",
    "value",
    "interval",
    "n_segments",
    "n_empty",
    "reason",
    "signature",
    "higher_is_better",
)
NOT_SCORED = "no score of this system under this signature"
NO_REASON = "undefined; no reason was recorded"


def checked(runs: Iterable[tuple[str, Document]]) -> tuple[tuple[str, Document], ...]:
    """The documents under distinct run names; raises InputError where one is not a score document."""
    documents: dict[str, Document] = {}
    for run, document in runs:
        _check(run or "the score document", document)
        name, again = run, 2
        while name in documents:
            name, again = f"{run} ({again})", again + 1
        documents[name] = document
    if not documents:
        raise InputError("a leaderboard needs at least one run")
    return tuple(documents.items())


def _check(source: str, document: Document) -> None:
    missing = [key for key in ("corpus", "cohort", "systems", "scores") if key not in document]
    if missing:
        raise InputError(f"this is not a score document: it lacks {', '.join(missing)}", source=source)
    groups = (document.get("groups") or {}).get("groups", ())
    for part in (document, *groups):
        for i, score in enumerate(part["scores"], start=1):
            absent = [key for key in SCORE_FIELDS if key not in score]
            if absent:
                raise InputError(f"score {i} lacks {', '.join(absent)}", source=source)
            if score["system"] not in document["systems"]:
                raise InputError(f"score {i} is of {score['system']!r}, not one of systems", source=source)
            interval = score["interval"] or {}
            for number in (score["value"], interval.get("low"), interval.get("high")):
                if number is not None and not math.isfinite(number):
                    raise InputError(
                        f"{score['metric']} of {score['system']!r} is {number}; "
                        "an undefined score must be null, with a reason",
                        source=source,
                    )


def row_labels(documents: Documents) -> dict[tuple[str, str], str]:
    """The name of the row of each (run, system): the system's own, unless two runs disagree about it."""
    seen: dict[tuple[str, str, str], float | None] = {}
    torn: set[str] = set()
    for _, document in documents:
        for score in document["scores"]:
            value = score["value"]
            first = seen.setdefault((score["system"], score["metric"], score["signature"]), value)
            if not _same(first, value):
                torn.add(score["system"])
    return {
        (run, system): f"{run}/{system}" if system in torn else system
        for run, document in documents
        for system in document["systems"]
    }


def _same(one: float | None, other: float | None) -> bool:
    # The same scores from two machines may differ in the last bits of a sum.
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


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
    blank = Cell(None, reason=NOT_SCORED)
    rows = tuple(Row(system, tuple(column.get(system, blank) for column in cells)) for system in systems)
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
    named = (tuple(labels[run, system] for system in tier) for tier in given)
    sets = tuple(kept for tier in named if (kept := tuple(name for name in tier if name in valued)))
    if {system for tier in sets for system in tier} != valued:
        return None
    tests = [test for test in document.get("comparisons") or () if test["metric"] == metric]
    levels = [test["interval"]["level"] for test in tests if test.get("interval")]
    return Tiers(
        sets,
        alpha=round(1 - levels[0], 10) if levels else 0.05,
        correction=tests[0]["correction"] if tests else "holm",
        test=next((test["method"] for test in tests if test.get("method")), ""),
    )


def _decimals(metric: str) -> int:
    from empeval.metrics.base import METRICS, Metric

    try:
        made = METRICS.create(metric)
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
    """Tiers by letter: a … z, aa, ab, …"""
    head, tail = divmod(i, 26)
    return (_letter(head - 1) if head else "") + chr(ord("a") + tail)


def _interval(given: Mapping[str, Any] | None) -> Interval | None:
    return None if given is None else Interval(given["low"], given["high"], given["level"], given["method"])


def breakdowns(documents: Documents, labels: Labels) -> tuple[Breakdown, ...]:
    """The breakdown of each run that has one; groups of different runs are never joined."""
    return tuple(
        _breakdown(run, document, labels) for run, document in documents if document.get("groups")
    )


def _breakdown(run: str, document: Document, labels: Labels) -> Breakdown:
    given = document["groups"]
    tables = []
    for group in given["groups"]:
        part = {**group, "systems": document["systems"], "cohort": group}
        tables.append((group, *tabulate([(run, part)], labels)))
    heads = {column.metric: replace(column, tiers=None) for _, columns, _ in tables for column in columns}
    sections = tuple(
        Section(group["group"], group["n_segments"], group.get("n_dialogues"), _aligned(heads, columns, rows))
        for group, columns, rows in tables
    )
    return Breakdown(run, given["by"], given.get("correction") or "holm", tuple(heads.values()), sections)


def _aligned(metrics: Iterable[str], columns: Sequence[Column], rows: Sequence[Row]) -> tuple[Row, ...]:
    """Rows whose cells follow these metrics; raises IncomparableScores where a metric has two columns."""
    known = {column.metric for column in columns}
    places = [
        columns.index(only_column(metric, columns)) if metric in known else None for metric in metrics
    ]
    blank = Cell(None, reason=NOT_SCORED)
    return tuple(
        Row(row.system, tuple(blank if at is None else row.cells[at] for at in places)) for row in rows
    )


def claims(documents: Documents, labels: Labels) -> tuple[CheckedClaim, ...]:
    """What the files state about themselves, beside what was recomputed."""
    found = [
        CheckedClaim(
            labels.get((run, claim["system"]), claim["system"]),
            claim["name"],
            claim["text"],
            claim["recomputed"],
            claim["status"],
        )
        for run, document in documents
        for claim in document.get("claims") or ()
    ]
    return tuple(dict.fromkeys(found))


def warnings(documents: Documents) -> tuple[tuple[str, str], ...]:
    """Codes and messages; where several runs are joined, the message names its run."""
    found = [
        (warning["code"], f"{run}: {warning['message']}" if len(documents) > 1 else warning["message"])
        for run, document in documents
        for warning in document.get("warnings") or ()
    ]
    return tuple(dict.fromkeys(found))


def provenance(run: str, document: Document) -> Run:
    """The corpus and the cohort behind a run's scores."""
    corpus, cohort = document["corpus"], document["cohort"]
    return Run(
        run,
        corpus["name"],
        corpus["fingerprint"],
        cohort["rule"],
        cohort["n_segments"],
        cohort.get("n_dialogues"),
        tuple((cohort.get("dropped") or {}).items()),
    )
