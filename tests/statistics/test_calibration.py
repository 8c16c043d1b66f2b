"""Simulated studies: intervals cover the truth, and tests cry wolf, as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from empeval.statistics.resampling import interval, jackknife_interval, paired_permutation_test
from empeval.statistics.segments import SegmentStats, TypeStats

N_STUDIES = 300


def ratio(totals):
    """First column over second."""
    return totals[..., 0] / totals[..., 1]


def accuracy_study(rng, *, n_dialogues: int = 60) -> tuple[SegmentStats, np.ndarray]:
    """Hits of segments whose dialogues differ in difficulty, and the dialogue of each; the truth is 0.6."""
    dialogue = np.repeat(np.arange(n_dialogues), rng.integers(1, 6, n_dialogues))
    hits = rng.random(len(dialogue)) < rng.beta(0.9, 0.6, n_dialogues)[dialogue]
    return SegmentStats(
        np.stack([hits, np.ones_like(hits)], axis=1).astype(np.int32), ("hits", "n")
    ), dialogue


def test_bootstrap_intervals_cover_the_truth_if_dialogues_are_the_units() -> None:
    """About 95 % of them do; with segments as the units, which are not independent, far fewer."""
    rng = np.random.default_rng(20)
    clustered = naive = 0
    for seed in range(N_STUDIES):
        segments, dialogue = accuracy_study(rng)
        by_dialogue = interval(segments.grouped(dialogue, 60), ratio, n_resamples=400, seed=seed)
        by_segment = interval(segments, ratio, n_resamples=400, seed=seed)
        assert by_dialogue is not None
        assert by_segment is not None
        clustered += by_dialogue.low <= 0.6 <= by_dialogue.high
        naive += by_segment.low <= 0.6 <= by_segment.high
    assert 0.90 <= clustered / N_STUDIES <= 0.99
    assert naive / N_STUDIES < 0.90


def test_jackknife_intervals_cover_the_expected_share_of_distinct_words() -> None:
    """About 95 % of them hold what the mean over many studies of this size finds."""
    rng = np.random.default_rng(21)
    words = rng.zipf(1.5, (N_STUDIES, 40, 12)) % 2000
    studies = [TypeStats.of(np.repeat(np.arange(40), 12), w.ravel(), n_units=40) for w in words]
    truth = np.mean([ratio(study.totals()) for study in studies])
    found = [jackknife_interval(ratio(s.totals()), ratio(s.leave_one_out()), 0.95) for s in studies]
    assert 0.90 <= np.mean([i is not None and i.low <= truth <= i.high for i in found]) <= 0.99


@pytest.mark.parametrize("kind", ["accuracy", "distinct"])
def test_permutation_tests_keep_their_level(kind) -> None:
    """Two systems of one quality differ at 5 % in about 5 % of the studies."""
    rng = np.random.default_rng(22)
    rejected = 0
    for seed in range(N_STUDIES):
        if kind == "accuracy":
            segments, dialogue = accuracy_study(rng, n_dialogues=40)
            # the other system meets the same dialogues and has an accuracy of its own in each
            other = rng.random(len(dialogue)) < rng.beta(0.9, 0.6, 40)[dialogue]
            rows = np.stack([other, np.ones_like(other)], axis=1).astype(np.int32)
            a, b = segments.grouped(dialogue, 40), SegmentStats(rows, ("hits", "n")).grouped(dialogue, 40)
        else:
            # so many words that equal differences, which count against a system, are rare
            words = rng.zipf(1.3, (2, 40, 30)) % 5000
            a, b = (TypeStats.of(np.repeat(np.arange(40), 30), w.ravel(), n_units=40) for w in words)
        rejected += paired_permutation_test(a, b, ratio, n_resamples=399, seed=seed).p_value <= 0.05
    assert 0.02 <= rejected / N_STUDIES <= 0.09


def test_permutation_tests_find_what_is_there() -> None:
    """Fifteen points of accuracy on 40 dialogues are seldom missed, half a point is seldom found."""
    rng = np.random.default_rng(23)
    found = {0.15: 0, 0.005: 0}
    for gain in found:
        for seed in range(60):
            a, b = (rng.random(200) < 0.5 + gain, rng.random(200) < 0.5)
            dialogue = np.repeat(np.arange(40), 5)
            stats = [
                SegmentStats(np.stack([hits, np.ones_like(hits)], axis=1).astype(int), ("hits", "n"))
                for hits in (a, b)
            ]
            first, second = (s.grouped(dialogue, 40) for s in stats)
            found[gain] += (
                paired_permutation_test(first, second, ratio, n_resamples=399, seed=seed).p_value <= 0.05
            )
    assert found[0.15] > 40
    assert found[0.005] < 12
