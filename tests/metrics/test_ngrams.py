"""The n-gram engine: token numbers, n-gram numbers, and what is remembered between metrics."""

from __future__ import annotations

import gc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics._clipped import _number
from empeval.metrics.ngrams import BLEU_COLUMNS, Encoder, bleu_stats, hypothesis_tokens
from empeval.tokenizers import TOKENIZERS, get_tokenizer

TEXTS = st.lists(
    st.sampled_from(
        ["it's", "Oh", "oh", "no.", "$3.50", "你好", "<skipped>", "\u00a0", "-\n", "...", "😊", ""]
    ),
    max_size=6,
).map(" ".join)


@pytest.mark.parametrize("name", TOKENIZERS.names())
@given(st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=4), st.booleans())
def test_numbers_stand_for_the_tokens(name, texts, more, lowercase) -> None:
    """Equal tokens have equal numbers, others do not, over one call and over the next."""
    tokenizer = get_tokenizer(name)
    encoder = Encoder(tokenizer, lowercase)
    number_of: dict[str, int] = {}
    for batch in (texts, more):
        tokens = encoder.encode(batch)
        assert len(batch) == len(tokens)
        for i, text in enumerate(batch):
            words = tokenizer.tokens(tokenizer.clean(text.lower() if lowercase else text))
            numbers = tokens.ids[tokens.offsets[i] : tokens.offsets[i + 1]].tolist()
            assert len(words) == len(numbers)
            for word, number in zip(words, numbers, strict=True):
                assert number_of.setdefault(word, number) == number
    assert len(set(number_of.values())) == len(number_of) == encoder.n_types


@given(st.lists(TEXTS, max_size=6), st.integers(1, 6), st.booleans())
def test_ngrams_have_numbers_of_their_own(texts, n, concat) -> None:
    """Two n-grams share a number exactly if they are equal (or join to one string)."""
    encoder = Encoder(get_tokenizer("whitespace"))
    units, numbers = encoder.ngram_types(encoder.encode(texts), n, concat=concat)
    expected = [
        (i, "".join(gram) if concat else gram)
        for i, text in enumerate(texts)
        for gram in zip(*[text.split()[k:] for k in range(n)], strict=False)
    ]
    assert [i for i, _ in expected] == units.tolist()
    pairs = set(zip(numbers.tolist(), (gram for _, gram in expected), strict=True))
    assert len(pairs) == len({number for number, _ in pairs}) == len({gram for _, gram in pairs})


@given(
    st.lists(st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1)), max_size=20)
    | st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20)
)
def test_pairs_are_numbered_densely(pairs) -> None:
    """Small or large, with the position in the low bits or without."""
    first, second = (np.array([pair[i] for pair in pairs], dtype=np.int64) for i in (0, 1))
    numbers, firsts = _number(first, second)
    n = len(firsts)
    assert len(set(pairs)) == n
    assert set(range(n)) == set(numbers.tolist())
    assert n == len(set(zip(numbers.tolist(), pairs, strict=True)))
    assert first.tolist() == firsts[numbers].tolist()


@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=5))
def test_rows_of_bleu_are_clipped_counts(segments) -> None:
    """Each row by counters of its own, whatever the number of references."""
    corpus = Corpus.build(references=[references for _, references in segments])
    outputs = SystemOutputs.build("s", [hypothesis for hypothesis, _ in segments])
    rows = bleu_stats(corpus, outputs, "whitespace").values

    def grams(text: str, n: int) -> Counter[tuple[str, ...]]:
        return Counter(zip(*[text.split()[k:] for k in range(n)], strict=False))

    for (hypothesis, references), row in zip(segments, rows.tolist(), strict=True):
        length = len(hypothesis.split())
        lengths = [len(text.split()) for text in references]
        expected = [length, min(lengths, key=lambda n: (abs(n - length), n))]
        for n in range(1, 5):
            most: Counter[tuple[str, ...]] = Counter()
            for text in references:
                most |= grams(text, n)
            expected.append((grams(hypothesis, n) & most).total())
        expected += [grams(hypothesis, n).total() for n in range(1, 5)]
        assert dict(zip(BLEU_COLUMNS, expected, strict=True)) == dict(zip(BLEU_COLUMNS, row, strict=True))


def test_work_is_done_once() -> None:
    """Metrics that share a tokenizer share tokens and rows; another tokenizer or case has its own."""
    corpus, outputs = Corpus.build(references=["Oh no ."]), SystemOutputs.build("s", ["oh no ."])
    assert bleu_stats(corpus, outputs, "13a") is bleu_stats(corpus, outputs, "13a")
    assert hypothesis_tokens(corpus, outputs, "13a") is hypothesis_tokens(corpus, outputs, "13a")
    assert 2 == bleu_stats(corpus, outputs, "13a").values[0, 2]
    assert 3 == bleu_stats(corpus, outputs, "13a", lowercase=True).values[0, 2]


def test_outputs_may_be_scored_on_one_corpus_after_another() -> None:
    """What was remembered for a corpus that is gone is never taken for another's at the same address."""
    outputs = SystemOutputs.build("s", ["a b c d e f", "f g h i j"])
    for i in range(300):
        ahead = "zz yy " * (i % 2)
        corpus = Corpus.build(references=[f"{ahead}a b c d e f", "f g h i j"])
        rows = bleu_stats(corpus, outputs, "whitespace").values
        assert [[6 + 2 * (i % 2), 6], [5, 5]] == rows[:, 1:3].tolist()
        del corpus
        gc.collect(1 if i % 10 == 9 else 0)  # young objects only, which is fast
