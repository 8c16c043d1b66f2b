"""Joining score documents: what is one, which rows are one system, and what else they tell."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import Any

from empeval.errors import InputError
from empeval.report.columns import NOT_SCORED, Document, Documents, Labels, tabulate
from empeval.report.tables import Breakdown, Cell, CheckedClaim, Column, Row, Run, Section, only_column

__all__ = ["breakdowns", "checked", "claims", "provenance", "row_labels", "warnings"]

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


def checked(runs: Iterable[tuple[str, Document]]) -> tuple[tuple[str, Document], ...]:
    """The documents under distinct run names; raises InputError where one is not a score document."""
    documents: dict[str, Document] = {}
    for run, document in runs:
        _check(run or "the score document", document)
        documents[_free(run, documents)] = document
    if not documents:
        raise InputError("a leaderboard needs at least one run")
    return tuple(documents.items())


def _check(source: str, document: Document) -> None:
    missing = [key for key in ("corpus", "cohort", "systems", "scores") if key not in document]
    for part, keys in (("corpus", ("name", "fingerprint")), ("cohort", ("rule", "n_segments"))):
        missing += [f"{part}.{key}" for key in keys if key not in document.get(part, keys)]
    if missing:
        raise InputError(f"this is not a score document: it lacks {', '.join(missing)}", source=source)
    groups = (document.get("groups") or {}).get("groups", ())
    for scored in (document, *groups):
        for i, score in enumerate(scored["scores"], start=1):
            problem = _problem(score, document["systems"])
            if problem:
                raise InputError(f"this is not a score document: score {i} {problem}", source=source)


def _problem(score: Mapping[str, Any], systems: Container[str]) -> str | None:
    """What is wrong with one score, or None."""
    absent = [key for key in SCORE_FIELDS if key not in score]
    if absent:
        return f"lacks {', '.join(absent)}"
    if score["system"] not in systems:
        return f"is of {score['system']!r}, which is not one of its systems"
    interval = score["interval"] or {}
    for number in (score["value"], interval.get("low"), interval.get("high")):
        if number is not None and not math.isfinite(number):
            name = f"({score['metric']} of {score['system']!r})"
            return f"{name} is {number}, where an undefined score is null and has a reason"
    return None


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
    systems = [(run, system) for run, document in documents for system in document["systems"]]
    labels = {(run, system): system for run, system in systems if system not in torn}
    taken = set(labels.values())
    for run, system in systems:
        if system in torn:
            labels[run, system] = _free(f"{run}/{system}", taken)
            taken.add(labels[run, system])
    return labels


def _free(name: str, taken: Container[str]) -> str:
    """A name that nothing else has: itself, or with a number behind it."""
    numbered = (f"{name} ({n})" for n in count(2))
    return next(free for free in chain([name], numbered) if free not in taken)


def _same(one: float | None, other: float | None) -> bool:
    # The same scores from two machines may differ in the last bits of a sum.
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def breakdowns(documents: Documents, labels: Labels) -> tuple[Breakdown, ...]:
    """The breakdown of each run that has one; groups of different runs are never joined."""
    return tuple(_breakdown(run, document, labels) for run, document in documents if document.get("groups"))


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
    places = [columns.index(only_column(metric, columns)) if metric in known else None for metric in metrics]
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
