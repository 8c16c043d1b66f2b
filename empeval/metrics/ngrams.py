"""Shared integer tokenisation and exact n-gram counts.

Each distinct text is tokenised once, each distinct word once where the tokenizer allows it, and n-grams
are compared as integers. Nothing is hashed: two n-grams have one number exactly if they are equal.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.statistics.segments import Array, SegmentStats, TypeStats
from empeval.tokenizers import Tokenizer, get_tokenizer

__all__ = [
    "BLEU_COLUMNS",
    "MAX_ORDER",
    "Encoder",
    "Tokens",
    "bleu_stats",
    "hypothesis_tokens",
    "type_stats",
    "whole_responses",
]

MAX_ORDER = 4
BLEU_COLUMNS = (
    "hypothesis_length",
    "reference_length",
    *(f"matches_{n}" for n in range(1, MAX_ORDER + 1)),
    *(f"total_{n}" for n in range(1, MAX_ORDER + 1)),
)
# Bounds the sort buffers; larger blocks gain nothing once the arrays leave the cache.
_BLOCK_TOKENS = 1 << 19


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


class _Numbers(dict[Any, int]):
    """Numbers new keys in order of appearance; ``made`` hears of each."""

    def __init__(self, made: Callable[[Any], None] | None = None) -> None:
        super().__init__()
        self._made = made

    def __missing__(self, key: Any) -> int:
        number = self[key] = len(self)
        if self._made:
            self._made(key)
        return number


class Encoder:
    """Turns texts into token numbers that every system on one corpus shares.

    >>> encoder = Encoder(get_tokenizer("whitespace"))
    >>> encoder.encode(["oh no", "no way"]).ids.tolist()
    [0, 1, 1, 2]
    """

    def __init__(self, tokenizer: Tokenizer, lowercase: bool = False) -> None:
        self._tokenizer = tokenizer
        self._lowercase = lowercase
        self._numbers = _Numbers()
        self._words = _Numbers(self._add_word)
        self._pieces = array("i")
        self._ends = array("q", [0])
        # n-grams longer than two are pairs (number of the shorter n-gram, last token)
        self._pairs = _Numbers()
        self._joined = _Numbers()

    @classmethod
    def of(cls, corpus: Corpus, tokenize: str, lowercase: bool = False) -> Encoder:
        """The encoder of this corpus, made once for each tokenizer."""
        return corpus.derived(
            ("encoder", tokenize, lowercase), lambda: cls(get_tokenizer(tokenize), lowercase)
        )

    @property
    def n_types(self) -> int:
        """Distinct tokens seen so far."""
        return len(self._numbers)

    def encode(self, texts: Sequence[str]) -> Tokens:
        """Token numbers of the texts, in order."""
        index = _Numbers()
        which = np.fromiter(map(index.__getitem__, texts), dtype=np.int64, count=len(texts))
        if self._tokenizer.by_word:
            flat, offsets = self._words_of(index)
            ends = np.frombuffer(self._ends, dtype=np.int64)
            if len(self._pieces) != len(self._words) or np.any(np.diff(ends) != 1):
                pieces = np.frombuffer(self._pieces, dtype=np.int32)
                words = Tokens(pieces, ends)
                lengths = words.lengths[flat]
                flat = _gather(words, flat)
                offsets = _ends(lengths)[offsets]
            else:
                flat = np.frombuffer(self._pieces, dtype=np.int32)[flat]
        else:
            flat, offsets = self._tokens_of(index)
        distinct = Tokens(flat, offsets)
        if len(index) == len(texts):
            return distinct
        return Tokens(_gather(distinct, which), _ends(distinct.lengths[which]))

    def _words_of(self, texts: Iterable[str]) -> tuple[Array, Array]:
        words, ends = array("i"), array("q", [0])
        number, clean = self._words.__getitem__, self._tokenizer.clean
        for text in texts:
            words.extend(map(number, clean(text.lower() if self._lowercase else text).split()))
            ends.append(len(words))
        return np.frombuffer(words, dtype=np.int32), np.frombuffer(ends, dtype=np.int64)

    def _tokens_of(self, texts: Iterable[str]) -> tuple[Array, Array]:
        ids, ends = array("i"), array("q", [0])
        number, tokenizer = self._numbers.__getitem__, self._tokenizer
        for text in texts:
            cleaned = tokenizer.clean(text.lower() if self._lowercase else text)
            ids.extend(map(number, tokenizer.tokens(cleaned)))
            ends.append(len(ids))
        return np.frombuffer(ids, dtype=np.int32), np.frombuffer(ends, dtype=np.int64)

    def _add_word(self, word: str) -> None:
        self._pieces.extend(map(self._numbers.__getitem__, self._tokenizer.tokens(word)))
        self._ends.append(len(self._pieces))

    def ngram_types(self, tokens: Tokens, n: int, *, concat: bool = False) -> tuple[Array, Array]:
        """The text and the type number of every n-gram, both of shape (n_ngrams,).

        With ``concat`` an n-gram is the string of its tokens without a separator, so that ("a", "bout") and
        ("ab", "out") are one type, as EmpDG's script counts them.
        """
        lengths = tokens.lengths
        text = np.repeat(np.arange(len(tokens), dtype=np.int32), lengths)
        left = np.repeat(tokens.offsets[1:], lengths) - np.arange(len(tokens.ids))
        at = np.arange(len(tokens.ids))
        types = tokens.ids.astype(np.int64)
        for k in range(2, n + 1):
            if k > 2:
                types = self._number_pairs(types)
            keep = left[at] >= k
            at, types = at[keep], types[keep]
            types = (types << 32) | tokens.ids[at + k - 1]
        if concat and n > 1:
            types = self._number_joined(types, tokens.ids, at, n)
        return text[at], types

    def _number_pairs(self, pairs: Array) -> Array:
        distinct, inverse = np.unique(pairs, return_inverse=True)
        numbers = map(self._pairs.__getitem__, distinct.tolist())
        return np.fromiter(numbers, dtype=np.int64, count=len(distinct))[inverse]

    def _number_joined(self, types: Array, ids: Array, at: Array, n: int) -> Array:
        _, first, inverse = np.unique(types, return_index=True, return_inverse=True)
        tokens = list(self._numbers)
        strings = ("".join(tokens[ids[i + k]] for k in range(n)) for i in at[first].tolist())
        numbers = map(self._joined.__getitem__, strings)
        return np.fromiter(numbers, dtype=np.int64, count=len(first))[inverse]


def hypothesis_tokens(
    corpus: Corpus, outputs: SystemOutputs, tokenize: str, lowercase: bool = False
) -> Tokens:
    """The hypotheses of a system as token numbers, computed once."""
    encoder = Encoder.of(corpus, tokenize, lowercase)
    # the key holds the encoder itself, whose id another one could take once it is gone
    return outputs.derived(("tokens", encoder), lambda: encoder.encode(outputs.hypotheses))


def type_stats(
    corpus: Corpus, outputs: SystemOutputs, *, n: int, tokenize: str, concat: bool = False
) -> TypeStats:
    """Which n-grams occur in which response."""
    tokens = hypothesis_tokens(corpus, outputs, tokenize)
    units, types = Encoder.of(corpus, tokenize).ngram_types(tokens, n, concat=concat)
    return TypeStats.of(units, types, n_units=len(corpus))


def whole_responses(corpus: Corpus, outputs: SystemOutputs) -> TypeStats:
    """Which response, as a whole and without blanks at its ends, answers which segment, if not empty."""
    numbers = corpus.derived("responses", _Numbers)
    given = [(unit, text) for unit, text in enumerate(map(str.strip, outputs.hypotheses)) if text]
    units = np.fromiter((unit for unit, _ in given), dtype=np.int64, count=len(given))
    types = np.fromiter((numbers[text] for _, text in given), dtype=np.int64, count=len(given))
    return TypeStats.of(units, types, n_units=len(corpus))


def bleu_stats(
    corpus: Corpus, outputs: SystemOutputs, tokenize: str, lowercase: bool = False
) -> SegmentStats:
    """Lengths, clipped n-gram matches and n-gram totals of every segment, for orders 1 to 4.

    Clipping follows Papineni et al. (2002): a match counts at most as often as in the reference that holds
    it most often; the reference length is the one closest to the hypothesis, the shorter one in a tie.
    """

    def compute() -> SegmentStats:
        references = corpus.derived(
            ("reference tokens", tokenize, lowercase),
            lambda: _encode_references(corpus, tokenize, lowercase),
        )
        hypotheses = hypothesis_tokens(corpus, outputs, tokenize, lowercase)
        return SegmentStats(_bleu_rows(hypotheses, *references), BLEU_COLUMNS)

    return outputs.derived(("bleu", Encoder.of(corpus, tokenize, lowercase)), compute)


def _encode_references(corpus: Corpus, tokenize: str, lowercase: bool) -> tuple[Tokens, Array]:
    assert corpus.references is not None
    ends = _ends(np.fromiter(map(len, corpus.references), dtype=np.int64, count=len(corpus)))
    texts = [text for texts in corpus.references for text in texts]
    return Encoder.of(corpus, tokenize, lowercase).encode(texts), ends


def _bleu_rows(hypotheses: Tokens, references: Tokens, ends: Array) -> Array:
    """``references`` holds all texts in segment order; segment i owns texts ends[i] to ends[i + 1]."""
    n_segments = len(hypotheses)
    rows = np.zeros((n_segments, len(BLEU_COLUMNS)), dtype=np.int32)
    rows[:, 0] = hypotheses.lengths
    rows[:, 1] = _closest_lengths(hypotheses.lengths, references.lengths, ends)
    for n in range(1, MAX_ORDER + 1):
        rows[:, 1 + MAX_ORDER + n] = np.maximum(hypotheses.lengths - (n - 1), 0)
    cost = hypotheses.offsets[1:] + references.offsets[ends[1:]]
    start = 0
    while start < n_segments:
        done = cost[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(cost, done + _BLOCK_TOKENS, side="right")))
        block_ends = ends[start : stop + 1]
        rows[start:stop, 2 : 2 + MAX_ORDER] = _matches(
            hypotheses.slice(start, stop),
            references.slice(int(block_ends[0]), int(block_ends[-1])),
            block_ends - block_ends[0],
        )
        start = stop
    return rows


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


def _matches(hypotheses: Tokens, references: Tokens, ends: Array) -> Array:
    """Clipped matches, shape (n_segments, MAX_ORDER), of one block of segments."""
    n_segments, counts = len(hypotheses), np.diff(ends)
    reference_owner = np.repeat(np.arange(n_segments), counts)
    copy = np.arange(len(references)) - np.repeat(ends[:-1], counts)
    token = np.concatenate([hypotheses.ids, references.ids]).astype(np.int64)
    lengths = np.concatenate([hypotheses.lengths, references.lengths])
    segment = np.repeat(np.concatenate([np.arange(n_segments), reference_owner]), lengths)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(token))
    # side 0 is the hypothesis, side 1 + k the k-th reference
    side = np.repeat(np.concatenate([np.zeros(n_segments, dtype=np.int64), 1 + copy]), lengths)
    n_sides = int(counts.max(initial=0)) + 1
    matches = np.zeros((n_segments, MAX_ORDER), dtype=np.int64)
    at = np.arange(len(token))
    gram = segment
    for order in range(MAX_ORDER):
        gram, n_grams = _number(gram, token[at + order])
        counted = np.bincount(gram * n_sides + side[at], minlength=n_grams * n_sides).reshape(-1, n_sides)
        clipped = np.minimum(counted[:, 0], counted[:, 1:].max(axis=1, initial=0))
        owner = np.zeros(n_grams, dtype=np.int64)
        owner[gram] = segment[at]
        matches[:, order] = np.bincount(owner, weights=clipped, minlength=n_segments)
        # a longer n-gram can only match where this one does
        keep = (clipped > 0)[gram] & (left[at] > order + 1)
        at, gram = at[keep], gram[keep]
        if not len(at):
            break
    return matches


def _number(first: Array, second: Array) -> tuple[Array, int]:
    """Number the pairs (first, second) densely; equal pairs get equal numbers."""
    n = len(first)
    if not n:
        return first, 0
    position_bits = n.bit_length()
    width = int(second.max()).bit_length()
    pair = (first << width) | second
    if int(first.max()).bit_length() + width + position_bits < 63:
        # sorting values is faster than sorting their positions, so the position rides in the low bits
        pair = (pair << position_bits) | np.arange(n)
        pair.sort()
        order = pair & ((1 << position_bits) - 1)
        pair >>= position_bits
    else:
        order = np.argsort(pair, kind="stable")
        pair = pair[order]
    new = np.empty(n, dtype=np.int64)
    new[0] = 0
    np.not_equal(pair[1:], pair[:-1], out=new[1:], casting="unsafe")
    ranks = np.cumsum(new)
    numbers = np.empty(n, dtype=np.int64)
    numbers[order] = ranks
    return numbers, int(ranks[-1]) + 1


def _ends(lengths: Array) -> Array:
    ends = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ends[1:])
    return ends


def _gather(tokens: Tokens, which: Array) -> Array:
    """The token numbers of the texts ``which``, one text after the other."""
    lengths = tokens.lengths[which]
    ends = _ends(lengths)
    at = np.repeat(tokens.offsets[which] - ends[:-1], lengths)
    at += np.arange(int(ends[-1]))
    gathered: Array = tokens.ids[at]
    return gathered
