"""The small classifier against scikit-learn, and on odd texts."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from empeval.classifiers import load
from empeval.classifiers.features import MAX_FEATURES, TOKEN, Features
from empeval.classifiers.tfidf import SETTINGS, fit
from empeval.errors import InputError

WORDS = [
    "i",
    "am",
    "so",
    "sad",
    "happy",
    "today",
    "my",
    "dog",
    "cat",
    "don't",
    "won't",
    "won",
    "died",
    "!",
    "?",
    "…",
    "😊",
    "über",
    "naïve",
]


def corpus(n: int, emotions: str, seed: int = 0) -> tuple[list[str], list[str]]:
    """Invented texts in which each emotion prefers some words."""
    draw = random.Random(seed)
    labels = [draw.choice(emotions) for _ in range(n)]
    texts = [
        " ".join(draw.choice(WORDS[ord(label) % 7 :]) for _ in range(draw.randint(1, 12))) for label in labels
    ]
    return texts, labels


@pytest.mark.parametrize("emotions", ["ab", "abcdefg"])
def test_probabilities_are_those_of_scikit_learn(emotions: str, tmp_path) -> None:
    """TfidfVectorizer and LogisticRegression give the same to 1e-10, also after writing and reading."""
    from empeval.classifiers import storage

    texts, labels = corpus(400, emotions)
    storage.write(fit(texts, labels), tmp_path / "made", {})
    ours = load(str(tmp_path / "made"))
    features = TfidfVectorizer(token_pattern=TOKEN, ngram_range=(1, 2), sublinear_tf=True, min_df=2)
    model = LogisticRegression(C=SETTINGS["C"], tol=SETTINGS["tolerance"], max_iter=SETTINGS["max_iter"]).fit(
        features.fit_transform(texts), labels
    )
    others = [*corpus(100, emotions, seed=1)[0], "", "unheard-of words", texts[0] * 50]
    expected = model.predict_proba(features.transform(others))
    assert list(model.classes_) == list(ours.labels)
    assert list(features.get_feature_names_out()) == list(ours.features.numbers)
    assert np.abs(expected - ours.scores(others)).max() < 1e-10


def test_features_worked_by_hand() -> None:
    """Of "a b", "a c", "d" only a stands in two texts; b, twice in the fourth text, in one."""
    features = Features.of(["a b", "a c", "d", "b b"])
    assert {"a": 0, "b": 1} == features.numbers
    assert [pytest.approx(np.log(5 / 3) + 1)] * 2 == features.weights.tolist()
    assert np.allclose(
        [[0.5**0.5, 0.5**0.5], [0, 1], [0, 0]], features.matrix(["A b", "b b b", "d e"]).toarray()
    )


def test_an_overlong_vocabulary_keeps_what_stands_in_most_texts() -> None:
    """The commonest n-grams stay, and the memory of a classifier is bounded."""
    rare = [f"w{i}" for i in range(MAX_FEATURES)]
    features = Features.of([" . ".join(rare), " . ".join(rare), "often", "often", "often"])
    assert MAX_FEATURES == len(features.weights)
    assert "often" in features.numbers


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "😊" * 40,
        "\ud83d alone",
        "word " * 2000,
        "\u202e\u200b\ufeff",
        "IS\u0307TANBUL ß",
        "a\x00b",
        "'''",
    ],
)
def test_odd_texts_have_probabilities(text: str, small_folder) -> None:
    """Whatever a system answers, the probabilities are numbers that add up to 1."""
    (row,) = load(str(small_folder)).scores([text])
    assert pytest.approx(1.0, abs=1e-12) == row.sum()
    assert (row >= 0).all()


def test_no_text_has_no_row(small_folder) -> None:
    """An empty list is classified too."""
    assert (0, 3) == load(str(small_folder)).scores([]).shape


def test_rows_do_not_depend_on_the_other_texts(small_folder) -> None:
    """Alone, among thousands and in another order a text has the same probabilities, bit by bit."""
    texts = corpus(9000, "abc")[0]
    classifier = load(str(small_folder))
    whole, turned = classifier.scores(texts), classifier.scores(texts[::-1])[::-1]
    assert np.array_equal(whole, turned)
    assert np.array_equal(whole[8999:], classifier.scores(texts[8999:]))


@pytest.mark.parametrize(
    ("texts", "labels", "reason"),
    [
        (["a b", "a c"], ["sad", "sad"], "at least two emotions"),
        (["a", "b"], ["sad", "proud"], "no word stands in two of the texts"),
    ],
)
def test_too_little_to_learn_from(texts: list[str], labels: list[str], reason: str) -> None:
    """The message says what is lacking."""
    with pytest.raises(InputError, match=reason):
        fit(texts, labels)
