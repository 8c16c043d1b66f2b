"""How often a classifier is right on texts that it was not trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empeval.classifiers.base import Array

__all__ = ["HeldOut", "LabelReport", "evaluate"]

Ranks = NDArray[np.int64]


@dataclass(frozen=True)
class LabelReport:
    """One label on the held-out texts, in 0–100: None for a share of nothing."""

    label: str
    n_train: int
    n_held_out: int
    n_predicted: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class HeldOut:
    """A classifier on the texts that were held out, in 0–100.

    ``accuracy`` is the share of texts whose most probable label is theirs, ``top_3`` and ``top_5`` the shares
    of those whose label is among the three or five most probable, None where there are no more labels than
    that. ``macro_f1`` is the mean of F1 over the labels that are given or recognised. ``majority`` is the
    accuracy of always answering ``majority_label``, the commonest of the training texts. ``confusion`` counts
    texts, a row a given label and a column a recognised one, in the order of ``labels``.
    """

    n_train: int
    n_held_out: int
    accuracy: float
    top_3: float | None
    top_5: float | None
    macro_f1: float
    majority: float
    majority_label: str
    labels: tuple[LabelReport, ...]
    confusion: tuple[tuple[int, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON holds it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> HeldOut:
        """The report that JSON holds; raises TypeError, ValueError or KeyError for anything else."""
        labels = tuple(LabelReport(**label) for label in given["labels"])
        confusion = tuple(tuple(int(n) for n in row) for row in given["confusion"])
        numbers = {"accuracy": float(given["accuracy"]), "n_held_out": int(given["n_held_out"])}
        return cls(**{**given, **numbers, "labels": labels, "confusion": confusion})


def evaluate(
    scores: Array, known: Sequence[str], given: Sequence[str], trained_on: Mapping[str, int]
) -> HeldOut:
    """Compare scores, shape (n_texts, n_known), with the labels that the texts were given.

    ``known`` are the labels of the columns, ``trained_on`` says how many training texts each had. A label
    that is given and not known is never recognised. Of equally probable labels the first counts.

    >>> scores = np.array([[0.9, 0.1], [0.4, 0.6], [0.7, 0.3]])
    >>> evaluate(scores, ["proud", "sad"], ["proud", "sad", "sad"], {"proud": 5, "sad": 7}).confusion
    ((1, 0), (1, 1))
    """
    labels = [*known, *sorted(set(given) - set(known))]
    gold = np.array([labels.index(label) for label in given])
    ranked = np.argsort(-scores, axis=1, kind="stable")
    n = len(labels)
    confusion = np.bincount(gold * n + ranked[:, 0], minlength=n * n).reshape(n, n)
    hits = np.diag(confusion)
    n_given, n_found = confusion.sum(axis=1), confusion.sum(axis=0)
    seen = (n_given + n_found) > 0
    majority = max(known, key=lambda label: trained_on[label])  # the first of the commonest
    return HeldOut(
        n_train=sum(trained_on.values()),
        n_held_out=len(given),
        accuracy=100 * int(hits.sum()) / len(given),
        top_3=_among(ranked, gold, 3),
        top_5=_among(ranked, gold, 5),
        macro_f1=float(np.mean(200 * hits[seen] / (n_given + n_found)[seen])),
        majority=100 * list(given).count(majority) / len(given),
        majority_label=majority,
        labels=tuple(
            LabelReport(
                label=label,
                n_train=trained_on.get(label, 0),
                n_held_out=int(n_given[i]),
                n_predicted=int(n_found[i]),
                precision=_share(100 * hits[i], n_found[i]),
                recall=_share(100 * hits[i], n_given[i]),
                f1=_share(200 * hits[i], n_given[i] + n_found[i]),
            )
            for i, label in enumerate(labels)
        ),
        confusion=tuple(tuple(row) for row in confusion.tolist()),
    )


def _among(ranked: Ranks, gold: Ranks, k: int) -> float | None:
    if ranked.shape[1] <= k:
        return None
    return 100 * int((ranked[:, :k] == gold[:, None]).any(axis=1).sum()) / len(gold)


def _share(part: int, whole: int) -> float | None:
    return float(part / whole) if whole else None
