"""How numbers about ratings are printed and stored, alike in all reports on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from empeval.report.formats._printed import DASH, count, number
from empeval.statistics.resampling import Interval
from empeval.statistics.results import Estimate

__all__ = ["bracket", "estimate_fields", "left_out", "p_phrase", "p_value", "plural", "reasons", "value"]

#: Status → why there is no value, in words.
_WHY = {
    "disconnected": "some were never judged together with others",
    "incomplete": "the table has gaps",
    "no_judgments": "there are no judgments",
    "no_pairable_units": "no unit has the ratings that it takes",
    "no_segment_values": "the metric has no values of single responses",
    "no_variation": "all ratings that could differ are the same",
    "not_converged": "the computation found no end",
    "only_ties": "all judgments are ties",
    "separated": "one side wins always",
    "too_few_items": "there are too few items",
    "too_few_raters": "there are too few raters",
    "too_few_systems": "there are too few systems",
    "too_few_units": "there are too few units",
    "too_many_categories": "there are too many different values",
}
_REASONS = {
    "not_counted": "not counted",
    "purpose": "of another purpose than main",
    "older_revision": "revised later",
    "missing_value": "without an answer",
    "repeat": "repeats",
}


def value(found: float | None, decimals: int = 3) -> str:
    """A number, or a dash.

    >>> value(0.5), value(None)
    ('0.500', '–')
    """
    return DASH if found is None else number(found, decimals)


def bracket(interval: Interval | None, decimals: int = 3) -> str:
    """An interval in brackets, or nothing."""
    if interval is None:
        return ""
    return f"[{number(interval.low, decimals)}, {number(interval.high, decimals)}]"


def p_value(p: float | None) -> str:
    """A p-value, a very small one as a bound.

    >>> p_value(0.0213), p_value(0.00001)
    ('.021', '< .001')
    """
    if p is None:
        return DASH
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def plural(n: int, word: str) -> str:
    """A count and what is counted.

    >>> plural(1, "unit"), plural(1200, "unit")
    ('1 unit', '1,200 units')
    """
    return f"{count(n)} {word}" + ("" if n == 1 else "s")


def p_phrase(p: float) -> str:
    """A p-value after the letter p.

    >>> p_phrase(0.0213), p_phrase(0.00001)
    ('= .021', '< .001')
    """
    return p_value(p) if p < 0.001 else f"= {p_value(p)}"


def estimate_fields(found: Estimate) -> dict[str, Any]:
    """Value, interval and status of an estimate, as every document has them."""
    return {
        "value": found.value,
        "interval": None if found.interval is None else asdict(found.interval),
        "status": found.status,
    }


def reasons(missing: Mapping[str, str]) -> list[str]:
    """Why values are missing, one sentence a status.

    >>> reasons({"icc_1_1": "no_variation", "kendall_w": "no_variation"})
    ['Not defined: icc_1_1, kendall_w (all ratings that could differ are the same).']
    """
    names: dict[str, list[str]] = {}
    for name, status in missing.items():
        names.setdefault(status, []).append(name)
    return [
        f"Not defined: {', '.join(found)} ({_WHY.get(status, status)})." for status, found in names.items()
    ]


def left_out(counts: Mapping[str, int], n_neither: int = 0) -> list[str]:
    """What does not count, in one sentence, or none.

    >>> left_out({"purpose": 3, "missing_value": 1})
    ['Left out: 3 of another purpose than main, 1 without an answer.']
    """
    parts = [f"{count(n)} {_REASONS[reason]}" for reason, n in counts.items()]
    parts += [f"{count(n_neither)} that found neither good"] if n_neither else []
    return [f"Left out: {', '.join(parts)}."] if parts else []
