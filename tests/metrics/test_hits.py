"""hits@k among each segment's own candidates."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics import METRICS
from empeval.metrics.hits import Hits

untimed = settings(deadline=None)  # libraries load on first use


def data(scores: list[list[float] | None]) -> tuple[Corpus, SystemOutputs]:
    """As many segments, with one system's candidate scores, the gold first."""
    corpus = Corpus.build(ids=[f"s{i}" for i in range(len(scores))])
    return corpus, SystemOutputs.build("a", [""] * len(scores), ids=corpus.ids, candidate_scores=scores)


def score(metric: Hits, scores: list[list[float]]) -> float:
    """The score of these candidates."""
    return float(metric.aggregate(metric.segment_stats(*data([*scores])).totals()))


def test_rank_of_the_gold_response() -> None:
    """Gold ranks 1, 2, 3 and 3 among three candidates."""
    scores = [[3.0, 1.0, 2.0], [2.0, 3.0, 1.0], [1.0, 2.0, 3.0], [-5.0, -4.0, -3.0]]
    assert [25.0, 50.0, 100.0] == [score(Hits(k=k, candidates=3), scores) for k in (1, 2, 3)]


def test_ties_count_against_the_system() -> None:
    """A scorer that says the same of every candidate never ranks the gold one first."""
    constant = [[0.5] * 100] * 4
    assert [0.0, 0.0, 100.0] == [score(Hits(k=k), constant) for k in (1, 99, 100)]


def test_ties_are_reported() -> None:
    """How many segments were decided by that rule, and which."""
    scores: list[list[float] | None] = [[1.0, 1.0, 0.0], [2.0, 1.0, 1.0], [0.0, 0.0, 1.0]]
    (notice,) = Hits(candidates=3).notices(*data(scores))
    assert ("ties", 2, ("s0", "s2")) == (notice.code, notice.n, notice.ids)
    assert [] == Hits(candidates=2).notices(*data([[1.0, 0.0]]))


def test_infinite_scores_are_scores() -> None:
    """A candidate that is ruled out scores minus infinity."""
    assert 100.0 == score(Hits(candidates=3), [[0.0, -math.inf, -math.inf]])


@given(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=1), st.integers(1, 4))
@untimed
def test_rank_by_definition(scores: list[list[int]], k: int) -> None:
    """The gold rank is one more than the candidates that score at least as high."""
    hits = [sum(other >= row[0] for other in row[1:]) < k for row in scores]
    found = score(Hits(k=k, candidates=4), [[float(value) for value in row] for row in scores])
    assert pytest.approx(100 * sum(hits) / len(hits)) == found


def test_another_number_of_candidates_is_an_error() -> None:
    """P@1 among 20 is no P@1,100: the message names the first segment, its number, and what to ask for."""
    scores: list[list[float] | None] = [[0.0] * 100, [0.0] * 20]
    with pytest.raises(InputError, match=r"id 's1': system 'a' has 20 .* not 100; .*hits\(candidates=20\)"):
        Hits().segment_stats(*data(scores))


def test_scores_must_be_numbers() -> None:
    """A score that is not a number ranks nowhere."""
    with pytest.raises(InputError, match="id 's1': system 'a' has a candidate score that is not a number"):
        Hits(candidates=2).segment_stats(*data([[1.0, 0.0], [1.0, math.nan]]))


@pytest.mark.parametrize("text", ["hits(k=0)", "hits(k=101)", "hits(k=3,candidates=2)"])
def test_k_lies_among_the_candidates(text: str) -> None:
    """A rank outside the candidates cannot be asked for."""
    with pytest.raises(InputError, match="k must lie between 1 and the number of candidates"):
        METRICS.create(text)


def test_gaps_leave_the_score_undefined() -> None:
    """Segments without candidates give a reason instead of a score."""
    problem = Hits(candidates=2).problem(*data([[1.0, 0.0], None]))
    assert "missing_field: 1 of 2 segments have no candidate scores, the first is id 's1'" == problem
