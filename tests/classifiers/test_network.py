"""Networks of transformers as classifiers: against transformers itself, in batches, and broken ones."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from empeval.classifiers import load
from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.models import using
from empeval.scoring import score

LIMIT = 24
WORDS = [
    "i",
    "miss",
    "my",
    "old",
    "dog",
    "won",
    "the",
    "race",
    "noise",
    "in",
    "dark",
    "steps",
    "unheard",
    "😊",
    "…",
]

Build = Callable[..., Path]


def texts(n: int = 60) -> list[str]:
    """Invented texts of 1 to 40 words, so that some are longer than the network's limit."""
    draw = random.Random(0)
    return [" ".join(draw.choice(WORDS) for _ in range(draw.randint(1, 40))) for _ in range(n)]


def oracle(folder: Path, given: list[str], *, several: bool = False) -> np.ndarray:
    """What transformers computes for one text at a time, without padding."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    network = AutoModelForSequenceClassification.from_pretrained(str(folder)).eval()
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    rows = []
    for text in given:
        ids = tokenizer(text, truncation=True, max_length=LIMIT)["input_ids"]
        with torch.no_grad():
            logits = network(input_ids=torch.tensor([ids])).logits[0]
        rows.append((logits.sigmoid() if several else logits.softmax(-1)).numpy())
    return np.array(rows)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("batch_tokens", [1, 100, 4096])
def test_probabilities_are_those_of_transformers(kind: str, batch_tokens: int, build_network: Build) -> None:
    """To 1e-6, whatever the batches, the order and the company."""
    folder = build_network(kind=kind)
    given = texts()
    expected = oracle(folder, given)
    with using(batch_tokens=batch_tokens, device="cpu"):
        classifier = load(str(folder))
        found, turned = classifier.scores(given), classifier.scores(given[::-1])[::-1]
    assert ("sad", "proud", "afraid") == classifier.labels
    assert np.abs(expected - found).max() < 1e-6
    assert np.abs(expected - turned).max() < 1e-6
    assert 1e-3 < expected.std(axis=0).max()  # the texts differ by far more than that


def test_several_labels_a_text(build_network: Build) -> None:
    """Where the configuration says so, each label has a probability of its own."""
    folder = build_network(problem_type="multi_label_classification")
    given = texts(10)
    found = load(str(folder)).scores(given)
    assert np.abs(oracle(folder, given, several=True) - found).max() < 1e-6


def test_what_is_cut(network_folder: Path) -> None:
    """Texts beyond the limit, special tokens included; a text of just that length is whole."""
    given = ["dog " * (LIMIT - 2), "dog " * (LIMIT - 1), "dog " * 2000, ""]
    assert [False, True, True, False] == load(str(network_folder)).cut(given)


def test_odd_texts(network_folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """No text makes it fail or speak."""
    given = ["", "😊 " * 30, "word " * 2000, "\u202e\u200b", "a\x00b", "\ud83d alone", "dog"]
    found = load(str(network_folder)).scores(given)
    assert np.isfinite(found).all()
    assert [False, True, True, False, False, False, False] == load(str(network_folder)).cut(given)
    assert ((0, 3), []) == (
        load(str(network_folder)).scores([]).shape,
        load(str(network_folder)).cut([]),
    )
    assert ("", "") == tuple(capfd.readouterr())


def test_no_padding_token(build_network: Build, tmp_path: Path) -> None:
    """A model that has no padding token gives the same numbers."""
    folder = Path(shutil.copytree(build_network(pad_token_id=None), tmp_path / "unpadded"))
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({k: v for k, v in settings.items() if k != "pad_token"}), encoding="utf-8")
    given = texts(10)
    assert np.abs(oracle(folder, given) - load(str(folder)).scores(given)).max() < 1e-6


def test_a_network_that_looks_at_the_last_position(build_network: Build) -> None:
    """XLNet classifies by its last position, which must hold the text's end in batches too."""
    folder = build_network(kind="xlnet")
    given = [text for text in texts() if len(text.split()) < LIMIT - 2]
    assert np.abs(oracle(folder, given) - load(str(folder)).scores(given)).max() < 1e-6


def test_progress_and_the_device_are_told(network_folder: Path, build_network: Build) -> None:
    """How many texts are done of how many; the device once, however often texts are classified."""
    said: list[str] = []
    done: list[str] = []
    folder = str(build_network(("a", "b")))
    with using(progress=done.append, say=said.append, device="cpu", batch_tokens=200):
        load(folder).scores(texts(20))
        load(folder).scores(texts(5))
    assert [f"the classifier {folder} runs on cpu"] == said
    assert any(f"{folder}: 20 of 20 texts, " in message for message in done)
    assert 2 < len(done)


def change_config(**values: object) -> Callable[[Path], None]:
    """Damage that writes values into config.json; None takes one away."""

    def damage(folder: Path) -> None:
        path = folder / "config.json"
        config = {**json.loads(path.read_text(encoding="utf-8")), **values}
        kept = {key: value for key, value in config.items() if value is not None}
        path.write_text(json.dumps(kept), encoding="utf-8")

    return damage


def cut_weights(folder: Path) -> None:
    """Half of the weights."""
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def no_head(folder: Path) -> None:
    """A plain encoder, whose head transformers would make up at random."""
    from transformers import AutoModel

    model = AutoModel.from_pretrained(str(folder))
    config = (folder / "config.json").read_bytes()
    model.save_pretrained(str(folder))
    (folder / "config.json").write_bytes(config)


def not_numbers(folder: Path) -> None:
    """Weights that are NaN."""
    from safetensors.torch import load_file, save_file

    weights = load_file(str(folder / "model.safetensors"))
    weights["classifier.bias"] += float("nan")
    save_file(weights, str(folder / "model.safetensors"), metadata={"format": "pt"})


def more_tokens(folder: Path) -> None:
    """A tokenizer of another network."""
    path = folder / "tokenizer.json"
    tokenizer = json.loads(path.read_text(encoding="utf-8"))
    tokenizer["model"]["vocab"]["dog"] = 99_999
    path.write_text(json.dumps(tokenizer), encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (change_config(id2label=None), "config.json: there is no id2label"),
        (change_config(id2label={"0": "sad"}), "names one label only"),
        (change_config(id2label={"0": "sad", "7": "proud"}), "a label for each of 0 … 1"),
        (change_config(id2label={"0": "sad", "1": 1}), "a label for each of 0 … 1"),
        (change_config(id2label={"0": "sad", "1": "proud"}), "the model cannot be loaded"),
        (lambda folder: (folder / "config.json").write_text("{"), "config.json: this is no JSON"),
        (lambda folder: (folder / "model.safetensors").unlink(), "it lacks the weights"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "it lacks the tokenizer"),
        (cut_weights, "the model cannot be loaded"),
        (no_head, "the weights lack classifier.bias, classifier.weight"),
        (not_numbers, "its outputs are no finite numbers"),
        (more_tokens, "the tokenizer has more tokens than"),
    ],
)
def test_a_broken_folder_says_what_is_wrong(
    damage: Callable[[Path], None], message: str, network_folder: Path, tmp_path: Path
) -> None:
    """One message that names the folder or the file in it."""
    folder = Path(shutil.copytree(network_folder, tmp_path / "copy"))
    damage(folder)
    with pytest.raises(InputError, match=message) as caught:
        load(str(folder)).scores(["i miss my old dog"])
    assert str(folder) in str(caught.value)


def test_in_scores(network_folder: Path) -> None:
    """The metric counts what transformers recognises; cut responses and library versions are told."""
    given = texts(30)
    labels = ("sad", "proud", "afraid")
    recognised = [labels[int(row.argmax())] for row in oracle(network_folder, given)]
    gold = [recognised[i] if i % 3 else "sad" for i in range(30)]
    corpus = Corpus.build(emotions=gold, ids=[f"s{i}" for i in range(30)])
    outputs = SystemOutputs.build("a", given, ids=corpus.ids)
    found = score(corpus, [outputs], f'response_emotion_accuracy(classifier="{network_folder}")')
    hits = sum(one == other for one, other in zip(gold, recognised, strict=True))
    assert pytest.approx(100 * hits / 30) == found.scores[0].value
    long = [f"s{i}" for i, text in enumerate(given) if len(text.split()) > LIMIT - 2]
    (notice,) = (notice for notice in found.warnings if notice.code == "response_emotion_cut")
    assert (len(long), tuple(long[:10])) == (notice.n, notice.ids)
    said: list[str] = []
    twice = [outputs, SystemOutputs.build("b", [*given[:-1], "my dog"], ids=corpus.ids)]
    again = Corpus.build(emotions=gold, references=given, ids=corpus.ids)
    score(again, twice, f'response_emotion_accuracy(classifier="{network_folder}")', progress=said.append)
    # the references and the two systems share all texts but one
    assert any(
        f": {len({*given, 'my dog'})} of {len({*given, 'my dog'})} texts" in message for message in said
    )
    assert "|torch:" in found.scores[0].signature
    assert "|transformers:" in found.scores[0].signature
