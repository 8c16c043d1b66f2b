"""Mean length of responses."""

from __future__ import annotations

import pytest

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics.length import Length


def length(hypotheses: list[str], **fields) -> float:
    """Our score."""
    metric = Length(**fields)
    corpus = Corpus.build(references=[""] * len(hypotheses))
    return float(
        metric.aggregate(metric.segment_stats(corpus, SystemOutputs.build("s", hypotheses)).totals())
    )


def test_by_hand() -> None:
    """Three words, one and none: an empty response counts."""
    assert 4 / 3 == pytest.approx(length(["oh no !", "sorry", ""]))


@pytest.mark.parametrize(
    ("tokenize", "expected"),
    [
        ("whitespace", 2),
        ("none", 2),
        ("13a", 3),
        ("nltk", 4),
        ("treebank", 4),
        ("ed", 5),
        ("intl", 5),
        ("char", 7),
    ],
)
def test_what_a_word_is_depends_on_the_tokenizer(tokenize, expected) -> None:
    """The same response, eight ways: apostrophe and final mark are cut or are not."""
    assert expected == length(["I can't!"], tokenize=tokenize)


def test_neither_direction_is_better() -> None:
    """Longer responses are not better ones."""
    assert Length().higher_is_better is None
