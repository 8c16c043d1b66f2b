"""Clipped matches: both ways of counting agree with a count of strings, for texts of any length."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.metrics import _clipped
from empeval.metrics._clipped import MAX_ORDER, bleu_rows
from empeval.metrics._tokens import Tokens, ends_of

texts = st.lists(st.integers(0, 3), max_size=9) | st.lists(st.integers(0, 2), min_size=60, max_size=70)
segments = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=6)


def tokens(rows: list[list[int]]) -> Tokens:
    """Token numbers as the encoder gives them."""
    ids = np.array([token for row in rows for token in row], dtype=np.int32)
    return Tokens(ids, ends_of(np.array([len(row) for row in rows], dtype=np.int64)))


def counted(hypothesis: list[int], references: list[list[int]], n: int) -> int:
    """Papineni et al.'s definition: each n-gram counts at most as often as in the reference that has most."""

    def grams(text: list[int]) -> Counter:
        return Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))

    most: Counter = Counter()
    for reference in references:
        most |= grams(reference)
    return (grams(hypothesis) & most).total()


@given(segments)
@pytest.mark.parametrize("count", ["both", "_matches_by_sorting"])
def test_matches_are_counted_as_defined(count, made) -> None:
    """By bits where texts are short, by sorting where they are long, and by sorting throughout."""
    hypotheses, references = tokens([h for h, _ in made]), tokens([r for _, rs in made for r in rs])
    ends = ends_of(np.array([len(rs) for _, rs in made], dtype=np.int64))
    if count == "both":
        found = bleu_rows(hypotheses, references, ends)[:, 2 : 2 + MAX_ORDER]
    else:
        found = getattr(_clipped, count)(hypotheses, references, ends)
    expected = [[counted(h, rs, n) for n in range(1, MAX_ORDER + 1)] for h, rs in made]
    assert expected == found.tolist()


@pytest.mark.parametrize("n", [31, 32, 33, 63, 64, 65, 66])
def test_at_the_widths_of_words(n) -> None:
    """The last place of a text is the last bit of a word."""
    text = list(range(n))
    other = [*text[: n - 5], 999, *text[n - 4 :]]
    found = bleu_rows(tokens([text, other]), tokens([text, text]), np.array([0, 1, 2]))
    assert found[0, 2:6].tolist() == [n, n - 1, n - 2, n - 3]
    assert found[1, 2:6].tolist() == [n - 1, n - 3, n - 5, n - 7]
