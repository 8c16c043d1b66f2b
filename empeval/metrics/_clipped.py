"""Clipped n-gram matches of hypotheses and references, segment by segment.

Texts of up to 64 tokens are compared position by position: one bit says whether a token of the hypothesis
equals one of the reference, and an n-gram matches where n bits in a row are set. Longer texts are sorted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from empeval.metrics._tokens import Tokens, blocks, ends_of, gather
from empeval.statistics.segments import Array

__all__ = ["BLEU_COLUMNS", "MAX_ORDER", "bleu_rows"]

MAX_ORDER = 4
BLEU_COLUMNS = (
    "hypothesis_length",
    "reference_length",
    *(f"matches_{n}" for n in range(1, MAX_ORDER + 1)),
    *(f"total_{n}" for n in range(1, MAX_ORDER + 1)),
)
# Arrays of this length are worked on within the processor's cache.
_CACHED_TOKENS = 1 << 16
#: Positions that the bits of one number can name.
_BITS = 64


def bleu_rows(hypotheses: Tokens, references: Tokens, ends: Array) -> Array:
    """The rows of `BLEU_COLUMNS`, shape (n_segments, 10).

    ``references`` holds all texts in segment order; segment i owns texts ends[i] to ends[i + 1].
    """
    lengths = hypotheses.lengths
    rows = np.zeros((len(hypotheses), len(BLEU_COLUMNS)), dtype=np.int32)
    rows[:, 0] = lengths
    rows[:, 1] = _closest_lengths(lengths, references.lengths, ends)
    for n in range(1, MAX_ORDER + 1):
        rows[:, 1 + MAX_ORDER + n] = np.maximum(lengths - (n - 1), 0)
    long = lengths > _BITS
    if len(references):
        owners = np.repeat(np.arange(len(hypotheses)), np.diff(ends))
        long[owners[references.lengths > _BITS]] = True
    for chosen, count in ((~long, _matches_by_bits), (long, _matches_by_sorting)):
        part = (hypotheses, references, ends)
        if not chosen.all():
            part = _subset(*part, np.flatnonzero(chosen))
        rows[chosen, 2 : 2 + MAX_ORDER] = np.concatenate(
            [np.zeros((0, MAX_ORDER), dtype=np.int64), *(count(*block) for block in _cut(*part))]
        )
    return rows


def _subset(
    hypotheses: Tokens, references: Tokens, ends: Array, segments: Array
) -> tuple[Tokens, Tokens, Array]:
    """The same of some segments."""
    counts = np.diff(ends)[segments]
    texts = np.repeat(ends[segments] - ends_of(counts)[:-1], counts) + np.arange(int(counts.sum()))
    return _chosen(hypotheses, segments), _chosen(references, texts), ends_of(counts)


def _chosen(tokens: Tokens, texts: Array) -> Tokens:
    return Tokens(gather(tokens, texts), ends_of(tokens.lengths[texts]))


def _cut(hypotheses: Tokens, references: Tokens, ends: Array) -> Iterator[tuple[Tokens, Tokens, Array]]:
    """Blocks of segments that the processor's cache holds."""
    for start, stop in blocks(hypotheses.offsets + references.offsets[ends], _CACHED_TOKENS):
        own = ends[start : stop + 1]
        texts = references.slice(int(own[0]), int(own[-1]))
        yield hypotheses.slice(start, stop), texts, own - own[0]


def _closest_lengths(lengths: Array, reference_lengths: Array, ends: Array) -> Array:
    counts = np.diff(ends)
    if np.all(counts == 1):
        return reference_lengths
    closest = np.zeros(len(lengths), dtype=np.int64)
    owner = np.repeat(np.arange(len(lengths)), counts)
    # sorted by (segment, distance, length): the first of each segment is the closest, the shorter in a tie
    order = np.lexsort((reference_lengths, np.abs(reference_lengths - lengths[owner]), owner))
    first = ends[:-1][counts > 0]
    closest[counts > 0] = reference_lengths[order[first]]
    return closest


def _matches_by_bits(hypotheses: Tokens, references: Tokens, ends: Array) -> Array:
    """Clipped matches, shape (n_segments, MAX_ORDER), of one block of short texts.

    Bit r of a word says that the n-gram at a place of the hypothesis stands at place r of the reference. The
    k-th occurrence of an n-gram is a match if the reference holds it k times.
    """
    n_segments, counts = len(hypotheses), np.diff(ends)
    matches = np.zeros((n_segments, MAX_ORDER), dtype=np.int64)
    given = _padded(hypotheses, np.arange(n_segments), -1)
    # each segment's first reference, then each one's second: those that lack it have a text of no token
    others = [
        _padded(references, np.where(counts > copy, ends[:-1] + copy, -1), -2)
        for copy in range(int(counts.max(initial=0)))
    ]
    width = max(len(given), *map(len, others)) if others else 0
    if not width:
        return matches
    kind = np.uint32 if width <= 32 else np.uint64
    there = single = [_equal(given, other, kind) for other in others]
    before = first = _equal(given, given, kind, earlier=True)
    for n in range(MAX_ORDER):
        if n:
            there = [bits[:-1] & (one[n:] >> kind(n)) for bits, one in zip(there, single, strict=True)]
            before = before[:-1] & (first[n:] >> kind(n))
        most = np.bitwise_count(there[0])
        for bits in there[1:]:
            np.maximum(most, np.bitwise_count(bits), out=most)
        matches[:, n] = np.count_nonzero(np.bitwise_count(before) < most, axis=0)
        if len(before) < 2:
            break
    return matches


def _equal(
    given: Array, other: Array, kind: type[np.unsignedinteger[Any]], *, earlier: bool = False
) -> Array:
    """Which places of the other text have the token, as bits: (n_places, n_segments) each → the first shape.

    With ``earlier`` only places before the token's own count.
    """
    found = np.zeros(given.shape, dtype=kind)
    same, bits = np.empty(given.shape, dtype=bool), np.empty(given.shape, dtype=kind)
    for place, tokens in enumerate(other):
        rows = slice(place + 1 if earlier else 0, None)
        np.equal(given[rows], tokens, out=same[rows])
        np.left_shift(same[rows].view(np.uint8), kind(place), out=bits[rows], dtype=kind)
        found[rows] |= bits[rows]
    return found


def _padded(tokens: Tokens, texts: Array, filling: int) -> Array:
    """The tokens of texts by place, shape (n_places, n_texts); text −1 has none."""
    present = texts >= 0
    lengths = np.where(present, tokens.lengths[texts] if len(tokens) else 0, 0)
    found = np.full((int(lengths.max(initial=0)), len(texts)), filling, dtype=np.int32)
    column = np.repeat(np.arange(len(texts)), lengths)
    place = np.arange(len(column)) - np.repeat(ends_of(lengths)[:-1], lengths)
    found[place, column] = tokens.ids[np.repeat(tokens.offsets[texts], lengths) + place]
    return found


def _matches_by_sorting(hypotheses: Tokens, references: Tokens, ends: Array) -> Array:
    """The same of texts of any length."""
    n_segments, counts = len(hypotheses), np.diff(ends)
    owner = np.repeat(np.arange(n_segments), counts)
    copy = np.repeat(np.arange(len(references)) - np.repeat(ends[:-1], counts), references.lengths)
    n_copies = int(counts.max(initial=1))
    token = np.concatenate([hypotheses.ids, references.ids]).astype(np.int64)
    lengths = np.concatenate([hypotheses.lengths, references.lengths])
    ends_text = np.zeros(len(token), dtype=bool)
    ends_text[np.cumsum(lengths[lengths > 0]) - 1] = True
    matches = np.zeros((n_segments, MAX_ORDER), dtype=np.int64)
    at = np.arange(len(token))
    gram = np.repeat(np.concatenate([np.arange(n_segments), owner]), lengths)
    segment = np.arange(n_segments)
    for order in range(MAX_ORDER):
        gram, shorter = _number(gram, token[at + order])
        segment = segment[shorter]
        # the hypotheses stand before the references
        cut = int(np.searchsorted(at, len(hypotheses.ids)))
        here = np.bincount(gram[:cut], minlength=len(segment))
        if n_copies == 1:
            there = np.bincount(gram[cut:], minlength=len(segment))
        else:
            cells = gram[cut:] * n_copies + copy[at[cut:] - len(hypotheses.ids)]
            there = np.bincount(cells, minlength=len(segment) * n_copies).reshape(-1, n_copies).max(axis=1)
        clipped = np.minimum(here, there)
        matched = clipped > 0
        matches[:, order] = np.bincount(segment[matched], weights=clipped[matched], minlength=n_segments)
        # a longer n-gram can only match where this one does
        keep = matched[gram] & ~ends_text[at + order]
        at, gram = at[keep], gram[keep]
        if not len(at):
            break
    return matches


def _number(first: Array, second: Array) -> tuple[Array, Array]:
    """Number the pairs (first, second) densely, equal pairs alike; also the first of each numbered pair.

    Both together must fit into 63 bits, which the size of a block sees to.
    """
    n = len(first)
    if not n:
        return first, first
    position_bits = n.bit_length()
    width = int(second.max()).bit_length()
    pair = (first << width) | second
    if int(first.max()).bit_length() + width + position_bits < 63:
        # sorting values is faster than sorting their positions, so the position rides in the low bits
        pair <<= position_bits
        pair |= np.arange(n)
        pair.sort()
        order = pair & ((1 << position_bits) - 1)
        pair >>= position_bits
    else:
        order = np.argsort(pair, kind="stable")
        pair = pair[order]
    new = np.empty(n, dtype=bool)
    new[0] = True
    np.not_equal(pair[1:], pair[:-1], out=new[1:])
    numbers = np.empty(n, dtype=np.int64)
    numbers[order] = np.cumsum(new) - 1
    return numbers, pair[new] >> width
