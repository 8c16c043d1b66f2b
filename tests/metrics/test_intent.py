"""Emotion-intent accuracy of the target response."""

from __future__ import annotations

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics import METRICS


def data(gold: list[str | None], predicted: list[str | None]) -> tuple[Corpus, SystemOutputs]:
    """A corpus with these response intents, and one system's predictions."""
    corpus = Corpus.build(response_intents=gold)
    return corpus, SystemOutputs.build("a", [""] * len(gold), predicted_intents=predicted)


def test_share_of_intents_that_agree() -> None:
    """Three of four agree once case and blanks are ignored."""
    metric = METRICS.create("intent_accuracy")
    stats = metric.segment_stats(
        *data(["questioning", "agreeing", "Sad", "neutral"], ["questioning ", "wishing", "sad", "NEUTRAL"])
    )
    assert 75.0 == float(metric.aggregate(stats.totals()))
    assert [3, 4] == stats.totals().tolist()


def test_percentages_are_exact() -> None:
    """33 of 60 are 55, to the last digit."""
    metric = METRICS.create("intent_accuracy")
    stats = metric.segment_stats(*data(["sad"] * 60, ["sad"] * 33 + ["ok"] * 27))
    assert 55.0 == float(metric.aggregate(stats.totals()))


def test_gaps_leave_the_score_undefined() -> None:
    """A missing label on either side gives a reason instead of a score."""
    metric = METRICS.create("intent_accuracy")
    assert "missing_field: 1 of 2 segments have no response intent, the first is id '2'" == metric.problem(
        *data(["agreeing", None], ["agreeing", "agreeing"])
    )
    assert "missing_field: 2 of 2 segments have no predicted intent, the first is id '1'" == metric.problem(
        *data(["agreeing", "agreeing"], [None, ""])
    )
    assert None is metric.problem(*data(["agreeing"], ["wishing"]))
