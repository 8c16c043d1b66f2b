"""Networks of transformers that put one of some labels to a text."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from empeval.classifiers.base import Array, Classifier
from empeval.errors import InputError
from empeval.models import ModelFolder, current, find
from empeval.models.loading import (
    library_versions,
    load_network,
    load_tokenizer,
    longest,
    require,
    torch_device,
)

__all__ = ["NetworkClassifier", "open_folder"]


@dataclass(frozen=True, eq=False)
class NetworkClassifier(Classifier):
    """A network with a head for sequence classification, in fp32, and the labels of its ``id2label``.

    Probabilities are the softmax of the logits, or, where the configuration says that a text may have several
    labels, the sigmoid of each. Texts are read up to the limit of the model, special tokens included.
    """

    folder: ModelFolder
    labels: tuple[str, ...]
    fingerprint: str
    held_out: None = None

    def scores(self, texts: Sequence[str]) -> Array:
        loaded = _loaded(self.folder, self.fingerprint, torch_device())
        found = np.full((len(texts), len(self.labels)), np.nan)
        if texts:
            loaded.score(list(map(_whole_characters, texts)), found, self.folder.name)
        return found

    def cut(self, texts: Sequence[str]) -> list[bool]:
        if not texts:
            return []
        loaded = _loaded(self.folder, self.fingerprint, torch_device())
        return [len(ids) > loaded.limit for ids in loaded.encoded(list(map(_whole_characters, texts)))]

    def versions(self) -> dict[str, str]:
        return library_versions("torch", "transformers")


def _whole_characters(text: str) -> str:
    """A text in which halves of surrogate pairs, which tokenizers refuse, are replacement characters."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def open_folder(name: str) -> NetworkClassifier:
    """The classifier of a folder or hub name; its weights are read when it is first asked for scores.

    Raises InputError where the folder is no whole model or its configuration names no labels, MissingExtra
    where torch or transformers is not installed.
    """
    require("bertscore", "torch", "transformers")
    folder = find(name)
    return NetworkClassifier(folder, _labels(folder), folder.fingerprint)


def _labels(folder: ModelFolder) -> tuple[str, ...]:
    """The labels in the order of the logits."""
    source = str(folder.path / "config.json")
    given = folder.config.get("id2label")
    if not isinstance(given, dict) or not given:
        raise InputError(
            "there is no id2label: this is no classifier, or one that does not name its labels; "
            "add the label of each output",
            source=source,
        )
    numbers = {str(number) for number in range(len(given))}
    if set(given) != numbers or not all(isinstance(label, str) for label in given.values()):
        raise InputError(f"id2label should name a label for each of 0 … {len(given) - 1}", source=source)
    labels = tuple(given[str(number)] for number in range(len(given)))
    if len(labels) < 2:
        raise InputError("id2label names one label only, and a classifier has at least two", source=source)
    return labels


@dataclass(frozen=True, eq=False)
class _Loaded:
    """A network in memory, with its tokenizer."""

    network: Any
    tokenizer: Any
    limit: int
    device: str
    source: str

    def encoded(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of each text, whole."""
        # what transformers would say of long texts is said by those who ask
        ids: list[list[int]] = self.tokenizer(
            texts, add_special_tokens=True, padding=False, truncation=False, verbose=False
        )["input_ids"]
        return ids

    def score(self, texts: Sequence[str], found: Array, name: str) -> None:
        """Fill the rows of ``found``; those of texts without any token stay as they are."""
        import torch

        lengths = [min(len(ids), self.limit) for ids in self.encoded(texts)]
        # the longest first, so that too large a batch fails at once
        order = sorted((i for i in range(len(texts)) if lengths[i]), key=lambda i: (-lengths[i], texts[i]))
        started, n_done = time.monotonic(), 0
        for rows in self._batches(order, lengths):
            logits = self._logits([texts[i] for i in rows], cut=lengths[rows[0]] == self.limit)
            several = self.network.config.problem_type == "multi_label_classification"
            found[rows] = (torch.sigmoid(logits) if several else torch.softmax(logits, dim=-1)).numpy()
            n_done += len(rows)
            current().progress(_progress(name, n_done, len(order), time.monotonic() - started))

    def _logits(self, texts: Sequence[str], *, cut: bool) -> Any:
        import torch

        batch = self.tokenizer(
            texts,
            truncation=cut,
            max_length=self.limit if cut else None,
            padding=False,
            return_tensors="pt",
            verbose=False,
        ).to(self.device)
        taken = inspect.signature(self.network.forward).parameters
        with torch.inference_mode():
            logits = self.network(**{key: batch[key] for key in batch if key in taken}).logits.double().cpu()
        if not torch.isfinite(logits).all():
            raise InputError("its outputs are no finite numbers: the weights are damaged", source=self.source)
        return logits

    def _batches(self, order: Sequence[int], lengths: Sequence[int]) -> list[list[int]]:
        """Texts of one length in batches of as many tokens as the resources allow.

        Nothing is padded, because some networks look at the last position, whatever stands there.
        """
        # networks of the GPT kind refuse batches without a padding token
        most = current().batch_tokens if self.network.config.pad_token_id is not None else 0
        batches: list[list[int]] = []
        for i in order:
            rows = batches[-1] if batches else []
            if not rows or lengths[rows[0]] != lengths[i] or lengths[i] * (len(rows) + 1) > most:
                batches.append(rows := [])
            rows.append(i)
        return batches


def _progress(name: str, n_done: int, n: int, seconds: float) -> str:
    rate = n_done / max(seconds, 1e-9)
    return f"{name}: {n_done:,} of {n:,} texts, {rate:,.0f} a second, {(n - n_done) / rate:,.0f} s left"


# one alone, because a network may fill the memory
@functools.lru_cache(maxsize=1)
def _loaded(folder: ModelFolder, _: str, device: str) -> _Loaded:
    """The network of a folder; the fingerprint makes sure that a folder changed since is read again."""
    from transformers import AutoModelForSequenceClassification

    def load(path: str, **settings: Any) -> Any:
        network, told = AutoModelForSequenceClassification.from_pretrained(
            path, output_loading_info=True, **settings
        )
        if told["missing_keys"]:
            raise InputError(
                f"the weights lack {', '.join(sorted(told['missing_keys'])[:3])}: this is no trained "
                "classifier of sequences",
                source=path,
            )
        return network

    # no code that a folder brings is run, and nobody is asked whether it may be
    tokenizer = load_tokenizer(folder)
    network: Any = load_network(folder, load)
    n_known = network.get_input_embeddings().num_embeddings
    if max(tokenizer.get_vocab().values(), default=0) >= n_known:
        raise InputError(
            f"the tokenizer has more tokens than the {n_known} that the network knows; "
            "they do not belong together",
            source=str(folder.path),
        )
    current().say(f"the classifier {folder.name} runs on {device}")
    return _Loaded(network.float(), tokenizer, longest(folder, tokenizer), device, str(folder.path))
