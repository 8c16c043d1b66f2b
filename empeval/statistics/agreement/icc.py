"""Intraclass correlations: the share of the variance that raters have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from empeval.statistics.agreement.units import Evaluate, Units, agreement_interval
from empeval.statistics.design import Ratings
from empeval.statistics.resampling import Interval, jackknife_interval
from empeval.statistics.results import Estimate, Status, undefined
from empeval.statistics.segments import Array

if TYPE_CHECKING:
    from empeval.statistics.mixed.effects import MixedResult

__all__ = ["FORMS", "IccForm", "icc", "prepared"]

#: With more dialogues than this the model is not fitted without each of them.
_MOST_REFITS = 300

IccForm = Literal["icc_1_1", "icc_2_1", "icc_3_1", "icc_1_k", "icc_2_k", "icc_3_k"]
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
        squares = _Squares(
            np.maximum(between, 0.0) / np.maximum(n - 1, 1e-300),
            of_raters / max(1, k - 1),
            np.maximum(inside - of_raters, 0.0) / np.maximum((n - 1) * max(1, k - 1), 1e-300),
            inside / np.maximum(n * max(1, k - 1), 1e-300),
            n,
            k,
        )
        found = _forms(squares)[form]
        return np.asarray(np.where(n > 1, found, np.nan))

    return units, evaluate


@dataclass(frozen=True)
class _Squares:
    """Mean squares of units, raters, residual, and within units; numbers of units and raters."""

    units: Any
    raters: Any
    residual: Any
    within: Any
    n: Any
    k: int


def _forms(s: _Squares) -> dict[IccForm, Any]:
    k, n = s.k, np.maximum(s.n, 1)

    def share(top: Any, bottom: Any) -> Any:
        there = np.asarray(bottom > 1e-12)
        return np.divide(top, bottom, out=np.full(np.shape(there), np.nan), where=there)

    return {
        "icc_1_1": share(s.units - s.within, s.units + (k - 1) * s.within),
        "icc_2_1": share(
            s.units - s.residual, s.units + (k - 1) * s.residual + k * (s.raters - s.residual) / n
        ),
        "icc_3_1": share(s.units - s.residual, s.units + (k - 1) * s.residual),
        "icc_1_k": share(s.units - s.within, s.units),
        "icc_2_k": share(s.units - s.residual, s.units + (s.raters - s.residual) / n),
        "icc_3_k": share(s.units - s.residual, s.units),
    }


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
    squares = _Squares(
        k * float(((rows - grand) ** 2).sum()) / (n - 1),
        n * float(((columns - grand) ** 2).sum()) / (k - 1),
        float((left**2).sum()) / ((n - 1) * (k - 1)),
        float(((matrix - rows[:, None]) ** 2).sum()) / (n * (k - 1)),
        n,
        k,
    )
    intervals = _intervals(squares, level)
    found = {}
    for form, value in _forms(squares).items():
        if np.isfinite(value):
            interval = intervals.get(form)
            found[form] = Estimate(float(value)).with_interval(interval, "ok" if interval else "no_variation")
        else:
            found[form] = undefined("no_variation")
    return found


def _intervals(s: _Squares, level: float) -> dict[IccForm, Interval]:
    """The F intervals of McGraw and Wong (1996), where the residual is not 0."""
    from scipy.special import fdtri

    if s.residual <= 1e-12 * s.units or s.within <= 0:
        return {}
    n, k, p = s.n, s.k, 0.5 + level / 2

    def single(low: float, high: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """From bounds of F to those of a single rating's and a mean's correlation."""
        return (
            ((low - 1) / (low + k - 1), (high - 1) / (high + k - 1)),
            (1 - 1 / low if low else -np.inf, 1 - 1 / high),
        )

    one_way = s.units / s.within
    of_one = single(one_way / fdtri(n - 1, n * (k - 1), p), one_way * fdtri(n * (k - 1), n - 1, p))
    mixed = s.units / s.residual
    df = (n - 1) * (k - 1)
    of_mixed = single(mixed / fdtri(n - 1, df, p), mixed * fdtri(df, n - 1, p))
    both = {"icc_1_1": of_one[0], "icc_1_k": of_one[1], "icc_3_1": of_mixed[0], "icc_3_k": of_mixed[1]}
    both |= _absolute(s, p)
    # a bound may miss its own estimate by rounding alone
    return {
        form: Interval(float(low), float(high), level, "F distribution")  # type: ignore[misc]
        for form, (low, high) in both.items()
        if np.isfinite([low, high]).all()
    }


def _absolute(s: _Squares, p: float) -> dict[str, tuple[float, float]]:
    """Bounds of ICC(2,1) and ICC(2,k) with Satterthwaite's degrees of freedom."""
    from scipy.special import fdtri

    n, k = s.n, s.k
    value = float(_forms(s)["icc_2_1"])
    if not np.isfinite(value) or value >= 1:
        return {}
    a, b = k * value / (n * (1 - value)), 1 + k * value * (n - 1) / (n * (1 - value))
    bottom = (a * s.raters) ** 2 / (k - 1) + (b * s.residual) ** 2 / ((n - 1) * (k - 1))
    if bottom <= 0:
        return {}
    df = (a * s.raters + b * s.residual) ** 2 / bottom
    if df <= 0:
        return {}
    rest = k * s.raters + (k * n - k - n) * s.residual
    upper, lower = fdtri(n - 1, df, p), fdtri(df, n - 1, p)
    low = n * (s.units - upper * s.residual) / (upper * rest + n * s.units)
    high = n * (lower * s.units - s.residual) / (rest + n * lower * s.units)
    return {
        "icc_2_1": (low, high),
        "icc_2_k": (low * k / (1 + low * (k - 1)), high * k / (1 + high * (k - 1))),
    }


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
