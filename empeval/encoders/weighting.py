"""How much each token of a text counts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from empeval.statistics.segments import Array

__all__ = ["Weights", "inverse_document_frequency", "references_digest", "uniform"]


@dataclass(frozen=True, eq=False)
class Weights:
    """The weight of each token: ``known`` has shape (n_ids,), ids beyond it weigh ``other``."""

    known: Array
    other: float

    def of(self, ids: Array) -> Array:
        """Weights of token ids, shape (n_tokens,) → (n_tokens,)."""
        inside = ids < len(self.known)
        found = np.full(len(ids), self.other, dtype=np.float32)
        found[inside] = self.known[ids[inside]]
        return found


def uniform(unweighted: Iterable[int]) -> Weights:
    """Every token weighs 1, except those listed, which weigh 0."""
    ids = list(unweighted)
    known = np.ones(max(ids, default=-1) + 1, dtype=np.float32)
    known[ids] = 0.0
    return Weights(known, 1.0)


def inverse_document_frequency(documents: Sequence[Array]) -> Weights:
    """ln((N + 1) / (n + 1)) for a token in n of N documents (token ids, one array a document).

    A token of every document, such as those that open and close a text, weighs 0. Source: Zhang et al.
    (2020), with the smoothing of their implementation.

    >>> weights = inverse_document_frequency([np.array([0, 1, 1]), np.array([0, 2])])
    >>> weights.of(np.array([0, 1, 9])).round(4).tolist()
    [0.0, 0.40549999475479126, 1.0986000299453735]
    """
    n = len(documents)
    once = np.concatenate([np.unique(ids) for ids in documents]) if n else np.zeros(0, dtype=np.int64)
    counts = np.bincount(once)
    return Weights(np.log((n + 1) / (counts + 1)).astype(np.float32), float(np.log(n + 1)))


def references_digest(references: Iterable[Sequence[str]]) -> str:
    """16 hexadecimal digits of all references, whatever their order, from which a table is built.

    >>> references_digest([("a", "b"), ("c",)]) == references_digest([("c",), ("b", "a")])
    True
    """
    total, n = 0, 0
    for texts in references:
        for text in texts:
            digest = hashlib.blake2b(text.strip().encode("utf-8", "surrogatepass"), digest_size=16).digest()
            total, n = total + int.from_bytes(digest, "little"), n + 1
    whole = hashlib.blake2b(f"{n}:{total % 2**128:032x}".encode(), digest_size=8)
    return whole.hexdigest()
