"""The layers of BERT and its kin for texts of one length, with the products of oneDNN.

A batch without padding needs no mask; queries, keys and values are one product, and what follows a product
(GELU, the sum with the layer's input) is part of it. Weights are laid out for the processor once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch

__all__ = ["PackedBert"]

#: Networks with these layers; others of the family have layers of their own.
_KINDS = frozenset(("bert", "camembert", "roberta", "xlm-roberta"))
#: Those that torch's own compiler makes use of; they have no public name.
_OPERATORS = ("_linear_pointwise", "_reorder_linear_weight", "_is_mkldnn_bf16_supported")
#: How many rows the layout is made for; others work too.
_ROWS = 2048
#: Products of fewer rows leave the processor's vector units idle.
_FEWEST = 16
#: Beyond this torch's own attention is as fast.
_LONGEST = 48


@dataclass(frozen=True)
class _Linear:
    weight: Any
    bias: Any


@dataclass(frozen=True)
class _Layer:
    joint: _Linear
    out: _Linear
    after_attention: Any
    widen: _Linear
    narrow: _Linear
    after_widening: Any


class PackedBert:
    """Token ids (n_texts, n_tokens) → last hidden states (n_texts, n_tokens, n_dimensions), on the CPU."""

    def __init__(self, network: Any, *, bf16: bool) -> None:
        import torch

        self._number = torch.bfloat16 if bf16 else torch.float32
        self._embed, self._n_heads = network.embeddings, int(network.config.num_attention_heads)
        self._layers = [self._packed(layer) for layer in network.encoder.layer]

    @classmethod
    def of(cls, network: Any, *, bf16: bool) -> PackedBert | None:
        """The same function as the network's, or None where kind, processor or torch do not allow it."""
        config = network.config
        plain = (
            config.model_type in _KINDS
            and config.hidden_act == "gelu"
            and getattr(config, "position_embedding_type", None) in (None, "absolute")
            and not config.is_decoder
        )
        return cls(network, bf16=bf16) if plain and _can_pack(bf16=bf16) else None

    def __call__(self, ids: torch.Tensor) -> torch.Tensor:
        """All texts of a batch have one length."""
        shape = (*ids.shape, -1)
        hidden = self._embed(input_ids=ids).to(self._number).flatten(0, 1)
        multiply = _operator("_linear_pointwise")
        for depth, layer in enumerate(self._layers):
            if depth:
                joint = multiply(hidden, layer.joint.weight, layer.joint.bias, "none", [], "")
            else:
                # below the first layer a token at a place is the same in every text
                chosen, back = _different(ids)
                joint = multiply(hidden[chosen], layer.joint.weight, layer.joint.bias, "none", [], "")[back]
            attended = self._attend(joint.view(*ids.shape, 3, self._n_heads, -1)).view_as(hidden)
            hidden = layer.after_attention(_plus(hidden, attended, layer.out))
            wide = multiply(hidden, layer.widen.weight, layer.widen.bias, "gelu", [], "none")
            hidden = layer.after_widening(_plus(hidden, wide, layer.narrow))
        found: torch.Tensor = hidden.view(shape)
        return found

    def _attend(self, joint: torch.Tensor) -> torch.Tensor:
        """(n_texts, n_tokens, 3, n_heads, n_dimensions), queries scaled → (n_texts, n_tokens, n_heads, …)."""
        import torch

        n = joint.shape[1]
        query, key, value = joint.permute(2, 0, 3, 1, 4)
        if n > _LONGEST:
            attend = torch.nn.functional.scaled_dot_product_attention
            found: torch.Tensor = attend(query, key, value, scale=1.0)
            return found.transpose(1, 2).contiguous()
        if n < _FEWEST:
            padded = joint.new_zeros((3, *query.shape[:2], _FEWEST, query.shape[3]))
            padded[:, :, :, :n] = joint.permute(2, 0, 3, 1, 4)
            query, key, value = padded
        weights = torch.matmul(query, key.transpose(2, 3))
        if n < _FEWEST:
            weights[..., n:] = float("-inf")
        weights = weights.softmax(dim=-1, dtype=torch.float32).to(value.dtype)
        return torch.matmul(weights, value)[:, :, :n].transpose(1, 2).contiguous()

    def _packed(self, layer: Any) -> _Layer:
        attention = layer.attention.self
        # the scale of the products is a factor of the queries
        scale = (attention.query.out_features // self._n_heads) ** -0.5
        return _Layer(
            self._linear((attention.query, scale), (attention.key, 1.0), (attention.value, 1.0)),
            self._linear((layer.attention.output.dense, 1.0)),
            layer.attention.output.LayerNorm.to(self._number),
            self._linear((layer.intermediate.dense, 1.0)),
            self._linear((layer.output.dense, 1.0)),
            layer.output.LayerNorm.to(self._number),
        )

    def _linear(self, *parts: tuple[Any, float]) -> _Linear:
        """Linear layers, each times a factor, as one."""
        import torch

        weight = torch.cat([linear.weight.detach() * factor for linear, factor in parts])
        bias = torch.cat([linear.bias.detach() * factor for linear, factor in parts])
        layout = _operator("_reorder_linear_weight")
        return _Linear(layout(weight.to(self._number).contiguous(), _ROWS), bias.to(self._number))


def _different(ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows that hold each token at each place once, and which of them every row is like."""
    import torch

    n = ids.shape[1]
    keys = (ids.numpy() * n + np.arange(n)).reshape(-1)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return torch.from_numpy(first), torch.from_numpy(inverse)


def _plus(hidden: torch.Tensor, rows: torch.Tensor, linear: _Linear) -> torch.Tensor:
    """What a linear layer makes of rows, added to what was there."""
    add = _operator("_linear_pointwise").binary
    found: torch.Tensor = add(rows, hidden, linear.weight, linear.bias, "add")
    return found


def _can_pack(*, bf16: bool) -> bool:
    import torch

    backend: Any = torch.backends.mkldnn
    if not backend.is_available() or not all(hasattr(torch.ops.mkldnn, name) for name in _OPERATORS):
        return False
    return not bf16 or bool(_operator("_is_mkldnn_bf16_supported")())


def _operator(name: str) -> Any:
    import torch

    return getattr(torch.ops.mkldnn, name)
