"""Cumulative-link (proportional odds) mixed models with one random intercept."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from empeval.statistics.mixed._cumulative import Cumulative
from empeval.statistics.mixed.effects import Effect, Uncertainty, is_definite, wald_effect
from empeval.statistics.mixed.linear import independent_columns
from empeval.statistics.results import Status
from empeval.statistics.segments import Array

__all__ = ["CumulativeResult", "cumulative_link_mixed_model"]

#: More values than this are no categories.
MAX_CATEGORIES = 25
#: Random effects of this size (log-odds) leave no doubt within a group.
_ENDLESS = 20.0
#: A standard deviation below this is 0.
_ZERO = 1e-2
_BY_EFFECT = "An effect tells the categories apart without doubt."
_BY_GROUP = "The groups tell the categories apart without doubt."


@dataclass(frozen=True, eq=False)
class CumulativeResult:
    """A fitted cumulative-link mixed model; nothing but ``status`` and ``note`` where it is not ok.

    ``effects`` are log-odds ratios, positive where higher categories are likelier; ``thresholds`` lie between
    neighbouring ``categories``; ``sd`` is the random intercept's standard deviation.
    """

    effects: tuple[Effect, ...]
    thresholds: tuple[Effect, ...]
    categories: tuple[float, ...]
    sd: float | None
    log_likelihood: float | None
    n: int
    level: float
    uncertainty: Uncertainty | None = None
    status: Status = "ok"
    note: str = ""

    def contrast(self, weights: Mapping[str, float], name: str = "") -> Effect:
        """Σ weight · coefficient with the Wald interval and test; undefined where one was dropped."""
        if self.uncertainty is None or not set(weights) <= {effect.name for effect in self.effects}:
            return Effect(name, None, status=self.status if self.status != "ok" else "incomplete")
        row = np.array([weights.get(effect.name, 0.0) for effect in self.effects])
        values = np.array([effect.value for effect in self.effects], dtype=np.float64)
        return wald_effect(name, row, values, self.uncertainty, self.level)


def cumulative_link_mixed_model(
    response: Sequence[float] | Array,
    fixed: Mapping[str, Sequence[float] | Array],
    groups: Sequence[Hashable] | Array,
    *,
    n_nodes: int = 10,
    level: float = 0.95,
) -> CumulativeResult:
    """Fit logit P(Y ≤ k) = θ_k − xβ − u with u ~ N(0, σ²) by maximum likelihood.

    ``response`` (n_rows,) holds numbers whose order counts, ``fixed`` columns (n_rows,) without an intercept,
    ``groups`` (n_rows,) whose intercept is random. ``n_nodes`` = 1 is Laplace's approximation, more are the
    nodes of adaptive Gauss–Hermite quadrature. Standard errors come from the observed information, tests are
    Wald's. Status ``separated`` where a combination of the columns, or the groups, tell the categories apart
    without doubt, so that no estimate is finite. Source: Christensen (2019), Agresti (2010).

    >>> x = [0, 1] * 12
    >>> y = [1, 2, 2, 3, 1, 2, 3, 3, 2, 1, 1, 3, 2, 3, 1, 1, 3, 2, 2, 3, 1, 3, 3, 2]
    >>> found = cumulative_link_mixed_model(y, {"x": x}, [i // 4 for i in range(24)])
    >>> found.status, found.effects[0].value > 0, len(found.thresholds)
    ('ok', True, 2)
    """
    categories, category = np.unique(np.asarray(response, dtype=np.float64), return_inverse=True)
    levels, group = np.unique(np.asarray(groups), return_inverse=True)
    names, columns, notes = independent_columns({"": np.ones(len(category)), **fixed}, len(category))
    names, columns = names[1:], columns[:, 1:]
    n = len(category)
    empty = CumulativeResult((), (), tuple(categories.tolist()), None, None, n, level)
    if len(categories) < 2:
        return replace(empty, status="no_variation" if n else "no_judgments")
    if len(categories) > MAX_CATEGORIES:
        return replace(empty, status="too_many_categories", note=f"{len(categories)} different values.")
    if len(levels) < 2 or len(levels) == n:
        return replace(empty, status="too_few_units", note="No two groups of several answers.")
    data = Cumulative.of(category.reshape(-1), columns, group.reshape(-1), n_nodes)
    if _group_decides(data):
        return replace(empty, status="separated", note=_BY_GROUP)
    if names and _separated(data):
        return replace(empty, status="separated", note=_BY_EFFECT)
    return _fit(data, tuple(names), empty, notes)


def _fit(
    data: Cumulative, names: tuple[str, ...], empty: CumulativeResult, notes: list[str]
) -> CumulativeResult:
    best, information = _maximum(data)
    if abs(best[-1]) > _ENDLESS:
        return replace(empty, status="separated", note=_BY_GROUP)
    n_cuts = data.n_categories - 1
    if best[-1] == 0:
        notes = [*notes, "The variance of the random intercept is estimated as 0."]
    free = np.arange(len(best) - (best[-1] == 0))
    information = information[np.ix_(free, free)]
    if not is_definite(information):
        return replace(empty, status="not_converged", note="The likelihood has no clear maximum.")
    covariance = np.linalg.inv(information)
    everything = Uncertainty(covariance[: len(best) - 1, : len(best) - 1])
    labels = [f"{a:g}|{b:g}" for a, b in zip(empty.categories, empty.categories[1:], strict=False)]
    effects = [
        wald_effect(name, row, best[:-1], everything, empty.level)
        for name, row in zip([*labels, *names], np.eye(len(best) - 1), strict=True)
    ]
    return replace(
        empty,
        effects=tuple(effects[n_cuts:]),
        thresholds=tuple(effects[:n_cuts]),
        sd=float(best[-1]),
        log_likelihood=float(data.log_likelihood(best[None, :])[0]),
        uncertainty=Uncertainty(everything.covariance[n_cuts:, n_cuts:]),
        note=" ".join(notes),
    )


def _maximum(data: Cumulative) -> tuple[Array, Array]:
    """Thresholds, coefficients and σ ≥ 0 of highest likelihood, and the observed information there."""
    from scipy.optimize import minimize

    n_cuts, n_columns = data.n_categories - 1, data.columns.shape[1]
    shares = np.cumsum(np.bincount(data.category, data.times))[:-1] / data.times.sum()
    cuts = np.log(shares / (1.0 - shares))
    start = np.concatenate([cuts[:1], np.log(np.diff(cuts)), np.zeros(n_columns), [1.0]])

    def loss(points: Array) -> Array:
        return -data.log_likelihood(_natural(points, n_cuts))

    def with_gradient(point: Array) -> tuple[float, Array]:
        return float(loss(point[None, :])[0]), _gradient(loss, point)

    options = {"gtol": 1e-5, "maxiter": 300}
    found = minimize(with_gradient, start, jac=True, method="BFGS", options=options)
    best = _natural(np.asarray(found.x)[None, :], n_cuts)[0]
    best[-1] = abs(best[-1])

    def natural(points: Array) -> Array:
        return -data.log_likelihood(points)

    if best[-1] < _ZERO:
        best[-1] = 0.0
        return best, _hessian(natural, best)
    information = _hessian(natural, best)
    if is_definite(information):
        moved = best - np.linalg.solve(information, _gradient(natural, best))
        if moved[-1] > 0 and float(natural(moved[None, :])[0]) <= float(natural(best[None, :])[0]):
            best = moved
    return best, information


def _natural(points: Array, n_cuts: int) -> Array:
    """First threshold and logarithms of the gaps become thresholds."""
    steps = np.concatenate([points[:, :1], np.exp(np.clip(points[:, 1:n_cuts], -30.0, 30.0))], axis=1)
    return np.concatenate([np.cumsum(steps, axis=1), points[:, n_cuts:]], axis=1)


def _gradient(function: Callable[[Array], Array], point: Array, step: float = 1e-5) -> Array:
    """Central differences, all in one call."""
    moves = step * np.eye(len(point))
    values = function(np.concatenate([point + moves, point - moves]))
    return np.asarray((values[: len(point)] - values[len(point) :]) / (2.0 * step))


def _hessian(function: Callable[[Array], Array], point: Array, step: float = 1e-3) -> Array:
    """Second differences, all in one call."""
    d = len(point)
    moves = step * np.eye(d)
    pairs = [(i, j) for i in range(d) for j in range(i + 1)]
    signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    points = [point + a * moves[i] + b * moves[j] for i, j in pairs for a, b in signs]
    values = function(np.array(points)).reshape(-1, 4)
    found = np.zeros((d, d))
    for (i, j), (pp, pm, mp, mm) in zip(pairs, values, strict=True):
        found[i, j] = found[j, i] = (pp - pm - mp + mm) / (4.0 * step**2)
    return found


def _group_decides(data: Cumulative) -> bool:
    """Whether each group holds one category throughout."""
    ends = np.append(data.starts[1:], len(data.group)) - 1
    return bool((data.category[data.starts] == data.category[ends]).all())


def _separated(data: Cumulative) -> bool:
    """Whether some direction of thresholds and coefficients lowers no row's probability and raises some.

    The slack of each row's two cut points in that direction is maximised as a linear programme. Source:
    Albert and Anderson (1984), Konis (2007).
    """
    from scipy.optimize import linprog

    n_cuts = data.n_categories - 1
    rows = np.unique(np.column_stack([data.category, data.columns]), axis=0)
    category, columns = rows[:, 0].astype(np.int64), rows[:, 1:]
    cut = np.eye(n_cuts)
    above, below = category < n_cuts, category > 0
    upper = np.concatenate([cut[category[above]], -columns[above]], axis=1)
    lower = np.concatenate([-cut[category[below] - 1], columns[below]], axis=1)
    slack = np.concatenate([upper, lower])
    scale = np.abs(slack).max(axis=0)
    slack = slack / np.where(scale > 0, scale, 1.0)
    found = linprog(
        -slack.sum(axis=0), A_ub=-slack, b_ub=np.zeros(len(slack)), bounds=(-1, 1), method="highs"
    )
    return bool(found.status == 0 and -found.fun > 1e-7)
