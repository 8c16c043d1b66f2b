"""The report on a trained classifier as grids."""

from __future__ import annotations

from empeval.classifiers.evaluation import HeldOut
from empeval.report.formats._printed import DASH, count, number
from empeval.report.grids import Grid
from empeval.report.training import Training

__all__ = ["training_grids"]

_CONFUSIONS = 10


def training_grids(found: Training) -> list[Grid]:
    """How often it is right, label by label, and what it takes for what."""
    return [_summary(found), _labels(found.held_out), _confusions(found.held_out)]


def _summary(found: Training) -> Grid:
    report = found.held_out
    rows = [
        ("accuracy", _share(report.accuracy)),
        ("among the 3 most probable", _share(report.top_3)),
        ("among the 5 most probable", _share(report.top_5)),
        ("macro-F1", _share(report.macro_f1)),
        (f"always {report.majority_label!r}", _share(report.majority)),
    ]
    held_out = f"{count(found.n_held_out_conversations)} of {count(found.n_conversations)} conversations"
    notes = [
        f"Trained on {count(report.n_train)} texts.",
        f"Held out: {held_out}, {found.share:g} of each emotion's and at least one (seed {found.seed}).",
        f"The classifier is in {found.folder}; its fingerprint is {found.fingerprint}.",
    ]
    return Grid(
        f"A classifier of {len(found.labels)} emotions on {count(report.n_held_out)} held-out texts",
        ("", "%"),
        rows,
        notes=notes,
    )


def _labels(report: HeldOut) -> Grid:
    rows = [
        (
            label.label,
            count(label.n_train),
            count(label.n_held_out),
            _share(label.precision),
            _share(label.recall),
            _share(label.f1),
        )
        for label in report.labels
    ]
    return Grid("By emotion", ("emotion", "trained on", "held out", "precision", "recall", "F1"), rows)


def _confusions(report: HeldOut) -> Grid:
    """The most frequent ones; of equally many the first in the alphabet."""
    names = [label.label for label in report.labels]
    cells = [
        (-n, names[i], names[j], report.labels[i].n_held_out)
        for i, row in enumerate(report.confusion)
        for j, n in enumerate(row)
        if n and i != j
    ]
    rows = [
        (given, recognised, count(-n), _share(-100 * n / n_given))
        for n, given, recognised, n_given in sorted(cells)[:_CONFUSIONS]
    ]
    header = ("emotion", "taken for", "texts", "% of the emotion's")
    notes = [] if rows else ["There are none."]
    return Grid("The most frequent confusions", header, rows, 2, notes)


def _share(value: float | None) -> str:
    return DASH if value is None else number(value, 2)
