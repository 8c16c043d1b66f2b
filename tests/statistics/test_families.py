"""Corrections for many comparisons, letters, ranges of ranks and equivalence, against published values."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from empeval.statistics.equivalence import equivalence_test
from empeval.statistics.letters import compact_letters, rank_ranges
from empeval.statistics.means import MeanResult
from empeval.statistics.multiplicity import Correction, adjust, tiers

#: Benjamini and Hochberg (1995); the adjusted values are those of R's p.adjust.
P_VALUES = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
    *(0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1.0),
]
ADJUSTED: dict[Correction, list[float]] = {
    "bh": [
        *(0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.06385714285714, 0.06385714285714, 0.0645, 0.0765),
        *(0.486, 0.5811818181818, 0.714875, 0.7532307692308, 0.8132142857143, 1),
    ],
    "bonferroni": [0.0015, 0.006, 0.0285, 0.1425, 0.3015, 0.417, 0.447, 0.516, 0.6885, 1, 1, 1, 1, 1, 1],
    "by": [
        *(0.004977343489843, 0.009954686979687, 0.03152317543568, 0.1182119078838, 0.2000892082917),
        *(0.2118926228533, 0.2118926228533, 0.2140257700633, 0.253844517982, 1, 1, 1, 1, 1, 1),
    ],
    "holm": [0.0015, 0.0056, 0.0247, 0.114, 0.2211, 0.278, 0.278, 0.278, 0.3213, 1, 1, 1, 1, 1, 1],
    "hommel": [
        *(0.0015, 0.0056, 0.0247, 0.095, 0.1608, 0.1946, 0.2086, 0.2408, 0.3213),
        *(0.759, 0.759, 0.759, 0.759, 0.759, 1),
    ],
}
NAMES: dict[Correction, str] = {
    "bh": "fdr_bh",
    "bonferroni": "bonferroni",
    "by": "fdr_by",
    "holm": "holm",
    "hommel": "hommel",
}


@pytest.mark.parametrize("correction", ["bh", "bonferroni", "by", "holm"])
def test_corrections_are_rs(correction: Correction) -> None:
    """The published family of fifteen, in order and shuffled."""
    assert adjust(P_VALUES, correction) == pytest.approx(ADJUSTED[correction], abs=1e-9)
    order = np.random.default_rng(2).permutation(15)
    shuffled = adjust([P_VALUES[i] for i in order], correction)
    assert shuffled == pytest.approx([ADJUSTED[correction][i] for i in order], abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.sampled_from(sorted(NAMES)))
def test_corrections_are_statsmodels(p_values: list[float], correction: Correction) -> None:
    """Any family agrees with statsmodels."""
    expected = multipletests(p_values, method=NAMES[correction])[1]
    assert adjust(p_values, correction) == pytest.approx(expected.tolist(), abs=1e-12)


@pytest.mark.parametrize("correction", sorted(NAMES))
def test_an_undefined_p_value_neither_spreads_nor_counts(correction: Correction) -> None:
    """statsmodels turns a whole family to NaN for one under BH, and counts it under Holm."""
    assert adjust([0.01, None, 0.02], correction) == [
        adjust([0.01, 0.02], correction)[0],
        None,
        adjust([0.01, 0.02], correction)[1],
    ]
    assert adjust([None, None], correction) == [None, None]
    assert adjust([], correction) == []


def test_letters_of_piephos_rule() -> None:
    """R's multcompView gives A a, B b, C bc, D ac for this family, up to the names of letters."""
    found = compact_letters(["A", "B", "C", "D"], {("A", "B"), ("A", "C"), ("B", "D")})
    assert {name: len(letters) for name, letters in found.items()} == {"A": 1, "B": 1, "C": 2, "D": 2}
    assert set(found["A"]) & set(found["D"])
    assert set(found["B"]) & set(found["C"])


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_systems_share_a_letter_if_and_only_if_they_are_not_told_apart(data: st.DataObject) -> None:
    """The rule holds for any set of significant pairs, with as few columns as insert and absorb leaves."""
    names = list("pqrstu")
    different = {pair for pair in combinations(names, 2) if data.draw(st.booleans())}
    found = compact_letters(names, different)
    for pair in combinations(names, 2):
        assert bool(set(found[pair[0]]) & set(found[pair[1]])) == (pair not in different)


def test_clusters_and_rank_ranges_are_those_of_wmt() -> None:
    """A cut where every system above beats every one below; ranks by systems better and worse."""
    better = {("A", "C"), ("A", "D"), ("B", "C"), ("B", "D"), ("C", "D")}
    assert tiers(["A", "B", "C", "D"], better) == [["A", "B"], ["C"], ["D"]]
    expected = {"A": (1, 2), "B": (1, 2), "C": (3, 3), "D": (4, 4)}
    assert rank_ranges(["A", "B", "C", "D"], better) == expected


def test_equivalence_needs_the_interval_inside_the_margin() -> None:
    """At α = 5 % the 90 % interval decides: 0.02 ± 1.684 · 0.05 lies within 0.2 and not within 0.1."""
    difference = MeanResult(0.02, 0.05, 40.0)
    wide, narrow = equivalence_test(difference, 0.2), equivalence_test(difference, 0.1)
    assert (wide.within, narrow.within) == (True, False)
    assert wide.interval is not None
    assert (wide.interval.low, wide.interval.high) == pytest.approx((-0.0642, 0.1042), abs=1e-4)
    assert equivalence_test(MeanResult(None, status="no_judgments"), 0.2).within is None
