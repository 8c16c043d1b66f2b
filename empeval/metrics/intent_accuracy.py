"""How often a system predicts the empathetic intent of the response to give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics._fields import given, missing_field, percentage, same_label
from empeval.metrics.base import METRICS, Metric
from empeval.statistics.segments import Array, SegmentStats

__all__ = ["IntentAccuracy"]


@METRICS.register("intent_accuracy")
@dataclass(frozen=True)
class IntentAccuracy(Metric):
    """Share of segments where the predicted emotion or intent of the target response is the gold one.

    100 · hits / segments, in 0–100; labels are compared without regard to case. Undefined where a segment
    lacks either label. Source: Wang et al. (2022), SEEK, with the 41 labels of Welivita and Pu (2020).

    >>> corpus = Corpus.build(response_intents=["questioning", "agreeing"])
    >>> outputs = SystemOutputs.build("a", ["why ?", "so sad"], predicted_intents=["questioning", "neutral"])
    >>> metric = IntentAccuracy()
    >>> metric.aggregate(metric.segment_stats(corpus, outputs).totals()).item()
    50.0
    """

    name: ClassVar[str] = "intent_accuracy"
    higher_is_better: ClassVar[bool | None] = True
    needs: ClassVar[tuple[str, ...]] = ("response_intents", "predicted_intents")

    def problem(self, corpus: Corpus, outputs: SystemOutputs) -> str | None:
        return missing_field(given(corpus.response_intents), corpus.ids, "response intent") or missing_field(
            given(outputs.predicted_intents), corpus.ids, "predicted intent"
        )

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> SegmentStats:
        pairs = zip(given(corpus.response_intents), given(outputs.predicted_intents), strict=True)
        hits = [same_label(given(gold)) == same_label(given(predicted)) for gold, predicted in pairs]
        rows = np.stack([hits, np.ones(len(hits))], axis=1)
        return SegmentStats(rows.astype(np.int32), ("hits", "n"))

    def aggregate(self, totals: Array) -> Array:
        return percentage(totals)
