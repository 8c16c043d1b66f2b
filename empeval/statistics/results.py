"""What a statistic gives: its value with an interval, or nothing and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from empeval.statistics.resampling import Interval

__all__ = ["Estimate", "Status", "undefined"]

#: ``ok``, or why a value is not defined.
Status = Literal[
    "ok",
    "disconnected",
    "incomplete",
    "no_judgments",
    "no_pairable_units",
    "no_segment_values",
    "no_variation",
    "not_converged",
    "only_ties",
    "out_of_reach",
    "separated",
    "too_few_items",
    "too_few_raters",
    "too_few_systems",
    "too_few_units",
    "too_many_categories",
]


@dataclass(frozen=True)
class Estimate:
    """A statistic's value with its interval, or None and a status that says why.

    ``interval_status`` says why a defined value has no interval; ``note`` is one sentence for the reader.

    >>> Estimate(0.5).status, undefined("no_variation").value
    ('ok', None)
    """

    value: float | None
    interval: Interval | None = None
    status: Status = "ok"
    interval_status: Status = "ok"
    note: str = ""

    def with_interval(self, interval: Interval | None, status: Status = "ok") -> Estimate:
        """The same value with an interval, or with none and why."""
        return replace(self, interval=interval, interval_status=status)


def undefined(status: Status, note: str = "") -> Estimate:
    """No value, and why.

    >>> undefined("too_few_raters").status
    'too_few_raters'
    """
    return Estimate(None, None, status, status, note)
