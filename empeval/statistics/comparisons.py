"""Ratings of systems: means of item means, and every pair of systems compared as the design allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from empeval.statistics.design import Ratings
from empeval.statistics.effect_sizes import cliffs_delta, cohen_d_z
from empeval.statistics.letters import compact_letters
from empeval.statistics.means import MeanResult, clustered_sum, design_mean
from empeval.statistics.multiplicity import Correction, adjust
from empeval.statistics.resampling import TestResult
from empeval.statistics.results import Estimate, Status, undefined
from empeval.statistics.segments import Array
from empeval.statistics.sentences import rating_methods, rating_results
from empeval.statistics.sign_flip import sign_flip_test
from empeval.statistics.signed_rank import SignedRank, wilcoxon_signed_rank

__all__ = ["RatingAnalysis", "RatingComparison", "SystemMean", "compare_ratings", "told_apart"]


@dataclass(frozen=True)
class SystemMean:
    """A system's mean of item means, how it is spread over other items and raters, and what it rests on."""

    system: str
    mean: MeanResult
    n_ratings: int
    letters: str = ""


@dataclass(frozen=True)
class RatingComparison:
    """Two systems on the items rated under both: ``difference`` is the first's mean minus the second's.

    ``p_adjusted`` is corrected for the pairs of this question; ``sign_flip`` and ``wilcoxon`` are companions
    over dialogues and items for these raters; ``effect`` is d_z of item means, ``superiority``
    P(first > second) − P(second > first) within (item, rater).
    """

    system_a: str
    system_b: str
    difference: MeanResult
    p_adjusted: float | None
    correction: Correction
    sign_flip: TestResult | None
    wilcoxon: SignedRank | None
    effect: Estimate
    superiority: Estimate
    detectable: float | None
    results: str = ""

    def significant(self, level: float = 0.95) -> bool:
        """Whether the corrected test finds a difference."""
        return self.p_adjusted is not None and self.p_adjusted <= 1 - level


@dataclass(frozen=True)
class RatingAnalysis:
    """One question: systems best first, pairs, and a sentence on the methods."""

    systems: tuple[SystemMean, ...]
    pairs: tuple[RatingComparison, ...]
    status: Status = "ok"
    methods: str = ""
    notes: tuple[str, ...] = field(default=())


def compare_ratings(
    ratings: Ratings,
    *,
    question: str = "rating",
    level: float = 0.95,
    correction: Correction = "holm",
    n_resamples: int = 10_000,
    rng: np.random.Generator | None = None,
) -> RatingAnalysis:
    """Compare the systems of one question by the analysis that the design asks for.

    Complete designs (every rater rated every item under both systems): two-way random items and raters on the
    differences; any other: clusters of dialogues and raters on the influence of each rating. See `means`.

    >>> rows = [(i, r, s) for i in range(4) for r in range(3) for s in "xy"]
    >>> found = compare_ratings(
    ...     Ratings.of(
    ...         [3 + i % 2 + (s == "x") * (r != i) for i, r, s in rows],
    ...         items=[i for i, r, s in rows],
    ...         raters=[r for i, r, s in rows],
    ...         systems=[s for i, r, s in rows],
    ...     )
    ... )
    >>> found.systems[0].system, found.pairs[0].difference.value
    ('x', 0.75)
    """
    if not len(ratings.values):
        return RatingAnalysis((), (), "no_judgments")
    rng = np.random.default_rng(0) if rng is None else rng
    names = [str(name) for name in ratings.systems.names]
    means = [_system_mean(ratings, code, name, level) for code, name in enumerate(names)]
    pairs = [
        _compared(ratings, a, b, level=level, n_resamples=n_resamples, rng=rng)
        for a, b in combinations(range(len(names)), 2)
    ]
    adjusted = adjust([pair.difference.p_value for pair in pairs], correction)
    family = [
        replace(pair, p_adjusted=p, correction=correction) for pair, p in zip(pairs, adjusted, strict=True)
    ]
    family = [replace(pair, results=rating_results(pair, question, level)) for pair in family]
    means.sort(key=lambda found: (-_value(found.mean), found.system))
    letters = compact_letters([found.system for found in means], told_apart(family, level))
    status: Status = "ok" if len(names) > 1 else "too_few_systems"
    return RatingAnalysis(
        tuple(replace(found, letters=letters[found.system]) for found in means),
        tuple(family),
        status,
        rating_methods(ratings, family, correction, level),
    )


def _value(mean: MeanResult) -> float:
    return -np.inf if mean.value is None else mean.value


def _system_mean(ratings: Ratings, code: int, name: str, level: float) -> SystemMean:
    rows = ratings.subset(ratings.systems.codes == code)
    mean = design_mean(rows.values, rows.items.codes, rows.raters.codes, rows.dialogues.codes, level=level)
    return SystemMean(name, mean, len(rows.values))


def _compared(ratings: Ratings, a: int, b: int, **settings: Any) -> RatingComparison:
    """Two systems by their numbers, not yet corrected for the other pairs."""
    level = settings["level"]
    names = str(ratings.systems.names[a]), str(ratings.systems.names[b])
    both = _on_common_items(ratings, a, b)
    if both is None:
        nothing = MeanResult(None, status="no_pairable_units", note="no item was rated under both systems")
        lacking = undefined("no_pairable_units")
        return RatingComparison(*names, nothing, None, "holm", None, None, lacking, lacking, None)
    first = both.systems.codes == _code(both, names[0])
    differences, dialogues = _by_item(both, first)
    paired, items, raters, of_dialogue = _by_item_and_rater(both, first)
    if len(paired) * 2 == len(both.values):
        difference = design_mean(paired, items, raters, of_dialogue, level=level)
    else:
        difference = _incomplete(both, first, level)
    flipped = sign_flip_test(differences, dialogues, n_resamples=settings["n_resamples"], rng=settings["rng"])
    return RatingComparison(
        *names,
        difference,
        None,
        "holm",
        flipped,
        wilcoxon_signed_rank(np.round(differences, 9)),
        cohen_d_z(differences, level=level),
        _superiority(paired),
        difference.detectable(level=level),
    )


def _code(ratings: Ratings, system: str) -> int:
    return [str(name) for name in ratings.systems.names].index(system)


def _on_common_items(ratings: Ratings, a: int, b: int) -> Ratings | None:
    """The ratings of two systems on the items rated under both, first passes only."""
    of_a, of_b = (np.unique(ratings.items.codes[ratings.systems.codes == code]) for code in (a, b))
    common = np.intersect1d(of_a, of_b)
    if not len(common):
        return None
    first_pass = ratings.passes.codes == _first_passes(ratings)
    wanted = np.isin(ratings.systems.codes, (a, b)) & np.isin(ratings.items.codes, common)
    return ratings.subset(wanted & first_pass)


def _first_passes(ratings: Ratings) -> Array:
    """For each row the first pass in which its rater rated its unit."""
    cells = ratings.units.codes * max(1, len(ratings.raters)) + ratings.raters.codes
    _, at = np.unique(cells, return_inverse=True)
    first = np.full(int(at.max(initial=-1)) + 1, len(ratings.passes))
    np.minimum.at(first, at, ratings.passes.codes)
    return np.asarray(first[at])


def _by_item(ratings: Ratings, first: Array) -> tuple[Array, Array]:
    """Differences of the two item means, shape (n_items,), and the dialogue of each item."""
    n = len(ratings.items)
    sums = [np.bincount(ratings.items.codes[rows], ratings.values[rows], n) for rows in (first, ~first)]
    times = [np.bincount(ratings.items.codes[rows], minlength=n) for rows in (first, ~first)]
    dialogues = np.zeros(n, dtype=np.int64)
    dialogues[ratings.items.codes] = ratings.dialogues.codes
    return sums[0] / times[0] - sums[1] / times[1], dialogues


def _by_item_and_rater(ratings: Ratings, first: Array) -> tuple[Array, Array, Array, Array]:
    """Differences where one rater rated both: values, items, raters, dialogues, each (n_pairs,)."""
    cells = ratings.items.codes * len(ratings.raters) + ratings.raters.codes
    rows_a, rows_b = np.flatnonzero(first), np.flatnonzero(~first)
    _, at_a, at_b = np.intersect1d(cells[rows_a], cells[rows_b], return_indices=True)
    a, b = rows_a[at_a], rows_b[at_b]
    return (
        ratings.values[a] - ratings.values[b],
        ratings.items.codes[a],
        ratings.raters.codes[a],
        ratings.dialogues.codes[a],
    )


def _incomplete(ratings: Ratings, first: Array, level: float) -> MeanResult:
    """Mean difference of item means where raters saw different systems: each rating's influence on it."""
    n, items = len(ratings.items), ratings.items.codes
    influence, value = np.zeros(len(first)), 0.0
    for sign, rows in ((1.0, first), (-1.0, ~first)):
        times = np.bincount(items[rows], minlength=n)
        share = 1.0 / (n * times[items[rows]])
        mean = float(share @ ratings.values[rows])
        influence[rows] = sign * share * (ratings.values[rows] - mean)
        value += sign * mean
    return clustered_sum(value, influence, ratings.dialogues.codes, ratings.raters.codes, level=level)


def _superiority(differences: Array) -> Estimate:
    """P(first > second) − P(second > first) within pairs."""
    if not len(differences):
        return undefined("no_pairable_units", "no rater rated both systems on one item")
    return cliffs_delta(np.sign(differences), np.zeros(1))


def told_apart(pairs: Sequence[RatingComparison], level: float) -> list[tuple[str, str]]:
    """The significant pairs as (better, worse)."""
    return [
        (pair.system_a, pair.system_b) if (pair.difference.value or 0) > 0 else (pair.system_b, pair.system_a)
        for pair in pairs
        if pair.significant(level)
    ]
