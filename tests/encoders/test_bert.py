"""BERT's packed layers give what transformers' own network gives."""

from __future__ import annotations

import numpy as np
import pytest
from transformers import AutoModel, BertConfig, BertModel, ElectraConfig, ElectraModel

from empeval.encoders.bert import PackedBert, _different


@pytest.mark.parametrize("n_tokens", [1, 2, 15, 16, 17, 48, 49, 130])
def test_hidden_states_are_those_of_transformers(minilm, n_tokens) -> None:
    """For texts of one token, around the sizes at which the computation changes, and long ones."""
    import torch

    network = AutoModel.from_pretrained(minilm).eval()
    packed = PackedBert.of(network, bf16=False)
    assert packed is not None
    ids = torch.from_numpy(np.random.default_rng(0).integers(1000, 1030, (3, n_tokens)))
    with torch.inference_mode():
        expected = network(ids, attention_mask=torch.ones_like(ids))[0]
        found = packed(ids)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


def test_positions_of_roberta(tiny_roberta) -> None:
    """RoBERTa's places begin behind those that it keeps; its embeddings see to that."""
    import torch

    network = AutoModel.from_pretrained(tiny_roberta).eval()
    packed = PackedBert.of(network, bf16=False)
    assert packed is not None
    ids = torch.tensor([[0, 260, 270, 2], [0, 270, 270, 2]])
    with torch.inference_mode():
        torch.testing.assert_close(packed(ids), network(ids)[0], rtol=1e-4, atol=1e-5)


def test_a_token_at_a_place_is_computed_once() -> None:
    """Rows with the same token at the same place are one."""
    import torch

    ids = torch.tensor([[5, 7, 5], [5, 7, 9]])
    chosen, back = _different(ids)
    assert len(chosen) == 4
    rows = torch.stack([ids.flatten(), torch.arange(3).repeat(2)])
    assert torch.equal(rows[:, chosen][:, back], rows)


def test_other_networks_are_left_to_transformers() -> None:
    """Where layers may differ from BERT's nothing is packed."""
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    assert PackedBert.of(ElectraModel(ElectraConfig(**sizes)), bf16=False) is None
    assert PackedBert.of(BertModel(BertConfig(**sizes, hidden_act="relu")), bf16=False) is None
    assert PackedBert.of(BertModel(BertConfig(**sizes, is_decoder=True)), bf16=False) is None
    assert PackedBert.of(BertModel(BertConfig(**sizes)), bf16=False) is not None
