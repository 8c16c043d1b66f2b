"""Share of distinct responses."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics.unique import Unique

TEXTS = st.sampled_from(["oh", "oh ", " oh", "Oh", "oh no", "oh  no", "", " ", "\n"])


def unique(hypotheses: list[str]) -> float:
    """Our score."""
    metric, corpus = Unique(), Corpus.build(references=[""] * len(hypotheses))
    return float(
        metric.aggregate(metric.segment_stats(corpus, SystemOutputs.build("s", hypotheses)).totals())
    )


def test_by_hand() -> None:
    """Blanks at the ends make no response another one, case and blanks inside do; silence is left out."""
    assert 75.0 == unique(["oh no", " oh no\n", "Oh no", "oh  no", "", " "])


@given(st.lists(TEXTS, min_size=1, max_size=9))
def test_equal_to_a_set(hypotheses) -> None:
    """Distinct among non-empty ones."""
    said = [text.strip() for text in hypotheses if text.strip()]
    expected = 100 * len(set(said)) / len(said) if said else math.nan
    assert expected == pytest.approx(unique(hypotheses), nan_ok=True)
