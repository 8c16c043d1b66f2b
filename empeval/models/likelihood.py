"""Negative log-likelihoods of references given their contexts, under a language model in a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empeval.errors import InputError
from empeval.models.folder import ModelFolder
from empeval.models.loading import (
    guarded,
    load_config,
    load_network,
    load_tokenizer,
    longest,
    require,
    torch_device,
)
from empeval.models.resources import current
from empeval.models.sequences import Encoded, Kind, Separator, SequenceEncoder
from empeval.models.throughput import Throughput

__all__ = ["encode", "kind_of", "negative_log_likelihoods"]

#: Scores of all words at all places of a batch, 4 bytes each, are held at once.
_MOST_SCORES = 2**27

_WRITES = ("ForCausalLM", "LMHeadModel", "ModelWithLMHead")
_WRITES_NOT = ("Classification", "QuestionAnswering", "EncoderModel", "MaskedLM", "MultipleChoice")


def kind_of(model: ModelFolder) -> Kind:
    """Whether a model continues a text (``causal``) or answers one (``seq2seq``).

    Decided by its configuration. Raises InputError for a model that only reads, such as BERT.
    """
    config = load_config(model)
    named = config.architectures
    name = str(next(iter(named), "")) if isinstance(named, list | tuple) else ""
    if not any(word in name for word in _WRITES_NOT):
        if config.is_encoder_decoder:
            return "seq2seq"
        if _continues(config, name):
            return "causal"
    raise InputError(
        f"{name or config.model_type} is no model that writes texts, so it gives a reference no probability; "
        "take a causal model (GPT-2, DialoGPT) or a sequence-to-sequence one (T5, BART, BlenderBot)",
        source=str(model.path),
    )


def _continues(config: Any, name: str) -> bool:
    from transformers.models.auto import modeling_auto as known

    if config.model_type in known.MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        return bool(getattr(config, "is_decoder", False))
    return name.endswith(_WRITES) or config.model_type in known.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES


def encode(
    model: ModelFolder,
    contexts: Sequence[Sequence[str]],
    references: Sequence[str],
    separator: Separator = "auto",
) -> list[Encoded]:
    """The sequences of these segments, cut at the model's limit.

    Raises InputError for a model that cannot be used, MissingExtra without torch and transformers.
    """
    require("bertscore", "torch", "transformers")
    kind, tokenizer, config = kind_of(model), load_tokenizer(model), load_config(model)
    limit = longest(model, tokenizer)
    encoder = SequenceEncoder(
        tokenizer,
        kind,
        separator,
        limit=limit,
        target_limit=min(limit, getattr(config, "max_decoder_position_embeddings", None) or limit),
        end=_first(tokenizer.eos_token_id, tokenizer.sep_token_id, getattr(config, "eos_token_id", None)),
        model_type=config.model_type,
    )
    return [encoder.encode(turns, text) for turns, text in zip(contexts, references, strict=True)]


def negative_log_likelihoods(model: ModelFolder, sequences: Sequence[Encoded]) -> NDArray[np.float64]:
    """−Σ ln p over the predicted tokens of each sequence (`Encoded`), shape (n_sequences,).

    In single precision, summed in double. Equal sequences are computed once, in batches that are the same
    whatever the order of the sequences; what pads a batch changes no number. Raises InputError for a folder
    whose weights cannot be loaded or do not fit its tokenizer.
    """
    require("bertscore", "torch", "transformers")
    todo = sorted({s for s in sequences if s.n_tokens}, key=lambda s: (-s.size, s))
    found: dict[Encoded, float] = dict.fromkeys(sequences, float("nan"))
    if todo:
        device = torch_device()
        current().say(f"{model.name} runs on {device}, in float32")
        current().progress(f"loading {model.name}")
        network = _Network(model)
        network.require_tokens(todo)
        progress = Throughput("sequences", len(todo), sum(s.size for s in todo))
        for batch in _batches(todo, network.n_words):
            found.update(zip(batch, network.run(batch), strict=True))
            current().progress(progress.after(len(batch), sum(s.size for s in batch)))
    return np.array([found[sequence] for sequence in sequences])


def _batches(todo: Sequence[Encoded], n_words: int) -> Iterator[list[Encoded]]:
    """Neighbours in order of size, as many as fit the budget of tokens and the memory for scores."""
    most_scored = max(1, _MOST_SCORES // n_words)
    batch: list[Encoded] = []
    widest = labels = 0
    for sequence in todo:
        widest, labels = max(widest, sequence.size), max(labels, len(sequence.labels))
        n = len(batch) + 1
        if batch and (n * widest > current().batch_tokens or n * labels > most_scored):
            yield batch
            batch, widest, labels = [], sequence.size, len(sequence.labels)
        batch.append(sequence)
    yield batch


class _Network:
    """The network of a folder, and its likelihoods batch by batch."""

    def __init__(self, model: ModelFolder) -> None:
        self._model, self._kind = model, kind_of(model)
        self._network: Any = load_network(model, _loader(model, self._kind))
        self._table = self._network.get_input_embeddings().num_embeddings
        self.n_words = int(getattr(self._network.config, "vocab_size", None) or self._table)

    def require_tokens(self, sequences: Sequence[Encoded]) -> None:
        """Raise InputError where the tokenizer gives numbers that the network has no word for."""
        highest = max(max((*s.source, *s.labels)) for s in sequences)
        if highest >= self._table:
            raise InputError(
                f"the tokenizer gives token {highest}, and the network knows {self._table}; the two do not "
                "belong together",
                source=str(self._model.path),
            )

    def run(self, batch: Sequence[Encoded]) -> list[float]:
        """The negative log-likelihood of each sequence."""
        import torch

        with torch.inference_mode(), guarded(self._model, "the model gives no likelihoods"):
            labels = _padded([s.labels for s in batch], 0)[0]
            if self._kind == "causal":
                ids, mask = _padded([s.labels for s in batch], 0)
                scores = self._network(input_ids=ids, attention_mask=mask, use_cache=False).logits
            else:
                ids, mask = _padded([s.source for s in batch], 0)
                given = self._decoder_input([s.labels for s in batch])
                scores = self._network(
                    input_ids=ids, attention_mask=mask, decoder_input_ids=given, use_cache=False
                ).logits
            # a causal model's scores at a place are those of the next token
            back = 1 if self._kind == "causal" else 0
            rows = [row for row, s in enumerate(batch) for _ in range(s.n_tokens)]
            places = torch.tensor([at for s in batch for at in range(s.first, s.last)], device=labels.device)
            row = torch.tensor(rows, device=labels.device)
            losses = torch.nn.functional.cross_entropy(
                scores[row, places - back].float(), labels[row, places], reduction="none"
            )
            summed = torch.zeros(len(batch), dtype=torch.float64, device=labels.device)
            if torch.isnan(losses).any():
                raise InputError(
                    "the model's likelihoods are no finite numbers: its weights are damaged",
                    source=str(self._model.path),
                )
            return [float(value) for value in summed.index_add_(0, row, losses.double()).tolist()]

    def _decoder_input(self, labels: Sequence[tuple[int, ...]]) -> Any:
        """Labels moved on by one place, behind the token with which the decoder starts."""
        config = self._network.config
        pad = config.pad_token_id if isinstance(config.pad_token_id, int) else 0
        padded = _padded(labels, pad)[0]
        if hasattr(self._network, "prepare_decoder_input_ids_from_labels"):
            return self._network.prepare_decoder_input_ids_from_labels(labels=padded)
        start = _first(getattr(config, "decoder_start_token_id", None), config.bos_token_id, pad)
        moved = padded.roll(1, dims=1)
        moved[:, 0] = start
        return moved


def _loader(model: ModelFolder, kind: Kind) -> Callable[..., Any]:
    """A function that loads the network in single precision and refuses what would be made up."""
    import transformers

    auto: Any = transformers.AutoModelForCausalLM if kind == "causal" else transformers.AutoModelForSeq2SeqLM

    def load(path: str, **settings: Any) -> Any:
        network, report = auto.from_pretrained(path, output_loading_info=True, **settings)
        lacking = sorted(report["missing_keys"])
        if lacking:
            raise InputError(
                f"the weights lack {len(lacking)} of the network's parts, the first is {lacking[0]}",
                source=str(model.path),
            )
        return network.float()

    return load


def _padded(rows: Sequence[Sequence[int]], value: int) -> tuple[Any, Any]:
    """Rows of one length, filled up on the right, and where they hold something."""
    import torch

    width = max(map(len, rows))
    ids = torch.tensor([[*row, *[value] * (width - len(row))] for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
    return ids.to(torch_device()), mask.to(torch_device())


def _first(*values: Any) -> Any:
    """The first that is a number; of a list its first entry."""
    for value in values:
        number = value[0] if isinstance(value, list | tuple) and value else value
        if isinstance(number, int):
            return number
    return None
