"""Corpora and outputs: what is checked at the door, and what stays the same behind it."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import AlignmentError, InputError
from empeval.metrics.length import Length
from empeval.metrics.ngrams import bleu_stats


def test_segments_are_views_of_rows() -> None:
    """By number and one after the other."""
    corpus = Corpus.build(
        references=["oh", ["a", "b"]],
        contexts=[["hi", "ho"], "hey"],
        ids=["x", "y"],
        dialogue_ids=["d", "d"],
        emotions=["sad", None],
    )
    first, second = corpus
    assert ("x", "d", ("hi", "ho"), ("oh",), "sad") == (
        *(first.id, first.dialogue_id, first.context, first.references, first.emotion),
    )
    assert (("hey",), ("a", "b"), None) == (second.context, second.references, second.emotion)
    assert second == corpus[-1]


def test_without_dialogues_each_segment_is_one() -> None:
    """Ids are numbers from 1 where there are none."""
    corpus = Corpus.build(contexts=["a", "b"])
    assert (("1", "2"), ("1", "2")) == (corpus.ids, corpus.dialogue_ids)
    assert ((), None) == (corpus[0].references, corpus[0].emotion)


@pytest.mark.parametrize(
    ("columns", "error", "complaint"),
    [
        ({}, InputError, "at least one segment"),
        ({"references": []}, InputError, "at least one segment"),
        ({"references": ["a"], "emotions": ["sad", "sad"]}, AlignmentError, "1 references, 2 emotions"),
        ({"references": ["a", "b"], "ids": ["x", "x"]}, AlignmentError, "id 'x': this id stands twice"),
        ({"references": ["a"], "ids": [1]}, InputError, "ids must be text, not int"),
        ({"references": ["a", None]}, InputError, r"references\[1\] must be text"),
        ({"contexts": [float("nan")], "ids": ["x"]}, InputError, r"contexts\[0\] must be text"),
        ({"references": [None, None], "ids": ["x"]}, AlignmentError, "2 references, 1 ids"),
        ({"references": [["a", 3]]}, InputError, r"references\[0\] must be text"),
        ({"contexts": [["a"], [None]]}, InputError, r"contexts\[1\] must be text"),
    ],
)
def test_what_a_corpus_refuses(columns, error, complaint) -> None:
    """The message says which column, and where."""
    with pytest.raises(error, match=complaint):
        Corpus.build(**columns)


def test_transposed_references_are_named_as_such() -> None:
    """K lists of N texts for N segments, seen where another column gives N; a square cannot be told."""
    with pytest.raises(AlignmentError, match=r"transposed: 2 lists of 3 texts.*give 3 lists of 2"):
        Corpus.build(references=[["a", "b", "c"], ["x", "y", "z"]], ids=["1", "2", "3"])
    assert 2 == len(Corpus.build(references=[["a", "b"], ["x", "y"]], ids=["1", "2"]))
    # two texts of three letters are two segments, not two lists of three
    with pytest.raises(AlignmentError, match="2 references, 3 ids"):
        Corpus.build(references=["abc", "xyz"], ids=["1", "2", "3"])


@given(st.permutations(range(4)))
def test_the_fingerprint_knows_no_order(order) -> None:
    """Files in another order are the same test set."""
    corpus = Corpus.build(references=list("abcd"), contexts=list("wxyz"), emotions=["sad", None, "sad", ""])
    assert corpus.fingerprint == corpus.take(order).fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {"ids": ("1", "3")},
        {"references": (("oh",), ("b ",))},
        {"references": (("oh",), ("b", "b"))},
        {"references": None},
        {"contexts": (("hi",), ("ho", ""))},
        {"emotions": ("sad", None)},
        {"emotions": None},
    ],
)
def test_the_fingerprint_knows_everything_else(change) -> None:
    """Any text, any label, and what is missing."""
    corpus = Corpus.build(references=["oh", "b"], contexts=["hi", "ho"], emotions=["sad", "proud"])
    assert corpus.fingerprint != dataclasses.replace(corpus, **change).fingerprint


def test_the_fingerprint_is_pinned() -> None:
    """Stored signatures hold it, so it may not change with a version; half a character is text too."""
    corpus = Corpus.build(
        references=["oh no", "\ud83d"], contexts=[["hi", "ho"], "ключ"], emotions=["sad", None]
    )
    assert "31ded95dd5dcadab" == corpus.fingerprint


def test_outputs_follow_the_corpus() -> None:
    """Every column, whatever order the file had."""
    corpus = Corpus.build(references=["r", "s"], ids=["x", "y"])
    outputs = SystemOutputs.build(
        "s",
        {"y": "why", "x": "ex"},
        predicted_emotions=["sad", ["proud", "sad"]],
        predicted_intents=["i", None],
        nlls=[1.0, 2.0],
        n_tokens=[1, 2],
        candidate_scores=[None, [1.0, 0.5]],
    ).on(corpus)
    assert (("x", "y"), ("ex", "why")) == (outputs.ids, outputs.hypotheses)
    assert (("proud", "sad"), ("sad",)) == outputs.predicted_emotions
    assert ((None, "i"), (2.0, 1.0), (2, 1)) == (outputs.predicted_intents, outputs.nlls, outputs.n_tokens)
    assert ((1.0, 0.5), None) == outputs.candidate_scores
    assert outputs is outputs.on(corpus)


def test_outputs_beyond_the_corpus_are_left_out() -> None:
    """Those of the corpus are picked by id."""
    outputs = SystemOutputs.build("s", {"a": "1", "b": "2", "c": "3"})
    assert ("3", "1") == outputs.on(Corpus.build(references=["", ""], ids=["c", "a"])).hypotheses


def test_a_gap_is_an_error() -> None:
    """It names the system, how many are missing of how many, and the first."""
    outputs = SystemOutputs.build("s", {"a": "1"})
    with pytest.raises(AlignmentError, match="'s' has no output for 2 of 3 segments, the first is id 'b'"):
        outputs.on(Corpus.build(references=["", "", ""], ids=["a", "b", "c"]))


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ({"hypotheses": ["a"], "nlls": [1.0, 2.0]}, AlignmentError, "'s': 1 hypotheses, but 2 nlls"),
        ({"hypotheses": ["a"], "ids": ["x", "y"]}, AlignmentError, "1 hypotheses, but 2 ids"),
        ({"hypotheses": ["a", None]}, InputError, "hypothesis 2 must be text, not NoneType"),
        ({"hypotheses": [float("nan")]}, InputError, "hypothesis 1 must be text, not float"),
        ({"hypotheses": ["a", "b"], "ids": ["x", "x"]}, AlignmentError, "id 'x': this id stands twice"),
    ],
)
def test_what_outputs_refuse(arguments, error, complaint) -> None:
    """An empty text is legal, nothing is not."""
    with pytest.raises(error, match=complaint):
        SystemOutputs.build("s", **arguments)
    assert ("",) == SystemOutputs.build("s", [""]).hypotheses


def test_a_changed_copy_forgets_what_was_derived() -> None:
    """Token numbers of the old texts are not those of the new ones."""
    corpus = Corpus.build(references=["a"])
    outputs = SystemOutputs.build("s", ["a b c"])
    lengths = [
        Length().segment_stats(corpus, data).values[0, 0]
        for data in (outputs, dataclasses.replace(outputs, hypotheses=("a",)), outputs.take([0]))
    ]
    assert [3, 1, 3] == lengths
    other = dataclasses.replace(corpus, references=(("a b c d",),))
    matches = [bleu_stats(data, outputs, "none").values[0, 2] for data in (corpus, other)]
    assert [1, 3] == matches
