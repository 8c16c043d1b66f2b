"""ROUGE against values worked by hand and the rouge-score package."""

from __future__ import annotations

from importlib import metadata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics import METRICS

untimed = settings(deadline=None)  # libraries load on first use
KINDS = ["l", "1", "2"]
TEXTS = st.lists(st.sampled_from(["oh", "no", "That's", "great", "!", "sorry", "ça"]), max_size=6).map(
    " ".join
)


def score(kind: str, hypotheses: list[str], references: list[list[str]]) -> float:
    """Our score of this kind."""
    metric = METRICS.create(f"rouge(kind={kind})")
    stats = metric.segment_stats(Corpus.build(references=references), SystemOutputs.build("a", hypotheses))
    return float(metric.aggregate(stats.totals()))


def test_worked_by_hand() -> None:
    """The example of Lin (2004), section 3: LCS of 3 in 4 words, 4 shared words, 1 shared pair of 3."""
    reference = [["police killed the gunman"]]
    assert 75.0 == score("l", ["police kill the gunman"], reference)
    assert 50.0 == score("l", ["the gunman kill police"], reference)
    assert 75.0 == score("1", ["the gunman kill police"], reference)
    assert pytest.approx(100 / 3) == score("2", ["the gunman kill police"], reference)


def test_default_is_the_longest_common_subsequence() -> None:
    """``rouge`` alone is ROUGE-L."""
    assert ("rouge", "rouge(kind=1)") == (METRICS.create("rouge").spec, METRICS.create("rouge(kind=1)").spec)
    assert METRICS.create("rouge(kind=l)") == METRICS.create("rouge")


@pytest.mark.parametrize("kind", KINDS)
@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=6))
@untimed
def test_mean_of_the_package_over_segments(kind: str, segments: list[tuple[str, list[str]]]) -> None:
    """Each segment counts with its best reference, empty texts with 0."""
    name = f"rouge{kind.upper()}"
    scorer = RougeScorer([name])
    values = [max(scorer.score(r, h)[name].fmeasure for r in references) for h, references in segments]
    found = score(kind, [h for h, _ in segments], [r for _, r in segments])
    assert pytest.approx(100 * sum(values) / len(values), abs=1e-9) == found


@pytest.mark.parametrize("kind", KINDS)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6), st.integers(0, 5))
@untimed
def test_an_emptied_response_never_raises_it(kind: str, segments: list[tuple[str, str]], at: int) -> None:
    """An empty response scores 0, the least there is."""
    hypotheses, references = [h for h, _ in segments], [[r] for _, r in segments]
    emptied = [*hypotheses]
    emptied[at % len(emptied)] = ""
    assert score(kind, emptied, references) <= score(kind, hypotheses, references)
    assert 0.0 == score(kind, [""] * len(references), references)


def test_texts_that_rouge_cannot_see_are_reported() -> None:
    """Only a–z and 0–9 are words to rouge-score; a text without any of them is named."""
    metric = METRICS.create("rouge")
    corpus = Corpus.build(references=["太好了", "great", "", "OK"])
    (notice,) = metric.notices(corpus, SystemOutputs.build("a", ["great", "!!", "", "5"]))
    assert ("no_words", 2, ("1", "2")) == (notice.code, notice.n, notice.ids)
    assert [] == metric.notices(Corpus.build(references=["OK"]), SystemOutputs.build("a", [""]))


def test_the_package_is_in_the_signature() -> None:
    """The number depends on the package, so its version is stated."""
    assert {"rouge-score": metadata.version("rouge-score")} == METRICS.create("rouge").versions()
