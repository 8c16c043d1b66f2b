"""Pairs of texts to precision and recall: what is known already, and what has to be computed."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from empeval.encoders.cache import PairCache, digest_of
from empeval.encoders.encoding import Encoder, Tokens
from empeval.encoders.matching import match
from empeval.encoders.weighting import (
    Weights,
    inverse_document_frequency,
    references_digest,
    uniform,
)
from empeval.models import current
from empeval.models.loading import library_versions
from empeval.models.throughput import Throughput

__all__ = ["LIBRARIES", "Flag", "PairScore", "PairScorer"]

#: Libraries whose change could change a score.
LIBRARIES = ("torch", "transformers", "tokenizers")
#: Numbers held at once, in tokens times dimensions: half a gigabyte of vectors.
_VALUES = 1 << 27

Pair = tuple[str, str]


class Flag(enum.IntFlag):
    """What a reader of a pair's score should know; for the reference of the pair, shifted by `REFERENCE`."""

    EMPTY = 1
    CUT = 2
    WEIGHTLESS = 4


_FLAGS = {
    (empty, cut, weightless): int(Flag.EMPTY * empty | Flag.CUT * cut | Flag.WEIGHTLESS * weightless)
    for empty in (False, True)
    for cut in (False, True)
    for weightless in (False, True)
}
#: Bits by which the flags of the reference are shifted.
REFERENCE = 4


class PairScore(NamedTuple):
    """Precision and recall in −1…1, and flags of both texts."""

    precision: float
    recall: float
    flags: int

    def of_hypothesis(self, flag: Flag) -> bool:
        """Whether the hypothesis has the flag."""
        return bool(self.flags & flag)

    def of_reference(self, flag: Flag) -> bool:
        """Whether the reference has the flag."""
        return bool(self.flags >> REFERENCE & flag)


@dataclass(eq=False)
class PairScorer:
    """Scores pairs under one encoder and weighting, each pair once.

    ``references`` are those of the corpus, one tuple a segment, where tokens are weighted by their inverse
    document frequency in them; None for equal weights. Texts are compared without surrounding blanks. A pair
    with a text that holds no token has precision and recall 0. Scores that `Resources.cache` holds are not
    computed again.
    """

    encoder: Encoder
    references: Sequence[tuple[str, ...]] | None = None
    _known: dict[Pair, PairScore] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def table(self) -> str:
        """The hash of what the weights are taken from, ``none`` where all weigh alike."""
        return "none" if self.references is None else references_digest(self.references)

    @cached_property
    def key(self) -> str:
        """Everything but the texts that fixes a score."""
        versions = library_versions(*LIBRARIES)
        encoder = self.encoder
        parts = (encoder.model.fingerprint, encoder.layer, encoder.dtype, self.table)
        return repr((*parts, *sorted(versions.items())))

    def score(self, pairs: Iterable[Pair]) -> list[PairScore]:
        """The score of each pair (hypothesis, reference), in order."""
        stripped = [(hypothesis.strip(), reference.strip()) for hypothesis, reference in pairs]
        missing = dict.fromkeys(pair for pair in stripped if pair not in self._known)
        if missing:
            self._find(list(missing))
        return [self._known[pair] for pair in stripped]

    def _find(self, pairs: Sequence[Pair]) -> None:
        """Take pairs from the cache, compute the others, and keep those."""
        resources = current()
        cache = PairCache.of(resources, self.key)
        digests = {pair: digest_of(*pair) for pair in pairs}
        if cache is not None:
            resources.progress("looking up what is known")
            with _tolerated(resources.say):
                self._known.update(_looked_up(digests, cache.load()))
        rest = [pair for pair in pairs if pair not in self._known]
        for found in self._compute(rest):
            self._known.update(found)
            if cache is not None:
                with _tolerated(resources.say):
                    cache.add({digests[pair]: score for pair, score in found.items()})

    @cached_property
    def _weights(self) -> Weights:
        if self.references is None:
            return uniform(self.encoder.unweighted)
        texts = [text.strip() for texts in self.references for text in texts]
        different = list(dict.fromkeys(texts))
        ids = dict(zip(different, (tokens.ids for tokens in self.encoder.tokens(different)), strict=True))
        return inverse_document_frequency([ids[text] for text in texts])

    def _compute(self, pairs: Sequence[Pair]) -> Iterator[dict[Pair, PairScore]]:
        """Scores of pairs in parts, each of as many texts as fit into memory."""
        if not pairs:
            return
        current().progress("splitting into tokens")
        # the order of the texts is their own, so that a batch does not depend on that of systems and segments
        texts = sorted({text for pair in pairs for text in pair})
        tokens = dict(zip(texts, self.encoder.tokens(texts), strict=True))
        full = [len(found.ids) for found in tokens.values() if not found.empty]
        report = Throughput("texts", len(full), sum(full))
        for part in _parts(pairs, tokens, self._n_tokens()):
            yield self._scored(part, tokens, report)

    def _n_tokens(self) -> int:
        config = self.encoder.model.config
        width = config.get("hidden_size") or config.get("d_model") or 1024
        return max(1, _VALUES // int(width))

    def _scored(
        self, pairs: Sequence[Pair], tokens: Mapping[str, Tokens], report: Throughput
    ) -> dict[Pair, PairScore]:
        full = [pair for pair in pairs if not (tokens[pair[0]].empty or tokens[pair[1]].empty)]
        texts = sorted({text for pair in full for text in pair})
        # texts that differ in case or spacing only may have the same tokens
        numbers: dict[bytes, int] = {}
        place = {text: numbers.setdefault(tokens[text].ids.tobytes(), len(numbers)) for text in texts}
        values = np.zeros((len(full), 2), dtype=np.float32)
        weightless: set[int] = set()
        if full:
            different = [np.frombuffer(ids, dtype=np.int64) for ids in numbers]
            weights = [self._weights.of(ids) for ids in different]
            weightless = {i for i, row in enumerate(weights) if not row.any()}
            vectors = self.encoder.vectors(different, report)
            hypotheses, references = (np.array([place[pair[i]] for pair in full]) for i in (0, 1))
            values = match(vectors, weights, hypotheses, references)

        flags = {
            text: _FLAGS[tokens[text].empty, tokens[text].cut, place.get(text) in weightless]
            for text in {text for pair in pairs for text in pair}
        }
        scores = dict(zip(full, values.tolist(), strict=True))
        found = {}
        for pair in pairs:
            precision, recall = scores.get(pair, (0.0, 0.0))
            found[pair] = PairScore(precision, recall, flags[pair[0]] | flags[pair[1]] << REFERENCE)
        return found


def _parts(pairs: Sequence[Pair], tokens: Mapping[str, Tokens], n_tokens: int) -> Iterator[list[Pair]]:
    """Cut pairs, those of one reference together, so that the texts of a part hold at most so many tokens."""
    part: list[Pair] = []
    held: set[str] = set()
    n = 0
    for pair in sorted(pairs, key=lambda pair: (pair[1], pair[0])):
        new = sum(len(tokens[text].ids) for text in set(pair) - held)
        if part and n + new > n_tokens:
            yield part
            part, held, n = [], set(), 0
            new = sum(len(tokens[text].ids) for text in set(pair))
        part.append(pair)
        held.update(pair)
        n += new
    if part:
        yield part


def _looked_up(digests: Mapping[Pair, bytes], rows: Any) -> dict[Pair, PairScore]:
    if not len(rows):
        return {}
    names = rows["key"].tobytes()
    place = {names[i * 16 : i * 16 + 16]: i for i in range(len(rows))}
    columns = [rows[name].tolist() for name in ("precision", "recall", "flags")]
    found = {}
    for pair, digest in digests.items():
        i = place.get(digest)
        if i is not None:
            precision, recall, flags = (column[i] for column in columns)
            found[pair] = PairScore(precision, recall, flags)
    return found


class _tolerated:  # noqa: N801  # reads as a statement
    """Carries on where the cache's folder cannot be used, and says so: it must not cost a result."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> bool:
        if isinstance(error, OSError):
            self._say(f"the cache cannot be used ({error}); going on without it")
        return isinstance(error, OSError)
