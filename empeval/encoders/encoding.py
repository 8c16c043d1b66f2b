"""Texts to the vectors of their tokens, in batches whose make-up does not matter."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from empeval.encoders.bert import PackedBert
from empeval.errors import InputError
from empeval.models import ModelFolder, current
from empeval.models.loading import (
    guarded,
    load_config,
    load_network,
    load_tokenizer,
    longest,
    require,
    torch_device,
)
from empeval.models.throughput import Throughput
from empeval.statistics.segments import Array

if TYPE_CHECKING:
    import torch

__all__ = ["Encoder", "Tokens", "Vectors", "batches"]

Dtype = Literal["fp32", "bf16"]


@dataclass(frozen=True, eq=False)
class Tokens:
    """The token ids of one text, special ones included, and whether the model's limit cut it."""

    ids: Array
    n_special: int
    cut: bool

    @property
    def empty(self) -> bool:
        """Whether nothing but special tokens is left, as of a text of zero-width characters."""
        return len(self.ids) <= self.n_special


@dataclass(frozen=True, eq=False)
class Vectors:
    """Unit vectors of the tokens of several texts, one after the other.

    ``values`` has shape (n_tokens, n_dimensions); text t is at ``starts[t]`` and has ``lengths[t]`` tokens.
    The texts stand in any order.
    """

    values: torch.Tensor
    starts: Array
    lengths: Array


class Encoder:
    """The tokenizer and the lower layers of a model, each loaded on first use; higher layers never are."""

    def __init__(self, model: ModelFolder, layer: int, dtype: Dtype) -> None:
        self.model, self.layer, self.dtype = model, layer, dtype

    @property
    def unweighted(self) -> set[int]:
        """Ids that open and close a text: they take part in the matching and weigh nothing (bert-score)."""
        ids = (self._tokenizer.cls_token_id, self._tokenizer.sep_token_id)
        return {token for token in ids if token is not None}

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Token ids of each text."""
        if not texts:
            return []
        tokenizer = self._tokenizer
        limit, n_special = longest(self.model, tokenizer), tokenizer.num_special_tokens_to_add()
        settings: dict[str, Any] = {"return_attention_mask": False, "verbose": False}
        # half of a surrogate pair is no character, and no tokenizer takes it
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        with guarded(self.model, "the tokenizer fails"):
            found = tokenizer(clean, **settings)["input_ids"]
            long = [i for i, ids in enumerate(found) if len(ids) > limit]
            if long:
                settings |= {"truncation": True, "max_length": limit}
                shortened = tokenizer([clean[i] for i in long], **settings)["input_ids"]
                for i, ids in zip(long, shortened, strict=True):
                    found[i] = ids
        cut = set(long)
        return [Tokens(np.array(ids, dtype=np.int64), n_special, i in cut) for i, ids in enumerate(found)]

    def vectors(self, texts: Sequence[Array], progress: Throughput) -> Vectors:
        """Unit vectors of all tokens of texts, given as ids; InputError where the network lacks a token."""
        import torch

        self._require_tokens(texts)
        device = torch_device()
        lengths = np.array([len(ids) for ids in texts], dtype=np.int64)
        starts = np.empty(len(lengths), dtype=np.int64)
        parts: list[torch.Tensor] = []
        n = 0
        # glibc keeps memory for sizes that it saw freed once; each product would ask for new pages else
        torch.empty(31 * 2**20, dtype=torch.uint8)
        with guarded(self.model, "the model gives no vectors"):
            for batch in batches(lengths, current().batch_tokens):
                found = self._forward(np.stack([texts[i] for i in batch]), device)
                if not torch.isfinite(found).all():
                    raise InputError(
                        "the model's vectors are no finite numbers: its weights are damaged",
                        source=str(self.model.path),
                    )
                parts.append(torch.nn.functional.normalize(found, dim=-1).flatten(0, 1))
                starts[batch] = n + np.arange(len(batch)) * found.shape[1]
                n += len(parts[-1])
                current().progress(progress.after(len(batch), len(parts[-1])))
        return Vectors(torch.cat(parts), starts, lengths)

    def _require_tokens(self, texts: Sequence[Array]) -> None:
        with guarded(self.model, "the model has no table of tokens"):
            known = int(self._network[0].get_input_embeddings().num_embeddings)
        highest = max(int(ids.max()) for ids in texts)
        if highest >= known:
            raise InputError(
                f"the tokenizer gives token {highest}, and the network knows {known}; the two do not belong "
                "together",
                source=str(self.model.path),
            )

    def _forward(self, ids: Array, device: str) -> torch.Tensor:
        """Last hidden states, shape (n_texts, n_tokens, n_dimensions)."""
        import torch

        network, packed = self._network
        inputs = torch.from_numpy(ids).to(device)
        with torch.inference_mode():
            if packed is not None:
                return packed(inputs).float()
            with torch.autocast(device, torch.bfloat16, enabled=self.dtype == "bf16"):
                found: torch.Tensor = network(inputs, attention_mask=torch.ones_like(inputs))[0]
            return found.float()

    @cached_property
    def _tokenizer(self) -> Any:
        """Tokenizers that tell the first word of a text from others are told that a word comes."""
        require("bertscore", "torch", "transformers")
        current().progress("loading the tokenizer")
        tokenizer = load_tokenizer(self.model)
        if type(tokenizer).__name__.removesuffix("Fast") in ("GPT2Tokenizer", "RobertaTokenizer"):
            tokenizer = load_tokenizer(self.model, add_prefix_space=True)
        return tokenizer

    @cached_property
    def _network(self) -> tuple[Any, PackedBert | None]:
        """The network up to the layer, and the same packed for this processor where that can be done."""
        started = time.monotonic()
        current().progress("loading the model")
        network, device = _network(self.model, self.layer), torch_device()
        packed = PackedBert.of(network, bf16=self.dtype == "bf16") if device == "cpu" else None
        took = time.monotonic() - started
        current().say(
            f"{self.model.name}, layer {self.layer}, is computed on {device} in {self.dtype} "
            f"(loaded in {took:.1f} s)"
        )
        return network, packed


def batches(lengths: Array, n_tokens: int) -> Iterator[list[int]]:
    """Indices of texts, longest first; a batch has texts of one length and at most ``n_tokens``, or one text.

    Nothing is filled up, so that no position is computed in vain and no mask is needed.

    >>> list(batches(np.array([3, 9, 3, 4, 3]), 8))
    [[1], [3], [0, 2], [4]]
    """
    order = np.argsort(-lengths, kind="stable")
    for same in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        size = max(1, n_tokens // max(1, int(lengths[same[0]])))
        for start in range(0, len(same), size):
            yield same[start : start + size].tolist()


def _network(model: ModelFolder, layer: int) -> Any:
    """The encoder up to a layer: the configuration is told that there are no more."""
    from transformers import AutoModel, T5EncoderModel

    config = load_config(model)
    with guarded(model, f"models of type {config.model_type} cannot be cut at layer {layer}"):
        config.num_hidden_layers = layer
    kind: Any = T5EncoderModel if "t5" in str(config.model_type) else AutoModel

    def load(path: str, **settings: Any) -> Any:
        network, report = kind.from_pretrained(path, output_loading_info=True, **settings)
        # what sums up a whole text is not used, and many models come without it
        lacking = sorted(key for key in report["missing_keys"] if "pooler" not in key)
        if lacking:
            raise InputError(
                f"the weights lack {len(lacking)} of the network's parts, the first is {lacking[0]}",
                source=str(model.path),
            )
        return network.float()

    network = load_network(model, load, config=config)
    return network.get_encoder() if config.is_encoder_decoder and kind is AutoModel else network
