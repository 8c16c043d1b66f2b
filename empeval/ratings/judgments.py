"""Reading tables of pairwise judgments: which of two systems' responses somebody preferred."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from empeval.errors import InputError
from empeval.ratings.answered import Answered
from empeval.ratings.design import JudgmentsTable, QuestionJudgments
from empeval.ratings.rows import DESIGN, LEFT_OUT, QUESTION, Rows, chosen, long_rows
from empeval.ratings.tables import read_table
from empeval.statistics.design import Judgments

__all__ = ["FIELDS", "read_judgments"]

#: The fields of a table of judgments.
FIELDS = (*DESIGN, "system_a", "system_b", "winner", "first_shown")

_NO_SYSTEMS = frozenset({"tie", "neither"})


def read_judgments(
    files: Sequence[str | Path],
    *,
    columns: Mapping[str, str] | None = None,
    questions: Sequence[str] | None = None,
) -> JudgmentsTable:
    r"""Read the pairwise judgments of one or several files: CSV, TSV, JSONL or Parquet, ``-`` for stdin.

    A row is a judgment: ``item``, ``rater``, ``system_a``, ``system_b``, ``winner`` (a system's name, ``A``,
    ``B``, ``tie`` or ``neither``; a name comes before a letter), and where there are any ``question``,
    ``first_shown`` (a name, ``A`` or ``B``), ``dialogue``, ``pass``, ``purpose``, ``counted``, ``revision``;
    ``columns`` maps fields to columns of other names. Of a rater's repeated judgments the first pass counts.
    Raises InputError naming file and line for a blank name, a winner that is none, and a doubled judgment.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "judgments.csv"
    >>> _ = path.write_text("item,rater,system_a,system_b,winner\ni1,ann,x,y,A\ni2,ann,y,x,tie\n")
    >>> read_judgments([path]).questions["rating"].judgments.outcomes.tolist()
    [1.0, 0.0]
    """
    if not files:
        raise InputError("no file is given")
    tables = [read_table(file).named(columns or {}, FIELDS) for file in files]
    rows = long_rows(tables, FIELDS, ("item", "rater", "system_a", "system_b", "winner"), "")
    answered = Answered.of(rows, _pairs(rows))
    names = chosen(answered.names["question"] or [QUESTION], questions)
    found = {name: _question(name, answered) for name in names}
    return JudgmentsTable(found, tuple(dict.fromkeys(table.source for table in tables)))


def _pairs(rows: Rows) -> list[tuple[str, str]]:
    """The two systems of each row; InputError for a system against itself, and for one named like a tie."""
    pairs = list(zip(rows.names("system_a"), rows.names("system_b"), strict=True))
    for row, (a, b) in enumerate(pairs):
        if a == b:
            raise rows.error(row, f"system_a and system_b are both {a!r}; a judgment compares two systems")
        for name in (a, b):
            if name.lower() in _NO_SYSTEMS:
                raise rows.error(row, f"a system is named {name!r}, which is an answer; rename the system")
    return pairs


def _question(name: str, answered: Answered) -> QuestionJudgments:
    mine = answered.of_question(name)
    due = answered.counted & mine
    at = np.flatnonzero(due).tolist()
    pairs = answered.pairs
    winners = {row: found for row in at if (found := _winner(answered.rows, row, pairs[row])) is not None}
    answered.rows.refuse_doubles(answered.keys, "item, pair of systems, question and rater", winners)
    left = {reason: int((mask & mine).sum()) for reason, mask in answered.left_out.items()}
    left["missing_value"] = len(at) - len(winners)
    rows = _first_passes(answered, list(winners))
    left["repeat"] = len(winners) - len(rows)
    judgments = Judgments.of(
        [pairs[row][0] for row in rows],
        [pairs[row][1] for row in rows],
        [winners[row] for row in rows],
        items=answered.column("item", rows),
        raters=answered.column("rater", rows),
        dialogues=answered.dialogues(rows),
        first_shown=[_first_shown(answered.rows, row, pairs[row]) for row in rows],
    )
    return QuestionJudgments(
        name, judgments, {reason: left[reason] for reason in (*LEFT_OUT, "repeat") if left[reason]}
    )


def _first_passes(answered: Answered, rows: Sequence[int]) -> list[int]:
    """The rows of the first pass of each rater over each pair, in the order of the rows."""
    if "pass" not in answered.names:
        return list(rows)
    passes = answered.names["pass"]
    first: dict[tuple[object, ...], int] = {}
    for row in sorted(rows, key=lambda row: passes[row]):
        first.setdefault(answered.keys[row][:-1], row)
    return sorted(first.values())


def _winner(rows: Rows, row: int, pair: tuple[str, str]) -> str | None:
    value = rows.columns["winner"][row]
    text = "" if value is None else str(value).strip()
    if not text or text in pair:
        return text or None
    if text.lower() in _NO_SYSTEMS:
        return text.lower()
    if text in ("A", "B", "a", "b"):
        return pair["AB".index(text.upper())]
    raise rows.error(
        row,
        f"the winner is {text!r}, and must be {pair[0]!r}, {pair[1]!r}, A (= system_a), B (= system_b), tie "
        "or neither",
    )


def _first_shown(rows: Rows, row: int, pair: tuple[str, str]) -> str | None:
    value = rows.columns["first_shown"][row] if "first_shown" in rows.columns else None
    text = "" if value is None else str(value).strip()
    if not text or text in pair:
        return text or None
    if text in ("A", "B", "a", "b"):
        return pair["AB".index(text.upper())]
    raise rows.error(row, f"first_shown is {text!r}, and must be {pair[0]!r}, {pair[1]!r}, A, B or blank")
