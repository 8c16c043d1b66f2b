"""Precision, recall and F1 beside bert-score 0.3.13 at batch size 1, and beside our own in other batches."""

from __future__ import annotations

import json
import random
import shutil
from importlib import metadata

import numpy as np
import pytest

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics import METRICS
from empeval.models import using
from empeval.readers import read
from empeval.scoring import score

pytestmark = pytest.mark.filterwarnings("ignore")  # of bert-score and what it imports

N = 500
PARTS = ("precision", "recall", "f1")
LAYER = 5


@pytest.fixture(scope="module")
def pairs(shared):
    """500 published responses, each with the reference of its segment and those of the two after it."""
    table = read([str(shared / "data/outputs/mime/output.txt")])[0]
    texts = [references[0] for references in table.columns["references"][: N + 2]]
    references = [tuple(texts[i : i + 3]) for i in range(N)]
    return list(table.columns["hypothesis"][:N]), references


def published(hypotheses, references, model, **settings) -> np.ndarray:
    """What bert-score gives, shape (n_segments, 3)."""
    import bert_score

    assert metadata.version("bert-score") == "0.3.13"
    found = bert_score.score(
        hypotheses,
        references,
        model_type=model,
        num_layers=LAYER,
        batch_size=1,
        nthreads=0,
        device="cpu",
        **settings,
    )
    return np.stack([part.numpy() for part in found], axis=1)


def ours(hypotheses, references, model, *, fields="", others=()) -> np.ndarray:
    """What `score` works with, shape (n_segments, 3)."""
    corpus = Corpus.build(references=references)
    systems = [SystemOutputs.build("a", hypotheses)]
    systems += [SystemOutputs.build(f"other {i}", texts) for i, texts in enumerate(others)]
    found = []
    for part in PARTS:
        metric = METRICS.create(f'bertscore(model="{model}",layer={LAYER},part={part}{fields})')
        metric.prepare(corpus, systems)
        rows = metric.segment_stats(corpus, systems[0])
        found.append(metric.aggregate(rows.values))
    return np.stack(found, axis=1)


@pytest.fixture
def baseline_file(tmp_path):
    """Invented baselines; row n is that of layer n, as bert-score reads them."""
    file = tmp_path / "baseline.tsv"
    rows = [f"{layer},0.{11 + layer},0.{21 + layer},0.{31 + layer}" for layer in range(7)]
    file.write_text("LAYER,P,R,F\n" + "\n".join(rows) + "\n")
    return str(file)


@pytest.mark.parametrize("idf", [False, True])
def test_one_reference(pairs, minilm, idf) -> None:
    """Every value of every pair is bert-score's within 1e-6."""
    hypotheses, references = pairs[0], [texts[0] for texts in pairs[1]]
    expected = published(hypotheses, references, minilm, idf=idf)
    found = ours(hypotheses, references, minilm, fields=f",idf={idf}")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_baseline(pairs, minilm, baseline_file) -> None:
    """So are values rescaled by a baseline file."""
    hypotheses, references = pairs[0], [texts[0] for texts in pairs[1]]
    expected = published(
        hypotheses,
        references,
        minilm,
        lang="en",
        rescale_with_baseline=True,
        baseline_path=baseline_file,
    )
    found = ours(hypotheses, references, minilm, fields=f',rescale=True,baseline="{baseline_file}"')
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("idf", [False, True])
def test_three_references(pairs, minilm, idf) -> None:
    """With several references each of the three is the best over them."""
    hypotheses, references = pairs
    expected = published(hypotheses, [list(texts) for texts in references], minilm, idf=idf)
    found = ours(hypotheses, references, minilm, fields=f",idf={idf}")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_special_tokens_and_spaces_of_roberta(tiny_roberta, tmp_path) -> None:
    """Byte-level tokenizers see a blank before the first word, which bert-score asks transformers for.

    Since transformers 5 the request goes unheard unless the tokenizer's own settings make it.
    """
    import bert_score

    folder = tmp_path / "asked"
    shutil.copytree(tiny_roberta, folder)
    settings = folder / "tokenizer_config.json"
    # without a declared maximum bert-score raises OverflowError
    asked = {**json.loads(settings.read_text()), "model_max_length": 38, "add_prefix_space": True}
    settings.write_text(json.dumps(asked))
    hypotheses = ["oh no , i am sorry", "great !", "what did you do then ?", " wow"]
    references = ["i am so sorry to hear that .", "that is great", "you won ?", "oh wow !"]
    expected = bert_score.score(
        hypotheses, references, model_type=str(folder), num_layers=2, batch_size=1, nthreads=0, device="cpu"
    )
    corpus = Corpus.build(references=references)
    outputs = SystemOutputs.build("a", hypotheses)
    for part, values in zip(PARTS, expected, strict=True):
        metric = METRICS.create(f'bertscore(model="{tiny_roberta}",layer=2,part={part})')
        found = metric.aggregate(metric.segment_stats(corpus, outputs).values)
        np.testing.assert_allclose(found, values.numpy(), rtol=0, atol=1e-6)


@pytest.mark.parametrize("batch_tokens", [1, 64, 700])
def test_any_batch_order_and_company(pairs, minilm, batch_tokens) -> None:
    """Batches, the order of the segments and further systems change nothing beyond 1e-6."""
    hypotheses, references = pairs[0][:120], [texts[0] for texts in pairs[1][:120]]
    expected = ours(hypotheses, references, minilm)
    order = random.Random(0).sample(range(120), 120)
    with using(batch_tokens=batch_tokens):
        found = ours(
            [hypotheses[i] for i in order],
            [references[i] for i in order],
            minilm,
            others=[[hypotheses[-i] for i in order], ["a word of another system"] * 120],
        )
    np.testing.assert_allclose(found, expected[order], rtol=0, atol=1e-6)


def test_any_number_of_threads(pairs, minilm) -> None:
    """One thread and two give the same within 1e-6."""
    import torch

    hypotheses, references = pairs[0][:60], [texts[0] for texts in pairs[1][:60]]
    before, found = torch.get_num_threads(), []
    try:
        for n_threads in (1, 2):
            torch.set_num_threads(n_threads)
            found.append(ours(hypotheses, references, minilm))
    finally:
        torch.set_num_threads(before)
    np.testing.assert_allclose(*found, rtol=0, atol=1e-6)


def test_bf16_is_close_and_says_so(pairs, minilm) -> None:
    """Half the digits move a score by thousandths, and stand in the signature."""
    hypotheses, references = pairs[0][:120], [texts[0] for texts in pairs[1][:120]]
    exact, short = (ours(hypotheses, references, minilm, fields=f",dtype={d}") for d in ("fp32", "bf16"))
    assert 0 < np.abs(exact - short).max() < 0.02
    assert np.corrcoef(exact.ravel(), short.ravel())[0, 1] > 0.9999
    corpus = Corpus.build(references=references)
    text = f'bertscore(model="{minilm}",layer={LAYER},dtype=bf16)'
    signature = score(corpus, SystemOutputs.build("a", hypotheses), text, n_resamples=0).scores[0].signature
    assert "|dtype:bf16|" in signature
