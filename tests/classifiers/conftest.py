"""Folders with classifiers: a small one of our own, and tiny networks with random weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from empeval.classifiers import storage
from empeval.classifiers.tfidf import fit

SAD = (
    "i miss my old dog",
    "she left and i cry",
    "my dog died",
    "i cry all day",
    "i miss her so",
    "he died !",
)
PROUD = (
    "i won the race",
    "my son won a prize",
    "we did it !",
    "i passed my exam",
    "she passed !",
    "i did it",
)
AFRAID = (
    "a noise in the dark",
    "i hear steps",
    "the dark scares me",
    "steps in the attic",
    "what was that noise",
)
TEXTS = (*SAD, *PROUD, *AFRAID)
LABELS = ("sad",) * len(SAD) + ("proud",) * len(PROUD) + ("afraid",) * len(AFRAID)
WORDS = sorted({word for text in TEXTS for word in text.split()})
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
#: how many tokens the tiny networks read, [CLS] and [SEP] included
LIMIT = 24


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier that was fitted to a few invented sentences."""
    folder = tmp_path_factory.mktemp("small") / "classifier"
    storage.write(fit(TEXTS, LABELS), folder, {})
    return folder


@pytest.fixture(scope="session")
def build_network(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Writes a folder with a tiny random network as transformers saves it: a BERT, RoBERTa or XLNet."""

    def build(
        labels: tuple[str, ...] = ("sad", "proud", "afraid"), kind: str = "bert", **changes: Any
    ) -> Path:
        folder = tmp_path_factory.mktemp(f"network-{kind}")
        _save_tokenizer(folder)
        _save_network(folder, labels, kind, changes)
        return folder

    return build


@pytest.fixture(scope="session")
def network_folder(build_network: Callable[..., Path]) -> Path:
    """A tiny random BERT with three labels."""
    return build_network()


def _save_tokenizer(folder: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: i for i, word in enumerate((*SPECIAL, *WORDS))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    ).save_pretrained(str(folder))


def _save_network(folder: Path, labels: tuple[str, ...], kind: str, changes: dict[str, Any]) -> None:
    import torch
    import transformers

    config_of, network_of, sizes = {
        "bert": ("BertConfig", "BertForSequenceClassification", {"max_position_embeddings": LIMIT}),
        # positions begin behind that of the padding token
        "roberta": (
            "RobertaConfig",
            "RobertaForSequenceClassification",
            {"max_position_embeddings": LIMIT + 1},
        ),
        "xlnet": (
            "XLNetConfig",
            "XLNetForSequenceClassification",
            {"d_model": 16, "n_head": 2, "n_layer": 2, "d_inner": 32},
        ),
    }[kind]
    settings = {
        "vocab_size": len(SPECIAL) + len(WORDS),
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "pad_token_id": 0,
        "id2label": dict(enumerate(labels)),
        "label2id": {label: i for i, label in enumerate(labels)},
        # large, so that texts differ in what the network answers
        "initializer_range": 0.5,
        **sizes,
        **changes,
    }
    torch.manual_seed(0)
    config = getattr(transformers, config_of)(**settings)
    getattr(transformers, network_of)(config).save_pretrained(str(folder))
