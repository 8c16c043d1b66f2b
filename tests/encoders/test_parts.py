"""Matching, weighting, batches, layers and baselines, each by itself."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.encoders import baseline_of, layer_of
from empeval.encoders.encoding import Vectors, batches
from empeval.encoders.matching import match
from empeval.encoders.pairs import _parts
from empeval.encoders.published import layers
from empeval.encoders.weighting import inverse_document_frequency, uniform
from empeval.errors import InputError
from empeval.models import ModelFolder


def vectors(texts: list[np.ndarray]) -> Vectors:
    """Vectors of texts, shape (n_tokens, n_dimensions) each, as the encoder gives them."""
    import torch

    lengths = np.array([len(text) for text in texts])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    values = np.concatenate(texts).astype(np.float32)
    return Vectors(torch.from_numpy(values / np.linalg.norm(values, axis=1, keepdims=True)), starts, lengths)


def test_matching_by_hand() -> None:
    """Two tokens against three: precision (1 + 0.6) / 2, recall (1 + 0.8 + 0) / 3 by hand."""
    hypothesis = np.array([[1.0, 0, 0], [0, 1, 0]])
    reference = np.array([[1.0, 0, 0], [0.8, 0.6, 0], [0, 0, 1]])
    found = match(vectors([hypothesis, reference]), [np.ones(2), np.ones(3)], np.array([0]), np.array([1]))
    np.testing.assert_allclose(found, [[(1 + 0.6) / 2, (1 + 0.8 + 0) / 3]], rtol=1e-6)


def test_a_token_unlike_all_others_counts_below_zero() -> None:
    """Padding is not a match with cosine 0: in any batch the best of (-1, -0.6) is -0.6."""
    alone, opposite = np.array([[1.0, 0.0]]), np.array([[-1.0, 0.0], [-0.6, 0.8]])
    longer = np.array([[0.0, 1.0]] * 7)
    texts = vectors([alone, opposite, longer])
    weights = [np.ones(n) for n in (1, 2, 7)]
    found = match(texts, weights, np.array([0, 2, 0]), np.array([1, 1, 2]))
    np.testing.assert_allclose(found[0], [-0.6, (-1 - 0.6) / 2], rtol=1e-6)


lengths = st.lists(st.integers(1, 12), min_size=2, max_size=9)


@given(lengths, st.randoms(use_true_random=False), st.integers(0, 2**31))
def test_matching_in_batches_is_matching_one_by_one(sizes, random, seed) -> None:
    """Whatever pairs come together, each has the value that two loops give it."""
    generator = np.random.default_rng(seed)
    texts = [generator.normal(size=(n, 4)) for n in sizes]
    whole = vectors(texts)
    weights = generator.choice([0.0, 0.5, 2.0], size=sum(sizes)).astype(np.float32)
    pairs = [(random.randrange(len(sizes)), random.randrange(len(sizes))) for _ in range(6)]
    of_texts = np.split(weights, whole.starts[1:])
    found = match(whole, of_texts, *(np.array(side) for side in zip(*pairs, strict=True)))
    for (h, r), row in zip(pairs, found, strict=True):
        ours, theirs = (
            whole.values[whole.starts[i] : whole.starts[i] + whole.lengths[i]].numpy() for i in (h, r)
        )
        cosines = ours @ theirs.T
        for i, best, column in ((h, cosines.max(1), 0), (r, cosines.max(0), 1)):
            of_tokens = weights[whole.starts[i] : whole.starts[i] + whole.lengths[i]]
            expected = np.average(best, weights=of_tokens if of_tokens.any() else None)
            assert row[column] == pytest.approx(expected, abs=1e-5)


@given(st.lists(st.integers(1, 60), max_size=40), st.integers(1, 100))
def test_batches_hold_every_text_once(sizes, n_tokens) -> None:
    """Each batch has one length, and no more tokens than allowed unless it is a single text."""
    found = list(batches(np.array(sizes, dtype=np.int64), n_tokens)) if sizes else []
    assert sorted(i for batch in found for i in batch) == list(range(len(sizes)))
    for batch in found:
        assert len({sizes[i] for i in batch}) == 1
        assert len(batch) == 1 or len(batch) * sizes[batch[0]] <= n_tokens


def test_parts_hold_every_pair_once() -> None:
    """Cut into parts, pairs of one reference stay together where they fit, and none is lost."""

    class Text:
        def __init__(self, n: int) -> None:
            self.ids = range(n)

    tokens = {name: Text(3) for name in "abcdef"}
    pairs = [("a", "e"), ("b", "f"), ("c", "e"), ("d", "f"), ("a", "f")]
    found = list(_parts(pairs, tokens, 9))
    assert sorted(pair for part in found for pair in part) == sorted(pairs)
    assert found[0] == [("a", "e"), ("c", "e")]
    assert list(_parts(pairs, tokens, 1)) == [[pair] for pair in sorted(pairs, key=lambda p: p[::-1])]


def test_weights() -> None:
    """Ids beyond a table weigh as if no document had them: ln((2 + 1) / (0 + 1))."""
    table = inverse_document_frequency([np.array([0, 1, 1, 5]), np.array([0, 2, 5])])
    expected = [0.0, np.log(3 / 2), np.log(3 / 2), np.log(3), 0.0, np.log(3)]
    np.testing.assert_allclose(table.of(np.array([0, 1, 2, 3, 5, 99])), expected, rtol=1e-6)
    assert uniform({2, 0}).of(np.array([0, 1, 2, 7])).tolist() == [0.0, 1.0, 0.0, 1.0]
    assert uniform(()).of(np.array([0, 3])).tolist() == [1.0, 1.0]


def folder(tmp_path, name="model", **config) -> ModelFolder:
    """A folder with a configuration and nothing else."""
    path = tmp_path / name
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps(config))
    return ModelFolder(str(path), path)


def test_the_layer_is_asked_for_or_published_or_the_last(tmp_path) -> None:
    """In that order; roberta-large has layer 17 and bert-base-uncased layer 9 in bert-score's table."""
    assert (layers()["roberta-large"], layers()["bert-base-uncased"]) == (17, 9)
    named = folder(tmp_path, "x", _name_or_path="roberta-large", num_hidden_layers=24)
    assert (layer_of(named, None).number, layer_of(named, None).chosen_by) == (17, "table")
    assert (layer_of(named, 3).number, layer_of(named, 3).chosen_by) == (3, "asked")
    by_folder = folder(tmp_path, "bert-base-uncased", num_hidden_layers=12)
    assert layer_of(by_folder, None).number == 9
    unknown = folder(tmp_path, "y", num_layers=5)
    assert (layer_of(unknown, None).number, layer_of(unknown, None).chosen_by) == (5, "config")
    silent = folder(tmp_path, "z")
    with pytest.raises(InputError, match="which layer to take; give layer=N"):
        layer_of(silent, None)


def test_baselines_of_bert_score(tmp_path) -> None:
    """Layer 17 of roberta-large in bert-score's own file: 0.8315, 0.8315 and 0.8312."""
    named = folder(tmp_path, "x", _name_or_path="roberta-large", num_hidden_layers=24)
    found = baseline_of(named, 17, None)
    assert (found.precision, found.recall, found.f1) == pytest.approx((0.8315, 0.8315, 0.8312), abs=5e-5)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("LAYER,P,R,F\n1,0.1,0.1,0.1\n", "no line for layer 2"),
        ("LAYER,P,R\n2,0.1,0.1\n", "expected a head line LAYER,P,R,F"),
        ("2,0.1,0.1,0.1\n2,0.1,0.1,0.1\n", "expected a head line LAYER,P,R,F"),
        ("LAYER,P,R,F\n2,x,0.1,0.1\n", "and numbers under it"),
        ("LAYER,P,R,F\n2,1.0,0.1,0.1\n", "must be below 1"),
        ("LAYER,P,R,F\n2,nan,0.1,0.1\n", "must be below 1"),
        ("", "no line for layer 2"),
        ("\0\xff", "expected a head line"),
    ],
)
def test_a_baseline_file_that_cannot_be_used(tmp_path, content, says) -> None:
    """The message names the file and what is expected in it."""
    file = tmp_path / "b.tsv"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match=says) as caught:
        baseline_of(folder(tmp_path, num_hidden_layers=2), 2, str(file))
    assert str(file) in str(caught.value)


def test_no_baseline_is_an_error(tmp_path) -> None:
    """A score is never left unrescaled where rescaling was asked for."""
    with pytest.raises(InputError, match=r"has no baseline for .*give baseline=FILE"):
        baseline_of(folder(tmp_path, num_hidden_layers=2), 2, None)
    with pytest.raises(InputError, match=r"there is no file nowhere\.tsv"):
        baseline_of(folder(tmp_path, "m", num_hidden_layers=2), 2, "nowhere.tsv")
