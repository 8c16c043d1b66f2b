"""Attention for texts of a few dozen tokens, for which the usual kernels are not made."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

__all__ = ["use_short_attention"]

#: Networks whose attention is the plain softmax of scaled products.
_PLAIN = frozenset(("bert", "camembert", "electra", "roberta", "xlm-roberta"))
#: Beyond this torch's own kernel is as fast.
_LONGEST = 48
#: Products of fewer rows leave the processor's vector units idle.
_FEWEST = 16


def use_short_attention(network: Any) -> None:
    """Let a network on the CPU attend by plain matrix products, where its kind and transformers allow it.

    All texts of a batch must have one length, as no position is masked.
    """
    import transformers

    # before 4.48 there is no such interface, and the network stays as it is
    interface = getattr(transformers, "AttentionInterface", None)
    if interface is None or network.config.model_type not in _PLAIN:
        return
    interface.register("short_texts", _attend)
    with contextlib.suppress(AttributeError, ValueError):
        network.set_attn_implementation("short_texts")


def _attend(
    _module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    **_: object,
) -> tuple[torch.Tensor, None]:
    """Queries, keys and values (n_texts, n_heads, n_tokens, n_dimensions) → (…, n_tokens, n_heads, …)."""
    import torch

    functional = torch.nn.functional
    n = query.shape[2]
    scale = query.shape[3] ** -0.5 if scaling is None else scaling
    if attention_mask is not None or n > _LONGEST:
        found = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=attention_mask, scale=scale
        )
        return found.transpose(1, 2).contiguous(), None
    if n < _FEWEST:
        query, key, value = (functional.pad(part, (0, 0, 0, _FEWEST - n)) for part in (query, key, value))
    weights = torch.matmul(query, key.transpose(2, 3)) * scale
    if n < _FEWEST:
        weights[..., n:] = float("-inf")
    weights = weights.softmax(dim=-1, dtype=torch.float32).to(value.dtype)
    return torch.matmul(weights, value)[:, :, :n].transpose(1, 2).contiguous(), None
