"""The restricted likelihood: its maximum, and how sure the data are of the variances there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from empeval.statistics.mixed._equations import Fit
from empeval.statistics.mixed.effects import Uncertainty, is_definite
from empeval.statistics.segments import Array

__all__ = ["minimum", "uncertainty"]

#: A relative standard deviation below this is 0: the fit is singular.
_ZERO = 1e-4
_STEP = 1e-4
#: Where a search starts anew for components that came out as 0.
_AWAY = 0.1
#: The deviance where no residual is left.
_BOTTOMLESS = -1e10


def minimum(evaluate: Callable[[Array], Fit], n_factors: int, n_free: int, floor: float) -> Array:
    """θ where the profiled deviance is least, exactly 0 where a component is; no search beyond r² = floor."""
    if not n_factors:
        return np.zeros(0)
    from scipy.optimize import minimize

    def deviance(theta: Array) -> tuple[float, Array]:
        # the deviance is even in θ, so that no bound is needed
        fit = evaluate(np.abs(theta))
        if fit.squares <= floor:
            return _BOTTOMLESS, np.zeros_like(theta)
        return fit.deviance(n_free), np.asarray(np.sign(theta) * fit.gradient(n_free))

    def search(start: Array) -> tuple[float, Array]:
        options = {"ftol": 1e-11, "gtol": 1e-5, "maxiter": 200}
        found = minimize(deviance, start, jac=True, method="L-BFGS-B", options=options)
        theta = np.abs(np.asarray(found.x, dtype=np.float64))
        theta[theta < _ZERO] = 0.0
        return float(found.fun), theta

    least, theta = search(np.ones(n_factors))
    for _ in range(n_factors):
        # the slope vanishes at 0 whether or not the least deviance is there
        if least <= _BOTTOMLESS or theta.all():
            break
        again, other = search(np.where(theta > 0, theta, _AWAY))
        if again > least - 1e-9:
            break
        least, theta = again, other
    if least <= _BOTTOMLESS:
        return theta
    for _ in range(2):
        theta = _newton(evaluate, theta, n_free)
    return theta


def _newton(evaluate: Callable[[Array], Fit], theta: Array, n_free: int) -> Array:
    """One step towards the minimum in the components that are not 0; none where it would leave the cone."""
    active = np.flatnonzero(theta)
    if not len(active):
        return theta
    step = _STEP * np.maximum(theta[active], 0.01)
    rows = []
    for k, size in zip(active, step, strict=True):
        high, low = theta.copy(), theta.copy()
        high[k], low[k] = theta[k] + size, theta[k] - size
        difference = evaluate(high).gradient(n_free) - evaluate(low).gradient(n_free)
        rows.append(difference[active] / (2.0 * size))
    hessian = np.array(rows)
    hessian = (hessian + hessian.T) / 2.0
    if not is_definite(hessian):
        return theta
    here = evaluate(theta)
    moved = theta.copy()
    moved[active] -= np.linalg.solve(hessian, here.gradient(n_free)[active])
    if moved[active].min() <= 0 or evaluate(moved).deviance(n_free) > here.deviance(n_free) + 1e-9:
        return theta
    return moved


def uncertainty(evaluate: Callable[[Array], Fit], theta: Array, fit: Fit, n_free: int) -> Uncertainty:
    """Covariance of the coefficients, and what Satterthwaite's formula needs of it at (θ > 0, σ)."""
    active = np.flatnonzero(theta)
    variance = fit.squares / n_free
    sigma = float(np.sqrt(variance))
    m = len(active)
    hessian = np.zeros((m + 1, m + 1))
    gradients = np.empty((m + 1, *fit.unscaled.shape))
    for row, k in enumerate(active):
        size = _STEP * max(float(theta[k]), 0.01)
        high, low = theta.copy(), theta.copy()
        high[k], low[k] = theta[k] + size, theta[k] - size
        above, below = evaluate(high), evaluate(low)
        by_determinant = above.log_determinant_gradient - below.log_determinant_gradient
        by_squares = above.squares_gradient - below.squares_gradient
        hessian[row, :m] = (by_determinant + by_squares / variance)[active] / (2.0 * size)
        gradients[row] = variance * (above.unscaled - below.unscaled) / (2.0 * size)
    hessian[:m, :m] = (hessian[:m, :m] + hessian[:m, :m].T) / 2.0
    hessian[m, :m] = hessian[:m, m] = -2.0 * fit.squares_gradient[active] / sigma**3
    hessian[m, m] = 4.0 * n_free / variance
    gradients[m] = 2.0 * sigma * fit.unscaled
    covariance = variance * fit.unscaled
    if not is_definite(hessian) or np.abs(fit.gradient(n_free)[active]).max(initial=0.0) > 0.01:
        return Uncertainty(covariance, gradients, None)
    return Uncertainty(covariance, gradients, 2.0 * np.linalg.inv(hessian))
