"""What wins, ties and losses say about one pair of systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.proportions import clopper_pearson, sign_test
from empeval.statistics.resampling import Interval
from empeval.statistics.results import Estimate, Status, undefined
from empeval.statistics.segments import Array

__all__ = ["PreferenceSummary", "exact_sign_flip_p", "preference_summary", "trinomial_test"]


@dataclass(frozen=True)
class PreferenceSummary:
    """Rates and tests of wins, ties and losses as if every judgment were independent of the others.

    ``win_rate`` leaves ties out, ``half_win_rate`` counts a tie as half a win, ``net`` is (wins − losses)/n.
    The p-values are None without judgments. Where several judgments share an item or a rater, only
    `compare_pairs` accounts for that.
    """

    wins: int
    ties: int
    losses: int
    win_rate: Estimate
    half_win_rate: Estimate
    net: Estimate
    net_error: float | None
    sign_test_p: float | None
    trinomial_p: float | None

    @property
    def n(self) -> int:
        """Number of judgments."""
        return self.wins + self.ties + self.losses


def preference_summary(wins: int, ties: int, losses: int, *, level: float = 0.95) -> PreferenceSummary:
    """Win rate, net preference and exact tests of three counts.

    net = (W − L)/n with error √(((W + L)/n − net²)/n) and a normal interval; the win rate has Clopper and
    Pearson's exact one. "Neither is good" is no tie: such judgments are counted elsewhere and left out here.

    >>> found = preference_summary(30, 55, 15)
    >>> found.net.value, round(found.net_error, 4), round(found.sign_test_p, 4)
    (0.15, 0.0654, 0.0357)
    """
    n, decisive = wins + ties + losses, wins + losses
    if n == 0:
        none = undefined("no_judgments")
        return PreferenceSummary(wins, ties, losses, none, none, none, None, None, None)
    from scipy.special import ndtri

    net = (wins - losses) / n
    error = float(np.sqrt(max(0.0, decisive / n - net * net) / n))
    margin = float(ndtri(0.5 + level / 2.0)) * error
    low, high = max(-1.0, net - margin), min(1.0, net + margin)
    around = Interval(low, high, level, "normal") if error > 0 else None
    halved = Interval((1 + low) / 2, (1 + high) / 2, level, "normal") if error > 0 else None
    status: Status = "ok" if error > 0 else "no_variation"
    rate = clopper_pearson(wins, decisive, level=level) if decisive else undefined("only_ties")
    return PreferenceSummary(
        wins,
        ties,
        losses,
        rate,
        Estimate((1 + net) / 2).with_interval(halved, status),
        Estimate(net).with_interval(around, status),
        error,
        sign_test(wins, losses),
        trinomial_test(wins, ties, losses),
    )


def trinomial_test(wins: int, ties: int, losses: int) -> float | None:
    """Exact two-sided p that a win is as likely as a loss, ties kept; None without judgments.

    The sum of P(|K − M| ≥ |W − L|) where K wins and M losses of n judgments are equally likely and a tie has
    the share T/n that was seen. For independent judgments, one an item. Source: Bian, McAleer and Wong
    (2011).

    >>> round(trinomial_test(30, 55, 15), 4)
    0.0304
    """
    n = wins + ties + losses
    if n == 0:
        return None
    gap = abs(wins - losses)
    if gap == 0:
        return 1.0
    from scipy.special import bdtr
    from scipy.stats import binom

    decisive = np.arange(gap, n + 1)
    # K − M ≤ −gap with K + M = m means K ≤ (m − gap)/2
    tails = 2.0 * bdtr((decisive - gap) // 2, decisive, 0.5)
    return min(1.0, float(np.sum(binom.pmf(decisive, n, (wins + losses) / n) * tails)))


def exact_sign_flip_p(sums: Array) -> float:
    """Exact two-sided p that each cluster's sum of outcomes is as likely with the other sign.

    ``sums`` has shape (n_clusters,), whole numbers: wins − losses of each dialogue. All 2^n flips are
    accounted for by adding up the distribution of the total, so nothing is drawn; 1 where all sums are 0.

    >>> exact_sign_flip_p(np.array([1, 1, 1, 1, 1]))
    0.0625
    """
    from scipy.special import bdtr
    from scipy.stats import binom

    sizes, times = np.unique(np.abs(np.rint(sums).astype(np.int64)), return_counts=True)
    sizes, times = sizes[sizes > 0], times[sizes > 0]
    observed, reach = abs(int(np.rint(sums).astype(np.int64).sum())), int((sizes * times).sum())
    if observed == 0:
        return 1.0
    if len(sizes) == 1:
        return min(1.0, 2.0 * float(bdtr((reach - observed) // (2 * sizes[0]), times[0], 0.5)))
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for size, n in zip(sizes.tolist(), times.tolist(), strict=True):
        spread = np.zeros_like(chances)
        for minus, chance in enumerate(binom.pmf(np.arange(n + 1), n, 0.5).tolist()):
            if chance > 0:
                # a total beyond the reach has no chance, so what wraps around is 0
                spread += chance * np.roll(chances, size * (n - 2 * minus))
        chances = spread
    return min(1.0, 2.0 * float(chances[reach + observed :].sum()))
