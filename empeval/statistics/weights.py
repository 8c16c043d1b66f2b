"""Random weights that depend on the seed, the replicate and the unit's key, and on nothing else.

The weight of a unit is read off a counter-based generator (SplitMix64; Steele, Lea and Flood, 2014) whose
stream is chosen by the unit's key. The order of files, rows, shards and workers therefore never changes a
number, and a shard can compute its part of every resample alone.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable

import numpy as np

from empeval.statistics.segments import Array

__all__ = ["bits", "hashed_keys", "poisson_weights", "swap_words"]

_GOLDEN = 0x9E3779B97F4A7C15
_BOOTSTRAP, _SWAP = 1, 2
#: 16 random bits make one bootstrap weight, so a 64-bit word makes four.
_PER_WORD = 4


def hashed_keys(names: Iterable[str]) -> Array:
    """A 64-bit key for each name, shape (n,), the same on every machine."""
    digests = (
        hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest() for name in names
    )
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def poisson_weights(keys: Array, seed: int, n_resamples: int) -> Array:
    """Bootstrap weights, Poisson with mean 1, shape (n_units, n_resamples).

    Independent Poisson weights are multinomial ones given their sum, and every score here is a ratio of
    weighted sums (Hanley and MacGibbon, 2006).

    >>> poisson_weights(hashed_keys(["a", "b"]), seed=0, n_resamples=5).shape
    (2, 5)
    """
    n_words = -(-n_resamples // _PER_WORD)
    words = _words(keys, seed, _BOOTSTRAP, n_words)
    drawn: Array = _POISSON[words.astype("<u8").view("<u2")[:, :n_resamples]]
    return drawn


def swap_words(keys: Array, seed: int, n_resamples: int) -> Array:
    """One fair bit for each unit and resample, packed, shape (n_units, ⌈n_resamples / 64⌉).

    Bit r of a row, counted from the lowest bit of the first word, belongs to resample r.
    """
    return _words(keys, seed, _SWAP, -(-n_resamples // 64))


def bits(words: Array, n_resamples: int) -> Array:
    """Packed words (n_units, n_words) as 0 and 1, shape (n_units, n_resamples)."""
    octets = np.ascontiguousarray(words).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n_resamples, bitorder="little")


def _words(keys: Array, seed: int, purpose: int, n_words: int) -> Array:
    start = np.array([(seed * 0x632BE59BD9B4E019 + purpose * _GOLDEN) % 2**64], dtype=np.uint64)
    state = _mix(keys.astype(np.uint64) ^ _mix(start))
    steps = (np.arange(1, n_words + 1, dtype=np.uint64)) * np.uint64(_GOLDEN)
    return _mix(state[:, None] + steps[None, :])


def _mix(x: Array) -> Array:
    """The finaliser of SplitMix64; arithmetic is modulo 2^64."""
    x = x ^ (x >> np.uint64(30))
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


def _poisson_table() -> Array:
    """Which weight each of the 2^16 equally likely values stands for; mean exactly 1, variance 1 to 10^-4."""
    cells = [round(2**16 * math.exp(-1) / math.factorial(k)) for k in range(9)]
    # rounding leaves the sum and the mean a few cells off; weights 0, 1 and 2 absorb it
    spare = 2**16 - sum(cells)
    excess = 2**16 - sum(k * n for k, n in enumerate(cells))
    cells[0] += spare - excess
    cells[1] += excess
    return np.repeat(np.arange(9, dtype=np.uint8), cells)


_POISSON = _poisson_table()
