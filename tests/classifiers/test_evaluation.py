"""The held-out report against scikit-learn and worked by hand, and what is held out."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from sklearn import metrics

from empeval.classifiers.evaluation import HeldOut, evaluate
from empeval.classifiers.splitting import Example, split

KNOWN = tuple("abcdefg")


@pytest.fixture
def drawn() -> tuple[np.ndarray, list[str]]:
    """Random probabilities and labels of 300 texts."""
    random = np.random.default_rng(0)
    return random.dirichlet(np.ones(len(KNOWN)), 300), random.choice(KNOWN, 300).tolist()


def test_the_report_is_that_of_scikit_learn(drawn) -> None:
    """Accuracy, top-3 and top-5 accuracy, macro-F1, F1 by label and the confusion matrix."""
    scores, given = drawn
    report = evaluate(scores, KNOWN, given, Counter(given))
    found = [KNOWN[i] for i in scores.argmax(axis=1)]
    assert pytest.approx(100 * metrics.accuracy_score(given, found)) == report.accuracy
    assert pytest.approx(100 * metrics.top_k_accuracy_score(given, scores, k=3)) == report.top_3
    assert pytest.approx(100 * metrics.top_k_accuracy_score(given, scores, k=5)) == report.top_5
    assert pytest.approx(100 * metrics.f1_score(given, found, average="macro")) == report.macro_f1
    assert metrics.confusion_matrix(given, found).tolist() == [list(row) for row in report.confusion]
    by_label = metrics.precision_recall_fscore_support(given, found)
    for i, label in enumerate(report.labels):
        expected = [pytest.approx(100 * column[i]) for column in by_label[:3]]
        assert (expected, by_label[3][i]) == ([label.precision, label.recall, label.f1], label.n_held_out)


def test_worked_by_hand() -> None:
    """Of four texts two are right; b is never recognised, c neither given nor recognised."""
    scores = np.array([[0.6, 0.3, 0.1], [0.6, 0.3, 0.1], [0.6, 0.3, 0.1], [0.5, 0.4, 0.1]])
    report = evaluate(scores, "abc", ["a", "a", "b", "b"], {"a": 1, "b": 9, "c": 1})
    assert (50.0, None, None, 11, 4) == (
        report.accuracy,
        report.top_3,
        report.top_5,
        report.n_train,
        report.n_held_out,
    )
    assert ("b", 50.0) == (report.majority_label, report.majority)
    # F1 of a: 2·2/(2+4); of b: 0; c is no part of the mean
    assert pytest.approx(100 * (2 / 3 + 0) / 2) == report.macro_f1
    assert [pytest.approx(200 / 3), 0.0, None] == [label.f1 for label in report.labels]
    assert [50.0, None, None] == [label.precision for label in report.labels]
    assert ((2, 0, 0), (2, 0, 0), (0, 0, 0)) == report.confusion


def test_equal_probabilities_count_for_the_first_label() -> None:
    """A tie is never half a hit."""
    report = evaluate(np.full((2, 4), 0.25), "abcd", ["a", "d"], Counter("abcd"))
    assert (50.0, 50.0, None) == (report.accuracy, report.top_3, report.top_5)


def test_a_label_that_was_not_trained_on_is_wrong() -> None:
    """It has a row in the confusion matrix, and no text that is recognised."""
    report = evaluate(np.array([[1.0, 0.0]]), "ab", ["z"], {"a": 2, "b": 1})
    assert (0.0, ["a", "b", "z"]) == (report.accuracy, [label.label for label in report.labels])
    assert ((0, 0, 0), (0, 0, 0), (1, 0, 0)) == report.confusion


def test_a_report_survives_json(drawn) -> None:
    """What a folder tells of its classifier is what was measured."""
    scores, given = drawn
    report = evaluate(scores, KNOWN, given, Counter(given))
    assert report == HeldOut.from_dict(json.loads(json.dumps(report.to_dict())))


def examples(n: int = 200) -> list[Example]:
    """Two texts in each of n conversations, of five emotions that are not equally frequent."""
    return [Example(f"text {i} {turn}", "aaabbbccde"[i % 10], f"c{i}") for i in range(n) for turn in range(2)]


@pytest.mark.parametrize("share", [0.1, 0.25, 0.9])
def test_a_conversation_is_on_one_side(share: float) -> None:
    """And of each emotion the share that was asked for is held out."""
    parts = split(examples(), share, seed=3)
    assert sorted(examples()) == sorted((*parts.train, *parts.held_out))
    sides = [{example.conversation for example in side} for side in (parts.train, parts.held_out)]
    assert set() == sides[0] & sides[1]
    whole = Counter(example.label for example in examples())
    held = Counter(example.label for example in parts.held_out)
    assert {label: round(share * n) for label, n in whole.items()} == held


def test_a_conversation_of_several_emotions() -> None:
    """It is held out with the emotion that most of its texts have, and kept whole."""
    mixed = [Example(f"{i} {label}", label, f"c{i}") for i in range(10) for label in "aab"[: 2 + i % 2]]
    mixed = sorted({*mixed, *(Example(f"{i} other", "a", f"c{i}") for i in range(10))})
    parts = split(mixed, 0.3, seed=0)
    assert 3 == len({example.conversation for example in parts.held_out})
    assert ((), len(mixed)) == (parts.lone, len(parts.train) + len(parts.held_out))


def test_every_emotion_is_trained_on() -> None:
    """Of two conversations one is held out, of one none, whatever the share."""
    few = [Example("t", "a", "1"), Example("t", "a", "2"), Example("t", "b", "3"), Example("u", "b", "4")]
    few.append(Example("v", "c", "5"))
    for share in (0.01, 0.99):
        parts = split(few, share, seed=0)
        assert (["a", "b"], ("c",)) == (sorted(e.label for e in parts.held_out), parts.lone)


def test_the_order_of_examples_does_not_matter() -> None:
    """What is held out depends on the seed and the conversations' names."""
    assert split(examples(), 0.1, seed=0) == split(examples()[::-1], 0.1, seed=0)
    assert split(examples(), 0.1, seed=0) != split(examples(), 0.1, seed=1)
