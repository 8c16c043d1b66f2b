"""The linear mixed model of a rating study: systems are fixed, items and raters are random."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np

from empeval.statistics.design import Ratings
from empeval.statistics.mixed.effects import Effect, MixedResult
from empeval.statistics.mixed.linear import linear_mixed_model
from empeval.statistics.multiplicity import holm
from empeval.statistics.results import Status
from empeval.statistics.segments import Array

__all__ = ["RatingModel", "SystemDifference", "rated", "rating_model"]

#: The random effects, in the order in which their terms are read.
TERMS = ("item", "dialogue", "rater", "rater:system", "item:system", "dialogue:system")


@dataclass(frozen=True)
class SystemDifference:
    """``system_a`` minus ``system_b``, and the p-value after Holm over all pairs."""

    system_a: str
    system_b: str
    effect: Effect
    p_adjusted: float | None


@dataclass(frozen=True, eq=False)
class RatingModel:
    """Adjusted means of systems, their differences, the model, and a sentence for the methods section.

    Adjusted means are those of an average item and rater. ``status`` says why there is no model.
    """

    means: tuple[Effect, ...]
    differences: tuple[SystemDifference, ...]
    model: MixedResult
    methods: str
    status: Status = "ok"
    note: str = ""


def rating_model(ratings: Ratings, *, level: float = 0.95) -> RatingModel:
    """Fit rating ~ system + (1|item) + (1|rater) + (1|rater:system) + (1|item:system) by REML.

    The two interactions let raters and items differ in what they make of a system, as people and contexts
    do; without them differences look far too certain. Where dialogues hold several items, they have the same
    two terms. Of repeated ratings the first counts. Terms that the design cannot support (one rating for
    each response leaves item:system in the residual) are left out, and ``note`` says so. Source: Baayen,
    Davidson and Bates (2008), Barr et al. (2013).

    >>> systems = ["x", "y"] * 6
    >>> items = [i for i in "abc" for _ in range(4)]
    >>> values, raters = [3, 4, 3, 5, 2, 4, 3, 3, 4, 5, 2, 4], list("rrss") * 3
    >>> found = rating_model(Ratings.of(values, items=items, raters=raters, systems=systems))
    >>> round(found.differences[0].effect.value, 6), found.model.components[0].name
    (-1.333333, 'item')
    """
    kept, status, note = rated(ratings)
    if status != "ok":
        empty = MixedResult((), (), None, len(kept.values), level, None, status, note)
        return RatingModel((), (), empty, "", status, note)
    names = [str(name) for name in kept.systems.names]
    fixed = {name: (kept.systems.codes == code).astype(np.float64) for code, name in enumerate(names)}
    model = linear_mixed_model(kept.values, fixed, _groups(kept), level=level)
    differences = system_differences(model, names)
    found = [part.name for part in model.components if part.name != "residual"]
    return RatingModel(
        tuple(replace(effect, note="adjusted mean") for effect in model.effects),
        differences,
        model,
        _methods(kept, found) if model.status == "ok" else "",
        model.status,
        " ".join(part for part in (note, model.note) if part),
    )


def rated(ratings: Ratings) -> tuple[Ratings, Status, str]:
    """The ratings that are numbers, one for each rater and unit, and whether they suffice for a model."""
    defined = np.isfinite(ratings.values)
    kept = ratings if defined.all() else ratings.subset(defined)
    notes = [] if defined.all() else [f"{int((~defined).sum())} missing ratings are left out."]
    first = _first_passes(kept)
    if len(first) < len(kept.values):
        notes.append(f"{len(kept.values) - len(first)} repeated ratings are left out.")
        kept = kept.subset(first)
    note = " ".join(notes)
    status: Status = "ok"
    if ratings.words:
        return kept, "incomplete", "Ratings that are words have no mean."
    if not len(kept.values):
        status = "no_judgments"
    elif len(kept.items) < 2:
        status = "too_few_items"
    elif np.ptp(kept.values) == 0:
        status = "no_variation"
    return kept, status, note


def _first_passes(ratings: Ratings) -> Array:
    """Rows with the first answer of each rater to each unit."""
    cells = ratings.units.codes * max(1, len(ratings.raters)) + ratings.raters.codes
    order = np.lexsort((ratings.passes.codes, cells))
    return np.sort(order[np.flatnonzero(np.diff(cells[order], prepend=-1))])


def system_differences(model: MixedResult, names: list[str]) -> tuple[SystemDifference, ...]:
    """Every pair of systems, with Holm's correction over them."""
    pairs = list(itertools.combinations(names, 2))
    effects = [model.contrast({a: 1.0, b: -1.0}, f"{a} − {b}") for a, b in pairs]
    adjusted = holm([effect.p_value for effect in effects])
    return tuple(
        SystemDifference(a, b, effect, p) for (a, b), effect, p in zip(pairs, effects, adjusted, strict=True)
    )


def _groups(ratings: Ratings) -> dict[str, Array]:
    factors = {"item": ratings.items, "rater": ratings.raters}
    if len(ratings.items.crossed(ratings.dialogues)) > len(ratings.dialogues):
        factors["dialogue"] = ratings.dialogues
    groups = {name: factor.codes for name, factor in factors.items()}
    if len(ratings.systems) > 1:
        for name, factor in factors.items():
            groups[f"{name}:system"] = factor.crossed(ratings.systems).codes
    return {term: groups[term] for term in TERMS if term in groups}


def _methods(ratings: Ratings, terms: list[str]) -> str:
    def counted(n: int, word: str) -> str:
        return f"{n} {word}" if n == 1 else f"{n} {word}s"

    random = ", ".join(term for term in TERMS if term in terms) or "nothing"
    data = f"{counted(len(ratings.values), 'rating')} of {counted(len(ratings.systems), 'system')}"
    where = f"{counted(len(ratings.items), 'item')} by {counted(len(ratings.raters), 'rater')}"
    return (
        f"Linear mixed model fitted by restricted maximum likelihood to {data} on {where}, with random "
        f"intercepts of {random}; degrees of freedom after Satterthwaite, p-values adjusted after Holm."
    )
