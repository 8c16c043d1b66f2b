"""Likelihoods of references, beside those of transformers one segment at a time."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from empeval.errors import InputError
from empeval.models import find, using
from empeval.models.likelihood import encode, kind_of, negative_log_likelihoods
from empeval.models.sequences import SequenceEncoder
from empeval.models.throughput import Throughput
from empeval.testing import write_language_model

WORDS = ("so", "sorry", "to", "hear", "great", "news", "!", "I", "lost", "my", "job", "naïve", "😀", "日本")
chance = random.Random(7)
CONTEXTS = [
    tuple(" ".join(chance.choices(WORDS, k=1 + i % 5)) for _ in range(1 + i % 3)) if i % 6 else ()
    for i in range(24)
]
REFERENCES = [" ".join(chance.choices(WORDS, k=1 + i % 7)) for i in range(24)]


def computed(folder: Path, contexts=CONTEXTS, references=REFERENCES, **settings) -> np.ndarray:
    """Our likelihoods."""
    model = find(str(folder))
    with using(**settings):
        return negative_log_likelihoods(model, encode(model, contexts, references))


@pytest.mark.parametrize("batch_tokens", [1, 150, 4096])
def test_likelihoods_are_those_of_transformers(language_models, architecture, oracle, batch_tokens) -> None:
    """For every architecture and batch size the sums and counts are those of one segment at a time."""
    expected = [oracle.nll(context, text) for context, text in zip(CONTEXTS, REFERENCES, strict=True)]
    folder = language_models[architecture]
    found = computed(folder, batch_tokens=batch_tokens)
    assert [n for _, n in expected] == [s.n_tokens for s in encode(find(str(folder)), CONTEXTS, REFERENCES)]
    assert pytest.approx([nll for nll, _ in expected], rel=1e-5) == found.tolist()


def test_batches_change_nothing(language_models, architecture) -> None:
    """Within 1e-6, whatever stands beside a segment; the order changes not a bit."""
    folder = language_models[architecture]
    whole = computed(folder)
    alone = computed(folder, batch_tokens=1)
    assert pytest.approx(whole.tolist(), rel=1e-6) == alone.tolist()
    order = random.Random(1).sample(range(24), 24)
    shuffled = computed(folder, [CONTEXTS[i] for i in order], [REFERENCES[i] for i in order])
    assert whole[order].tolist() == shuffled.tolist()


def test_duplicates_are_computed_once(language_models) -> None:
    """Ten equal segments are one sequence of work."""
    said = []
    found = computed(language_models["gpt2"], [("hi",)] * 10, ["oh no"] * 10, progress=said.append)
    assert 1 == len(set(found.tolist()))
    assert "1 of 1 sequences" in said[-1]


def test_progress_and_device_are_told(language_models) -> None:
    """The device once, and after each batch how much is done, how fast, and how long the rest takes."""
    said, done = [], []
    computed(language_models["gpt2"], batch_tokens=60, say=said.append, progress=done.append)
    assert [f"{language_models['gpt2']} runs on cpu, in float32"] == said
    assert f"loading {language_models['gpt2']}" == done[0]
    assert done[-1].startswith("24 of 24 sequences, ")
    assert done[-1].endswith(" a second, 0 s left")


def test_throughput_by_hand() -> None:
    """Half of the cost in ten seconds: ten more are left, however few sequences were done."""
    assert "1 of 9 lines, 0.1 a second, 10 s left" == Throughput("lines", 9, 80.0).after(1, 40.0, seconds=10)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_the_first_token_without_anything_before_it(tmp_path, name) -> None:
    """Without context the model's first token stands before; where it has none, one token fewer counts."""
    folder = write_language_model(tmp_path / name, name)
    with_bos = encode(find(str(folder)), [()], ["oh no"])[0]
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings["bos_token"] = None
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    vocabulary = json.loads((folder / "tokenizer.json").read_text())
    vocabulary["post_processor"] = None
    (folder / "tokenizer.json").write_text(json.dumps(vocabulary))
    without = encode(find(str(folder)), [()], ["oh no"])[0]
    assert with_bos.labels[1:] == without.labels
    assert with_bos.n_tokens - 1 == without.n_tokens
    assert (1, 1) == (with_bos.first, without.first)


def test_a_long_context_loses_its_beginning(language_models, architecture, oracle) -> None:
    """The reference stays whole and the last turn whole; the likelihood is that of the shortened context."""
    folder = language_models[architecture]
    turn, many = "so sorry", tuple("so sorry" for _ in range(200))
    (cut,) = encode(find(str(folder)), [many], ["great news"])
    (whole,) = encode(find(str(folder)), [(turn,)], ["great news"])
    assert (True, False) == (cut.context_cut, cut.reference_cut)
    assert (96 if not oracle.answers else whole.size + 96 - len(whole.source)) == cut.size
    assert whole.n_tokens == cut.n_tokens
    assert whole.labels[whole.first : whole.last] == cut.labels[cut.first : cut.last]
    before, shortened = (s.source or s.labels[: s.first] for s in (whole, cut))
    assert before[-3:] == shortened[-3:]


def test_a_long_reference_is_cut_and_counted(language_models, architecture) -> None:
    """2,000 words exceed 96 places: as many as fit are predicted, without the end, and it is said."""
    folder = language_models[architecture]
    (found,) = encode(find(str(folder)), [("hi",)], ["great news " * 1000])
    assert found.reference_cut
    given = {"gpt2": 1, "llama": 1, "t5": 1, "bart": 2}[architecture]
    assert 96 - given == found.n_tokens
    assert np.isfinite(computed(folder, [("hi",)], ["great news " * 1000])).all()


@pytest.mark.parametrize(
    "text", ["😀🎉", "…!?", "\ud800 half", "ﷺ\u200b\u202e", "a\x00b", "नमस्ते", "e\u0301" * 50]
)
def test_odd_characters(language_models, architecture, text) -> None:
    """Whatever a text is made of, in context and reference, it has a likelihood."""
    found = computed(language_models[architecture], [(text,)], [text])
    assert np.isfinite(found).all()
    assert (found > 0).all()


def test_empty_references_have_no_likelihood(language_models, architecture) -> None:
    """Nothing is predicted of an empty text, so there is no number and not a 0."""
    folder = language_models[architecture]
    (empty,) = encode(find(str(folder)), [("hi",)], [""])
    assert 0 == empty.n_tokens
    assert np.isnan(computed(folder, [("hi",)], [""])).all()


def test_blank_turns_are_left_out(language_models, architecture) -> None:
    """An empty turn is no turn."""
    model = find(str(language_models[architecture]))
    assert encode(model, [("hi", "there")], ["oh"]) == encode(model, [("hi", "", " ", "there")], ["oh"])


@pytest.mark.parametrize(("separator", "text"), [("newline", "\n"), ("space", " "), ("two_spaces", "  ")])
def test_separators_of_text(language_models, separator, text) -> None:
    """Between turns, and before what a causal model continues."""
    from transformers import AutoTokenizer

    for name, last in (("gpt2", text), ("t5", "")):
        tokenizer = AutoTokenizer.from_pretrained(language_models[name])
        (found,) = encode(find(str(language_models[name])), [("hi", "there")], ["oh"], separator)
        context = tokenizer(f"hi{text}there{last}", add_special_tokens=False)["input_ids"]
        assert context == list(found.source[:-1] or found.labels[: found.first])


def test_the_separator_that_is_taken_by_default(language_models) -> None:
    """A causal model's end of text, as DialoGPT was trained; a newline before an encoder."""
    for name, separator in (("gpt2", "eos"), ("llama", "eos"), ("t5", "newline"), ("bart", "newline")):
        model = find(str(language_models[name]))
        sequences = [encode(model, CONTEXTS, REFERENCES, choice) for choice in ("auto", separator)]
        assert sequences[0] == sequences[1]


def test_blenderbot_reads_turns_with_two_spaces_between(language_models) -> None:
    """As its authors' own converter joins them; BART's separator is asked of nobody else."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(language_models["bart"])
    limits = {"limit": 96, "target_limit": 96, "end": 2}
    for model_type, separator in (("blenderbot-small", "two_spaces"), ("bart", "newline")):
        found = SequenceEncoder(tokenizer, "seq2seq", "auto", **limits, model_type=model_type)
        assert separator == found.separator


def test_an_end_that_is_not_there_separates_nothing(language_models) -> None:
    """Without such a token, eos is an error and auto takes a newline; the end is not predicted then."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(language_models["gpt2"])
    limits = {"limit": 96, "target_limit": 96, "end": None}
    assert "newline" == SequenceEncoder(tokenizer, "causal", "auto", **limits).separator
    plain = tokenizer("oh no", add_special_tokens=False)["input_ids"]
    found = SequenceEncoder(tokenizer, "causal", "auto", **limits).encode(["hi"], "oh no")
    assert len(plain) == found.n_tokens
    with pytest.raises(InputError, match="has no token that ends a text; take newline or space"):
        SequenceEncoder(tokenizer, "causal", "eos", **limits)


def test_kinds_of_models(language_models) -> None:
    """The configuration says what a model does."""
    kinds = {name: kind_of(find(str(folder))) for name, folder in language_models.items()}
    assert {"gpt2": "causal", "llama": "causal", "t5": "seq2seq", "bart": "seq2seq"} == kinds


@pytest.mark.parametrize("kind", ["BertForMaskedLM", "BertModel", "RobertaForMaskedLM"])
def test_a_model_that_only_reads_is_refused(tmp_path, kind) -> None:
    """BERT has no probability for a text, and the message says which models do."""
    import transformers

    family = kind.partition("For")[0].removesuffix("Model")
    config = getattr(transformers, f"{family}Config")(
        vocab_size=350, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    folder = write_language_model(tmp_path / "model")
    getattr(transformers, kind)(config).save_pretrained(folder)
    with pytest.raises(InputError, match=rf"{kind} is no model that writes texts.*GPT-2, DialoGPT"):
        kind_of(find(str(folder)))


def changed(folder: Path, to: Path) -> Path:
    """A copy of a model that a test may break."""
    return Path(shutil.copytree(folder, to))


def test_weights_cut_short(language_models, tmp_path) -> None:
    """A file that ends too early is named."""
    folder = changed(language_models["gpt2"], tmp_path / "short")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    with pytest.raises(InputError, match=r"short: the model cannot be loaded: "):
        computed(folder)


def test_weights_of_another_network(language_models, tmp_path) -> None:
    """What transformers would fill with random numbers is an error that names the first part."""
    folder = changed(language_models["gpt2"], tmp_path / "foreign")
    shutil.copy(language_models["llama"] / "model.safetensors", folder)
    with pytest.raises(
        InputError, match=r"foreign: the weights lack \d+ of the network's parts, the first is"
    ):
        computed(folder)


def test_no_weights(language_models, tmp_path) -> None:
    """A configuration alone is not a model."""
    folder = changed(language_models["gpt2"], tmp_path / "weightless")
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"lacks the weights \(model.safetensors"):
        computed(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_files_that_are_no_json(language_models, tmp_path, name) -> None:
    """Configuration and vocabulary that cannot be read are errors of input."""
    folder = changed(language_models["gpt2"], tmp_path / "broken")
    (folder / name).write_text("{")
    with pytest.raises(InputError, match="broken"):
        computed(folder)


def test_a_tokenizer_of_another_model(language_models, tmp_path) -> None:
    """Tokens beyond the network's table are told before torch stumbles over them."""
    folder = changed(language_models["gpt2"], tmp_path / "mixed")
    large = write_language_model(tmp_path / "large", texts=[" ".join(map(str, range(5000)))])
    vocabulary = json.loads((large / "tokenizer.json").read_text())
    vocabulary["added_tokens"].append({**vocabulary["added_tokens"][0], "id": 9000, "content": "great"})
    (folder / "tokenizer.json").write_text(json.dumps(vocabulary))
    with pytest.raises(InputError, match="do not belong together"):
        computed(folder)


def test_half_precision_weights_are_computed_in_single(language_models, tmp_path) -> None:
    """The numbers are those of the stored weights, computed in float32."""
    import torch
    from transformers import AutoModelForCausalLM

    folder = changed(language_models["gpt2"], tmp_path / "half")
    network = AutoModelForCausalLM.from_pretrained(folder).half()
    network.save_pretrained(folder)
    single = changed(folder, tmp_path / "single")
    network.to(torch.float32).save_pretrained(single)
    assert computed(single).tolist() == computed(folder).tolist()
