"""Swapped totals of types against the enumeration of every swap with sets and counters."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.statistics.resampling import Resampler
from empeval.statistics.segments import TypeStats
from empeval.statistics.typeswaps import count_bits, swapped_type_totals
from empeval.statistics.weights import bits, swap_words

Units = list[list[int]]


def units_of(n: int) -> st.SearchStrategy[Units]:
    """What each of n units holds: a few of a few types, so that systems share some."""
    return st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=n, max_size=n)


def types_of(units: Units, top: int | None) -> TypeStats:
    """The same as statistics."""
    pairs = np.array([(unit, number) for unit, held in enumerate(units) for number in held], dtype=np.int64)
    unit, number = pairs.reshape(-1, 2).T
    return TypeStats.of(unit, number, n_units=len(units), top=top)


def counted(chosen: list[list[int]], top: int | None) -> list[int]:
    """The two totals of a pseudo-system, by hand."""
    counts = Counter(number for held in chosen for number in held)
    first = len(counts) if top is None else sum(n for _, n in counts.most_common(top))
    return [first, counts.total()]


def swapped(a: Units, b: Units, kept: np.ndarray, top: int | None) -> tuple[list[list[int]], list[list[int]]]:
    """Totals of both pseudo-systems, one row a resample, where ``kept`` has shape (n_units, n_resamples)."""
    first = [counted([a[u] if k else b[u] for u, k in enumerate(row)], top) for row in kept.T]
    second = [counted([b[u] if k else a[u] for u, k in enumerate(row)], top) for row in kept.T]
    return first, second


@given(
    st.integers(1, 5).flatmap(lambda n: st.lists(units_of(n), min_size=2, max_size=3)),
    st.none() | st.integers(1, 3),
)
def test_every_swap_of_every_pair(systems, top) -> None:
    """All 2^n swaps of few units, for each pair of the systems."""
    n = len(systems[0])
    resampler = Resampler(np.arange(n, dtype=np.uint64))
    kept = np.array([[swap >> unit & 1 for swap in range(2**n)] for unit in range(n)])
    pairs = [(a, b) for a in range(len(systems)) for b in range(a + 1, len(systems))]
    stats = [types_of(units, top) for units in systems]
    found = list(next(resampler.swapped_totals([stats], pairs, 1000)))
    for (a, b), (first, second) in zip(pairs, found, strict=True):
        assert swapped(systems[a], systems[b], kept, top) == (first.tolist(), second.tolist())


@pytest.mark.parametrize("top", [None, 3])
@pytest.mark.parametrize("n_swaps", [1, 63, 64, 1000, 1100])
def test_drawn_swaps(top, n_swaps) -> None:
    """More resamples than one word, or one pass over the words, holds."""
    rng = np.random.default_rng(n_swaps)
    a, b = ([rng.zipf(1.5, rng.integers(0, 6)).tolist() for _ in range(30)] for _ in range(2))
    words = swap_words(np.arange(30, dtype=np.uint64), 0, n_swaps)
    first, second = next(swapped_type_totals([types_of(a, top), types_of(b, top)], [(0, 1)], words, n_swaps))
    assert swapped(a, b, bits(words, n_swaps), top) == (first.tolist(), second.tolist())


def test_more_types_and_units_than_one_pass_holds() -> None:
    """Both are taken in blocks (of 131,072 and of 2,048 here), and the blocks add up."""
    rng = np.random.default_rng(5)
    n_units, n_swaps = 2500, 5
    words = swap_words(np.arange(n_units, dtype=np.uint64), 0, n_swaps)
    a, b = rng.integers(0, 400_000, (2, n_units, 80))
    stats = [
        TypeStats.of(np.repeat(np.arange(n_units), 80), held.ravel(), n_units=n_units) for held in (a, b)
    ]
    first, second = next(swapped_type_totals(stats, [(0, 1)], words, n_swaps))
    for r, kept in enumerate(bits(words, n_swaps).T.astype(bool)):
        assert [len(np.unique(np.where(kept[:, None], a, b))), a.size] == first[r].tolist()
        assert [len(np.unique(np.where(kept[:, None], b, a))), a.size] == second[r].tolist()


def test_a_type_of_every_unit_is_always_there() -> None:
    """It stays in both pseudo-systems; a type that one system alone has in one unit is in one of the two."""
    words = swap_words(np.arange(500, dtype=np.uint64), 0, 1000)
    stats = [types_of([[0]] * 500, None), types_of([[0]] * 499 + [[1]], None)]
    first, second = next(swapped_type_totals(stats, [(0, 1)], words, 1000))
    assert np.all(first[:, 0] + second[:, 0] == 3)
    assert 400 < np.count_nonzero(first[:, 0] == 2) < 600


def test_commonest_types_need_not_be_common_in_either_system() -> None:
    """A pseudo-system may collect a type that was rare in both: candidates are added until it is found."""
    n = 12
    # a hundred types occur ten times in one unit of both systems, so ten times in every pseudo-system;
    # type 0 occurs eight times in each, and sixteen times where unit 0 is kept and unit 1 swapped
    a: Units = [[number for number in range(1, 101) if number % n == u for _ in range(10)] for u in range(n)]
    b: Units = [list(held) for held in a]
    a[0] += [0] * 8
    b[1] += [0] * 8
    resampler = Resampler(np.arange(n, dtype=np.uint64))
    kept = np.array([[swap >> unit & 1 for swap in range(2**n)] for unit in range(n)])
    first, second = next(next(resampler.swapped_totals([[types_of(a, 1), types_of(b, 1)]], [(0, 1)], 0)))
    assert np.array_equal(np.where((kept[0] == 1) & (kept[1] == 0), 16, 10), first[:, 0])
    assert np.array_equal(np.where((kept[0] == 0) & (kept[1] == 1), 16, 10), second[:, 0])


@settings(max_examples=50)
@given(st.integers(0, 40), st.integers(1, 3), st.integers(0, 2**32))
def test_counting_bits_by_carry_save_addition(n_rows, n_words, seed) -> None:
    """As adding up the unpacked bits."""
    rows = np.random.default_rng(seed).integers(0, 2**64, (n_rows, n_words), dtype=np.uint64)
    assert bits(rows, 64 * n_words).sum(axis=0).tolist() == count_bits(rows).tolist()
