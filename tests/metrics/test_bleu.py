"""BLEU against sacreBLEU, and by hand."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics.bleu import Bleu, bleu_from_totals
from empeval.metrics.ngrams import bleu_stats

WORDS = [
    *("the", "the", "The", "cat", "cat", "sat", "a", "it's", "U.S.", "co-op", "x"),
    *(".", ",", "!", "...", "(", "$3.50", "1,000", "5-", "3.", ".5", "5...5", "a.b", "-", "'"),
    *("<skipped>", "&quot;", "&amp;", "&lt;skipped>", "&", "\u2019", "«", "»", "é", "e\u0301", "ſ", "İ"),
    *("你", "好", "你好", "。", "😊", "٣.٤", "\u00b2"),
]
BLANKS = [
    "  ",
    "\t",
    "\n",
    "\r\n",
    "-\n",
    "-\n ",
    "\x0b",
    "\x1c",
    "\x85",
    "\u00a0",
    "\u2028",
    "\u3000",
    "\u200b",
]
#: a letter stands for a piece, so that a whole text is a single draw, which is fast
PIECE_OF = {0x100 + i: piece for i, piece in enumerate([*(w + " " for w in WORDS), *WORDS, *BLANKS])}
#: this one for the whole first reference of the segment, so that there are long matches
REFERENCE = "R"
LETTERS = "".join(map(chr, PIECE_OF)) + REFERENCE
TEXTS = st.lists(st.text(LETTERS, max_size=9), min_size=2, max_size=16)


@st.composite
def corpora(draw) -> tuple[list[str], list[list[str]]]:
    """Hypotheses, and the references of each, equally many."""
    texts = [text.translate(PIECE_OF) for text in draw(TEXTS)]
    n_references = draw(st.integers(1, min(3, len(texts) - 1)))
    size = 1 + n_references
    rows = [texts[i : i + size] for i in range(0, len(texts) - size + 1, size)]
    rows = [[text.replace(REFERENCE, row[1].replace(REFERENCE, "")) for text in row] for row in rows]
    return [row[0] for row in rows], [row[1:] for row in rows]


METRICS = st.sampled_from(
    [
        Bleu(*fields)
        for fields in itertools.product(
            ["13a", "none", "intl", "char"],
            [False, True],
            [4, 3, 2, 1],
            ["exp", "none", "floor", "add-k"],
            [False, True],
        )
    ]
)


@functools.cache
def sacrebleu_of(metric: Bleu) -> BLEU:
    """sacreBLEU's own metric with the same settings."""
    return BLEU(
        lowercase=metric.lowercase,
        tokenize=metric.tokenize,
        smooth_method=metric.smooth,
        max_ngram_order=metric.order,
        effective_order=metric.effective_order,
        force=True,
    )


def bleu(hypotheses: list[str], references: list[list[str]], metric: Bleu) -> float:
    """Our score."""
    stats = metric.segment_stats(Corpus.build(references=references), SystemOutputs.build("s", hypotheses))
    return float(metric.aggregate(stats.totals()))


def sacrebleu(hypotheses: list[str], references: list[list[str]], metric: Bleu) -> float:
    """sacreBLEU's score, which takes the k-th references of all segments together."""
    score = sacrebleu_of(metric).corpus_score(hypotheses, list(zip(*references, strict=True))).score
    return min(float(score), 100.0)


@settings(max_examples=2000)
@given(corpora(), METRICS)
def test_equal_to_sacrebleu(corpus, metric) -> None:
    """The corpus score, and the mean of the segments' scores, under every setting that both have."""
    hypotheses, references = corpus
    assert sacrebleu(hypotheses, references, metric) == pytest.approx(
        bleu(hypotheses, references, metric), abs=1e-12
    )
    segments = [sacrebleu([h], [r], metric) for h, r in zip(hypotheses, references, strict=True)]
    by_segment = Bleu(
        metric.tokenize, metric.lowercase, metric.order, metric.smooth, metric.effective_order, "segment"
    )
    expected = math.fsum(segments) / len(segments)
    assert expected == pytest.approx(bleu(hypotheses, references, by_segment), abs=1e-12)


def test_by_hand() -> None:
    """3 of 4 words, 2 of 3 pairs, 1 of 2 triples, none of 1 quadruple, which smoothing takes for a half."""
    found = bleu(["a b c d"], [["a b c e"]], Bleu())
    assert 100 * (3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** 0.25 == pytest.approx(found, abs=1e-12)
    assert 0.0 == bleu(["a b c d"], [["a b c e"]], Bleu(smooth="none"))
    floored = 100 * (3 / 4 * 2 / 3 * 1 / 2 * 0.1) ** 0.25
    assert floored == pytest.approx(bleu(["a b c d"], [["a b c e"]], Bleu(smooth="floor")), abs=1e-12)
    added = 100 * (3 / 4 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25
    assert added == pytest.approx(bleu(["a b c d"], [["a b c e"]], Bleu(smooth="add-k")), abs=1e-12)


def test_brevity_penalty_by_hand() -> None:
    """Four of five words: exp(1 − 5/4); a response that is too long pays in precision alone."""
    assert 100 * math.exp(-0.25) == pytest.approx(bleu(["a b c d"], [["a b c d e"]], Bleu()), abs=1e-12)
    longer = bleu(["a b c d e"], [["a b c d"]], Bleu(order=1))
    assert 80.0 == pytest.approx(longer, abs=1e-12)


@pytest.mark.parametrize("references", [["a b c", "x x x x x"], ["x x x x x", "a b c"]])
def test_of_two_references_equally_close_the_shorter_counts(references) -> None:
    """Lengths 3 and 5 around 4: no brevity penalty, in whichever order they come."""
    assert 75.0 == pytest.approx(bleu(["a b c d"], [references], Bleu(order=1)), abs=1e-12)


def test_a_word_counts_as_often_as_in_the_reference_that_has_it_most() -> None:
    """Papineni et al. (2002), example 2: two of the seven "the", for references with two and one."""
    references = ["the cat is on the mat", "there is a cat on the mat"]
    assert 100 * 2 / 7 == pytest.approx(bleu(["the " * 7], [references], Bleu(order=1)), abs=1e-12)


def test_references_may_differ_in_number() -> None:
    """One segment with one, another with three."""
    corpus = Corpus.build(references=[["a b"], ["x", "a b c", "c d"]])
    rows = bleu_stats(corpus, SystemOutputs.build("s", ["a b", "c d"]), "none").values
    assert [[2, 2, 2, 1, 0, 0, 2, 1, 0, 0]] * 2 == rows.tolist()


def test_silence_and_nothing_in_common_score_zero() -> None:
    """So do empty references; nothing divides by zero (sacrebleu#132, evaluate#601)."""
    for smooth in ("exp", "none", "floor", "add-k"):
        for average in ("corpus", "segment"):
            metric = Bleu(smooth=smooth, average=average, effective_order=True)
            assert [0.0] * 4 == [
                bleu(hypotheses, references, metric)
                for hypotheses, references in (
                    (["", " \n"], [["a b"], ["c"]]),
                    (["a b"], [["c d"]]),
                    (["a b"], [[""]]),
                    ([""], [[""]]),
                )
            ]


def test_never_above_a_hundred() -> None:
    """sacreBLEU returns 100.00000000000004 for some perfect responses (sacrebleu#275)."""
    for n in range(1, 40):
        text = " ".join(map(str, range(n)))
        for metric in (Bleu(), Bleu(order=3), Bleu(effective_order=True), Bleu(average="segment")):
            assert bleu([text] * 3, [[text]] * 3, metric) <= 100.0
    assert 100.0 == bleu(["a b c d"], [["a b c d"]], Bleu())


def test_an_emptied_response_may_raise_it() -> None:
    """Why corpus BLEU promises nothing there: a long response with no match costs precision."""
    references = [["a b c d e"], ["f"]]
    long, empty = ["a b c d e", "x " * 20], ["a b c d e", ""]
    assert not Bleu().text_quality
    assert sacrebleu(long, references, Bleu()) < sacrebleu(empty, references, Bleu())


@given(corpora(), st.data())
def test_an_emptied_response_never_raises_the_segment_mean(corpus, data) -> None:
    """An empty response has the segment score 0."""
    hypotheses, references = corpus
    metric = Bleu(average="segment")
    emptied = list(hypotheses)
    emptied[data.draw(st.integers(0, len(hypotheses) - 1))] = ""
    assert bleu(emptied, references, metric) <= bleu(hypotheses, references, metric) + 1e-12


def test_a_corpus_of_many_blocks_has_the_rows_of_its_parts() -> None:
    """600,000 words in segments of all lengths, and one text that is longer than a block alone."""
    rng = np.random.default_rng(0)
    lengths = [*rng.integers(0, 60, 12_000).tolist(), 300_000, 3]
    words = np.array(["a", "b", "c", "d", "e"])
    hypotheses, references = ([" ".join(words[rng.integers(0, 5, n)]) for n in lengths] for _ in range(2))
    corpus = Corpus.build(references=references)
    rows = bleu_stats(corpus, SystemOutputs.build("s", hypotheses), "none").values
    for part in (slice(0, 4000), slice(4000, 12_001), slice(12_001, None)):
        alone = Corpus.build(references=references[part])
        assert np.array_equal(
            bleu_stats(alone, SystemOutputs.build("s", hypotheses[part]), "none").values, rows[part]
        )


@given(corpora(), METRICS)
def test_many_totals_at_once_are_each_alone(corpus, metric) -> None:
    """The formula is the same in any shape, and leaves its argument as it was."""
    hypotheses, references = corpus
    stats = bleu_stats(
        Corpus.build(references=references), SystemOutputs.build("s", hypotheses), metric.tokenize
    )
    rows = stats.values.astype(float)
    before = rows.copy()
    together = metric.aggregate(np.stack([rows, rows[::-1]]))
    assert [float(metric.aggregate(row)) for row in rows] == together[0].tolist()
    assert together[0].tolist() == together[1].tolist()[::-1]
    assert np.array_equal(before, rows)


def test_the_formula_on_sums_of_its_own() -> None:
    """Moses' multi-bleu on precisions 57.1, 25.0, 10.0, 4.0 with BP 0.9: the product, by hand."""
    totals = np.array([70, 70 * (1 - math.log(0.9)), 40, 15, 5, 2, 70, 60, 50, 50])
    expected = 90 * (40 / 70 * 15 / 60 * 5 / 50 * 2 / 50) ** 0.25
    assert expected == pytest.approx(bleu_from_totals(totals).item(), rel=1e-12)
