"""A report on preferences as grids and as one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from empeval.report.formats._printed import DASH, count
from empeval.report.grids import Grid, as_csv
from empeval.report.preference import Preference, QuestionPreference
from empeval.report.rating_text import bracket, left_out, p_value, plural, reasons, value
from empeval.statistics.preference.pairs import PairPreference

__all__ = ["preference_csv", "preference_grids"]

_HEADER = (
    "question",
    "system_a",
    "system_b",
    "wins",
    "ties",
    "losses",
    "neither",
    "name",
    "value",
    "low",
    "high",
    "level",
    "p_value",
    "p_adjusted",
    "rank_low",
    "rank_high",
    "status",
    "method",
)


def preference_grids(found: Preference) -> list[Grid]:
    """For each question the pairs of systems with sentences, the ranking, and agreement."""
    return [grid for name, question in found.questions.items() for grid in _grids(name, question)]


def _grids(name: str, question: QuestionPreference) -> list[Grid]:
    result = question.found
    facts = (
        f"{name}: {plural(result.n_judgments, 'judgment')} of {plural(result.n_items, 'item')} by "
        f"{plural(result.n_raters, 'rater')}"
    )
    header = ("A", "B", "A wins", "ties", "B wins", "net for A", "interval", "p", "p (Holm)")
    why = {
        f"{pair.system_a} and {pair.system_b}": pair.net.status
        for pair in result.pairs
        if pair.net.value is None
    }
    notes = [*reasons(why), *left_out(question.judged.left_out, result.n_neither)]
    pairs = Grid(
        facts,
        header,
        [_pair(pair) for pair in result.pairs],
        2,
        [*notes, "Methods: " + result.methods, "Results: " + result.results],
    )
    return [pairs, *_ranking(name, question), *_agreement(name, question)]


def _pair(pair: PairPreference) -> list[str]:
    return [
        pair.system_a,
        pair.system_b,
        *(count(n) for n in (pair.wins, pair.ties, pair.losses)),
        value(pair.net.value),
        bracket(pair.net.interval),
        p_value(pair.p_value),
        p_value(pair.p_adjusted),
    ]


def _ranking(name: str, question: QuestionPreference) -> list[Grid]:
    ranking = question.found.ranking
    if ranking.status != "ok":
        return []
    rows = [
        (
            row.system,
            value(row.strength.value, 2),
            bracket(row.strength.interval, 2),
            DASH if row.rank_low is None else f"{row.rank_low}–{row.rank_high}",
        )
        for row in ranking.systems
    ]
    caption = f"{name}: strengths ({ranking.model})"
    return [Grid(caption, ("system", "strength", "interval", "rank"), rows)]


def _agreement(name: str, question: QuestionPreference) -> list[Grid]:
    agreement = question.found.agreement
    rows = [
        (row.name, row.level, value(row.estimate.value), bracket(row.estimate.interval)) for row in agreement
    ]
    why = {
        f"{row.name} ({row.level})": row.estimate.status for row in agreement if row.estimate.value is None
    }
    notes = reasons(why)
    return [Grid(f"{name}: agreement on win, tie and loss", ("", "as", "value", "interval"), rows, 2, notes)]


def preference_csv(found: Preference) -> str:
    """One row a pair of systems, a system's strength, and a coefficient of agreement."""
    rows: list[Sequence[object]] = []
    for name, question in found.questions.items():
        document = question.to_dict()
        for pair in document["pairs"]:
            ends = [pair[key] for key in ("wins", "ties", "losses", "neither")]
            tests = (pair["p_value"], pair["p_adjusted"], None, None, pair["status"], pair["method"])
            net = (pair["net"], *_ends(pair["interval"]))
            rows.append((name, pair["system_a"], pair["system_b"], *ends, "net", *net, *tests))
        for row in document["ranking"]:
            ranks = (None, None, row["rank_low"], row["rank_high"], row["status"])
            strength = (row["strength"], *_ends(row["interval"]))
            method = document["model"]["method"]
            rows.append((name, row["system"], *[None] * 5, "strength", *strength, *ranks, method))
        names = [row["name"] for row in document["agreement"]]
        for row in document["agreement"]:
            # alpha stands there at two levels
            label = f"{row['name']}_{row['level']}" if names.count(row["name"]) > 1 else row["name"]
            agreed = (row["value"], *_ends(row["interval"]))
            rows.append((name, *[None] * 6, label, *agreed, *[None] * 4, row["status"], None))
    return as_csv(_HEADER, rows)


def _ends(interval: dict[str, Any] | None) -> tuple[object, object, object]:
    return (None, None, None) if interval is None else (interval["low"], interval["high"], interval["level"])
