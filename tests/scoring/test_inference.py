"""How intervals and tests are set up: settings, clusters, enumeration, and sacreBLEU as a rough oracle."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from empeval.cohort import join
from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics.length import Length
from empeval.readers import read
from empeval.scoring import score
from empeval.scoring.inference import Settings
from empeval.statistics.resampling import interval
from empeval.statistics.weights import hashed_keys
from empeval.testing import sample


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 95, float("nan")])
def test_a_level_lies_between_zero_and_one(level) -> None:
    """95 is refused rather than taken for 95 %."""
    with pytest.raises(InputError, match="level must lie between 0 and 1"):
        Settings(level=level)


def test_resamples_are_not_negative() -> None:
    """Zero of them is legal and means none."""
    with pytest.raises(InputError, match="must not be negative"):
        Settings(n_resamples=-1)
    assert 0 == Settings(n_resamples=0).n_resamples


@pytest.mark.parametrize(
    ("n_resamples", "level", "n_pairs", "expected"),
    [
        (1000, 0.95, 1, 1000),
        (1000, 0.95, 3, 1200),
        (1000, 0.95, 21, 8400),
        (5000, 0.95, 3, 5000),
        (0, 0.99, 1, 2000),
    ],
)
def test_tests_take_enough_resamples_for_holm(n_resamples, level, n_pairs, expected) -> None:
    """max(n, ⌈20 · pairs / (1 − level)⌉), so that the smallest p-value is significant after correction."""
    assert expected == Settings(n_resamples=n_resamples, level=level).n_swaps(n_pairs)
    assert n_pairs / (expected + 1) < 1 - level


def test_seven_clearly_different_systems_are_in_seven_tiers() -> None:
    """Twenty-one pairs, few resamples asked for: significance is within reach all the same."""
    n = 100
    corpus = Corpus.build(references=["a b c d e f g"] * n)
    systems = [SystemOutputs.build(str(k), ["a b c d e f g"[: 2 * k + 1]] * n) for k in range(7)]
    found = score(corpus, systems, "bleu(order=1)", n_resamples=100)
    assert [["6"], ["5"], ["4"], ["3"], ["2"], ["1"], ["0"]] == found.tiers["bleu(order=1)"]


def test_dialogues_are_resampled_not_segments() -> None:
    """Ten copies of every segment in its dialogue are no new evidence: the interval stays as wide."""
    draw = random.Random(0)
    hits = [draw.random() < 0.5 for _ in range(40)]

    def width(copies: int, by_dialogue: bool) -> float:
        n = 40 * copies
        corpus = Corpus.build(
            contexts=["hi"] * n,
            emotions=["sad"] * n,
            dialogue_ids=[str(i % 40 if by_dialogue else i) for i in range(n)],
        )
        predicted = ["sad" if hits[i % 40] else "proud" for i in range(n)]
        system = SystemOutputs.build("s", ["oh"] * n, predicted_emotions=predicted)
        found = score(corpus, system, "emotion_accuracy", n_resamples=2000).scores[0].interval
        return found.high - found.low

    assert width(1, True) == width(10, True)
    assert width(10, False) < width(10, True) / 2


def test_few_dialogues_are_enumerated() -> None:
    """Up to 6 for intervals and 16 for tests; the method says so, and no p-value is below 2 / 2ⁿ."""
    for n, bootstrap, test in (
        (6, "exact bootstrap", "exact permutation"),
        (16, "bootstrap", "exact permutation"),
    ):
        corpus = Corpus.build(references=["a b"] * n)
        a, b = SystemOutputs.build("a", ["a b"] * n), SystemOutputs.build("b", ["x"] * n)
        found = score(corpus, [a, b], "length")
        assert {bootstrap} == {s.interval.method for s in found.scores}
        assert (test, 2 / 2**n) == (found.comparisons[0].method, found.comparisons[0].p_value)
    corpus = Corpus.build(references=["a b"] * 17)
    a, b = SystemOutputs.build("a", ["a b"] * 17), SystemOutputs.build("b", ["x"] * 17)
    assert "paired permutation" == score(corpus, [a, b], "length").comparisons[0].method


def test_p_values_of_a_metric_are_one_family() -> None:
    """Holm over the pairs of systems, within each metric and not across metrics."""
    draw = random.Random(1)
    corpus = Corpus.build(references=[" ".join(draw.choices("abcd", k=4)) for _ in range(80)])
    systems = [
        SystemOutputs.build(name, [" ".join(draw.choices(words, k=4)) for _ in range(80)])
        for name, words in (("x", "abcd"), ("y", "abce"), ("z", "abef"))
    ]
    together = score(corpus, systems, "ngram_precision,distinct,length", n_resamples=1200)
    alone = score(corpus, systems, "ngram_precision", n_resamples=1200)
    assert alone.comparisons == together.comparisons[:3]
    p = sorted(c.p_value for c in alone.comparisons)
    adjusted = sorted(c.p_adjusted for c in alone.comparisons)
    assert [min(1.0, 3 * p[0]), max(3 * p[0], 2 * p[1])] == pytest.approx(adjusted[:2])
    assert {"holm"} == {c.correction for c in together.comparisons}


def test_tiers_need_corrected_p_values() -> None:
    """All 64 swaps of six dialogues: p = 2/64 parts two systems, and three times that does not part three."""
    corpus = Corpus.build(references=["a b c d"] * 6)
    systems = [SystemOutputs.build(text, [text] * 6) for text in ("a b c d", "a b c", "a b")]
    text = "bleu(order=1)"
    two, three = score(corpus, systems[:2], text), score(corpus, systems, text)
    assert ({2 / 64}, {6 / 64}) == (
        {c.p_adjusted for c in two.comparisons},
        {c.p_adjusted for c in three.comparisons},
    )
    assert [["a b c d"], ["a b c"]] == two.tiers[text]
    assert [["a b c d", "a b c", "a b"]] == three.tiers[text]


def test_the_interval_of_a_difference_is_paired() -> None:
    """Two systems whose lengths rise and fall together: what they share is not uncertain."""
    draw = random.Random(2)
    lengths = [draw.randint(1, 30) for _ in range(60)]
    corpus = Corpus.build(contexts=["hi"] * 60)
    a = SystemOutputs.build("a", ["w " * (n + draw.randint(0, 2)) for n in lengths])
    b = SystemOutputs.build("b", ["w " * n for n in lengths])
    found = score(corpus, [a, b], "length")
    (comparison,) = found.comparisons
    differences = [len(x.split()) - len(y.split()) for x, y in zip(a.hypotheses, b.hypotheses, strict=True)]
    error = np.std(differences) / np.sqrt(60)
    assert "bootstrap" == comparison.interval.method
    assert 2 * 1.96 * error == pytest.approx(comparison.interval.high - comparison.interval.low, rel=0.1)
    assert (1.96 + 0.8416) * error == pytest.approx(comparison.minimum_detectable_difference, rel=0.1)
    assert all(s.interval.high - s.interval.low > 20 * error for s in found.scores)


def test_an_interval_of_distinct_by_hand() -> None:
    """Score again without each dialogue: t · √((n − 1) / n · Σ (θᵢ − θ̄)²) around the estimate."""
    corpus, (system, *_) = sample()
    (found,) = score(corpus, system, "distinct(n=2)").scores
    names = sorted(set(corpus.dialogue_ids))
    left_out = []
    for name in names:
        rows = [i for i, dialogue in enumerate(corpus.dialogue_ids) if dialogue != name]
        part = score(corpus.take(rows), system.take(rows), "distinct(n=2)", n_resamples=0)
        left_out.append(part.scores[0].value)
    n = len(names)
    error = np.sqrt((n - 1) / n * np.sum((np.array(left_out) - np.mean(left_out)) ** 2))
    margin = 2.079614 * error  # the 97.5 % point of t with 21 degrees of freedom
    assert (found.value - margin, found.value + margin) == pytest.approx(
        (found.interval.low, found.interval.high), rel=1e-6
    )


def test_a_dialogue_brings_its_weights_along() -> None:
    """They follow from its name and the seed: an interval is that of the rows under these keys."""
    corpus, (system, *_) = sample()
    (found,) = score(corpus, system, "length", seed=5).scores
    names = list(dict.fromkeys(corpus.dialogue_ids))
    metric = Length()
    rows = metric.segment_stats(corpus, system).grouped(
        np.array([names.index(name) for name in corpus.dialogue_ids]), len(names)
    )
    assert found.interval == interval(rows, metric.aggregate, seed=5, keys=hashed_keys(names))


def test_roughly_sacrebleus_intervals_and_p_values() -> None:
    """Half the width of its bootstrap interval within 15 %, and p-values of one size, on 600 segments."""
    draw = random.Random(3)
    words = [
        "the",
        "a",
        "cat",
        "dog",
        "sat",
        "ran",
        "on",
        "and",
        "it",
        "was",
        "so",
        "very",
        "sad",
        "oh",
        "no",
    ]
    references = [" ".join(draw.choices(words, k=draw.randint(5, 14))) for _ in range(600)]

    def worse(text: str, share: float) -> str:
        return " ".join(draw.choice(words) if draw.random() < share else word for word in text.split())

    said = {name: [worse(text, share) for text in references] for name, share in (("x", 0.3), ("y", 0.32))}
    corpus = Corpus.build(references=references)
    ours = score(corpus, [SystemOutputs.build(*item) for item in said.items()], "bleu(tokenize=none)")

    _, theirs = PairedTest(
        list(said.items()), {"BLEU": BLEU(tokenize="none")}, [references], test_type="bs", n_samples=1000
    )()
    for score_, result in zip(ours.scores, theirs["BLEU"], strict=True):
        assert result.score == pytest.approx(score_.value, abs=1e-9)
        half = (score_.interval.high - score_.interval.low) / 2
        assert result.ci == pytest.approx(half, rel=0.15)
    _, theirs = PairedTest(
        list(said.items()), {"BLEU": BLEU(tokenize="none")}, [references], test_type="ar", n_samples=1000
    )()
    p = ours.comparisons[0].p_value
    assert theirs["BLEU"][1].p_value == pytest.approx(p, abs=4 * np.sqrt(2 * 0.25 / 1000))


def test_published_outputs(shared) -> None:
    """Three decodes of one model: intervals, tests and tiers of everything that the log allows."""
    scores = score(join(read([shared / "data/outputs/mime/output.txt"])), n_resamples=100)
    assert 2542 == scores.corpus["n_dialogues"]
    for entry in scores.scores:
        assert entry.interval.low <= entry.value <= entry.interval.high
    assert {"jackknife"} == {s.interval.method for s in scores.scores if s.metric.startswith("distinct")}
    # the decodes share their emotion predictions, so nothing tells them apart there
    assert {1.0} == {c.p_value for c in scores.comparisons if c.metric == "emotion_accuracy"}
    assert 3 == len(scores.tiers["distinct(n=1)"])
