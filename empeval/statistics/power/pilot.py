"""Components of variance from a pilot study."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.design import Judgments, Ratings
from empeval.statistics.mixed.linear import linear_mixed_model
from empeval.statistics.mixed.ratings import rating_model
from empeval.statistics.power.components import Components, PreferenceComponents
from empeval.statistics.results import Status
from empeval.statistics.segments import Array

__all__ = ["Pilot", "PreferencePilot", "components_from", "preference_components_from"]

_UNKNOWN = {
    "rater": "",
    "rater:system": "How far raters differ in what they think of a system is not known from this pilot and "
    "counts as 0, which flatters small numbers of raters.",
    "item:system": "How far the systems' difference varies over items is part of the residual here, which "
    "flatters many raters for each item.",
    "item": "",
}


@dataclass(frozen=True)
class Pilot:
    """Components of ratings, the largest difference between two systems seen, and what is not known.

    ``components`` is None where ``status`` is not ok.
    """

    components: Components | None
    effect: float | None
    n_ratings: int
    status: Status = "ok"
    note: str = ""


@dataclass(frozen=True)
class PreferencePilot:
    """Components of A/B judgments and the net preference seen; ``components`` None where not ok."""

    components: PreferenceComponents | None
    effect: float | None
    n_judgments: int
    status: Status = "ok"
    note: str = ""


def components_from(ratings: Ratings) -> Pilot:
    """Standard deviations by the mixed model of `rating_model`; in complete designs those of mean squares.

    They are those of the ratings as given, so that no rounding needs to be simulated on top. At least two
    systems are needed: the variation of their difference decides about power. A pilot with few raters leaves
    the raters' components very uncertain.

    >>> rng = np.random.default_rng(0)
    >>> items, raters, systems = (axis.ravel() for axis in np.indices((40, 6, 2)))
    >>> values = 3 + rng.normal(size=480) + rng.normal(size=40)[items]
    >>> found = components_from(Ratings.of(values, items=items, raters=raters, systems=systems))
    >>> 0.9 < found.components.residual < 1.1, 0.7 < found.components.item < 1.3
    (True, True)
    """
    n = len(ratings.values)
    if len(ratings.systems) < 2 and n:
        return Pilot(None, None, n, "too_few_systems", "A pilot needs two systems to compare.")
    model = rating_model(ratings)
    if model.status != "ok":
        return Pilot(None, None, n, model.status, model.note)
    sds = {term: model.model.sd(term) for term in _UNKNOWN}
    notes = [_UNKNOWN[term] for term, sd in sds.items() if sd is None and _UNKNOWN[term]]
    gaps = [abs(pair.effect.value) for pair in model.differences if pair.effect.value is not None]
    found = Components(
        item=float(np.hypot(sds["item"] or 0.0, model.model.sd("dialogue") or 0.0)),
        rater=sds["rater"] or 0.0,
        item_system=float(np.hypot(sds["item:system"] or 0.0, model.model.sd("dialogue:system") or 0.0)),
        rater_system=sds["rater:system"] or 0.0,
        residual=model.model.sd("residual") or 0.0,
    )
    return Pilot(found, max(gaps, default=None), n, note=" ".join([*notes, *filter(None, [model.note])]))


def preference_components_from(judgments: Judgments) -> PreferencePilot:
    """Leanings of items and raters behind the judgments of one pair of systems, and how often they tie.

    Variances of the outcomes (1, 0, −1) by a mixed model are turned into correlations of the normal leanings
    that would give them: Cov = E[g(u)²] − net², g(u) the net preference of an item or rater that leans by u.

    >>> import itertools
    >>> cells = list(itertools.product(range(30), range(3)))
    >>> winners = [["x", "y", "tie"][(i * i + r) % 3] for i, r in cells]
    >>> items, raters = zip(*cells)
    >>> found = preference_components_from(
    ...     Judgments.of(["x"] * 90, ["y"] * 90, winners, items=items, raters=raters)
    ... )
    >>> round(found.components.ties, 2), round(found.effect, 2)
    (0.33, 0.0)
    """
    kept = judgments.subset(np.isfinite(judgments.outcomes))
    outcomes, n = kept.outcomes, len(kept.outcomes)
    if not n:
        return PreferencePilot(None, None, 0, "no_judgments")
    if len(kept.pairs) > 1:
        return PreferencePilot(None, None, n, "incomplete", "A pilot of judgments holds one pair of systems.")
    if len(kept.items) < 2:
        return PreferencePilot(None, None, n, "too_few_items")
    groups = {"item": kept.items.codes, "rater": kept.raters.codes}
    model = linear_mixed_model(outcomes, {"net": np.ones(n)}, groups)
    if model.status != "ok":
        return PreferencePilot(None, None, n, model.status, model.note)
    wins, losses = (((outcomes == sign).sum() + 0.5) / (n + 1.5) for sign in (1, -1))
    centre, band = _cuts(float(wins), float(losses))
    shares = {name: _correlation(model.sd(name) or 0.0, centre, band) for name in groups}
    left = max(0.05, 1.0 - sum(shares.values()))
    found = PreferenceComponents(
        item=float(np.sqrt(shares["item"] / left)),
        rater=float(np.sqrt(shares["rater"] / left)),
        ties=_tie_share(band) if (outcomes == 0).any() else 0.0,
    )
    return PreferencePilot(found, abs(float(outcomes.mean())), n, note=model.note)


def _cuts(wins: float, losses: float) -> tuple[float, float]:
    """Mean leaning and half the width of the band of ties, in SDs of leanings."""
    from scipy.special import ndtri

    a, b = float(ndtri(wins)), float(ndtri(losses))
    return (a - b) / 2.0, max(0.0, -(a + b) / 2.0)


def _tie_share(band: float) -> float:
    from scipy.special import ndtr

    return float(2.0 * ndtr(band) - 1.0)


def _correlation(sd: float, centre: float, band: float) -> float:
    """The share of a factor in the variance of leanings that gives outcomes this SD, by bisection."""
    low, high = 0.0, 0.95
    for _ in range(40):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _outcome_variance(middle, centre, band) < sd**2 else (low, middle)
    return low if sd > 0 else 0.0


def _outcome_variance(share: float, centre: float, band: float) -> float:
    from scipy.special import ndtr

    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    leaning: Array = centre + np.sqrt(share) * nodes
    rest = np.sqrt(1.0 - share)
    net = ndtr((leaning - band) / rest) - ndtr((-leaning - band) / rest)
    weights = weights / weights.sum()
    return float(weights @ net**2 - (weights @ net) ** 2)
