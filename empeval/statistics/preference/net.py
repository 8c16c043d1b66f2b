"""The mean of an outcome over judgments, with the interval that their design calls for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from empeval.statistics.design import Judgments
from empeval.statistics.means import MeanResult, clustered_mean, two_way_mean
from empeval.statistics.resampling import Interval
from empeval.statistics.segments import Array

__all__ = ["clipped", "crossed_cells", "mean_outcome"]


def mean_outcome(values: Array, judgments: Judgments, *, level: float = 0.95) -> MeanResult:
    """The mean of ``values`` (n_rows,), one for each judgment; status ``no_judgments`` without any.

    Two-way (items and raters random) where every rater judged every item equally often, the items of a
    dialogue taken together; otherwise clustered by dialogue and rater. With fewer than three raters only
    items are random, and the note says so. Repeated judgments of an item by the same rater are no
    replicates: they are averaged, or share a cluster.

    >>> winners = ["a", "a", "a", "b"]
    >>> judged = Judgments.of(["a"] * 4, ["b"] * 4, winners, items=[1, 2, 3, 4], raters=["r"] * 4)
    >>> mean_outcome(judged.outcomes, judged).value
    0.5
    """
    # one order for all sums, so that the order of rows cannot change a last bit
    order = np.lexsort((values, judgments.raters.codes, judgments.items.codes))
    values, judgments = values[order], judgments.subset(order)
    cells = crossed_cells(values, judgments)
    if cells is not None:
        return two_way_mean(cells, level=level)
    dialogues, raters = judgments.dialogues.codes, judgments.raters.codes
    return clustered_mean(values, dialogues, raters, level=level)


def crossed_cells(values: Array, judgments: Judgments) -> Array | None:
    """Mean values by dialogue and rater, or None where the design is not complete.

    Complete: every rater judged every item equally often, and every dialogue has as many items.
    """
    n_items, n_raters = len(judgments.items), len(judgments.raters)
    if not len(values):
        return None
    cell = judgments.items.codes * n_raters + judgments.raters.codes
    times = np.bincount(cell, minlength=n_items * n_raters)
    n_dialogues = len(judgments.dialogues)
    dialogue_of_item = np.zeros(n_items, dtype=np.int64)
    dialogue_of_item[judgments.items.codes] = judgments.dialogues.codes
    sizes = np.bincount(dialogue_of_item, minlength=n_dialogues)
    if np.ptp(times) or np.ptp(sizes):
        return None
    joint = judgments.dialogues.codes * n_raters + judgments.raters.codes
    sums = np.bincount(joint, weights=values, minlength=n_dialogues * n_raters)
    return np.asarray(sums.reshape(n_dialogues, n_raters) / (times[0] * sizes[0]))


def clipped(interval: Interval | None, low: float, high: float) -> Interval | None:
    """The interval within the range that its value can have."""
    if interval is None:
        return None
    return replace(interval, low=max(low, interval.low), high=min(high, interval.high))
