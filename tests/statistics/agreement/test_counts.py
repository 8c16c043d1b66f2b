"""Ratings as counts, and the sign of a transposed table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.errors import InputError
from empeval.statistics.agreement.counts import coded, looks_transposed, ratings_from_counts
from empeval.statistics.design import Ratings

N = None


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), max_size=6))
def test_counts_come_back(counts) -> None:
    """Ratings made from counts have these counts."""
    found = coded(ratings_from_counts(counts), [1, 2, 3]).counts()
    assert [row for row in counts if sum(row)] == [row for row in found.tolist() if sum(row)]


def test_lists_hold_the_codes_of_each_unit() -> None:
    """Ascending, −1 after the last; units keep their places."""
    found = coded(Ratings.from_matrix([[5, 1], [N, N], [2, N]]))
    assert [[0, 2], [-1, -1], [1, -1]] == found.lists().tolist()


def test_fractions_and_large_numbers_are_categories_too() -> None:
    """Values are told apart by what they are, not by a narrow range of whole numbers."""
    assert [1e9, 2e9] == coded(Ratings.from_matrix([[1e9, 2e9]])).values.tolist()
    assert [0.5, 1.0] == coded(Ratings.from_matrix([[0.5, 1.0]])).values.tolist()
    assert [-2.0, 7.0] == coded(Ratings.from_matrix([[7, -2]])).values.tolist()


def test_a_rating_between_declared_categories() -> None:
    """Half points on a scale of whole ones are told."""
    with pytest.raises(InputError, match=r"the rating 2.5 is none of the declared categories \(1, 2, 3\)"):
        coded(Ratings.from_matrix([[1, 2.5]]), [1, 2, 3])


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([[1, 2, 3, 4, 5], [1, 2, 3, 4, N]], False),  # the last rater rated half of the units
        ([[1, 2, 3, 4, 5], [1, 2, 3, 4, 4]], True),
        ([[1, 2], [2, 2], [3, 2]], False),
        ([[1, 2], [2, 2]], False),
        ([[1], [2]], False),
        ([[1, N, N], [N, 1, 2]], False),
        ([], False),
    ],
)
def test_transposed_tables_look_it(table, expected) -> None:
    """More raters than units, and each rated nearly all."""
    assert expected == looks_transposed(Ratings.from_matrix(table))


def test_several_systems_are_several_units() -> None:
    """Few items with many systems and more raters than items are an ordinary study."""
    rows = [(i, s, r) for i in range(2) for s in "xyz" for r in range(4)]
    ratings = Ratings.of(
        [1] * len(rows),
        items=[i for i, _, _ in rows],
        systems=[s for _, s, _ in rows],
        raters=[r for *_, r in rows],
    )
    assert not looks_transposed(ratings)
