"""What the metrics on recorded fields share: labels, gaps in a column, means of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from empeval.statistics.segments import Array

__all__ = ["given", "mean", "missing_field", "percentage", "same_label"]

T = TypeVar("T")

#: A notice names some of the segments it is about, not all of them.
MAX_IDS = 10


def given(column: T | None) -> T:
    """A column that the metric declares in `needs`, so that its caller has seen to its presence."""
    assert column is not None
    return column


def same_label(label: str) -> str:
    """The form in which labels are compared: case and blanks around a label do not matter.

    >>> same_label(" Sad ")
    'sad'
    """
    return label.strip().casefold()


def missing_field(column: Sequence[object], ids: Sequence[str], field: str) -> str | None:
    """The reason of a score that lacks values of a field in some segments, or None where it has them all.

    >>> missing_field(["sad", None, ""], ["a", "b", "c"], "emotion")
    "missing_field: 2 of 3 segments have no emotion, the first is id 'b'"
    """
    gaps = [
        i
        for i, value in enumerate(column)
        if value is None or value == () or (isinstance(value, str) and not value.strip())
    ]
    if not gaps:
        return None
    return (
        f"missing_field: {len(gaps)} of {len(column)} segments have no {field}, "
        f"the first is id {ids[gaps[0]]!r}"
    )


def mean(totals: Array) -> Array:
    """First column over second, shape (..., 2) → (...); NaN where there is nothing to divide by."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(totals[..., 0] / totals[..., 1])


def percentage(totals: Array) -> Array:
    """100 times the first column over the second, shape (..., 2) → (...); NaN as in `mean`."""
    # in this order 33 of 60 are 55, not 55.00000000000001
    return mean(totals * np.array([100, 1]))
