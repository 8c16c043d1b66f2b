"""Intraclass correlations: the share of the variance that raters have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from empeval.statistics.agreement.mean_squares import IccForm, MeanSquares, f_intervals, of_squares
from empeval.statistics.agreement.units import Evaluate, Units, agreement_interval
from empeval.statistics.design import Ratings
from empeval.statistics.resampling import jackknife_interval
from empeval.statistics.results import Estimate, Status, undefined
from empeval.statistics.segments import Array

if TYPE_CHECKING:
    from empeval.statistics.mixed.effects import MixedResult

__all__ = ["FORMS", "IccForm", "icc", "prepared"]

#: With more dialogues than this the model is not fitted without each of them.
_MOST_REFITS = 300

#: One-way, two-way random (absolute agreement), two-way mixed (consistency); of one rating, of the mean of k.
FORMS: tuple[IccForm, ...] = ("icc_1_1", "icc_2_1", "icc_3_1", "icc_1_k", "icc_2_k", "icc_3_k")


def icc(
    ratings: Ratings,
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> dict[IccForm, Estimate]:
    """All six intraclass correlations of Shrout and Fleiss.

    Complete tables: from the mean squares of units, raters and residual, with the intervals of the F
    distribution. Tables with gaps: from the variance components of (1|unit) + (1|rater) by REML, k
    the harmonic mean of ratings a unit, with jackknife intervals over dialogues; no unit is left out.
    Undefined where nothing varies. Sources: Shrout and Fleiss (1979); McGraw and Wong (1996).

    >>> table = Ratings.from_matrix([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6]])
    >>> {name: round(found.value, 2) for name, found in icc(table).items()}
    {'icc_1_1': 0.13, 'icc_2_1': 0.26, 'icc_3_1': 0.64, 'icc_1_k': 0.38, 'icc_2_k': 0.59, 'icc_3_k': 0.88}
    """
    matrix, clusters = _rated(ratings)
    why = _lacking(ratings, matrix)
    if why is not None:
        return {form: undefined(why) for form in FORMS}
    if np.isnan(matrix).any():
        return _incomplete(matrix, clusters, level, intervals=n_resamples > 0)
    clustered = len(np.unique(ratings.cluster_of_unit)) < ratings.n_units
    if not clustered:
        return _complete(matrix, level)
    # the F distribution knows no dialogues of several units
    found = {}
    for form in FORMS:
        units, evaluate = prepared(ratings, form)
        value = float(evaluate(units.weights[None, :])[0])
        interval, status = agreement_interval(units, evaluate, level=level, n_resamples=n_resamples, rng=rng)
        found[form] = Estimate(value).with_interval(interval, status)
    return found


def prepared(ratings: Ratings, form: IccForm) -> tuple[Units, Evaluate]:
    """The units that every rater rated, and a form under weights of the distinct ones.

    >>> units, evaluate = prepared(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]]), "icc_3_1")
    >>> evaluate(units.weights[None, :]).round(2).tolist()
    [0.5]
    """
    matrix = ratings.matrix()
    whole = ~np.isnan(matrix).any(axis=1)
    units = Units.of(matrix[whole], ratings.cluster_of_unit[whole])
    rows = units.rows
    k = rows.shape[1]
    means = rows.mean(axis=1) if len(rows) else np.zeros(0)
    within = ((rows - means[:, None]) ** 2).sum(axis=1)

    def evaluate(weights: Array) -> Array:
        n = weights.sum(axis=1)
        safe = np.maximum(n, 1e-300)
        grand = weights @ means / safe
        between = k * (weights @ means**2 - n * grand**2)
        of_raters = n * ((weights @ rows / safe[:, None] - grand[:, None]) ** 2).sum(axis=1)
        inside = weights @ within
        squares = MeanSquares(
            np.maximum(between, 0.0) / np.maximum(n - 1, 1e-300),
            of_raters / max(1, k - 1),
            np.maximum(inside - of_raters, 0.0) / np.maximum((n - 1) * max(1, k - 1), 1e-300),
            inside / np.maximum(n * max(1, k - 1), 1e-300),
            n,
            k,
        )
        found = of_squares(squares)[form]
        return np.asarray(np.where(n > 1, found, np.nan))

    return units, evaluate


def _rated(ratings: Ratings) -> tuple[Array, Array]:
    """Units and raters with at least one rating, (n_units, n_raters), and the dialogue of each unit."""
    matrix = ratings.matrix()
    there = ~np.isnan(matrix)
    units = there.any(axis=1)
    return matrix[units][:, there.any(axis=0)], ratings.cluster_of_unit[units]


def _lacking(ratings: Ratings, matrix: Array) -> Status | None:
    if ratings.words or not matrix.size:
        return "no_pairable_units"
    if matrix.shape[1] < 2:
        return "too_few_raters"
    if matrix.shape[0] < 2:
        return "too_few_units"
    if ((~np.isnan(matrix)).sum(axis=1) < 2).all():
        return "no_pairable_units"
    return "no_variation" if np.nanmax(matrix) == np.nanmin(matrix) else None


def _complete(matrix: Array, level: float) -> dict[IccForm, Estimate]:
    n, k = matrix.shape
    grand = matrix.mean()
    rows, columns = matrix.mean(axis=1), matrix.mean(axis=0)
    left = matrix - rows[:, None] - columns[None, :] + grand
    squares = MeanSquares(
        k * float(((rows - grand) ** 2).sum()) / (n - 1),
        n * float(((columns - grand) ** 2).sum()) / (k - 1),
        float((left**2).sum()) / ((n - 1) * (k - 1)),
        float(((matrix - rows[:, None]) ** 2).sum()) / (n * (k - 1)),
        n,
        k,
    )
    intervals = f_intervals(squares, level)
    found = {}
    for form, value in of_squares(squares).items():
        if np.isfinite(value):
            interval = intervals.get(form)
            found[form] = Estimate(float(value)).with_interval(interval, "ok" if interval else "no_variation")
        else:
            found[form] = undefined("no_variation")
    return found


def _incomplete(matrix: Array, clusters: Array, level: float, *, intervals: bool) -> dict[IccForm, Estimate]:
    """From variance components by REML, with jackknife intervals that leave out each dialogue in turn."""
    values, k = _by_reml(matrix)
    note = f"with gaps: variance components by REML; k is {k:.3g}, the harmonic mean of ratings a unit"
    labels = np.unique(clusters)
    left: list[dict[IccForm, float]] = []
    if intervals and 2 <= len(labels) <= _MOST_REFITS:
        left = [_by_reml(matrix[clusters != label])[0] for label in labels]
    found: dict[IccForm, Estimate] = {}
    for form in FORMS:
        value = values[form]
        if not np.isfinite(value):
            found[form] = undefined("no_variation", note)
            continue
        interval = jackknife_interval(value, np.array([of[form] for of in left]), level, bounds=(None, 1.0))
        found[form] = Estimate(value, interval, "ok", "ok" if interval else "too_few_units", note)
    return found


def _by_reml(matrix: Array) -> tuple[dict[IccForm, float], float]:
    """The six correlations, NaN where undefined, and the harmonic mean of ratings a unit."""
    from empeval.statistics.mixed.linear import linear_mixed_model

    unit, rater = np.nonzero(~np.isnan(matrix))
    values, ones = matrix[unit, rater], np.ones(len(unit))
    n_raters, k = matrix.shape[1], len(matrix) / float((1.0 / np.bincount(unit)).sum())
    parts = _components(linear_mixed_model(values, {"mean": ones}, {"unit": unit, "rater": rater}))
    shared, of_rater, rest = (parts.get(name, 0.0) for name in ("unit", "rater", "residual"))
    # the mean squares between and within units that these components imply, as in a complete table
    between, within = n_raters * shared + rest, of_rater + rest
    single = {
        "icc_1": (between - within, between + (n_raters - 1) * within),
        "icc_2": (shared, shared + of_rater + rest),
        "icc_3": (shared, shared + rest),
    }
    found: dict[IccForm, float] = {}
    for form in FORMS:
        top, bottom = single[form[:5]]
        one = top / bottom if bottom > 0 else float("nan")
        # Spearman and Brown: the mean of k ratings
        found[form] = one if form.endswith("1") else k * one / (1 + (k - 1) * one)
    return found, k


def _components(found: MixedResult) -> dict[str, float]:
    return {part.name: part.variance for part in found.components}
