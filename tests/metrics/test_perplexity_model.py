"""Perplexity of references under a language model in a folder."""

from __future__ import annotations

import importlib.util
import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from empeval import score
from empeval.cli import main
from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError, MissingExtra
from empeval.metrics import METRICS
from empeval.models import find
from empeval.models.likelihood import encode, negative_log_likelihoods
from empeval.report.verify import verify
from empeval.scoring import Signature
from empeval.testing import METRIC_CHECKS, sample, write_language_model

CONTEXTS = [["I lost my job.", "Oh no!"], [], ["We won!"]]
REFERENCES = [["I am sorry."], ["Great news, is it not?"], ["Wow!", "That is great."]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A causal model."""
    return write_language_model(tmp_path_factory.mktemp("causal") / "model")


@pytest.fixture(scope="module")
def answering(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sequence-to-sequence model."""
    return write_language_model(tmp_path_factory.mktemp("seq2seq") / "model", "t5")


@pytest.fixture(scope="module")
def data():
    """A corpus and its systems, so that what is computed once need not be again."""
    return sample()


def corpus(references=REFERENCES, contexts=CONTEXTS) -> Corpus:
    """A corpus with contexts and references."""
    return Corpus.build(references=references, contexts=contexts, ids=[f"s{i}" for i in range(len(contexts))])


def system(name: str = "a", n: int = 3) -> SystemOutputs:
    """A system that says as much to everything."""
    return SystemOutputs.build(name, {f"s{i}": "hm" for i in range(n)})


def losses(folder: Path) -> list[tuple[float, int]]:
    """transformers, one segment at a time: the mean loss of the labels, and how many they are."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    network, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    end, found = tokenizer.eos_token_id, []
    for turns, references in zip(CONTEXTS, REFERENCES, strict=True):
        before = [token for turn in turns for token in (*tokenizer(turn)["input_ids"], end)] or [end]
        labels = torch.tensor([[*before, *tokenizer(references[0])["input_ids"], end]])
        hidden = labels.clone()
        hidden[:, : len(before)] = -100
        found.append((network(input_ids=labels, labels=hidden).loss.item(), labels.shape[1] - len(before)))
    return found


def test_both_averages_are_those_of_transformers(folder) -> None:
    """exp of the mean of the losses, and of the mean weighted by tokens; the first reference counts."""
    expected = losses(folder)
    by_segment = math.exp(sum(loss for loss, _ in expected) / 3)
    by_token = math.exp(sum(loss * n for loss, n in expected) / sum(n for _, n in expected))
    texts = [f"perplexity(model={folder})", f"perplexity(average=token,model={folder})"]
    found = score(corpus(), system(), texts, n_resamples=0)
    assert pytest.approx([by_segment, by_token], rel=1e-5) == [entry.value for entry in found.scores]


@pytest.mark.parametrize("check", METRIC_CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("average", ["segment", "token"])
@pytest.mark.parametrize("kind", ["folder", "answering"])
def test_the_contract(check, average, kind, data, request) -> None:
    """With a model the metric keeps the contract of every metric."""
    path = request.getfixturevalue(kind)
    check(METRICS.create(f'perplexity(average={average},model="{path}")'), *data)


def test_the_signature_holds_what_is_in_the_folder(folder, tmp_path) -> None:
    """A copy elsewhere has the same signature, other weights another; precision and libraries are there."""
    copy = Path(shutil.copytree(folder, tmp_path / "elsewhere"))
    other = write_language_model(tmp_path / "other", seed=1)
    first, second, third = (
        Signature.of(
            METRICS.create(f"perplexity(model={path})"), n_segments=1, rule="strict", fingerprint="0"
        )
        for path in (folder, copy, other)
    )
    assert first == second != third
    assert str(first).startswith(
        f"perplexity|average:segment|model:{find(str(folder)).fingerprint}|separator:auto|dtype:float32|"
    )
    assert {"torch", "transformers"} <= set(dict(first.parts))


def test_separators_are_different_metrics(folder) -> None:
    """They change the number and the signature."""
    texts = [f"perplexity(model={folder},separator={name})" for name in ("auto", "newline", "space")]
    found = score(corpus(), system(), texts, n_resamples=0).scores
    assert 3 == len({entry.value for entry in found}) == len({entry.signature for entry in found})


def test_a_separator_without_a_model() -> None:
    """It would do nothing, so it is an error."""
    with pytest.raises(InputError, match="separator says how a model reads a context; give model=FOLDER"):
        METRICS.create("perplexity(separator=eos)")


def test_plain_perplexity_stays_as_it_is() -> None:
    """Its needs, text form and libraries are those of recorded losses."""
    metric = METRICS.create("perplexity")
    assert ("perplexity", ("nlls", "n_tokens"), {}) == (metric.spec, metric.required, metric.versions())
    assert (None, True) == (metric.tolerance, metric.depends_on_outputs)


def test_all_systems_have_the_same_value_and_it_is_said(folder) -> None:
    """One notice where there are several systems, none for one alone."""
    text = f"perplexity(model={folder})"
    found = score(corpus(), [system("a"), system("b")], text)
    assert 1 == len({entry.value for entry in found.scores})
    assert [1.0] == [entry.p_value for entry in found.comparisons]
    (notice,) = (entry for entry in found.warnings if entry.code == "perplexity_of_model")
    assert "the same in every row; score each system with its own model" in notice.message
    alone = score(corpus(), system(), text)
    assert [] == [entry for entry in alone.warnings if entry.code == "perplexity_of_model"]


@pytest.mark.parametrize("blank", ["", " \n "])
def test_an_empty_reference_leaves_it_undefined(folder, answering, blank) -> None:
    """A mean over the others would pass for one over all: no value, the reason, and which segment."""
    for path in (folder, answering):
        (found,) = score(corpus([["Oh"], [blank], ["Hm"]]), system(), f"perplexity(model={path})").scores
        assert found.value is None
        assert found.reason == (
            "no_tokens: 1 of 3 references have no token that could be predicted, the first is id 's1'"
        )


def test_missing_columns(folder) -> None:
    """Without references or contexts the score is undefined; nlls are not needed."""
    metric = f"perplexity(model={folder})"
    without = [corpus(), corpus()]
    for at, name in enumerate(("references", "contexts")):
        object.__setattr__(without[at], name, None)
        (found,) = score(without[at], system(), metric).scores
        assert (None, f"missing_field: there are no {name}") == (found.value, found.reason)


def test_the_human_row_is_undefined(folder) -> None:
    """The references have no system whose model could be asked."""
    found = score(corpus(), system(), f"perplexity(model={folder})", human=True).scores[1]
    assert "is_reference: the human row is the reference itself" == found.reason


def test_what_was_cut_is_counted(folder) -> None:
    """A long context and a reference of 2,000 words: both counted, with their ids."""
    data = corpus([["Oh"], ["great news " * 1000], ["Hm"]], [["so sorry " * 100], [], ["Hi"]])
    found = {entry.code: entry for entry in score(data, system(), f"perplexity(model={folder})").warnings}
    assert (1, ("s0",)) == (found["context_cut"].n, found["context_cut"].ids)
    assert (1, ("s1",)) == (found["reference_cut"].n, found["reference_cut"].ids)
    assert "1 of 3 references exceed what the model can read and lost their last tokens" in (
        found["reference_cut"].message
    )


def test_a_breakdown_by_emotion(folder, data) -> None:
    """Each part has the mean over its own segments."""
    corpus, systems = data
    found = score(corpus, systems[0], f"perplexity(model={folder})", by="emotion", n_resamples=0)
    model = find(str(folder))
    texts = [references[0] for references in corpus.references]
    sequences = encode(model, corpus.contexts, texts)
    rates = negative_log_likelihoods(model, sequences) / [s.n_tokens for s in sequences]
    for group in found.groups.groups:
        part = [rate for rate, emotion in zip(rates, corpus.emotions, strict=True) if emotion == group.group]
        assert pytest.approx(math.exp(np.mean(part))) == group.scores[0].value


def test_weights_that_are_no_numbers(folder, tmp_path) -> None:
    """A model that gives NaN is told as damaged, rather than an undefined score with some other reason."""
    import torch
    from transformers import AutoModelForCausalLM

    broken = Path(shutil.copytree(folder, tmp_path / "nan"))
    network = AutoModelForCausalLM.from_pretrained(folder)
    with torch.no_grad():
        network.transformer.ln_f.weight.fill_(math.nan)
    network.save_pretrained(broken)
    with pytest.raises(InputError, match="no finite numbers: its weights are damaged"):
        score(corpus(), system(), f"perplexity(model={broken})")


def test_without_torch(folder, monkeypatch) -> None:
    """One line with the command that installs what is missing."""
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else there(name))
    with pytest.raises(MissingExtra, match=r"pip install 'empeval\[bertscore\]'"):
        score(corpus(), system(), f"perplexity(model={folder})")


def test_the_command_line(folder, tmp_path, monkeypatch, capsys) -> None:
    """A run with a relative folder is verified from elsewhere, but for last digits; a missing one is told."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder, "model")
    rows = [
        {"id": str(i), "context": turns, "references": texts, "hypothesis": "hm"}
        for i, (turns, texts) in enumerate(zip(CONTEXTS, REFERENCES, strict=True))
    ]
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert 0 == main(["score", "a.jsonl", "--metrics", "perplexity(model=model)", "--out", "run", "--quiet"])
    Path("other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert verify(tmp_path / "run").confirmed
    for share, differs in ((1e-6, False), (1e-4, True)):
        shown = json.loads((tmp_path / "run/scores.json").read_text())
        shown["scores"][0]["value"] *= 1 + share
        (tmp_path / "run/scores.json").write_text(json.dumps(shown))
        places = [difference.where for difference in verify(tmp_path / "run").differences]
        assert differs is any(place.endswith("].value") for place in places)
    capsys.readouterr()
    assert 2 == main(["score", str(tmp_path / "a.jsonl"), "--metrics", "perplexity(model=./gone)"])
    assert "there is no folder ./gone" in capsys.readouterr().err
