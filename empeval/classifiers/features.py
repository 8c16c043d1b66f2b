"""Words and pairs of words as numbers: TF-IDF."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from empeval.classifiers.base import Array

__all__ = ["MAX_FEATURES", "MIN_TEXTS", "TOKEN", "Features", "ngrams"]

#: A word, with the apostrophes inside it, or any other single mark, so that "!" and emoji count.
TOKEN = r"\w+(?:['’]\w+)*|[^\w\s]"
#: An n-gram is a feature if it stands in at least so many texts …
MIN_TEXTS = 2
#: … and is among so many that stand in most.
MAX_FEATURES = 30_000

_TOKEN = re.compile(TOKEN)


def ngrams(text: str) -> list[str]:
    """The words of a text, in lower case, and its pairs of neighbouring words.

    >>> ngrams("I don't know!")
    ['i', "don't", 'know', '!', "i don't", "don't know", 'know !']
    """
    words = _TOKEN.findall(text.lower())
    return [*words, *(f"{one} {other}" for one, other in pairwise(words))]


@dataclass(frozen=True, eq=False)
class Features:
    """The n-grams that count, numbered, and how much each weighs.

    ``weights`` holds the inverse document frequencies, shape (n_features,).
    """

    numbers: Mapping[str, int]
    weights: Array

    @classmethod
    def of(cls, texts: Sequence[str]) -> Features:
        """Those of a training set; of n-grams in equally many texts the first in the alphabet are kept.

        The weight of an n-gram in d of n texts is ln((1 + n) / (1 + d)) + 1.
        """
        n_texts = Counter(gram for text in texts for gram in set(ngrams(text)))
        ranked = sorted((-n, gram) for gram, n in n_texts.items() if n >= MIN_TEXTS)
        kept = sorted(gram for _, gram in ranked[:MAX_FEATURES])
        counts = np.array([n_texts[gram] for gram in kept], dtype=np.float64)
        return cls({gram: i for i, gram in enumerate(kept)}, np.log((1 + len(texts)) / (1 + counts)) + 1)

    def matrix(self, texts: Sequence[str]) -> Any:
        """Sparse rows of length 1, shape (n_texts, n_features); a text without any feature has zeros.

        The value before scaling is (1 + ln count) · weight (Salton and Buckley, 1988).
        """
        from scipy.sparse import csr_array

        columns: list[int] = []
        counts: list[int] = []
        starts = [0]
        for text in texts:
            found = Counter(n for gram in ngrams(text) if (n := self.numbers.get(gram)) is not None)
            for number in sorted(found):
                columns.append(number)
                counts.append(found[number])
            starts.append(len(columns))
        values = (1 + np.log(np.array(counts, dtype=np.float64))) * self.weights[columns]
        squares = np.add.reduceat([*values**2, 0.0], starts[:-1]) if texts else np.zeros(0)
        sizes = np.diff(starts)
        # where a row is empty, reduceat gives the value that follows
        lengths = np.sqrt(np.where(sizes > 0, squares, 1.0))
        shape = (len(texts), len(self.weights))
        return csr_array((values / np.repeat(lengths, sizes), columns, starts), shape=shape)
