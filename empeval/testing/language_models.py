"""Language models of a few hundred kilobytes with random weights, to try out what needs one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from empeval.models.folder import ModelFolder
from empeval.models.loading import guarded, require

__all__ = ["write_language_model"]

Architecture = Literal["gpt2", "llama", "t5", "bart"]

_TEXTS = (
    "I lost my job today.",
    "Oh no, I am so sorry to hear that!",
    "We won the game!",
    "That is great news.",
)


def write_language_model(
    folder: Path | str,
    architecture: Architecture = "gpt2",
    *,
    texts: Iterable[str] = _TEXTS,
    positions: int = 64,
    seed: int = 0,
) -> Path:
    """Write a model with random weights and a tokenizer trained on some texts, and give its folder.

    ``gpt2`` and ``llama`` continue texts, ``t5`` and ``bart`` answer them; ``positions`` is the most tokens
    that the model reads (``t5`` and ``llama``: that its tokenizer declares). Any text can be tokenised, byte
    by byte if need be. Raises MissingExtra without torch and transformers.
    """
    require("bertscore", "torch", "transformers")
    import torch

    folder = Path(folder)
    tokenizer = _tokenizer(architecture, texts, positions)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = _network(architecture, len(tokenizer), positions)
    with guarded(ModelFolder(str(folder), folder)):  # without a progress bar
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


def _tokenizer(architecture: Architecture, texts: Iterable[str], positions: int) -> Any:
    """Byte-level pairs with the special tokens that such models put around a text."""
    import tokenizers
    from tokenizers import decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made: Any = tokenizers.Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = ["<pad>", "<s>", "</s>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=350, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(texts, trainer)
    around = {"gpt2": "", "llama": "<s> $A", "t5": "$A </s>", "bart": "<s> $A </s>"}[architecture]
    if around:
        made.post_processor = processors.TemplateProcessing(
            single=around, special_tokens=[(token, made.token_to_id(token)) for token in special]
        )
    # GPT-2 has one token for beginning and end
    begin = "</s>" if architecture == "gpt2" else "<s>"
    names = {"bos_token": begin, "eos_token": "</s>", "pad_token": "<pad>"}
    if architecture == "t5":
        del names["bos_token"]
    fast: Any = PreTrainedTokenizerFast
    return fast(tokenizer_object=made, model_max_length=positions, **names)


#: larger than usual, so that the random weights prefer some words to others
_SPREAD = 0.4
_IDS: dict[str, Any] = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def _network(architecture: Architecture, n_words: int, positions: int) -> Any:
    made = {"gpt2": _gpt2, "llama": _llama, "t5": _t5, "bart": _bart}[architecture]
    return made(n_words, positions)


def _gpt2(n_words: int, positions: int) -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    sizes: Any = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": positions, "vocab_size": n_words}
    return GPT2LMHeadModel(GPT2Config(**sizes, initializer_range=_SPREAD, bos_token_id=2, eos_token_id=2))


def _llama(n_words: int, positions: int) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes: Any = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    }
    sizes |= {"max_position_embeddings": positions, "vocab_size": n_words}
    return LlamaForCausalLM(LlamaConfig(**sizes, initializer_range=_SPREAD, **_IDS))


def _t5(n_words: int, positions: int) -> Any:
    from transformers import T5Config, T5ForConditionalGeneration

    sizes: Any = {
        "d_model": 32,
        "d_kv": 16,
        "d_ff": 64,
        "num_layers": 2,
        "num_heads": 2,
        "vocab_size": n_words,
    }
    ids: Any = {"decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 2}
    return T5ForConditionalGeneration(T5Config(**sizes, **ids))


def _bart(n_words: int, positions: int) -> Any:
    from transformers import BartConfig, BartForConditionalGeneration

    sizes: Any = {"d_model": 32, "max_position_embeddings": positions, "vocab_size": n_words}
    for part in ("encoder", "decoder"):
        sizes |= {f"{part}_layers": 2, f"{part}_attention_heads": 2, f"{part}_ffn_dim": 64}
    ids: Any = {**_IDS, "decoder_start_token_id": 2, "forced_eos_token_id": 2}
    return BartForConditionalGeneration(BartConfig(**sizes, **ids, init_std=_SPREAD))
