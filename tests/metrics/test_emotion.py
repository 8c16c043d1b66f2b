"""Emotion accuracy and F1."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics import METRICS, Metric
from empeval.metrics.emotion_f1 import EmotionF1
from empeval.statistics.resampling import paired_permutation_test

untimed = settings(deadline=None)  # libraries load on first use
LABELS = st.sampled_from(["sad", "proud", "angry", "happy", "ok"])


def data(gold: Sequence[str | None], predicted: Sequence[object]) -> tuple[Corpus, SystemOutputs]:
    """A corpus with these gold emotions, and one system's predictions."""
    corpus = Corpus.build(emotions=list(gold), ids=[f"s{i}" for i in range(len(gold))])
    texts = dict.fromkeys(corpus.ids, "")
    return corpus, SystemOutputs.build(
        "a", list(texts.values()), ids=corpus.ids, predicted_emotions=predicted
    )


def score(metric: Metric, gold: Sequence[str], predicted: Sequence[object]) -> float:
    """The metric's score on these labels."""
    return float(metric.aggregate(metric.segment_stats(*data(gold, predicted)).totals()))


def macro_f1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Macro F1 from its definition: labels that are never gold are one class, absent classes none."""
    predicted = [label if label in gold else "other" for label in predicted]
    pairs = list(zip(gold, predicted, strict=True))
    values = []
    for label in {*gold, *predicted}:
        hits = pairs.count((label, label))
        values.append(2 * hits / (list(gold).count(label) + predicted.count(label)))
    return 100 * sum(values) / len(values)


def test_accuracy_counts_the_best_prediction() -> None:
    """Two of three best predictions are right; case and blanks around a label are no difference."""
    metric = METRICS.create("emotion_accuracy")
    assert pytest.approx(200 / 3) == score(
        metric, ["sad", "proud", "angry"], [["Sad"], " proud ", ["sad", "angry"]]
    )


def test_accuracy_among_the_k_best() -> None:
    """With k = 2 the second-best prediction counts, the third does not."""
    metric = METRICS.create("emotion_accuracy(k=2)")
    predicted = [["sad", "ok", "angry"], ["ok", "proud", "sad"], ["ok", "sad", "angry"]]
    assert pytest.approx(200 / 3) == score(metric, ["sad", "proud", "angry"], predicted)


def test_accuracy_rows_are_counts() -> None:
    """A row holds the hit and one segment, as integers."""
    stats = METRICS.create("emotion_accuracy").segment_stats(*data(["sad", "sad"], ["sad", "ok"]))
    assert [[1, 1], [0, 1]] == stats.values.tolist()
    assert "i" == stats.values.dtype.kind


@pytest.mark.parametrize("name", ["emotion_accuracy", "emotion_f1", "emotion_f1(average=weighted)"])
@pytest.mark.parametrize(
    ("gold", "predicted", "reason"),
    [
        (
            ["sad", None],
            ["sad", "sad"],
            "missing_field: 1 of 2 segments have no emotion, the first is id 's1'",
        ),
        (
            ["sad", "sad"],
            [None, "sad"],
            "missing_field: 1 of 2 segments have no predicted emotion, the first is id 's0'",
        ),
        (
            ["sad", "sad"],
            ["sad", []],
            "missing_field: 1 of 2 segments have no predicted emotion, the first is id 's1'",
        ),
        (["sad", "sad"], ["sad", "sad"], None),
    ],
)
def test_gaps_leave_the_score_undefined(
    name: str, gold: list[str | None], predicted: list[object], reason: str | None
) -> None:
    """A score over some segments only would pass for one over all, so there is none, with the reason."""
    assert reason == METRICS.create(name).problem(*data(gold, predicted))


def test_short_lists_leave_top_k_undefined() -> None:
    """Lists that end before k leave the score undefined, and the first of them is named."""
    problem = METRICS.create("emotion_accuracy(k=3)").problem(
        *data(["sad"] * 2, [["sad", "ok", "angry"], ["sad"]])
    )
    assert problem == (
        "too_few_predictions: 1 of 2 segments list fewer than 3 predicted emotions, the first is id 's1'"
    )


def test_k_must_be_positive() -> None:
    """There are no zero best predictions."""
    with pytest.raises(InputError, match=r"emotion_accuracy\(k=0\): k must be at least 1"):
        METRICS.create("emotion_accuracy(k=0)")


def test_f1_worked_by_hand() -> None:
    """Sad: 2·1/(2+1) , proud: 2·1/(2+2) from two false alarms, angry: never found, so 0."""
    gold = ["sad", "sad", "proud", "angry"]
    predicted = ["sad", "proud", "proud", "proud"]
    sad, proud, angry = 2 / 3, 2 / 4, 0
    assert pytest.approx(100 * (sad + proud + angry) / 3) == score(EmotionF1(), gold, predicted)
    assert pytest.approx(100 * (2 * sad + proud + angry) / 4) == score(EmotionF1("weighted"), gold, predicted)


def test_f1_of_predictions_that_are_never_gold() -> None:
    """Invented labels are one class with F1 0 under macro, and weigh nothing under weighted."""
    gold = ["sad", "sad", "proud"]
    assert pytest.approx(100 * (2 / 3 + 1 + 0) / 3) == score(EmotionF1(), gold, ["sad", "glad", "proud"])
    three = [*gold, "sad"], ["sad", "glad", "proud", "mad"]
    assert pytest.approx(100 * (1 / 2 + 1 + 0) / 3) == score(EmotionF1(), *three)
    assert pytest.approx(100 * (3 * (1 / 2) + 1) / 4) == score(EmotionF1("weighted"), *three)


def test_f1_notes_predictions_that_are_never_gold() -> None:
    """The reader of the score learns which labels were counted as one class."""
    (notice,) = EmotionF1().notices(*data(["sad", "sad", "proud"], ["glad", "Mad", "proud"]))
    assert ("never_gold", 2, ("s0", "s1")) == (notice.code, notice.n, notice.ids)
    assert "(glad, mad)" in notice.message
    assert [] == EmotionF1().notices(*data(["sad", "proud"], ["proud", "proud"]))


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=20))
@untimed
def test_f1_is_its_definition(pairs: list[tuple[str, str]]) -> None:
    """Macro F1 agrees with counting label by label, and weighted F1 of perfect predictions is 100."""
    gold, predicted = zip(*pairs, strict=True)
    assert pytest.approx(macro_f1(gold, predicted)) == score(EmotionF1(), gold, predicted)
    assert 100.0 == score(EmotionF1("weighted"), gold, gold)


@given(st.lists(st.tuples(LABELS, LABELS), min_size=2, max_size=20), st.data())
@untimed
def test_f1_of_a_resample_is_f1_of_its_segments(pairs: list[tuple[str, str]], draw: st.DataObject) -> None:
    """Weights choose segments: labels that none of them has are left out of the mean."""
    gold, predicted = zip(*pairs, strict=True)
    chosen = draw.draw(st.lists(st.integers(0, len(pairs) - 1), min_size=1))
    totals = (
        EmotionF1()
        .segment_stats(*data(gold, predicted))
        .totals(np.bincount(chosen, minlength=len(pairs))[None, :])
    )
    known = [label if label in gold else "other" for label in predicted]
    values = []
    for label in {gold[i] for i in chosen} | {known[i] for i in chosen}:
        hits = sum(label == gold[i] == known[i] for i in chosen)
        values.append(2 * hits / sum((label == gold[i]) + (label == known[i]) for i in chosen))
    assert pytest.approx(100 * sum(values) / len(values)) == float(EmotionF1().aggregate(totals)[0])


@given(st.lists(st.tuples(LABELS, LABELS), min_size=2, max_size=20), st.integers(1, 19))
@untimed
def test_f1_of_shards_is_f1_of_the_whole(pairs: list[tuple[str, str]], cut: int) -> None:
    """A label may be gold in one shard only; joined, grouped or cut, the counts are those of the whole."""
    cut = min(cut, len(pairs) - 1)
    gold, predicted = zip(*pairs, strict=True)
    metric = EmotionF1()
    whole = metric.segment_stats(*data(gold, predicted))
    first = metric.segment_stats(*data(gold[:cut], predicted[:cut]))
    second = metric.segment_stats(*data(gold[cut:], predicted[cut:]))
    joined = first.concat([second])
    assert (whole.columns, whole.values.tolist()) == (joined.columns, joined.values.tolist())
    assert first.values.tolist() == whole.subset(np.arange(cut)).values.tolist()
    groups = np.arange(len(pairs)) // 2
    assert whole.totals().tolist() == joined.grouped(groups, int(groups[-1]) + 1).totals().tolist()


def test_f1_columns_are_the_same_for_every_system() -> None:
    """Systems that invent different labels can be swapped against each other segment by segment."""
    gold = ["sad", "proud", "sad", "angry"]
    stats = [EmotionF1().segment_stats(*data(gold, p)) for p in (["sad", "glad", "mad", "sad"], gold)]
    assert stats[0].columns == stats[1].columns
    assert paired_permutation_test(stats[0], stats[1], EmotionF1().aggregate).p_value < 1.0
    assert 1.0 == paired_permutation_test(stats[0], stats[0], EmotionF1().aggregate).p_value


def test_order_of_segments_does_not_matter() -> None:
    """Neither score depends on the order of the segments."""
    gold, predicted = ["sad", "proud", "sad", "angry"] * 5, ["sad", "sad", "ok", "angry", "proud"] * 4
    order = random.Random(0).sample(range(20), 20)
    for name in ("emotion_accuracy", "emotion_f1", "emotion_f1(average=weighted)"):
        metric = METRICS.create(name)
        shuffled = score(metric, [gold[i] for i in order], [predicted[i] for i in order])
        assert score(metric, gold, predicted) == shuffled


def test_published_outputs(shared: Path) -> None:
    """MIME's log: 1833 of 5255 right, the accuracy of its own header, and scikit-learn's macro F1."""
    golden = json.loads((shared / "golden/automatic.json").read_text(encoding="utf-8"))["files"][
        "mime/output"
    ]
    gold, predicted = [], []
    for line in (shared / "data/outputs/mime/output.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("emotion:"):
            emotion, _, prediction = line.split("\t")
            gold.append(emotion.removeprefix("emotion:"))
            predicted.append(prediction.removeprefix("predicted_emotion:"))
    accuracy = score(METRICS.create("emotion_accuracy"), gold, predicted)
    assert pytest.approx(100 * golden["emotion"]["accuracy"], abs=1e-9) == accuracy
    assert golden["header"]["acc"] == round(accuracy / 100, 4)
    assert pytest.approx(100 * golden["emotion"]["macro_f1"], abs=1e-9) == score(EmotionF1(), gold, predicted)
