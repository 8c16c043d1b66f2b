"""What a mixed model gives: effects with their errors and degrees of freedom, and components of variance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from empeval.statistics.resampling import Interval
from empeval.statistics.results import Status
from empeval.statistics.segments import Array

__all__ = ["Component", "Effect", "MixedResult", "Uncertainty", "is_definite", "wald_effect"]

#: A curvature whose least eigenvalue, as correlations, is below this has a flat direction.
_FLAT = 1e-6


@dataclass(frozen=True)
class Effect:
    """A coefficient or contrast: value, standard error, degrees of freedom, interval, two-sided p-value.

    ``df`` is None for the normal distribution. All are None where the effect is not defined.
    """

    name: str
    value: float | None
    standard_error: float | None = None
    df: float | None = None
    interval: Interval | None = None
    p_value: float | None = None
    status: Status = "ok"
    note: str = ""

    @property
    def statistic(self) -> float | None:
        """Value over standard error: t, or z where ``df`` is None."""
        if self.value is None or not self.standard_error:
            return None
        return self.value / self.standard_error


@dataclass(frozen=True)
class Component:
    """A standard deviation of random intercepts over ``n_levels`` levels, 0 or more; or of the residual."""

    name: str
    sd: float
    n_levels: int

    @property
    def variance(self) -> float:
        """The square of the standard deviation."""
        return self.sd**2


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What contrasts need: ``covariance`` (n_columns, n_columns) of the coefficients, its ``gradients``
    (n_parameters, n_columns, n_columns) by the variance parameters, and their covariance ``parameters``
    (n_parameters, n_parameters); the last two None where the distribution of a contrast is taken as normal.
    """

    covariance: Array
    gradients: Array | None = None
    parameters: Array | None = None

    def df(self, weights: Array) -> float | None:
        """Satterthwaite's degrees of freedom of a contrast: 2 f² / (g' A g), f its variance, g its gradient.

        Source: Giesbrecht and Burns (1985); Kuznetsova, Brockhoff and Christensen (2017).
        """
        if self.gradients is None or self.parameters is None:
            return None
        variance = float(weights @ self.covariance @ weights)
        gradient = np.einsum("i,kij,j->k", weights, self.gradients, weights)
        spread = float(gradient @ self.parameters @ gradient)
        return 2.0 * variance**2 / spread if spread > 0 else None


@dataclass(frozen=True, eq=False)
class MixedResult:
    """A fitted mixed model; ``effects`` is empty and ``log_likelihood`` None where ``status`` is not ok.

    ``note`` names what was dropped, and components that came out as 0 (a singular fit).
    """

    effects: tuple[Effect, ...]
    components: tuple[Component, ...]
    log_likelihood: float | None
    n: int
    level: float
    uncertainty: Uncertainty | None = None
    status: Status = "ok"
    note: str = ""

    def effect(self, name: str) -> Effect | None:
        """The effect of this name, None where it was dropped."""
        return next((effect for effect in self.effects if effect.name == name), None)

    def sd(self, name: str) -> float | None:
        """The standard deviation of this component, None where it was dropped."""
        return next((part.sd for part in self.components if part.name == name), None)

    def contrast(self, weights: Mapping[str, float], name: str = "") -> Effect:
        """Σ weight · coefficient, with interval and test; undefined where a coefficient was dropped.

        >>> from empeval.statistics.mixed.linear import linear_mixed_model
        >>> fixed = {"a": [1, 1, 0, 0, 1, 0], "b": [0, 0, 1, 1, 0, 1]}
        >>> groups = {"item": ["i", "j", "i", "j", "k", "k"]}
        >>> found = linear_mixed_model([3, 4, 2, 4, 5, 3], fixed, groups)
        >>> round(found.contrast({"a": 1, "b": -1}).value, 6)
        1.0
        """
        named = {effect.name for effect in self.effects}
        if self.uncertainty is None or not set(weights) <= named:
            return Effect(name, None, status=self.status if self.status != "ok" else "incomplete")
        row = np.array([weights.get(effect.name, 0.0) for effect in self.effects])
        values = np.array([effect.value for effect in self.effects], dtype=np.float64)
        return wald_effect(name, row, values, self.uncertainty, self.level)


def is_definite(matrix: Array) -> bool:
    """Whether a symmetric matrix is positive definite beyond rounding, whatever the units of its parameters.

    >>> is_definite(np.array([[1.0, 0.0], [0.0, 1e-9]])), is_definite(np.array([[1.0, 1.0], [1.0, 1.0]]))
    (True, False)
    """
    diagonal = np.diag(matrix)
    if not np.isfinite(matrix).all() or not (diagonal > 0).all():
        return False
    scale = np.sqrt(diagonal)
    return bool(np.linalg.eigvalsh(matrix / scale[:, None] / scale)[0] > _FLAT)


def wald_effect(
    name: str, weights: Array, values: Sequence[float] | Array, uncertainty: Uncertainty, level: float
) -> Effect:
    """Weights (n_columns,) times coefficients (n_columns,), with the t or normal interval and test."""
    from scipy.special import ndtr, ndtri, stdtr, stdtrit

    value = float(weights @ np.asarray(values))
    variance = float(weights @ uncertainty.covariance @ weights)
    if not np.isfinite(variance) or variance <= 0:
        return Effect(name, value, status="no_variation")
    error = float(np.sqrt(variance))
    df = uncertainty.df(weights)
    if df is None and uncertainty.gradients is not None:
        return Effect(name, value, error, status="not_converged")
    tail = -abs(value) / error
    p_value = 2.0 * float(ndtr(tail) if df is None else stdtr(df, tail))
    quantile = float(ndtri(0.5 + level / 2.0) if df is None else stdtrit(df, 0.5 + level / 2.0))
    method = "Wald" if df is None else "Satterthwaite t"
    interval = Interval(value - quantile * error, value + quantile * error, level, method)
    return Effect(name, value, error, df, interval, min(1.0, p_value))
