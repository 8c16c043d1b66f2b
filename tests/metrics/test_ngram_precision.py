"""N-gram precision on Papineni's examples, and by hand."""

from __future__ import annotations

import math

import pytest

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics.ngram_precision import NgramPrecision

# Papineni et al. (2002), example 1
CANDIDATES = [
    "It is a guide to action which ensures that the military always obeys the commands of the party",
    "It is to insure the troops forever hearing the activity guidebook that party direct",
]
REFERENCES = [
    "It is a guide to action that ensures that the military will forever heed Party commands",
    (
        "It is the guiding principle which guarantees the military forces always being under the command of "
        "the Party"
    ),
    "It is the practical guide for the army always to heed the directions of the party",
]


def precision(hypotheses: list[str], references: list[list[str]], **fields) -> float:
    """Our score."""
    metric = NgramPrecision(tokenize="none", **fields)
    stats = metric.segment_stats(Corpus.build(references=references), SystemOutputs.build("s", hypotheses))
    return float(metric.aggregate(stats.totals()))


@pytest.mark.parametrize(
    ("candidate", "n", "published"), [(0, 1, 17 / 18), (1, 1, 8 / 14), (0, 2, 10 / 17), (1, 2, 1 / 13)]
)
def test_examples_of_papineni(candidate, n, published) -> None:
    """The modified precisions printed in section 2.1."""
    assert 100 * published == pytest.approx(precision([CANDIDATES[candidate]], [REFERENCES], n=n), abs=1e-12)


def test_a_short_answer_pays_nothing() -> None:
    """There is no brevity penalty, which is why it is not BLEU."""
    assert 100.0 == precision(["it"], [[REFERENCES[0], "it is"]])


def test_over_the_corpus_or_by_segment() -> None:
    """Together 2 of 6 words; the mean of 1/1, 1/5 and of 0 for silence."""
    hypotheses, references = ["a", "b x x x x", ""], [["a"], ["b"], ["c"]]
    assert 100 * 2 / 6 == pytest.approx(precision(hypotheses, references), abs=1e-12)
    assert 100 * (1 + 1 / 5) / 3 == pytest.approx(
        precision(hypotheses, references, average="segment"), abs=1e-12
    )


def test_no_response_holds_an_ngram() -> None:
    """0 / 0 over the corpus is undefined; a segment without any counts 0."""
    assert math.isnan(precision(["a", ""], [["a b"], ["c"]], n=2))
    assert 0.0 == precision(["a", ""], [["a b"], ["c"]], n=2, average="segment")
