"""Mixed-model equations of crossed random intercepts, with the diagonal blocks eliminated.

With b = ΛU, Λ = diag(θ), the penalised least-squares equations are A (u, β) = (ΛZ'y, X'y), where
A = [[ΛZ'ZΛ + I, ΛZ'X], [X'ZΛ, X'X]]. Z'Z of one factor is diagonal, so its levels are eliminated by a Schur
complement at the cost of a division; a factor that the first one is nested in (item:system in item) stays
diagonal and follows. What is left is dense and small. Everything is made of counts and sums that are found
once; no array has as many rows as there are observations afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from empeval.statistics.segments import Array

__all__ = ["Equations", "Fit"]


@dataclass(frozen=True, eq=False)
class Fit:
    """What the equations give at one θ.

    ``log_determinant`` is log |A|; ``squares`` the penalised residual sum of squares r²; their gradients have
    shape (n_factors,); ``fixed`` (n_columns,) are the coefficients; ``unscaled`` (n_columns, n_columns) their
    covariance divided by σ².
    """

    log_determinant: float
    squares: float
    log_determinant_gradient: Array
    squares_gradient: Array
    fixed: Array
    unscaled: Array

    def deviance(self, n_free: int) -> float:
        """−2 × the restricted log-likelihood, σ² profiled out as r² / (n − p)."""
        return self.log_determinant + n_free * (1.0 + float(np.log(2.0 * np.pi * self.squares / n_free)))

    def gradient(self, n_free: int) -> Array:
        """Derivatives of the deviance by θ, shape (n_factors,)."""
        return self.log_determinant_gradient + n_free * self.squares_gradient / self.squares


@dataclass(frozen=True, eq=False)
class _Level:
    """An eliminated factor: its number, how often each level occurs, and its products with the dense rest."""

    factor: int
    counts: Array
    products: Array


@dataclass(frozen=True, eq=False)
class Equations:
    """The products of one data set; build them with `of`, evaluate them at θ with `at`.

    ``fine`` is eliminated first; ``coarse``, in whose levels those of ``fine`` lie (``parents``, sorted, with
    ``starts`` where each begins), second. ``owner`` (n_rest,) says which factor a dense row belongs to, −1
    for fixed effects and for the response in the last row.
    """

    fine: _Level
    coarse: _Level | None
    parents: Array
    starts: Array
    rest: Array
    owner: Array
    sizes: Array
    n_columns: int

    @classmethod
    def of(cls, response: Array, fixed: Array, factors: Sequence[Array]) -> Equations:
        """Products of ``response`` (n_rows,), ``fixed`` (n_rows, n_columns) and codes (n_rows,) a factor."""
        sizes = np.array([int(codes.max()) + 1 for codes in factors])
        order = sorted(range(len(factors)), key=lambda i: (-sizes[i], i))
        first = order[0]
        second = next((i for i in order[1:] if _nested(factors[first], factors[i], sizes[i])), None)
        left = [i for i in range(len(factors)) if i not in (first, second)]
        dense = np.column_stack([fixed, response])
        owner = np.concatenate([*(np.full(sizes[i], i) for i in left), np.full(dense.shape[1], -1)])
        codes = factors[first]
        parents, starts = np.zeros(sizes[first], dtype=np.int64), np.zeros(0, dtype=np.int64)
        if second is not None:
            parents[codes] = factors[second]
            # levels of the fine factor in the order of their parents, so that sums are over slices
            place = np.argsort(parents, kind="stable")
            rank = np.empty_like(place)
            rank[place] = np.arange(len(place))
            codes, parents = rank[codes], parents[place]
            starts = np.searchsorted(parents, np.arange(sizes[second]))

        def level(i: int, codes: Array) -> _Level:
            blocks = [_counts(codes, factors[j], sizes[i], sizes[j]) for j in left]
            products = np.concatenate([*blocks, _sums(codes, dense, sizes[i])], axis=1)
            return _Level(i, np.bincount(codes, minlength=sizes[i]).astype(np.float64), products)

        rows = [
            np.concatenate(
                [
                    *(_counts(factors[i], factors[j], sizes[i], sizes[j]) for j in left),
                    _sums(factors[i], dense, sizes[i]),
                ],
                axis=1,
            )
            for i in left
        ]
        cross = [_sums(factors[j], dense, sizes[j]).T for j in left]
        rows.append(np.concatenate([*cross, dense.T @ dense], axis=1))
        coarse = None if second is None else level(second, factors[second])
        return cls(
            level(first, codes), coarse, parents, starts, np.concatenate(rows), owner, sizes, fixed.shape[1]
        )

    def at(self, theta: Array) -> Fit:
        """Solve at θ of shape (n_factors,), all positive or 0."""
        scale = np.where(self.owner >= 0, theta[self.owner], 1.0)
        matrix = self.rest * scale[:, None] * scale[None, :]
        random = np.flatnonzero(self.owner >= 0)
        matrix[random, random] += 1.0
        fine = theta[self.fine.factor]
        pivots = fine**2 * self.fine.counts + 1.0
        rows = fine * self.fine.products * scale
        shares = rows / pivots[:, None]
        matrix -= rows.T @ shares
        log_determinant = float(np.log(pivots).sum())
        if self.coarse is None:
            solved = _Solved.of(matrix)
            found = {self.fine.factor: solved.level(shares, 1.0 / pivots)}
        else:
            coarse = theta[self.coarse.factor]
            link = fine * coarse * self.fine.counts
            passed = link / pivots
            upper = coarse * self.coarse.products * scale - np.add.reduceat(
                passed[:, None] * rows, self.starts
            )
            diagonal = coarse**2 * self.coarse.counts + 1.0 - np.add.reduceat(passed * link, self.starts)
            parts = upper / diagonal[:, None]
            solved = _Solved.of(matrix - upper.T @ parts)
            log_determinant += float(np.log(diagonal).sum())
            below = shares - passed[:, None] * parts[self.parents]
            spread = 1.0 / pivots + passed**2 / diagonal[self.parents]
            found = {
                self.coarse.factor: solved.level(parts, 1.0 / diagonal),
                self.fine.factor: solved.level(below, spread),
            }
        for factor in set(self.owner[random].tolist()):
            found[factor] = solved.dense(np.flatnonzero(self.owner == factor))
        return self._fit(theta, log_determinant, solved, found)

    def _fit(
        self, theta: Array, log_determinant: float, solved: _Solved, found: dict[int, tuple[float, float]]
    ) -> Fit:
        traces = np.array([found[i][0] for i in range(len(theta))])
        norms = np.array([found[i][1] for i in range(len(theta))])
        # ∂ log|A| / ∂θ = 2 (q − tr A⁻¹) / θ and ∂r² / ∂θ = −2 |u|² / θ; both vanish at θ = 0 by symmetry
        inverse = np.divide(2.0, theta, out=np.zeros_like(theta), where=theta > 0)
        columns = slice(len(solved.inverse) - self.n_columns, None)
        return Fit(
            log_determinant + solved.log_determinant,
            solved.squares,
            inverse * (self.sizes - traces),
            -inverse * norms,
            solved.solution[columns],
            solved.inverse[columns, columns],
        )


@dataclass(frozen=True, eq=False)
class _Solved:
    """The dense rest: its inverse without the response, the solution, log-determinant and r²."""

    inverse: Array
    solution: Array
    log_determinant: float
    squares: float

    @classmethod
    def of(cls, matrix: Array) -> _Solved:
        left, right = matrix[:-1, :-1], matrix[:-1, -1]
        lower = np.linalg.cholesky(left)
        half = np.linalg.solve(lower, np.eye(len(left)))
        inverse = half.T @ half
        solution = inverse @ right
        return cls(
            inverse,
            solution,
            2.0 * float(np.log(np.diag(lower)).sum()),
            float(matrix[-1, -1] - right @ solution),
        )

    def level(self, shares: Array, spread: Array) -> tuple[float, float]:
        """Trace of the inverse and squared norm of u over an eliminated factor's levels."""
        held = shares[:, :-1]
        trace = float(spread.sum() + ((held @ self.inverse) * held).sum())
        effects = shares[:, -1] - held @ self.solution
        return trace, float(effects @ effects)

    def dense(self, rows: Array) -> tuple[float, float]:
        """The same over rows of the dense rest."""
        return float(self.inverse[rows, rows].sum()), float(self.solution[rows] @ self.solution[rows])


def _nested(fine: Array, coarse: Array, n_coarse: int) -> bool:
    """Whether each level of ``fine`` lies within one level of ``coarse``."""
    pairs = np.unique(fine * n_coarse + coarse)
    return len(pairs) == int(fine.max()) + 1


def _counts(a: Array, b: Array, n_a: int, n_b: int) -> Array:
    joint = np.bincount(a * n_b + b, minlength=n_a * n_b)
    return joint.reshape(n_a, n_b).astype(np.float64)


def _sums(codes: Array, dense: Array, n: int) -> Array:
    return np.stack([np.bincount(codes, column, minlength=n) for column in dense.T], axis=1)
