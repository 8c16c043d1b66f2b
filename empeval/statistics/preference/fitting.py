"""Newton's method for Bradley–Terry and Davidson on many tables of counts at once.

Both are exponential families in d = strength of the first − strength of the second and λ = log ν, with
P(first) : P(tie) : P(second) = exp(d/2) : exp(λ) : exp(−d/2); Bradley–Terry has no tie (λ = −∞). The
statistics are (wins − losses)/2 and the ties, so the likelihood is concave and Newton's steps are exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.preference.tables import Pairs, estimable
from empeval.statistics.segments import Array

__all__ = ["Fits", "fit", "information", "log_likelihood", "probabilities"]

_LONGEST_STEP = 2.0
_MOST_STEPS = 100
#: Errors are squared from step to step: what follows a step of this length is below 1e-12.
_STEP = 1e-6
#: A fit counts when wins equal expected wins up to this share of the comparisons.
_SCORE = 1e-7
#: Numbers held at once.
_CELLS = 4_000_000


@dataclass(frozen=True, eq=False)
class Fits:
    """Strengths (n, n_systems), sum 0, and log ν (n,), −∞ without ties; NaN where there is no maximum."""

    strengths: Array
    log_nu: Array


def fit(pairs: Pairs, counts: Array, *, tie_parameter: bool, start: Fits | None = None) -> Fits:
    """Maximum likelihood on each table of counts, shape (n, n_pairs, 3).

    Without ``tie_parameter`` a tie is half a win for each side. ``start`` holds one fit near the others.
    The result is checked by its score equations (wins = expected wins).
    """
    n, n_systems = len(counts), pairs.n_systems
    theta = np.zeros((n, n_systems + 1))
    theta[:, -1] = -np.inf
    tied = counts[..., 1].any(axis=1) if tie_parameter else np.zeros(n, dtype=bool)
    theta[tied, -1] = 0.0
    if start is not None:
        theta[:, :-1] = start.strengths
        theta[tied, -1] = start.log_nu if np.all(np.isfinite(start.log_nu)) else 0.0
    good = estimable(pairs, counts, tie_parameter=tie_parameter)
    theta[~good] = np.nan
    block = max(1, _CELLS // (3 * max(1, len(pairs)) + n_systems**2))
    for kind in (False, True):
        chosen = np.flatnonzero(good & (tied == kind))
        for at in range(0, len(chosen), block):
            rows = chosen[at : at + block]
            theta[rows] = _newton(pairs, counts[rows], theta[rows], with_ties=kind)
    return Fits(theta[:, :-1], theta[:, -1])


def _newton(pairs: Pairs, counts: Array, theta: Array, *, with_ties: bool) -> Array:
    """Rows of ``theta`` at their maximum, NaN where Newton's method does not get there."""
    n_free = pairs.n_systems + with_ties
    observed = _observed(counts)
    active = np.arange(len(counts))
    for _ in range(_MOST_STEPS):
        score, curvature = _score_and_information(pairs, observed[active], theta[active], with_ties)
        step = np.linalg.solve(curvature, score[..., None])[..., 0]
        longest = np.abs(step).max(axis=1)
        step *= np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, 1e-300))[:, None]
        theta[active, :n_free] += step
        active = active[longest > _STEP]
        if not len(active):
            break
    score, _ = _score_and_information(pairs, observed, theta, with_ties)
    theta[np.abs(score).max(axis=1) > _SCORE * counts.sum(axis=(1, 2))] = np.nan
    return theta


def _observed(counts: Array) -> Array:
    """(wins − losses)/2, ties, and all comparisons of each pair, shape (n, n_pairs, 3)."""
    half = (counts[..., 0] - counts[..., 2]) / 2.0
    return np.stack([half, counts[..., 1], counts.sum(axis=-1)], axis=-1)


def _score_and_information(
    pairs: Pairs, observed: Array, theta: Array, with_ties: bool
) -> tuple[Array, Array]:
    """Gradient (n, n_free) and negative second derivatives (n, n_free, n_free) of the log-likelihood.

    1/n_systems is added to the strengths' block, which fixes their sum at 0 and changes nothing else.
    """
    p = probabilities(pairs, theta)
    half, ties, total = (observed[..., k] for k in range(3))
    tilt = (p[0] - p[2]) / 2.0
    score = (half - total * tilt) @ pairs.incidence
    n = pairs.n_systems
    curvature = pairs.laplacian(total * ((p[0] + p[2]) / 4.0 - tilt * tilt)) + 1.0 / n
    if not with_ties:
        return score, curvature
    mixed = (-total * tilt * p[1]) @ pairs.incidence
    own = (total * p[1] * (1.0 - p[1])).sum(axis=1)
    score = np.concatenate([score, (ties - total * p[1]).sum(axis=1, keepdims=True)], axis=1)
    top = np.concatenate([curvature, mixed[:, :, None]], axis=2)
    bottom = np.concatenate([mixed, own[:, None]], axis=1)[:, None, :]
    return score, np.concatenate([top, bottom], axis=1)


def probabilities(pairs: Pairs, theta: Array) -> tuple[Array, Array, Array]:
    """P(first wins), P(tie), P(second wins) of each pair, shape (n, n_pairs) each."""
    half = theta[:, :-1] @ pairs.incidence.T / 2.0
    tie = np.broadcast_to(theta[:, -1:], half.shape)
    top = np.maximum(np.abs(half), tie)
    shares = np.exp(half - top), np.exp(tie - top), np.exp(-half - top)
    whole = shares[0] + shares[1] + shares[2]
    return shares[0] / whole, shares[1] / whole, shares[2] / whole


def information(pairs: Pairs, counts: Array, fits: Fits) -> Array:
    """Information of the first fit, (n_free, n_free), 1/n_systems added to the strengths' block."""
    theta = np.concatenate([fits.strengths, fits.log_nu[:, None]], axis=1)[:1]
    with_ties = bool(np.isfinite(theta[0, -1]))
    found = _score_and_information(pairs, _observed(counts[:1]), theta, with_ties)[1]
    return np.asarray(found[0])


def log_likelihood(pairs: Pairs, counts: Array, fits: Fits) -> float:
    """The log-likelihood of the first fit, without the constant of the counts' orders."""
    theta = np.concatenate([fits.strengths, fits.log_nu[:, None]], axis=1)[:1]
    if not np.isfinite(theta[0, -1]):
        # a tie as half a win and half a loss
        counts = np.stack(
            [counts[..., 0] + counts[..., 1] / 2, 0 * counts[..., 1], counts[..., 2] + counts[..., 1] / 2], -1
        )
    p = np.stack(probabilities(pairs, theta), axis=-1)[0]
    seen = counts[0] > 0
    return float(np.sum(counts[0][seen] * np.log(p[seen])))
