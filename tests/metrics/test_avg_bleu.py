"""AVG BLEU against NLTK, and by hand."""

from __future__ import annotations

import math
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import corpus_bleu

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics.avg_bleu import AvgBleu

WORDS = st.sampled_from(["oh", "no", "that", "is", "great", "!"])
TEXTS = st.lists(WORDS, max_size=8).map(" ".join)
#: NLTK counts one n-gram for a response that is too short to have any, so these are not
RESPONSES = st.lists(WORDS, min_size=4, max_size=9).map(" ".join)
CORPORA = st.lists(st.tuples(RESPONSES, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=6)


def avg_bleu(hypotheses: list[str], references: list[list[str]]) -> float:
    """Our score, on words as they stand."""
    metric = AvgBleu(tokenize="whitespace")
    stats = metric.segment_stats(Corpus.build(references=references), SystemOutputs.build("s", hypotheses))
    return float(metric.aggregate(stats.totals()))


@given(CORPORA)
def test_equal_to_nltk(segments) -> None:
    """The mean of NLTK's cumulative corpus BLEU-1 to BLEU-4, where a zero precision is next to nothing."""
    hypotheses, references = [h for h, _ in segments], [r for _, r in segments]
    tokens = [[r.split() for r in texts] for texts in references], [h.split() for h in hypotheses]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NLTK warns of each zero precision
        expected = sum(corpus_bleu(*tokens, weights=(1 / n,) * n) for n in range(1, 5)) / 4
    assert 100 * expected == pytest.approx(avg_bleu(hypotheses, references), abs=1e-9)


def test_by_hand() -> None:
    """BLEU-1 3/4, BLEU-2 √(3/4 · 2/3), BLEU-3 ∛(3/4 · 2/3 · 1/2), BLEU-4 0."""
    expected = 100 * (3 / 4 + math.sqrt(1 / 2) + (1 / 4) ** (1 / 3) + 0) / 4
    assert expected == pytest.approx(avg_bleu(["a b c d"], [["a b c e"]]), abs=1e-12)


def test_the_ends_of_the_scale() -> None:
    """The reference itself has 100, silence 0, and a single right word BLEU-1 alone."""
    assert 100.0 == avg_bleu(["a b c d"], [["a b c d"]])
    assert 0.0 == avg_bleu(["", ""], [["a"], ["b"]])
    assert 25.0 == avg_bleu(["a"], [["a"]])
