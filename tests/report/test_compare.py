"""Two systems beside each other: the pair, the segments with the largest gap, the n-grams."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.cohort import Cohort
from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError, UnknownName
from empeval.report.compare import compare, split_pair
from empeval.report.comparison_text import comparison_text
from empeval.report.ngram_use import ngram_use

TEXTS = st.lists(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=4).map(" ".join), max_size=6)


def cohort(*, references: bool = True, **systems: list[str]) -> Cohort:
    """Three segments with these answers."""
    corpus = Corpus.build(
        ids=["x", "y", "z"],
        contexts=["one", "two", "three"],
        references=["so sorry to hear", "that is very nice", "oh no not again"] if references else None,
    )
    outputs = tuple(SystemOutputs.build(name, texts, ids=corpus.ids) for name, texts in systems.items())
    return Cohort(corpus, outputs, "intersection", dict.fromkeys(systems, 0), ())


def test_segments_are_ranked_by_their_gap():
    """A perfect answer against an empty one is 100 against 0; equal answers are no gap."""
    found = compare(
        cohort(a=["so sorry to hear", "nice", "hm"], b=["", "that is very nice", "hm"]),
        "a",
        "b",
        n_resamples=0,
    )
    assert "bleu(effective_order=True,average=segment)" == found.segment_metric
    assert (1, 1, 1) == (found.n_a_higher, found.n_b_higher, found.n_equal)
    (gap,) = found.a_higher
    assert ("x", ("one",), ("so sorry to hear",)) == (gap.id, gap.context, gap.references)
    assert (100, 0, 100) == pytest.approx((gap.value_a, gap.value_b, gap.difference))
    assert ["y"] == [gap.id for gap in found.b_higher]
    assert found.b_higher[0].difference < 0


def test_without_references_length_ranks():
    """The default needs nothing but the responses."""
    found = compare(
        cohort(references=False, a=["u v w", "u", ""], b=["u", "u v", ""]), "a", "b", n_resamples=0
    )
    assert "length" == found.segment_metric
    assert [("x", 2.0)] == [(gap.id, gap.difference) for gap in found.a_higher]
    assert [("y", -1.0)] == [(gap.id, gap.difference) for gap in found.b_higher]


def test_only_the_pair_is_tested_on_the_segments_of_all():
    """A third system neither enters the tests nor the counts."""
    found = compare(cohort(a=["u", "u", "u"], b=["u", "u v", "u"], c=["", "", ""]), "b", "a", "length")
    (test,) = found.scores.comparisons
    assert ("b", "a") == (test.system_a, test.system_b)
    assert 1 / 3 == pytest.approx(test.difference)
    assert {"a": 0, "b": 0} == found.scores.cohort["dropped"]


@pytest.mark.parametrize(("metric", "reason"), [("distinct", "counts types"), ("perplexity", "no nll")])
def test_a_metric_without_segment_values_cannot_rank(metric, reason):
    """The message says why and what would do."""
    with pytest.raises(InputError, match=f"segments cannot be ranked by {metric}: .*{reason}"):
        compare(cohort(a=["u"] * 3, b=["v"] * 3), "a", "b", segment_metric=metric)


def test_unknown_systems_are_named():
    """With the nearest name."""
    with pytest.raises(UnknownName, match="there is no system 'warn'; did you mean 'warm'"):
        compare(cohort(warm=["u"] * 3, b=["v"] * 3), "b", "warn")


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("a,b", ["b", "a"], ("a", "b")),
        (" a , b ", ["a", "b"], ("a", "b")),
        ("x,1,y", ["x,1", "y"], ("x,1", "y")),
        (None, ["p", "q"], ("p", "q")),
    ],
)
def test_a_pair_is_split_where_both_sides_are_systems(text, names, expected):
    """Also where a name holds a comma."""
    assert expected == split_pair(text, names)


def test_log_odds_are_those_of_the_definition():
    """Monroe, Colaresi and Quinn (2008), worked out for one word.

    a says "so" 3 times among 4 words, b once among 4; with a prior of 8 words "so" (half of all words) has 4.
    """
    uses = {use.ngram: use for use in ngram_use(["so so so no"], ["so no no no"], orders=[1], prior=8)}
    delta = math.log((3 + 4) / (4 + 8 - 3 - 4)) - math.log((1 + 4) / (4 + 8 - 1 - 4))
    assert delta == pytest.approx(uses["so"].log_odds)
    assert delta / math.sqrt(1 / 7 + 1 / 5) == pytest.approx(uses["so"].z)
    assert (3, 1) == (uses["so"].n_a, uses["so"].n_b)


@given(TEXTS, TEXTS)
def test_swapping_the_systems_turns_the_sign(a, b):
    """Every n-gram, of every order, and no z that is not a number."""
    forward = {use.ngram: use.z for use in ngram_use(a, b)}
    backward = {use.ngram: use.z for use in ngram_use(b, a)}
    assert set(forward) == set(backward)
    assert all(math.isfinite(z) for z in forward.values())
    assert all(z == pytest.approx(-backward[ngram], abs=1e-9) for ngram, z in forward.items())


@given(TEXTS)
def test_a_system_uses_no_ngram_more_than_itself(texts):
    """All z are 0."""
    assert all(0 == pytest.approx(use.z, abs=1e-9) for use in ngram_use(texts, texts[::-1]))


def test_the_text_shows_hostile_responses_literally():
    """No control character reaches the terminal."""
    answers = cohort(a=["\x1b[31mred\u202e", "", ""], b=["", "", ""])
    text = comparison_text(compare(answers, "a", "b", segment_metric="length", n_resamples=0))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[31mred" in text
