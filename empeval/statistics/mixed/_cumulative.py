"""The likelihood of a cumulative-link model with one random intercept, for many parameter vectors at once.

P(Y ≤ k | u) = F(θ_k − xβ − σu), F the logistic function, u standard normal. Each group's integral over u is
taken around its mode: by Laplace's method with one node, by adaptive Gauss–Hermite quadrature with more.
Source: Christensen (2019), Pinheiro and Bates (1995).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.segments import Array

__all__ = ["Cumulative"]

_TINY = 1e-300
#: Numbers held at once in an array of vectors by rows.
_CELLS = 500_000
_MODE_STEPS = 50


@dataclass(frozen=True, eq=False)
class Cumulative:
    """Distinct rows of the data, sorted by group, and the quadrature's nodes.

    ``category`` (n_rows,) counts from 0, ``columns`` (n_rows, n_columns), ``group`` (n_rows,), ``times``
    (n_rows,) how often a row occurs. Parameters (…, K − 1 + n_columns + 1) are thresholds, coefficients, σ.
    """

    category: Array
    columns: Array
    group: Array
    times: Array
    n_categories: int
    nodes: Array
    node_weights: Array

    @classmethod
    def of(cls, category: Array, columns: Array, group: Array, n_nodes: int) -> Cumulative:
        """Collect equal rows, so that their order and number do not count."""
        table = np.column_stack([group, category, columns])
        rows, times = np.unique(table, axis=0, return_counts=True)
        nodes, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
        return cls(
            rows[:, 1].astype(np.int64),
            rows[:, 2:],
            rows[:, 0].astype(np.int64),
            times.astype(np.float64),
            int(category.max()) + 1,
            nodes,
            np.log(weights) + nodes**2 / 2.0,
        )

    @property
    def starts(self) -> Array:
        """Where each group's rows begin, shape (n_groups,)."""
        return np.flatnonzero(np.diff(self.group, prepend=-1))

    def log_likelihood(self, parameters: Array) -> Array:
        """Marginal log-likelihoods (n_vectors,) of parameters (n_vectors, n_parameters)."""
        block = max(1, _CELLS // max(1, len(self.times)))
        parts = [parameters[at : at + block] for at in range(0, len(parameters), block)]
        return np.concatenate([self._log_likelihood(part) for part in parts])

    def _log_likelihood(self, parameters: Array) -> Array:
        upper, lower = self._bounds(parameters)
        sigma = parameters[:, -1:]
        mode, curvature = self._modes(upper, lower, sigma)
        width = 1.0 / np.sqrt(curvature)
        terms = np.stack(
            [
                self._joint(upper, lower, sigma, mode + width * node) + weight
                for node, weight in zip(self.nodes, self.node_weights, strict=True)
            ]
        )
        peak = terms.max(axis=0)
        inside = np.log(np.exp(terms - peak).sum(axis=0)) + peak
        return np.asarray((inside + np.log(width) - 0.5 * np.log(2.0 * np.pi)).sum(axis=1))

    def _bounds(self, parameters: Array) -> tuple[Array, Array]:
        """The two cut points around each row's category without the random intercept, (n_vectors, n_rows)."""
        cuts = parameters[:, : self.n_categories - 1]
        slope = parameters[:, self.n_categories - 1 : -1] @ self.columns.T
        edge = np.full((len(cuts), 1), np.inf)
        edges = np.concatenate([-edge, cuts, edge], axis=1)
        return edges[:, self.category + 1] - slope, edges[:, self.category] - slope

    def _joint(self, upper: Array, lower: Array, sigma: Array, u: Array) -> Array:
        """log P(rows of a group | u) − u² / 2, shape (n_vectors, n_groups)."""
        shift = sigma * u[:, self.group]
        logs = self.times * np.log(np.maximum(_between(lower - shift, upper - shift), _TINY))
        return np.asarray(np.add.reduceat(logs, self.starts, axis=1) - u**2 / 2.0)

    def _modes(self, upper: Array, lower: Array, sigma: Array) -> tuple[Array, Array]:
        """Each group's mode of u and the negative second derivative there, by Newton's method.

        With a = F(upper) and b = F(lower), ∂ log(a − b) / ∂η = a + b − 1 and its derivative is
        −(a (1 − a) + b (1 − b)): log-concave, so Newton's method with bounded steps arrives.
        """
        u = np.zeros((len(upper), len(self.starts)))
        for _ in range(_MODE_STEPS):
            shift = sigma * u[:, self.group]
            a, b = _logistic(upper - shift), _logistic(lower - shift)
            slope = sigma * np.add.reduceat(self.times * (a + b - 1.0), self.starts, axis=1) - u
            bend = self.times * (a * (1.0 - a) + b * (1.0 - b))
            curvature = 1.0 + sigma**2 * np.add.reduceat(bend, self.starts, axis=1)
            step = np.clip(slope / curvature, -2.0, 2.0)
            u = u + step
            if np.abs(step).max(initial=0.0) < 1e-10:
                break
        return u, curvature


def _logistic(x: Array) -> Array:
    """1 / (1 + e^−x) without overflow, to full precision far below 0 too."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, small) / (1.0 + small)


def _between(lower: Array, upper: Array) -> Array:
    """F(upper) − F(lower), in the lower tail where both lie in the upper one."""
    flip = lower > 0
    return _logistic(np.where(flip, -lower, upper)) - _logistic(np.where(flip, -upper, lower))
