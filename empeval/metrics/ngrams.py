"""Shared integer tokenisation and exact n-gram counts.

Each distinct text is tokenised once, each distinct word once where the tokenizer allows it, and n-grams
are compared as integers. Nothing is hashed: two n-grams have one number exactly if they are equal.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
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
# Arrays of this length are sorted within the processor's cache.
_SORTED_TOKENS = 1 << 16
_BATCH_TEXTS = 4096
# From here on loading Arrow pays.
_LARGE = 20_000
#: Python cuts at these, Arrow does not.
_RARE_BLANKS = ("\x1c", "\x1d", "\x1e", "\x1f")


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


class _PairNumbers:
    """Numbers pairs of integers below 2^31, equal pairs alike, without a Python object for each."""

    def __init__(self) -> None:
        self._known = np.zeros(0, dtype=np.int64)
        self._number = np.zeros(0, dtype=np.int32)

    def of(self, first: Array, second: Array) -> Array:
        """The number of each pair (first[i], second[i])."""
        distinct, inverse = np.unique((first.astype(np.int64) << 32) | second, return_inverse=True)
        at = np.asarray(np.searchsorted(self._known, distinct))
        found = np.zeros(len(distinct), dtype=bool)
        inside = at < len(self._known)
        found[inside] = self._known[at[inside]] == distinct[inside]
        numbers = np.empty(len(distinct), dtype=np.int32)
        numbers[found] = self._number[at[found]]
        new = ~found
        numbers[new] = np.arange(len(self._known), len(self._known) + np.count_nonzero(new))
        self._known = np.insert(self._known, at[new], distinct[new])
        self._number = np.insert(self._number, at[new], numbers[new])
        named: Array = numbers[inverse]
        return named


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
        self._pairs = _PairNumbers()
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

    def _words_of(self, texts: Collection[str]) -> tuple[Array, Array]:
        words, lengths = array("i"), array("i")
        large = len(texts) >= _LARGE
        rest = iter(texts)
        # whole batches go through the built-in functions, which is what makes this fast
        while batch := list(islice(rest, _BATCH_TEXTS)):
            if self._lowercase:
                batch = list(map(str.lower, batch))
            signs = self._tokenizer.signs
            joined = "\0".join(batch)
            if any(sign in joined for sign in signs):
                batch = list(map(self._tokenizer.clean, batch))
            if large and all(map(str.isascii, batch)) and not any(blank in joined for blank in _RARE_BLANKS):
                found, counts = self._ascii_words(batch)
                words.frombytes(found.tobytes())
                lengths.frombytes(counts.tobytes())
                continue
            split = list(map(str.split, batch))
            lengths.extend(map(len, split))
            words.extend(map(self._words.__getitem__, chain.from_iterable(split)))
        return np.frombuffer(words, dtype=np.int32), _ends(np.frombuffer(lengths, dtype=np.int32))

    def _ascii_words(self, texts: Sequence[str]) -> tuple[Array, Array]:
        """The word numbers of plain texts, one after the other, and words per text, cut by Arrow."""
        import pyarrow as pa
        import pyarrow.compute as pc

        lists = pc.ascii_split_whitespace(pa.array(texts))
        encoded = lists.flatten().dictionary_encode()
        # blanks at the ends of a text leave empty words, which Python's split does not give
        names = encoded.dictionary.to_pylist()
        numbers = np.fromiter(
            (self._words[name] if name else -1 for name in names), dtype=np.int32, count=len(names)
        )
        words = numbers[encoded.indices.to_numpy()]
        kept = words >= 0
        ends = _ends(kept)[lists.offsets.to_numpy()]
        return words[kept], np.diff(ends).astype(np.int32)

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
        blocks = [
            self._types_of(tokens.slice(start, stop), n, concat=concat, first=start)
            for start, stop in _blocks(tokens.offsets, _BLOCK_TOKENS)
        ]
        units, types = zip(*blocks, strict=True) if blocks else ([], [])
        none = np.zeros(0, dtype=np.int32)
        return np.concatenate([none, *units]), np.concatenate([none, *types])

    def _types_of(self, tokens: Tokens, n: int, *, concat: bool, first: int) -> tuple[Array, Array]:
        """The same for some texts, which are numbered from ``first``."""
        lengths = tokens.lengths
        text = np.repeat(np.arange(first, first + len(tokens), dtype=np.int32), lengths)
        left = np.repeat(tokens.offsets[1:], lengths) - np.arange(len(tokens.ids))
        at = np.arange(len(tokens.ids))
        types = tokens.ids
        for k in range(2, n + 1):
            keep = left[at] >= k
            at, types = at[keep], types[keep]
            types = self._pairs.of(types, tokens.ids[at + k - 1])
        if concat and n > 1:
            types = self._number_joined(types, tokens.ids, at, n)
        return text[at], types

    def _number_joined(self, types: Array, ids: Array, at: Array, n: int) -> Array:
        _, first, inverse = np.unique(types, return_index=True, return_inverse=True)
        tokens = list(self._numbers)
        strings = ("".join(tokens[ids[i + k]] for k in range(n)) for i in at[first].tolist())
        numbers = map(self._joined.__getitem__, strings)
        return np.fromiter(numbers, dtype=np.int32, count=len(first))[inverse]


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
    found = Encoder.of(corpus, tokenize).ngram_types(tokens, n, concat=concat)
    return TypeStats.of(*found, n_units=len(corpus))


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
        # the rows are remembered, so the tokens need not be
        hypotheses = Encoder.of(corpus, tokenize, lowercase).encode(outputs.hypotheses)
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
    for start, stop in _blocks(hypotheses.offsets + references.offsets[ends], _SORTED_TOKENS):
        block_ends = ends[start : stop + 1]
        rows[start:stop, 2 : 2 + MAX_ORDER] = _matches(
            hypotheses.slice(start, stop),
            references.slice(int(block_ends[0]), int(block_ends[-1])),
            block_ends - block_ends[0],
        )
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


def _ends(lengths: Array) -> Array:
    ends = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ends[1:])
    return ends


def _gather(tokens: Tokens, which: Array) -> Array:
    """The token numbers of the texts ``which``, one text after the other."""
    ends = _ends(tokens.lengths[which])
    gathered = np.empty(int(ends[-1]), dtype=tokens.ids.dtype)
    for start, stop in _blocks(ends, _BLOCK_TOKENS):
        lengths = tokens.lengths[which[start:stop]]
        at = np.repeat(tokens.offsets[which[start:stop]] - (ends[start:stop] - ends[start]), lengths)
        at += np.arange(len(at))
        gathered[ends[start] : ends[stop]] = tokens.ids[at]
    return gathered


def _blocks(ends: Array, size: int) -> Iterator[tuple[int, int]]:
    """Cut rows, whose costs add up to ``ends``, into runs that cost about ``size``, of one row at least."""
    start, n = 0, len(ends) - 1
    while start < n:
        stop = int(np.searchsorted(ends, ends[start] + size, side="right")) - 1
        stop = min(max(stop, start + 1), n)
        yield start, stop
        start = stop
