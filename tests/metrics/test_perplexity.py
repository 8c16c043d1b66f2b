"""Perplexity from recorded losses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics import METRICS
from empeval.metrics.perplexity import Perplexity

untimed = settings(deadline=None)  # libraries load on first use


def data(nlls: list[float | None], n_tokens: list[int | None]) -> tuple[Corpus, SystemOutputs]:
    """As many segments, with the losses of one system."""
    corpus = Corpus.build(ids=[f"s{i}" for i in range(len(nlls))])
    texts = [""] * len(nlls)
    return corpus, SystemOutputs.build("a", texts, ids=corpus.ids, nlls=nlls, n_tokens=n_tokens)


def score(metric: Perplexity, nlls: list[float], n_tokens: list[int]) -> float:
    """The perplexity of these losses."""
    return float(metric.aggregate(metric.segment_stats(*data([*nlls], [*n_tokens])).totals()))


def test_both_averages_by_hand() -> None:
    """Losses per token of 1, 2 and 3 over 1, 2 and 3 tokens: exp(6/3) by segment, exp(14/6) by token."""
    losses = [1.0, 4.0, 9.0], [1, 2, 3]
    assert pytest.approx(math.exp(2)) == score(Perplexity(), *losses)
    assert pytest.approx(math.exp(14 / 6)) == score(Perplexity("token"), *losses)


def test_a_uniform_model_has_the_size_of_its_vocabulary() -> None:
    """Under probability 1/V for every token, both averages give V, however long the references."""
    n_tokens = [1, 5, 12]
    nlls = [n * math.log(1000) for n in n_tokens]
    assert pytest.approx(1000) == score(Perplexity(), nlls, n_tokens)
    assert pytest.approx(1000) == score(Perplexity("token"), nlls, n_tokens)


def test_lower_is_better_from_one_up() -> None:
    """A certain model has perplexity 1, the least; nothing bounds it from above."""
    assert 1.0 == score(Perplexity(), [0.0, 0.0], [3, 4])
    assert 1.0 == score(Perplexity("token"), [-1e-4, -0.0], [3, 4])  # rounding of half precision
    assert (False, (1.0, None)) == (Perplexity.higher_is_better, Perplexity.bounds)


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(1, 50)), min_size=1, max_size=20))
@untimed
def test_segments_of_one_length_make_no_difference_between_averages(pairs: list[tuple[float, int]]) -> None:
    """With equally many tokens everywhere, the two averages coincide."""
    nlls, n_tokens = [nll for nll, _ in pairs], [7] * len(pairs)
    assert pytest.approx(score(Perplexity(), nlls, n_tokens)) == score(Perplexity("token"), nlls, n_tokens)


@pytest.mark.parametrize("average", ["segment", "token"])
def test_too_large_to_exponentiate(average: str) -> None:
    """An overflow is an undefined score with a reason, not infinity and not a warning."""
    metric = METRICS.create(f"perplexity(average={average})")
    stats = metric.segment_stats(*data([1e6, 1e6], [1, 1]))
    assert np.isnan(metric.aggregate(stats.totals()))
    assert metric.why_undefined.startswith("infinite: ")


@pytest.mark.parametrize(
    ("nlls", "n_tokens", "reason"),
    [
        ([1.0, None], [1, 1], "missing_field: 1 of 2 segments have no nll, the first is id 's1'"),
        ([1.0, 1.0], [None, 1], "missing_field: 1 of 2 segments have no n_tokens, the first is id 's0'"),
        ([1.0, math.inf], [1, 1], "infinite: 1 of 2 segments have probability 0, the first is id 's1'"),
        ([0.0, 1.0], [1, 1], None),
    ],
)
def test_why_it_is_undefined(
    nlls: list[float | None], n_tokens: list[int | None], reason: str | None
) -> None:
    """Missing losses and impossible references are told apart."""
    assert reason == Perplexity().problem(*data(nlls, n_tokens))


@pytest.mark.parametrize(
    ("nlls", "n_tokens", "message"),
    [
        ([1.0, -2.0], [1, 1], r"id 's1': nll must be a number and not negative.*\(system 'a'\)"),
        ([math.nan, 2.0], [1, 1], "id 's0': nll must be a number"),
        ([1.0, 2.0], [1, 0], "id 's1': n_tokens must be at least 1"),
    ],
)
def test_losses_that_cannot_be(nlls: list[float], n_tokens: list[int], message: str) -> None:
    """Log-probabilities given in place of losses, and empty references, are errors that name the segment."""
    with pytest.raises(InputError, match=message):
        score(Perplexity(), nlls, n_tokens)
