"""The tables of an export: their columns, and their rows from the database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from empeval.study.service.context import Context
from empeval.study.service.entering import FORM
from empeval.study.store.overview import Row
from empeval.study.store.transaction import Transaction

__all__ = ["TABLES", "Column", "Table", "gather"]

Kind = Literal["text", "whole", "truth", "time", "answer"]


@dataclass(frozen=True)
class Column:
    """A column: its name, what its values are, and what they mean."""

    name: str
    kind: Kind
    meaning: str


@dataclass(frozen=True)
class Table:
    """A table of an export, in one file; None stands for no value."""

    name: str
    purpose: str
    columns: tuple[Column, ...]


_WHERE = (
    Column("item", "text", "the segment's id"),
    Column("dialogue", "text", "the dialogue that it belongs to"),
    Column("emotion", "text", "the emotion of its situation"),
)
_WHO = (
    Column("rater", "text", "a random name"),
    Column("rater_kind", "text", "person, simulated or model"),
)
_ONE = (Column("system", "text", "whose response it is"),)
_TWO = (
    Column("system_a", "text", "the system that stands earlier in the study file"),
    Column("system_b", "text", "the other one"),
)
_HOW = (
    Column("purpose", "text", "main, or the kind of check"),
    Column("revision", "whole", "1, and one more for each correction"),
    Column("counted", "truth", "whether it counts"),
    Column("not_counted_reason", "text", "revised, late, skipped, excluded, withdrawn or blocked"),
    Column("time", "time", "when it was handed in (UTC)"),
    Column("active_ms", "whole", "milliseconds that the page was in use"),
    Column("answer", "whole", "the number of the answer, the same in every file"),
)

TABLES = {
    table.name: table
    for table in (
        Table(
            "ratings",
            "one row an answer to a question about one response",
            (
                *_WHERE,
                *_ONE,
                *_WHO,
                Column("question", "text", "its name"),
                Column("value", "answer", "the answer"),
                *_HOW,
            ),
        ),
        Table(
            "preferences",
            "one row an answer to a question about two responses",
            (
                *_WHERE,
                *_TWO,
                *_WHO,
                Column("question", "text", "its name"),
                Column("winner", "text", "a system, tie or neither; a category's name for other questions"),
                Column("first_shown", "text", "the system that was shown first"),
                *_HOW,
            ),
        ),
        Table(
            "texts",
            "one row a text that a rater wrote",
            (
                *_WHERE,
                *_TWO,
                *_WHO,
                Column("question", "text", "its name"),
                Column("text", "text", "what was written"),
                *_HOW,
            ),
        ),
        Table(
            "answers",
            "one row whatever was handed in, with all that belongs to no single question",
            (
                *_WHERE,
                Column("kind", "text", "rating or pair"),
                *_TWO,
                *_WHO,
                Column("first_shown", "text", "the system that was shown first"),
                *_HOW,
                Column("skipped", "truth", "whether the item was passed over"),
                Column("comment", "text", "the rater's comment"),
                Column("flagged", "truth", "whether the rater flagged the item"),
                Column("served_at", "time", "when the item was handed out (UTC)"),
                Column("first_input_at", "time", "when the first input was made (UTC)"),
                Column("rep", "whole", "which of the item's places it fills"),
                Column("position", "whole", "a check's place in the rater's order"),
                Column("replicate", "whole", "which of the checks of its kind"),
                Column("attempt", "whole", "how often the place had been handed out"),
                Column("app_version", "text", "empeval's version"),
            ),
        ),
        Table(
            "raters",
            "one row a rater",
            (
                *_WHO,
                Column("platform", "text", "where the rater came from"),
                Column("state", "text", "how far the rater came"),
                Column("block_reason", "text", "why the rater was blocked, as the researcher put it"),
                Column("consent_version", "text", "which consent was given"),
                Column("consented_at", "time", "when (UTC)"),
                Column("finished_at", "time", "when the last item was done (UTC)"),
                Column("seed", "whole", "of the rater's own random order"),
            ),
        ),
        Table(
            "forms",
            "one row an answer of a rater about himself",
            (
                *_WHO,
                Column("question", "text", "the field's name"),
                Column("value", "text", "the answer"),
                Column("time", "time", "when (UTC)"),
            ),
        ),
        Table(
            "checks",
            "one row a verdict about a rater",
            (
                *_WHO,
                Column("check", "text", "which check"),
                Column("verdict", "text", "pass, fail or unknown"),
                Column("detail", "text", "what it rests on"),
                Column("answer", "whole", "the answer it is about, if it is about one"),
                Column("time", "time", "when (UTC)"),
            ),
        ),
    )
}

Rows = dict[str, list[dict[str, Any]]]


def gather(tx: Transaction, context: Context, *, all_revisions: bool) -> Rows:
    """The rows of every table, those of answers in the order of handing in; all by name of column.

    Without ``all_revisions``, only the last answer of a rater to a place is there.
    """
    found = list(tx.rows(context.study_id))
    number = {row.rating.id: i for i, row in enumerate(found, start=1)}
    last = {(row.slot.id, row.rater.id): row.rating.revision for row in found}
    for row in found:
        key = row.slot.id, row.rater.id
        last[key] = max(last[key], row.rating.revision)
    kinds = {question.name: question for question in context.protocol.questions}
    winners = tx.winners(context.study_id)
    rows: Rows = {name: [] for name in TABLES}
    for row in found:
        if not all_revisions and row.rating.revision < last[row.slot.id, row.rater.id]:
            continue
        shared = _shared(row, number[row.rating.id])
        rows["answers"].append(shared)
        for name, value in row.rating.values_json.items():
            question = kinds[name]
            if question.level == "text":
                rows["texts"].append(shared | {"question": name, "text": value})
            elif row.showing.kind == "rating":
                rows["ratings"].append(shared | {"system": row.low.name, "question": name, "value": value})
            else:
                winner = _named(row, winners.get((row.rating.id, name))) or value
                rows["preferences"].append(shared | {"question": name, "winner": winner})
    _people(tx, context, rows, number)
    return rows


def _named(row: Row, winner: str | None) -> str | None:
    return {"low": row.low.name, "high": row.high.name}.get(winner, winner) if winner else None


def _shared(row: Row, number: int) -> dict[str, Any]:
    rating, is_private = row.rating, row.slot.preset_rater_id is not None
    first = row.low if row.slot.first == "low" else row.high
    return {
        "item": row.segment.external_id,
        "dialogue": row.segment.dialogue_id,
        "emotion": row.segment.emotion,
        "kind": row.showing.kind,
        "system_a": row.low.name,
        "system_b": row.high.name,
        "first_shown": first.name if row.showing.kind == "pair" else None,
        "rater": row.rater.pseudonym,
        "rater_kind": row.rater.kind,
        "purpose": row.showing.purpose,
        "revision": rating.revision,
        "counted": rating.counted,
        "not_counted_reason": rating.not_counted_reason,
        "time": rating.submitted_at,
        "active_ms": rating.active_ms,
        "answer": number,
        "skipped": rating.skipped,
        "comment": rating.comment,
        "flagged": bool(rating.flags_json),
        "served_at": rating.served_at,
        "first_input_at": rating.first_input_at,
        "rep": row.slot.rep,
        "position": row.slot.position if is_private else None,
        "replicate": row.showing.replicate if is_private else None,
        "attempt": row.attempt,
        "app_version": rating.app_version,
    }


def _people(tx: Transaction, context: Context, rows: Rows, number: dict[str, int]) -> None:
    for rater in sorted(tx.raters(context.study_id), key=lambda known: known.pseudonym):
        who = {"rater": rater.pseudonym, "rater_kind": rater.kind}
        rows["raters"].append(
            who
            | {
                "platform": rater.platform,
                "state": rater.state,
                "block_reason": rater.block_reason,
                "consent_version": rater.consent_version,
                "consented_at": rater.consented_at,
                "finished_at": rater.finished_at,
                "seed": rater.seed,
            }
        )
        rows["forms"] += [
            who | {"question": name, "value": row.value, "time": row.answered_at}
            for name, row in sorted(tx.form(rater.id, FORM).items())
        ]
        rows["checks"] += [
            who
            | {
                "check": event.kind,
                "verdict": event.verdict,
                "detail": event.detail,
                "answer": number.get(event.rating_id or ""),
                "time": event.at,
            }
            for event in tx.checks(rater.id)
        ]


def in_order(table: Table, row: dict[str, Any]) -> Iterator[tuple[Column, Any]]:
    """The columns of a row as the table has them."""
    for column in table.columns:
        value = row.get(column.name)
        assert not isinstance(value, datetime) or column.kind == "time", column.name
        yield column, value
