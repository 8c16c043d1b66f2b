"""A ranking of systems from judgments of pairs: strengths and ranks, each with an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.design import Judgments
from empeval.statistics.preference.fitting import Fits, fit, probabilities
from empeval.statistics.preference.strength_fit import StrengthFit, fit_counts
from empeval.statistics.preference.tables import Pairs, counts_by_dialogue
from empeval.statistics.resampling import Interval, jackknife_interval, percentile_interval
from empeval.statistics.results import Estimate, Status, undefined
from empeval.statistics.segments import Array

__all__ = ["RankedSystem", "Ranking", "rank_systems"]

#: From this many dialogues on the percentile bootstrap holds its level; below, jackknife-t does.
BOOTSTRAP_FROM = 30
#: Numbers held at once in weights.
_CELLS = 6_000_000


@dataclass(frozen=True)
class RankedSystem:
    """A system's strength, and the ranks (1 = best) that the data leave to it, None where undefined."""

    system: str
    strength: Estimate
    rank_low: int | None
    rank_high: int | None


@dataclass(frozen=True)
class Ranking:
    """Systems, best first, with strengths on the logit scale (sum 0) and simultaneous rank intervals.

    ``model`` is Davidson where there are ties, else Bradley–Terry; ``nu`` is Davidson's tie parameter.
    ``groups`` says who is separated from or never compared with whom (see `StrengthFit`).
    ``n_undefined`` counts resamples without finite strengths, which are left out.
    """

    model: str
    status: Status
    systems: tuple[RankedSystem, ...]
    nu: Estimate
    groups: tuple[tuple[str, ...], ...]
    n_dialogues: int
    n_undefined: int
    method: str

    def chances(self, system_a: str, system_b: str) -> tuple[float, float, float] | None:
        """What the model gives a win of the first, a tie and a loss, to hold against the shares seen."""
        strengths = {row.system: row.strength.value for row in self.systems}
        first, second = strengths[system_a], strengths[system_b]
        if first is None or second is None:
            return None
        log_nu = np.log(self.nu.value) if self.nu.value else -np.inf
        found = probabilities(Pairs.of(2), np.array([[first, second, log_nu]]))
        return float(found[0][0, 0]), float(found[1][0, 0]), float(found[2][0, 0])


@dataclass(frozen=True, eq=False)
class _Resampled:
    """Strengths (n, n_systems) and ν (n,) of resampled dialogues, or of leaving each out in turn."""

    strengths: Array
    nu: Array
    jackknife: bool


def rank_systems(
    judgments: Judgments,
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> Ranking:
    """Rank systems by Davidson's model (Bradley–Terry where there is no tie), "neither" left out.

    Dialogues are resampled with all their judgments: percentile intervals from 30 dialogues on, jackknife-t
    below or where more than 5 % of the resamples have no finite strengths. A system's ranks run from 1 + the
    number of systems that are better to n − the number that are worse, in comparisons of all pairs that hold
    together at the level: the largest studentised difference of the bootstrap, Bonferroni's t with the
    jackknife. Source: Davidson (1970); Mogstad, Romano, Shaikh and Wilhelm (2024) for the ranks.

    >>> winners = ["a", "a", "a", "a", "b", "b"]
    >>> found = rank_systems(Judgments.of(["a"] * 6, ["b"] * 6, winners, items=range(6), raters=["r"] * 6))
    >>> [(row.system, round(row.strength.value, 2), row.rank_low, row.rank_high) for row in found.systems]
    [('a', 0.35, 1, 2), ('b', -0.35, 1, 2)]
    """
    pairs, counts = counts_by_dialogue(judgments)
    total = counts.sum(axis=0)
    tie_parameter = bool(total[:, 1].any())
    model = "Davidson" if tie_parameter else "Bradley–Terry"
    whole = fit_counts(pairs, total, model=model, tie_parameter=tie_parameter)
    groups = tuple(tuple(judgments.systems[i] for i in group) for group in whole.groups)
    if whole.strengths is None:
        status = whole.status if len(counts) else "no_judgments"
        none = undefined(status)
        rows = tuple(RankedSystem(name, none, None, None) for name in judgments.systems)
        return Ranking(model, status, rows, none, groups, len(counts), 0, "maximum likelihood")
    resampled, status, n_undefined = _resample(pairs, counts, whole, n_resamples, rng)
    at, drawn = whole.strengths, None if resampled is None else resampled.strengths
    strengths = [
        _with_interval(value, resampled, None if drawn is None else drawn[:, i], level, status)
        for i, value in enumerate(at)
    ]
    nu = undefined("no_variation", "there is no tie")
    if whole.nu is not None:
        nu = _with_interval(whole.nu, resampled, None if resampled is None else resampled.nu, level, status)
    low, high = _ranks(np.array(at), resampled, level)
    # equal strengths must not be told apart by rounding
    order = sorted(range(len(at)), key=lambda i: (-round(at[i], 9), judgments.systems[i]))
    rows = tuple(RankedSystem(judgments.systems[i], strengths[i], low[i], high[i]) for i in order)
    return Ranking(model, "ok", rows, nu, groups, len(counts), n_undefined, _method(resampled, n_resamples))


def _resample(
    pairs: Pairs, counts: Array, whole: StrengthFit, n_resamples: int, rng: np.random.Generator | None
) -> tuple[_Resampled | None, Status, int]:
    """Fits to resampled dialogues, or None and why; and how many resamples had no finite strengths."""
    n = len(counts)
    if n_resamples == 0:
        return None, "ok", 0
    if n < 2:
        return None, "too_few_items", 0
    log_nu = np.array([np.log(whole.nu) if whole.nu else -np.inf])
    start = Fits(np.array([whole.strengths]), log_nu)
    tie_parameter = whole.nu is not None
    n_undefined = 0
    if n >= BOOTSTRAP_FROM:
        rng = np.random.default_rng(0) if rng is None else rng
        found = fit(pairs, _bootstrap(counts, n_resamples, rng), tie_parameter=tie_parameter, start=start)
        defined = np.isfinite(found.strengths).all(axis=1)
        n_undefined = int((~defined).sum())
        if n_undefined <= 0.05 * n_resamples:
            return (
                _Resampled(found.strengths[defined], np.exp(found.log_nu[defined]), False),
                "ok",
                n_undefined,
            )
    left = fit(pairs, counts.sum(axis=0) - counts, tie_parameter=tie_parameter, start=start)
    if not np.isfinite(left.strengths).all():
        return None, "separated", n_undefined
    return _Resampled(left.strengths, np.exp(left.log_nu), True), "ok", n_undefined


def _bootstrap(counts: Array, n_resamples: int, rng: np.random.Generator) -> Array:
    """Counts summed over as many dialogues drawn with replacement, shape (n_resamples, n_pairs, 3)."""
    n = len(counts)
    table = counts.reshape(n, -1)
    block = max(1, _CELLS // n)
    drawn = [
        rng.multinomial(n, np.full(n, 1.0 / n), size=min(block, n_resamples - at)).astype(np.float64) @ table
        for at in range(0, n_resamples, block)
    ]
    return np.concatenate(drawn).reshape(n_resamples, *counts.shape[1:])


def _with_interval(
    value: float, resampled: _Resampled | None, values: Array | None, level: float, status: Status
) -> Estimate:
    if resampled is None or values is None:
        return Estimate(value).with_interval(None, status)
    if np.ptp(values) < 1e-9:
        return Estimate(value).with_interval(None, "no_variation")
    if resampled.jackknife:
        return Estimate(value).with_interval(jackknife_interval(value, values, level), "ok")
    found = percentile_interval(value, values, level)
    if found is None:
        from scipy.special import ndtri

        margin = float(ndtri(0.5 + level / 2.0) * values.std(ddof=1))
        found = Interval(value - margin, value + margin, level, "bootstrap, normal")
    return Estimate(value).with_interval(found, "ok")


def _ranks(
    strengths: Array, resampled: _Resampled | None, level: float
) -> tuple[list[int | None], list[int | None]]:
    """Lowest and highest rank of each system from comparisons of all pairs that hold together."""
    n = len(strengths)
    if resampled is None:
        return [None] * n, [None] * n
    first, second = np.triu_indices(n, 1)
    observed = strengths[first] - strengths[second]
    drawn = resampled.strengths[:, first] - resampled.strengths[:, second]
    size = len(drawn)
    if resampled.jackknife:
        from scipy.special import stdtrit

        errors = np.sqrt((size - 1) / size * ((drawn - drawn.mean(axis=0)) ** 2).sum(axis=0))
        critical = float(stdtrit(size - 1, 1.0 - (1.0 - level) / (2.0 * len(first))))
    else:
        errors = drawn.std(axis=0, ddof=1)
        scaled = np.abs(drawn - observed) / np.where(errors > 1e-9, errors, np.inf)
        critical = float(np.quantile(scaled.max(axis=1), level, method="higher"))
    apart = (np.abs(observed) > critical * errors) & (errors > 1e-9)
    above, below = np.where(observed > 0, first, second)[apart], np.where(observed > 0, second, first)[apart]
    n_better, n_worse = np.bincount(below, minlength=n), np.bincount(above, minlength=n)
    return (1 + n_better).tolist(), (n - n_worse).tolist()


def _method(resampled: _Resampled | None, n_resamples: int) -> str:
    if resampled is None:
        return "maximum likelihood"
    if resampled.jackknife:
        return (
            "maximum likelihood; jackknife over dialogues; ranks from Bonferroni's comparisons of all pairs"
        )
    return (
        f"maximum likelihood; bootstrap over dialogues ({n_resamples} resamples), for these raters; "
        "ranks from simultaneous comparisons of all pairs (max-t)"
    )
