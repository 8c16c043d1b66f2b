"""Reading tables of ratings: one declared design a question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from empeval.errors import InputError, UnknownName
from empeval.ratings.answered import Answered
from empeval.ratings.design import MEASUREMENTS, Measurement, QuestionRatings, RatingsTable, Wide
from empeval.ratings.rows import DESIGN, LEFT_OUT, QUESTION, Rows, chosen, long_rows
from empeval.ratings.tables import Table, read_table
from empeval.ratings.values import Scale, answers, parsed_categories, resolve, shown
from empeval.ratings.wide import melted_files, melted_raters
from empeval.records import Notice
from empeval.statistics.agreement.counts import looks_transposed
from empeval.statistics.design import Ratings

__all__ = ["FIELDS", "read_ratings"]

#: The fields of a table of ratings in long format.
FIELDS = (*DESIGN, "system", "value")

_WIDE_REMEDY = ", or say how a wide table is laid out (--wide raters, --wide files)"


def read_ratings(
    files: Sequence[str | Path],
    *,
    columns: Mapping[str, str] | None = None,
    wide: Wide | None = None,
    questions: Sequence[str] | None = None,
    measurement: Measurement | None = None,
    categories: Sequence[str | float] | None = None,
) -> RatingsTable:
    r"""Read the ratings of one or several files: CSV, TSV, JSONL or Parquet, ``-`` for standard input.

    Long format has a row a rating: ``item``, ``rater``, ``value``, and where there are any ``question``,
    ``system``, ``dialogue``, ``pass``, ``position``, ``time``, ``purpose``, ``counted``, ``revision``;
    ``columns`` maps fields to columns of other names. ``wide="raters"`` has a column a rater,
    ``wide="files"`` a file a rater (``NAME=FILE`` or its stem) and a column of numbers a question.
    ``questions`` keeps some of them; ``measurement`` is ``ordinal`` by default for numbers and ``nominal``
    for words; ``categories`` is the scale, by default the values seen. Only rows with ``counted`` true,
    ``purpose`` main and the last ``revision`` count; how many do not is reported. Raises InputError naming
    file and line for a blank name, a value outside the scale, and a doubled rating.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = path.write_text("item,rater,value\ni1,ann,4\ni1,ben,5\ni2,ann,3\n")
    >>> found = read_ratings([path], categories=[1, 2, 3, 4, 5])
    >>> found.questions["rating"].ratings.matrix().tolist()
    [[4.0, 5.0], [3.0, nan]]
    """
    if not files:
        raise InputError("no file is given")
    if measurement is not None and measurement not in MEASUREMENTS:
        raise UnknownName("measurement", measurement, MEASUREMENTS)
    scale = None if categories is None else parsed_categories(categories)
    tables = [read_table(file).named(columns or {}, FIELDS) for file in files]
    notices: tuple[Notice, ...] = ()
    if wide == "raters":
        tables = melted_raters(tables)
    elif wide == "files":
        tables, notices = melted_files(tables, questions)
    elif wide is not None:
        raise UnknownName("wide layout", wide, ("raters", "files"))
    rows = long_rows(tables, FIELDS, ("item", "rater", "value"), "" if wide else _WIDE_REMEDY)
    answered = Answered.of(rows)
    names = chosen(answered.names["question"] or [QUESTION], questions)
    found = [_question(name, answered, measurement, scale) for name in names]
    return RatingsTable(
        {question.name: question for question in found},
        _sources(tables),
        (*notices, *_notices(found)),
    )


def _sources(tables: Sequence[Table]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(table.source for table in tables))


def _question(
    name: str, answered: Answered, measurement: Measurement | None, declared: Scale | None
) -> QuestionRatings:
    mine = answered.of_question(name)
    due = answered.counted & mine
    parsed = answers(answered.rows, declared, np.flatnonzero(due).tolist())
    what = "item, system, question and rater" if "system" in answered.names else "item, question and rater"
    answered.rows.refuse_doubles(answered.keys, what, parsed)
    level, scale = resolve(answered.rows, parsed, measurement, declared)
    left = {reason: int((mask & mine).sum()) for reason, mask in answered.left_out.items()}
    left["missing_value"] = int(due.sum()) - len(parsed)
    return QuestionRatings(
        name,
        _ratings(answered, parsed, scale),
        level,
        scale,
        declared is not None,
        {reason: left[reason] for reason in LEFT_OUT if left[reason]},
    )


def _ratings(answered: Answered, parsed: Mapping[int, float | str], scale: Scale) -> Ratings:
    at = list(parsed)
    place = {category: float(code) for code, category in enumerate(scale)}
    words = tuple(category for category in scale if isinstance(category, str))
    found = Ratings.of(
        [place[answer] if words else float(answer) for answer in parsed.values()],
        items=answered.column("item", at),
        raters=answered.column("rater", at),
        systems=answered.column("system", at) if "system" in answered.names else None,
        dialogues=answered.dialogues(at),
        passes=answered.column("pass", at) if "pass" in answered.names else None,
        positions=_positions(answered.rows, answered.names["rater"], at),
    )
    return replace(found, words=words)


def _positions(rows: Rows, raters: Sequence[str], at: Sequence[int]) -> list[float] | None:
    """How many ratings the rater had given before: as stated, else by the time of each."""
    stated = rows.numbers("position")
    if stated is not None:
        return [stated[row] for row in at]
    if "time" not in rows.columns:
        return None
    times = _times(rows)
    before: dict[str, int] = {}
    found: dict[int, float] = {}
    for row in sorted(at, key=lambda row: (times[row], rows.place(row))):
        found[row] = float(before.get(raters[row], 0))
        before[raters[row]] = int(found[row]) + 1
    return [found[row] for row in at]


def _times(rows: Rows) -> list[tuple[float, str]]:
    """The time of each row as something to sort by: a number, else a text such as 2024-05-01T12:00."""
    found = []
    for text in rows.optional_names("time"):
        try:
            number = float(text or "-inf")
            found.append((-math.inf if math.isnan(number) else number, ""))
        except ValueError:
            found.append((0.0, text or ""))
    return found


def _notices(questions: Sequence[QuestionRatings]) -> tuple[Notice, ...]:
    found = []
    seen = [question for question in questions if not question.declared and question.categories]
    if seen:
        listed = "; ".join(f"{question.name!r}: {_listed(question.categories)}" for question in seen[:5])
        found.append(
            Notice(
                "categories_seen",
                f"the scale is not declared, so that the values seen are taken for it ({listed}); "
                "coefficients that count categories change with it: declare all of them with --categories",
                len(seen),
                tuple(question.name for question in seen),
            )
        )
    # a single item says nothing about how the table lies
    several = [question for question in questions if len(question.ratings.items) > 1]
    turned = tuple(question.name for question in several if looks_transposed(question.ratings))
    if turned:
        found.append(
            Notice(
                "perhaps_transposed",
                f"there are more raters than items, and each rated nearly all of them "
                f"({', '.join(map(repr, turned))}): perhaps items and raters are exchanged",
                len(turned),
                turned,
            )
        )
    return tuple(found)


def _listed(categories: Scale) -> str:
    texts = [shown(category) for category in categories]
    return ", ".join(texts if len(texts) <= 10 else [*texts[:5], "…", *texts[-2:]])
