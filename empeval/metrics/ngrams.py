"""Shared integer tokenisation and exact n-gram counts.

Each distinct text is tokenised once, each distinct word once where the tokenizer allows it, and n-grams
are compared as integers. Nothing is hashed: two n-grams have one number exactly if they are equal.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics._clipped import BLEU_COLUMNS, MAX_ORDER, bleu_rows
from empeval.metrics._tokens import BLOCK_TOKENS, Tokens, blocks, ends_of, gather
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

_BATCH_TEXTS = 4096
# From here on loading Arrow pays.
_LARGE = 20_000
#: Python cuts at these, Arrow does not.
_RARE_BLANKS = ("\x1c", "\x1d", "\x1e", "\x1f")


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
                flat = gather(words, flat)
                offsets = ends_of(lengths)[offsets]
            else:
                flat = np.frombuffer(self._pieces, dtype=np.int32)[flat]
        else:
            flat, offsets = self._tokens_of(index)
        distinct = Tokens(flat, offsets)
        if len(index) == len(texts):
            return distinct
        return Tokens(gather(distinct, which), ends_of(distinct.lengths[which]))

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
        return np.frombuffer(words, dtype=np.int32), ends_of(np.frombuffer(lengths, dtype=np.int32))

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
        ends = ends_of(kept)[lists.offsets.to_numpy()]
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
        parts = [
            self._types_of(tokens.slice(start, stop), n, concat=concat, first=start)
            for start, stop in blocks(tokens.offsets, BLOCK_TOKENS)
        ]
        units, types = zip(*parts, strict=True) if parts else ([], [])
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
        return SegmentStats(bleu_rows(hypotheses, *references), BLEU_COLUMNS)

    return outputs.derived(("bleu", Encoder.of(corpus, tokenize, lowercase)), compute)


def _encode_references(corpus: Corpus, tokenize: str, lowercase: bool) -> tuple[Tokens, Array]:
    assert corpus.references is not None
    ends = ends_of(np.fromiter(map(len, corpus.references), dtype=np.int64, count=len(corpus)))
    texts = [text for texts in corpus.references for text in texts]
    return Encoder.of(corpus, tokenize, lowercase).encode(texts), ends
