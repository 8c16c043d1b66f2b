"""Distinct-n against sets, and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics import METRICS
from empeval.metrics.distinct import Distinct
from empeval.statistics.segments import SegmentStats, TypeStats
from empeval.tokenizers import get_tokenizer

#: words that run into one another when joined: a + bout, ab + out, about + nothing
WORDS = ["a", "ab", "about", "b", "bout", "out", "o", "ut", "."]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)


def stats_of(metric: Distinct, hypotheses: list[str]) -> SegmentStats | TypeStats:
    """The rows of a metric."""
    corpus = Corpus.build(ids=[str(i) for i in range(1, 1 + len(hypotheses))])
    return metric.segment_stats(corpus, SystemOutputs.build("s", hypotheses))


def distinct(metric: Distinct, hypotheses: list[str]) -> float:
    """Our score."""
    return float(metric.aggregate(stats_of(metric, hypotheses).totals()))


def grams(metric: Distinct, text: str) -> list[tuple[str, ...] | str]:
    """The n-grams of a response, as the definition says."""
    tokenizer = get_tokenizer(metric.tokenize)
    tokens = tokenizer.tokens(tokenizer.clean(text))
    found = [tuple(tokens[i : i + metric.n]) for i in range(len(tokens) - metric.n + 1)]
    return ["".join(gram) for gram in found] if metric.key == "concat" else found


def by_sets(metric: Distinct, hypotheses: list[str]) -> float:
    """The score from sets of n-grams."""
    each = [grams(metric, text) for text in hypotheses]
    if metric.average == "macro":
        return 100 * sum(len(set(found)) / len(found) if found else 0 for found in each) / len(each)
    n, types = sum(map(len, each)), len({gram for found in each for gram in found})
    if metric.vocabulary is not None:
        v = metric.vocabulary
        n = v * (1 - ((v - 1) / v) ** n)
    return 100 * types / n if n else math.nan


METRICS_OF_ALL_FIELDS = st.one_of(
    st.builds(
        Distinct,
        n=st.integers(1, 5),
        tokenize=st.sampled_from(["whitespace", "nltk", "13a", "none", "treebank", "ed", "intl", "char"]),
        average=st.sampled_from(["micro", "macro"]),
        key=st.sampled_from(["tuple", "concat"]),
    ),
    st.builds(
        Distinct,
        n=st.integers(1, 3),
        key=st.sampled_from(["tuple", "concat"]),
        adjust=st.just("ead"),
        vocabulary=st.integers(2, 50_000),
    ),
)


@given(st.lists(TEXTS, min_size=1, max_size=8), METRICS_OF_ALL_FIELDS)
def test_equal_to_sets(hypotheses, metric) -> None:
    """For all fields: every tokenizer, order, average, key and adjustment."""
    expected = by_sets(metric, hypotheses)
    assert expected == pytest.approx(distinct(metric, hypotheses), abs=1e-9, nan_ok=True)


@given(
    st.lists(st.lists(TEXTS, min_size=3, max_size=3), min_size=2, max_size=3),
    st.integers(1, 4),
    st.booleans(),
)
def test_systems_on_one_corpus_number_their_ngrams_alike(systems, n, concat) -> None:
    """So the types of two systems together are those of both, whichever was tokenised first."""
    corpus = Corpus.build(ids=["1", "2", "3"])
    metric = Distinct(n=n, key="concat" if concat else "tuple")
    outputs = [SystemOutputs.build(str(i), hypotheses) for i, hypotheses in enumerate(systems)]
    first, *others = [metric.segment_stats(corpus, output) for output in outputs]
    expected = by_sets(metric, [text for hypotheses in systems for text in hypotheses])
    assert expected == pytest.approx(float(metric.aggregate(first.concat(others).totals())), nan_ok=True)


def test_tuple_and_joined_keys() -> None:
    """EmpDG's script joins the words of a pair without a separator: two pairs become one."""
    hypotheses = ["a bout", "ab out"]
    assert 100.0 == distinct(Distinct(n=2), hypotheses)
    assert 50.0 == distinct(Distinct(n=2, key="concat"), hypotheses)
    assert 50.0 == distinct(Distinct(n=3, key="concat"), ["a b out", "ab o ut"])


def test_micro_and_macro_by_hand() -> None:
    """Together 3 of 6 words; one by one 2/3, 2/3 and 0 for silence."""
    hypotheses = ["oh oh no", "no no way", ""]
    assert 50.0 == distinct(Distinct(), hypotheses)
    assert 100 * (2 / 3 + 2 / 3 + 0) / 3 == pytest.approx(distinct(Distinct(average="macro"), hypotheses))


def test_expectation_adjusted_by_hand() -> None:
    """Liu et al. (2022): N / (V (1 − ((V − 1) / V)^C)), with N = 3, C = 6, V = 10."""
    expected = 100 * 3 / (10 * (1 - 0.9**6))
    found = distinct(Distinct(adjust="ead", vocabulary=10), ["oh oh no", "no no way"])
    assert expected == pytest.approx(found, rel=1e-12)


def test_expectation_adjusted_with_a_huge_vocabulary() -> None:
    """It tends to the plain ratio; the naive formula loses its digits there."""
    found = distinct(Distinct(adjust="ead", vocabulary=10**15), ["oh oh no", "no no way"])
    assert 50.0 == pytest.approx(found, rel=1e-12)


def test_silence_is_undefined() -> None:
    """0 / 0 for the corpus; with macro a response without n-grams counts 0."""
    for hypotheses in (["", " "], ["oh", "no"]):
        assert math.isnan(distinct(Distinct(n=2), hypotheses))
        assert 0.0 == distinct(Distinct(n=2, average="macro"), hypotheses)


def test_the_ratio_over_all_is_never_bootstrapped() -> None:
    """The mean over responses is a sum and may be."""
    assert "jackknife" == Distinct().resampling
    assert "jackknife" == Distinct(adjust="ead", vocabulary=10).resampling
    assert "bootstrap" == Distinct(average="macro").resampling


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("distinct(n=0)", "n must be from 1 to 9"),
        ("distinct(n=10)", "n must be from 1 to 9"),
        ("distinct(adjust=ead)", "vocabulary=SIZE"),
        ("distinct(vocabulary=100)", "adjust=ead"),
        ("distinct(adjust=ead,vocabulary=1)", "at least 2"),
        ("distinct(adjust=ead,vocabulary=100,average=macro)", "average=micro only"),
    ],
)
def test_fields_that_make_no_sense(text, complaint) -> None:
    """The message repeats the metric and says what is wrong."""
    with pytest.raises(InputError, match=complaint) as error:
        METRICS.create(text)
    assert "distinct(" in str(error.value)


def test_it_says_that_the_number_of_responses_matters() -> None:
    """More responses, a lower ratio: the reader is told, unless the form corrects for it."""
    assert Distinct().depends_on_n
    assert not Distinct(adjust="ead", vocabulary=9).depends_on_n
    assert not Distinct(average="macro").depends_on_n


@given(st.lists(TEXTS, min_size=1, max_size=8), st.integers(1, 4), st.booleans())
def test_macro_rows_are_shares(hypotheses, n, concat) -> None:
    """Each row holds the share of its response and a one."""
    rows = stats_of(Distinct(n=n, average="macro", key="concat" if concat else "tuple"), hypotheses).values
    assert np.all((rows[:, 0] >= 0) & (rows[:, 0] <= 1))
    assert np.all(rows[:, 1] == 1)
