"""F1 of the system's own emotion predictions, over the emotions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics._fields import MAX_IDS, given, same_label
from empeval.metrics.base import METRICS, Metric
from empeval.metrics.emotion_accuracy import missing_emotion
from empeval.records import Notice
from empeval.statistics.segments import Array, SegmentStats

__all__ = ["EmotionF1", "LabelStats"]


@dataclass(frozen=True, eq=False)
class LabelStats(SegmentStats):
    """Confusion counts per unit: for each gold label true positives, false positives, false negatives.

    The last column counts predictions of labels that are never gold. The columns follow from the gold
    labels alone, so every system on one corpus has the same ones. The observations are kept beside them
    (``gold`` and ``predicted`` number ``labels``): a label that one shard lacks may be gold in another.
    """

    labels: tuple[str, ...]
    units: Array
    gold: Array
    predicted: Array

    @classmethod
    def count(
        cls, labels: tuple[str, ...], units: Array, gold: Array, predicted: Array, n_units: int
    ) -> LabelStats:
        """Count observations, one an entry of ``units``, ``gold`` and ``predicted``."""
        classes = np.unique(gold)
        row_of = np.full(len(labels), -1)
        row_of[classes] = np.arange(len(classes))
        expected, found = row_of[gold], row_of[predicted]
        values = np.zeros((n_units, 3 * len(classes) + 1), dtype=np.int32)
        hit, foreign = expected == found, found < 0
        wrong = ~hit & ~foreign
        for chosen, column in (
            (hit, 3 * expected),
            (wrong, 3 * found + 1),
            (~hit, 3 * expected + 2),
            (foreign, np.full(len(units), -1)),
        ):
            np.add.at(values, (units[chosen], column[chosen]), 1)
        names = [f"{what}:{labels[c]}" for c in classes for what in ("tp", "fp", "fn")]
        return cls(values, (*names, "fp:other"), labels, units, gold, predicted)

    def grouped(self, groups: Array, n_groups: int) -> LabelStats:
        return self.count(self.labels, groups[self.units], self.gold, self.predicted, n_groups)

    def subset(self, rows: Array) -> LabelStats:
        place = np.full(self.n_units, -1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        at = place[self.units]
        keep = at >= 0
        return self.count(self.labels, at[keep], self.gold[keep], self.predicted[keep], len(rows))

    def concat(self, others: Sequence[SegmentStats]) -> LabelStats:
        shards = [self, *(other for other in others if isinstance(other, LabelStats))]
        assert len(shards) == 1 + len(others)
        labels = sorted({label for shard in shards for label in shard.labels})
        number = {label: i for i, label in enumerate(labels)}
        renumbered = [np.array([number[label] for label in shard.labels], dtype=np.int64) for shard in shards]
        offsets = np.cumsum([0, *(shard.n_units for shard in shards)])
        return self.count(
            tuple(labels),
            np.concatenate([s.units + start for s, start in zip(shards, offsets, strict=False)]),
            np.concatenate([to[s.gold] for s, to in zip(shards, renumbered, strict=True)]),
            np.concatenate([to[s.predicted] for s, to in zip(shards, renumbered, strict=True)]),
            int(offsets[-1]),
        )


@METRICS.register("emotion_f1")
@dataclass(frozen=True)
class EmotionF1(Metric):
    """F1 of the best predicted emotion: unweighted mean over labels, or weighted by gold frequency.

    F1 of a label = 2 tp / (2 tp + fp + fn), times 100. ``macro`` is the mean over all labels that occur, as
    gold or as prediction; a label that a resample lacks is left out of its mean. Predictions of labels that
    are gold in no segment at all form one class together, whose F1 is 0: how many different wrong names a
    system invents makes no difference, and two systems on one corpus have the same classes. So the value
    is that of scikit-learn's ``f1_score`` once such predictions are renamed to one label. ``weighted`` weighs
    each label by its gold segments. Undefined where a segment lacks its gold emotion or its prediction.

    >>> corpus = Corpus.build(emotions=["sad", "sad", "proud"])
    >>> outputs = SystemOutputs.build("a", ["", "", ""], predicted_emotions=["sad", "proud", "proud"])
    >>> metric = EmotionF1()
    >>> round(metric.aggregate(metric.segment_stats(corpus, outputs).totals()).item(), 2)
    66.67
    """

    name: ClassVar[str] = "emotion_f1"
    higher_is_better: ClassVar[bool | None] = True
    needs: ClassVar[tuple[str, ...]] = ("emotions", "predicted_emotions")

    average: Literal["macro", "weighted"] = "macro"

    def problem(self, corpus: Corpus, outputs: SystemOutputs) -> str | None:
        return missing_emotion(corpus, outputs)

    def notices(self, corpus: Corpus, outputs: SystemOutputs) -> list[Notice]:
        gold, predicted = _labels(corpus, outputs)
        known = set(gold)
        foreign = [i for i, label in enumerate(predicted) if label not in known]
        if not foreign:
            return []
        names = ", ".join(sorted({predicted[i] for i in foreign})[:MAX_IDS])
        message = (
            f"{len(foreign)} predictions of {outputs.system!r} name emotions that no segment has ({names}); "
            "emotion_f1 counts them as one class"
        )
        return [Notice("never_gold", message, len(foreign), tuple(corpus.ids[i] for i in foreign[:MAX_IDS]))]

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> LabelStats:
        gold, predicted = _labels(corpus, outputs)
        labels = sorted({*gold, *predicted})
        number = {label: i for i, label in enumerate(labels)}
        return LabelStats.count(
            tuple(labels),
            np.arange(len(gold)),
            np.array([number[label] for label in gold], dtype=np.int64),
            np.array([number[label] for label in predicted], dtype=np.int64),
            len(gold),
        )

    def aggregate(self, totals: Array) -> Array:
        counts = totals[..., :-1].reshape(*totals.shape[:-1], -1, 3)
        hits, false, missed = counts[..., 0], counts[..., 1], counts[..., 2]
        size = 2 * hits + false + missed
        f1 = 2 * hits / np.where(size > 0, size, 1)
        weights = (size > 0) if self.average == "macro" else hits + missed
        other = (totals[..., -1] > 0) & (self.average == "macro")
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(100.0 * (f1 * weights).sum(axis=-1) / (weights.sum(axis=-1) + other))


def _labels(corpus: Corpus, outputs: SystemOutputs) -> tuple[list[str], list[str]]:
    """Gold and best predicted label of each segment."""
    gold = [same_label(given(label)) for label in given(corpus.emotions)]
    predicted = [same_label(given(ranked)[0]) for ranked in given(outputs.predicted_emotions)]
    return gold, predicted
