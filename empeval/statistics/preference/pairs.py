"""Each pair of systems: wins, ties, losses and the net preference with what it is worth."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from empeval.statistics.design import Judgments
from empeval.statistics.means import MeanResult
from empeval.statistics.multiplicity import holm
from empeval.statistics.preference.counts import exact_sign_flip_p, trinomial_test
from empeval.statistics.preference.net import clipped, mean_outcome
from empeval.statistics.preference.position import PositionEffect, net_without_position, position_effect
from empeval.statistics.proportions import sign_test
from empeval.statistics.results import Estimate, undefined
from empeval.statistics.segments import Array

__all__ = ["PairPreference", "compare_pairs"]


@dataclass(frozen=True)
class PairPreference:
    """Two systems, ``system_a`` the one whose name sorts first, whichever side they were shown on.

    ``wins`` are those of ``system_a``. ``n_neither`` judgments found neither good: they are counted here and
    left out of everything else. ``net`` = (wins − losses) / (wins + ties + losses) with the interval and the
    p-value that ``method`` names; ``p_adjusted`` is Holm's over all pairs that were judged. Companions:
    ``sign_flip_p`` flips whole dialogues, exactly, for these raters; ``majority_p`` is the exact sign test on
    what most judgments of a dialogue say; ``trinomial_p`` exists where every dialogue was judged once.
    ``net_without_position`` is what the net preference would be had each been shown first equally often.
    ``minimum_detectable`` is the net preference that would have been found with 80 % power.
    """

    system_a: str
    system_b: str
    wins: int
    ties: int
    losses: int
    n_neither: int
    n_items: int
    n_dialogues: int
    n_raters: int
    win_rate: Estimate
    half_win_rate: Estimate
    net: Estimate
    standard_error: float | None
    df: float | None
    p_value: float | None
    p_adjusted: float | None
    method: str
    sign_flip_p: float | None
    majority_p: float | None
    trinomial_p: float | None
    position: PositionEffect
    net_without_position: Estimate
    minimum_detectable: float | None

    @property
    def n(self) -> int:
        """Number of judgments, "neither" left out."""
        return self.wins + self.ties + self.losses


def compare_pairs(judgments: Judgments, *, level: float = 0.95) -> tuple[PairPreference, ...]:
    """Compare all pairs of systems, those that nobody judged included (status ``no_judgments``).

    >>> winners = ["a", "a", "tie", "b"]
    >>> judged = Judgments.of(["a"] * 4, ["b"] * 4, winners, items=[1, 2, 3, 4], raters=["r"] * 4)
    >>> found, = compare_pairs(judged)
    >>> found.wins, found.ties, found.losses, found.net.value, found.sign_flip_p
    (2, 1, 1, 0.25, 1.0)
    """
    n = len(judgments.systems)
    found = [
        _compare(judgments, (first, second), level) for first in range(n) for second in range(first + 1, n)
    ]
    adjusted = holm([pair.p_value for pair in found])
    return tuple(replace(pair, p_adjusted=p) for pair, p in zip(found, adjusted, strict=True))


def _compare(judgments: Judgments, pair: tuple[int, int], level: float) -> PairPreference:
    every = judgments.of_pair(pair)
    used = every.subset(np.isfinite(every.outcomes))
    wins, ties, losses = (int((used.outcomes == sign).sum()) for sign in (1, 0, -1))
    sums = np.bincount(used.dialogues.codes, weights=used.outcomes, minlength=len(used.dialogues))
    flips = exact_sign_flip_p(sums) if len(sums) else None
    mean = mean_outcome(used.outcomes, used, level=level)
    net, p_value, method = _net(mean, used, flips)
    rate, half = _rates(wins, ties, losses)
    return PairPreference(
        system_a=judgments.systems[pair[0]],
        system_b=judgments.systems[pair[1]],
        wins=wins,
        ties=ties,
        losses=losses,
        n_neither=len(every.outcomes) - len(used.outcomes),
        n_items=len(used.items),
        n_dialogues=len(used.dialogues),
        n_raters=len(used.raters),
        win_rate=rate,
        half_win_rate=half,
        net=net,
        standard_error=mean.standard_error,
        df=mean.df,
        p_value=p_value,
        p_adjusted=None,
        method=method,
        sign_flip_p=flips,
        majority_p=_majority_test(sums),
        trinomial_p=trinomial_test(wins, ties, losses) if len(sums) == len(used.outcomes) else None,
        position=position_effect(used, level=level),
        net_without_position=net_without_position(used, level=level),
        minimum_detectable=mean.detectable(level=level),
    )


def _net(found: MeanResult, used: Judgments, flips: float | None) -> tuple[Estimate, float | None, str]:
    """Net preference, its p-value, and how both were found."""
    if found.value is None:
        return undefined("no_judgments"), None, ""
    net = Estimate(float(used.outcomes.mean()), note=found.note)
    net = net.with_interval(clipped(found.interval, -1.0, 1.0), found.status)
    # unanimous judgments leave nothing to estimate an error from, yet they are evidence
    if found.p_value is None and len(used.dialogues) > 1:
        return net, flips, "exact sign flips over dialogues"
    return net, found.p_value, found.method


def _rates(wins: int, ties: int, losses: int) -> tuple[Estimate, Estimate]:
    n = wins + ties + losses
    if n == 0:
        return undefined("no_judgments"), undefined("no_judgments")
    half = Estimate((wins + ties / 2.0) / n)
    return (Estimate(wins / (wins + losses)) if wins + losses else undefined("only_ties")), half


def _majority_test(sums: Array) -> float | None:
    return sign_test(int((sums > 0).sum()), int((sums < 0).sum())) if len(sums) else None
