"""Token numbers of many texts in two arrays, and what is done with such arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from empeval.statistics.segments import Array

__all__ = ["BLOCK_TOKENS", "Tokens", "blocks", "ends_of", "gather"]

# Bounds the sort buffers; larger blocks gain nothing once the arrays leave the cache.
BLOCK_TOKENS = 1 << 19


@dataclass(frozen=True, eq=False)
class Tokens:
    """Token numbers of many texts: text i holds ``ids[offsets[i]:offsets[i + 1]]``."""

    ids: Array
    offsets: Array

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Array:
        """Tokens per text, shape (n_texts,)."""
        return np.diff(self.offsets)

    def slice(self, start: int, stop: int) -> Tokens:
        """The texts from start to stop."""
        offsets = self.offsets[start : stop + 1]
        return Tokens(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0])


def ends_of(lengths: Array) -> Array:
    """Where each run of these lengths ends, behind a 0: shape (n,) → (n + 1,)."""
    ends = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ends[1:])
    return ends


def gather(tokens: Tokens, which: Array) -> Array:
    """The token numbers of the texts ``which``, one text after the other."""
    ends = ends_of(tokens.lengths[which])
    gathered = np.empty(int(ends[-1]), dtype=tokens.ids.dtype)
    for start, stop in blocks(ends, BLOCK_TOKENS):
        lengths = tokens.lengths[which[start:stop]]
        at = np.repeat(tokens.offsets[which[start:stop]] - (ends[start:stop] - ends[start]), lengths)
        at += np.arange(len(at))
        gathered[ends[start] : ends[stop]] = tokens.ids[at]
    return gathered


def blocks(ends: Array, size: int) -> Iterator[tuple[int, int]]:
    """Cut rows, whose costs add up to ``ends``, into runs that cost about ``size``, of one row at least."""
    start, n = 0, len(ends) - 1
    while start < n:
        stop = int(np.searchsorted(ends, ends[start] + size, side="right")) - 1
        stop = min(max(stop, start + 1), n)
        yield start, stop
        start = stop
