"""Share of the commonest responses."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics.generic import Generic

TEXTS = st.sampled_from(["oh", "oh ", "Oh", "no", "that is great !", "", " "])


def stats_of(hypotheses: list[str], k: int):
    """The rows."""
    corpus = Corpus.build(references=[""] * len(hypotheses))
    return Generic(k=k).segment_stats(corpus, SystemOutputs.build("s", hypotheses))


def generic(hypotheses: list[str], k: int) -> float:
    """Our score."""
    return float(Generic(k=k).aggregate(stats_of(hypotheses, k).totals()))


def test_by_hand() -> None:
    """Of five responses that say something the commonest makes three, the two commonest four."""
    hypotheses = ["i see", "i see", "i see ", "oh", "no", ""]
    assert [60.0, 80.0, 100.0, 100.0] == [generic(hypotheses, k) for k in (1, 2, 3, 10)]


@given(st.lists(TEXTS, min_size=1, max_size=12), st.integers(1, 5))
def test_equal_to_a_counter(hypotheses, k) -> None:
    """Whole, and without each segment in turn."""

    def counted(texts: list[str]) -> float:
        said = Counter(text.strip() for text in texts if text.strip())
        return 100 * sum(n for _, n in said.most_common(k)) / said.total() if said else math.nan

    assert counted(hypotheses) == pytest.approx(generic(hypotheses, k), nan_ok=True)
    left_out = Generic(k=k).aggregate(stats_of(hypotheses, k).leave_one_out())
    expected = [counted(hypotheses[:i] + hypotheses[i + 1 :]) for i in range(len(hypotheses))]
    np.testing.assert_allclose(left_out, expected)


def test_k_must_be_positive() -> None:
    """The commonest none of the responses is no question."""
    with pytest.raises(InputError, match=r"generic\(k=0\): k must be at least 1"):
        Generic(k=0)


def test_lower_is_better() -> None:
    """Stock phrases are a fault."""
    assert Generic().higher_is_better is False
