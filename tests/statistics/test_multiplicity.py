"""Holm's correction against published values, and the cuts between tiers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.statistics.multiplicity import holm, tiers

P_VALUES = st.lists(st.floats(0, 1) | st.none(), max_size=8)


def test_holm_on_the_example_of_benjamini_and_hochberg() -> None:
    """Fifteen p-values of Benjamini and Hochberg (1995); R 4, p.adjust(method = "holm")."""
    p = [
        *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
        *(0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1.0),
    ]
    expected = [0.0015, 0.0056, 0.0247, 0.114, 0.2211, 0.278, 0.278, 0.278, 0.3213, 1, 1, 1, 1, 1, 1]
    assert expected == pytest.approx(holm(p), abs=1e-9)
    assert 3 == sum(adjusted <= 0.05 for adjusted in holm(p))


@given(P_VALUES, st.randoms(use_true_random=False))
def test_holm_follows_its_values_not_their_order(p, random) -> None:
    """Shuffled p-values get the same corrections; an undefined one stays so and counts for nothing."""
    order = list(range(len(p)))
    random.shuffle(order)
    assert [holm(p)[i] for i in order] == holm([p[i] for i in order])
    assert holm([value for value in p if value is not None]) == [
        value for value in holm(p) if value is not None
    ]
    assert [value is None for value in p] == [value is None for value in holm(p)]


@given(P_VALUES)
def test_holm_lies_between_no_correction_and_bonferroni(p) -> None:
    """Never below the p-value, never above Bonferroni's or 1, and in the order of the p-values."""
    defined = [value for value in p if value is not None]
    adjusted = [value for value in holm(p) if value is not None]
    for raw, corrected in zip(defined, adjusted, strict=True):
        assert raw <= corrected <= min(1.0, len(defined) * raw)
    in_order = [corrected for _, corrected in sorted(zip(defined, adjusted, strict=True))]
    assert in_order == sorted(in_order)


def test_tiers_of_wmt() -> None:
    """A cut stands where every system above beats every system below (the convention of WMT)."""
    better = {("A", "C"), ("A", "D"), ("B", "C"), ("B", "D"), ("C", "D")}
    assert [["A", "B"], ["C"], ["D"]] == tiers(["A", "B", "C", "D"], better)
    assert [["A", "B", "C", "D"]] == tiers(["A", "B", "C", "D"], better - {("A", "D")} - {("C", "D")})


def test_tiers_of_little() -> None:
    """Without wins all are in one tier; without systems there is none."""
    assert [["A", "B"]] == tiers(["A", "B"], set())
    assert [["A"]] == tiers(["A"], set())
    assert [] == tiers([], set())
