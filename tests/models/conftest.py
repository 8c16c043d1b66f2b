"""Language models on disk, small and random, and what transformers itself says of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from empeval.testing import write_language_model

ARCHITECTURES = ("gpt2", "llama", "t5", "bart")


@pytest.fixture(scope="session")
def language_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder for each architecture."""
    root = tmp_path_factory.mktemp("models")
    return {name: write_language_model(root / name, name, positions=96) for name in ARCHITECTURES}


class Oracle:
    """transformers, one segment at a time, without padding: the loss that a training loop would see."""

    def __init__(self, folder: Path, architecture: str) -> None:
        from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

        self.answers = architecture in ("t5", "bart")
        auto: Any = AutoModelForSeq2SeqLM if self.answers else AutoModelForCausalLM
        self.network = auto.from_pretrained(folder).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.architecture = architecture

    def plain(self, text: str) -> list[int]:
        """The tokens of a text alone."""
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]

    def nll(self, context: Sequence[str], reference: str) -> tuple[float, int]:
        """Σ −ln p and the number of tokens; of BART's labels the leading <s> is not counted."""
        import torch

        end = self.tokenizer.eos_token_id
        if self.answers:
            source = self.tokenizer("\n".join(context), return_tensors="pt")
            labels = self.tokenizer(text_target=reference)["input_ids"]
            with torch.no_grad():
                logits = self.network(**source, labels=torch.tensor([labels])).logits[0]
            given = 1 if self.architecture == "bart" else 0
        else:
            before = [1] if self.architecture == "llama" else []
            before += [token for turn in context for token in (*self.plain(turn), end)]
            before = before or [self.tokenizer.bos_token_id]
            labels = [*before, *self.plain(reference), end]
            with torch.no_grad():
                ids = torch.tensor([labels])
                hidden = ids.clone()
                hidden[0, : len(before)] = -100
                loss = self.network(input_ids=ids, labels=hidden).loss
            n_tokens = len(labels) - len(before)
            return float(loss) * n_tokens, n_tokens
        losses = torch.nn.functional.cross_entropy(logits, torch.tensor(labels), reduction="none")
        return float(losses[given:].double().sum()), len(labels) - given


@pytest.fixture(scope="session", params=ARCHITECTURES)
def architecture(request: pytest.FixtureRequest) -> str:
    """Each architecture in turn."""
    return request.param


@pytest.fixture(scope="session")
def oracle(language_models: dict[str, Path], architecture: str) -> Oracle:
    """What transformers says of this architecture's model."""
    return Oracle(language_models[architecture], architecture)
