"""Permutation of distinct-type counts, without a dense matrix.

Under a permutation a type is present in the first pseudo-system if a unit of A that holds it kept its
place or a unit of B that holds it was swapped. With the keep bits of 64 resamples in one word, that is
OR over A's units | NOT AND over B's units: one OR and one AND for each system and type serve every pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from empeval.statistics.segments import Array, TypeStats
from empeval.statistics.weights import bits

__all__ = ["count_bits", "swapped_type_totals"]

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_CHUNK_WORDS = 16
_BUFFER_WORDS = 1 << 22
_BLOCK_UNITS = 2048


def swapped_type_totals(
    stats: Sequence[TypeStats], pairs: Sequence[tuple[int, int]], words: Array, n_swaps: int
) -> Iterator[tuple[Array, Array]]:
    """Totals of both pseudo-systems for each pair, shape (n_swaps, 2) each.

    ``words`` are the packed keep bits of the units, shape (n_units, n_words).
    """
    if stats[0].top is not None:
        yield from _swapped_tops(stats, pairs, words, n_swaps)
        return
    every = np.unique(np.concatenate([s.numbers for s in stats]))
    located = [(np.searchsorted(every, s.numbers), s) for s in stats]
    held = np.zeros((len(stats), len(every)), dtype=np.int64)
    for s, (places, one) in enumerate(located):
        held[s, places] = np.diff(one.starts)
    counts, lone = _occurrences(stats, len(words)), _lone(located, held, pairs, len(words))
    kept = _kept_sums(np.concatenate([counts, lone], axis=1), words, words.shape[1] * 64)
    occurrences, sizes = kept[:n_swaps, : len(stats)].T, counts.sum(axis=0)
    kept = kept[:, len(stats) :]
    moved = lone.sum(axis=0) - kept
    present = np.empty((len(pairs), 2, words.shape[1] * 64), dtype=np.int64)
    # in the first pseudo-system are the types of a's kept units and of b's moved ones
    present[:, 0] = (kept[:, 0::2] + moved[:, 1::2]).T
    present[:, 1] = (kept[:, 1::2] + moved[:, 0::2]).T
    _add_present(present, located, held, pairs, words)
    for i, (a, b) in enumerate(pairs):
        first = np.stack([present[i, 0, :n_swaps], occurrences[a] + sizes[b] - occurrences[b]], axis=1)
        second = np.stack([present[i, 1, :n_swaps], occurrences[b] + sizes[a] - occurrences[a]], axis=1)
        yield first, second


def _kept_occurrences(stats: Sequence[TypeStats], words: Array, n_swaps: int) -> list[Array]:
    """Occurrences in the units that kept their place, shape (n_swaps,) for each system."""
    return list(_kept_sums(_occurrences(stats, len(words)), words, n_swaps).T)


def _occurrences(stats: Sequence[TypeStats], n_units: int) -> Array:
    """Occurrences in each unit, shape (n_units, n_systems)."""
    return np.stack([np.bincount(s.units, weights=s.counts, minlength=n_units) for s in stats], axis=1)


def _add_present(
    present: Array,
    located: Sequence[tuple[Array, TypeStats]],
    held: Array,
    pairs: Sequence[tuple[int, int]],
    words: Array,
) -> None:
    """Add the types that `_lone` leaves out to ``present``, shape (n_pairs, 2, 64 · n_words)."""
    every = held.shape[1]
    block = max(1, _BUFFER_WORDS // (_CHUNK_WORDS * len(located)))
    for first_word in range(0, words.shape[1], _CHUNK_WORDS):
        chunk = np.ascontiguousarray(words[:, first_word : first_word + _CHUNK_WORDS])
        out = present[:, :, first_word * 64 : first_word * 64 + chunk.shape[1] * 64]
        for low in range(0, every, block):
            size = min(block, every - low)
            either, both = _fold(located, chunk, low, size)
            for i, (a, b) in enumerate(pairs):
                n_a, n_b = held[a, low : low + size], held[b, low : low + size]
                # types that neither system has, and those that `_lone` has counted
                rows = np.flatnonzero(n_a + n_b > 1)
                _count_pair(either, both, a, b, rows, out[i])


def _lone(
    located: Sequence[tuple[Array, TypeStats]],
    held: Array,
    pairs: Sequence[tuple[int, int]],
    n_units: int,
) -> Array:
    """How many types each unit has that occur there only, in one system of the pair: (n_units, 2 · n_pairs).

    Such a type follows its unit, so all of them together are one product with the keep bits; most n-grams
    are of this kind.
    """
    lone = np.zeros((n_units, 2 * len(pairs)))
    for i, pair in enumerate(pairs):
        for side, (mine, other) in enumerate((pair, pair[::-1])):
            places, stats = located[mine]
            alone = (np.diff(stats.starts) == 1) & (held[other, places] == 0)
            units = stats.units[stats.starts[:-1][alone]]
            lone[:, 2 * i + side] = np.bincount(units, minlength=n_units)
    return lone


def _kept_sums(per_unit: Array, words: Array, n_swaps: int) -> Array:
    """Sums over the units that kept their place, (n_units, n_columns) → (n_swaps, n_columns), exact."""
    sums = np.zeros((n_swaps, per_unit.shape[1]))
    for start in range(0, len(words), _BLOCK_UNITS):
        rows = per_unit[start : start + _BLOCK_UNITS]
        kind = np.float32 if rows.sum(axis=0).max(initial=0) < 2**24 else np.float64
        sums += bits(words[start : start + _BLOCK_UNITS], n_swaps).T.astype(kind) @ rows.astype(kind)
    return sums


def _fold(
    located: Sequence[tuple[Array, TypeStats]], chunk: Array, low: int, size: int
) -> tuple[Array, Array]:
    """OR and AND of the keep bits over each type's units, shape (n_systems, size, n_words) each."""
    shape = (len(located), size, chunk.shape[1])
    either, both = np.zeros(shape, dtype=np.uint64), np.full(shape, _ALL)
    for s, (places, stats) in enumerate(located):
        lo, hi = np.searchsorted(places, [low, low + size])
        entry, ends = stats.starts[lo:hi].copy(), stats.starts[lo + 1 : hi + 1]
        row = places[lo:hi] - low
        while len(row):
            held = chunk[stats.units[entry]]
            merged, common = either[s, row] | held, both[s, row] & held
            either[s, row], both[s, row] = merged, common
            entry += 1
            # once every resample has it kept in one unit and swapped in another, more units change nothing
            open_ = (entry < ends) & ((merged != _ALL) | (common != 0)).any(axis=1)
            entry, row, ends = entry[open_], row[open_], ends[open_]
    return either, both


def _count_pair(either: Array, both: Array, a: int, b: int, rows: Array, out: Array) -> None:
    """Add how many of these types each pseudo-system has, to ``out`` of shape (2, 64 · n_words)."""
    always = np.zeros(len(rows), dtype=bool)
    for s in (a, b):
        always |= ((either[s, rows] == _ALL) & (both[s, rows] == 0)).all(axis=1)
    out += int(always.sum())
    rest = rows[~always]
    out[0] += count_bits(either[a, rest] | ~both[b, rest])
    out[1] += count_bits(either[b, rest] | ~both[a, rest])


def count_bits(rows: Array) -> Array:
    """How many rows have each bit set: (m, n_words) → (64 · n_words,), by carry-save addition.

    >>> count_bits(np.array([[3], [1], [1]], dtype=np.uint64))[:3].tolist()
    [3, 1, 0]
    """
    total = np.zeros(rows.shape[1] * 64, dtype=np.int64)
    level = 0
    while len(rows):
        carries = []
        while len(rows) > 1:
            # three rows become one of sums and one of carries; a lone pair is padded with zeros
            third = max(1, len(rows) // 3)
            x, y = rows[:third], rows[third : 2 * third]
            z = rows[2 * third : 3 * third] if len(rows) > 2 else np.zeros_like(x)
            half = x ^ y
            carries.append((x & y) | (z & half))
            rows = np.concatenate([half ^ z, rows[3 * third :]])
        total += bits(rows, rows.shape[1] * 64)[0].astype(np.int64) << level
        rows = np.concatenate(carries) if carries else rows[:0]
        level += 1
    return total


def _swapped_tops(
    stats: Sequence[TypeStats], pairs: Sequence[tuple[int, int]], words: Array, n_swaps: int
) -> Iterator[tuple[Array, Array]]:
    """As above where the first column is the occurrences of the k commonest types.

    Only types that could be common enough are counted: the candidates are widened until the k-th commonest of
    them beats, in every resample, the most that any type left out could reach.
    """
    top = stats[0].top
    assert top is not None
    every, place = np.unique(np.concatenate([s.types for s in stats]), return_inverse=True)
    cuts = np.cumsum([0, *(len(s.types) for s in stats)])
    places = [place[lo:hi] for lo, hi in pairwise(cuts)]
    counts = np.stack(
        [np.bincount(p, weights=s.counts, minlength=len(every)) for p, s in zip(places, stats, strict=True)]
    )
    occurrences = _kept_occurrences(stats, words, n_swaps)
    n_candidates = 4 * top + 64
    kept: dict[int, Array] = {}
    known = np.zeros(0, dtype=np.int64)
    for a, b in pairs:
        # no pseudo-system can hold a type more often than both systems together
        ceiling = counts[a] + counts[b]
        while True:
            chosen = np.argsort(-ceiling, kind="stable")[:n_candidates]
            if not np.all(np.isin(chosen, known)):
                known = np.union1d(
                    known, np.concatenate([np.argsort(-c)[:n_candidates] for c in (*counts, ceiling)])
                )
                known = np.union1d(known, chosen)
                kept = {}
            for s in (a, b):
                if s not in kept:
                    kept[s] = _kept_counts(stats[s], places[s], known, len(every), words, n_swaps)
            at = np.searchsorted(known, chosen)
            first = np.sort(kept[a][:, at] + counts[b][chosen] - kept[b][:, at], axis=1)[:, ::-1]
            second = np.sort(kept[b][:, at] + counts[a][chosen] - kept[a][:, at], axis=1)[:, ::-1]
            if n_candidates >= len(every):
                break
            left_out = np.partition(ceiling, -n_candidates - 1)[-n_candidates - 1]
            if min(first[:, top - 1].min(), second[:, top - 1].min()) >= left_out:
                break
            n_candidates *= 4
        sizes = counts[a].sum(), counts[b].sum()
        n_first = occurrences[a] + sizes[1] - occurrences[b]
        n_second = occurrences[b] + sizes[0] - occurrences[a]
        yield (
            np.stack([first[:, :top].sum(axis=1), n_first], axis=1),
            np.stack([second[:, :top].sum(axis=1), n_second], axis=1),
        )


def _kept_counts(
    stats: TypeStats, places: Array, known: Array, n_types: int, words: Array, n_swaps: int
) -> Array:
    """Occurrences of the known types in units that kept their place, shape (n_swaps, n_known)."""
    column = np.full(n_types, -1)
    column[known] = np.arange(len(known))
    at = column[places]
    inside = np.flatnonzero(at >= 0)
    inside = inside[np.argsort(stats.units[inside], kind="stable")]
    units = stats.units[inside]
    sums = np.zeros((n_swaps, len(known)), dtype=np.float64)
    for start in range(0, len(words), _BLOCK_UNITS):
        lo, hi = np.searchsorted(units, [start, start + _BLOCK_UNITS])
        if lo == hi:
            continue
        held, rows = np.unique(units[lo:hi], return_inverse=True)
        table = np.zeros((len(held), len(known)), dtype=np.float32)
        np.add.at(table, (rows, at[inside[lo:hi]]), stats.counts[inside[lo:hi]])
        sums += bits(words[held], n_swaps).T.astype(np.float32) @ table
    return sums
