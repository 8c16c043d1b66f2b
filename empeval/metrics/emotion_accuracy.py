"""How often a system recognises the emotion of the situation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics._fields import given, missing_field, percentage, same_label
from empeval.metrics.base import METRICS, Metric
from empeval.statistics.segments import Array, SegmentStats

__all__ = ["EmotionAccuracy", "missing_emotion"]


def missing_emotion(corpus: Corpus, outputs: SystemOutputs) -> str | None:
    """Why predictions cannot be compared with the gold emotions in every segment, or None where they can."""
    best = [ranked[0] if ranked else None for ranked in given(outputs.predicted_emotions)]
    return missing_field(given(corpus.emotions), corpus.ids, "emotion") or missing_field(
        best, corpus.ids, "predicted emotion"
    )


@METRICS.register("emotion_accuracy")
@dataclass(frozen=True)
class EmotionAccuracy(Metric):
    """Share of segments whose gold emotion is among the system's k best predictions.

    100 · hits / segments, in 0–100. The predictions are the system's own for the context, not a classifier's
    for the response. Labels are compared without regard to case. Undefined where a segment lacks its gold
    emotion, its prediction, or, for k > 1, the k-th of them. Source: Rashkin et al. (2019).

    >>> corpus = Corpus.build(emotions=["sad", "proud"])
    >>> outputs = SystemOutputs.build("a", ["oh", "wow"], predicted_emotions=["Sad", "angry"])
    >>> metric = EmotionAccuracy()
    >>> metric.aggregate(metric.segment_stats(corpus, outputs).totals()).item()
    50.0
    """

    name: ClassVar[str] = "emotion_accuracy"
    higher_is_better: ClassVar[bool | None] = True
    needs: ClassVar[tuple[str, ...]] = ("emotions", "predicted_emotions")

    k: int = 1

    def __post_init__(self) -> None:
        if self.k < 1:
            raise InputError(f"{self.spec}: k must be at least 1")

    def problem(self, corpus: Corpus, outputs: SystemOutputs) -> str | None:
        gap = missing_emotion(corpus, outputs)
        if gap:
            return gap
        predictions = given(outputs.predicted_emotions)
        short = [i for i, ranked in enumerate(predictions) if len(given(ranked)) < self.k]
        if not short:
            return None
        return (
            f"too_few_predictions: {len(short)} of {len(predictions)} segments list fewer than {self.k} "
            f"predicted emotions, the first is id {corpus.ids[short[0]]!r}"
        )

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> SegmentStats:
        pairs = zip(given(corpus.emotions), given(outputs.predicted_emotions), strict=True)
        hits = [same_label(given(gold)) in map(same_label, given(ranked)[: self.k]) for gold, ranked in pairs]
        rows = np.stack([hits, np.ones(len(hits))], axis=1)
        return SegmentStats(rows.astype(np.int32), ("hits", "n"))

    def aggregate(self, totals: Array) -> Array:
        return percentage(totals)
