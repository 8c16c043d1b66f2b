"""Linear mixed models with crossed random intercepts, by restricted maximum likelihood."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from empeval.statistics.mixed._equations import Equations, Fit
from empeval.statistics.mixed._reml import minimum, uncertainty
from empeval.statistics.mixed.effects import Component, MixedResult, wald_effect
from empeval.statistics.results import Status
from empeval.statistics.segments import Array

__all__ = ["independent_columns", "linear_mixed_model"]

#: The residual has vanished where its share of the sum of squares is below this.
_NOTHING = 1e-8
#: A sum of squares that is but rounding has this share of what it is a difference of.
_ROUNDING = 1e-24


def linear_mixed_model(
    response: Sequence[float] | Array,
    fixed: Mapping[str, Sequence[float] | Array],
    groups: Mapping[str, Sequence[Hashable] | Array],
    *,
    level: float = 0.95,
) -> MixedResult:
    """Fit response = fixed effects + one random intercept a grouping factor + residual, by REML.

    ``response`` and each column of ``fixed`` and ``groups`` have shape (n_rows,); an intercept is a column of
    ones. Degrees of freedom are Satterthwaite's. What the data cannot support is dropped and told in
    ``note``: columns that others add up to, factors with one level, with a level a row, or with the levels of
    another. A component that comes out as 0 is told there too, and is no error. Source: Bates et al. (2015),
    Kuznetsova et al. (2017).

    >>> values = [4, 5, 3, 4, 2, 4, 3, 3, 1]
    >>> groups = {"item": list("aaabbbccc"), "rater": list("xyzxyzxyz")}
    >>> found = linear_mixed_model(values, {"mean": [1.0] * 9}, groups)
    >>> round(found.effects[0].value, 4), found.components[-1].name, found.status
    (3.2222, 'residual', 'ok')
    """
    y = np.asarray(response, dtype=np.float64)
    names, columns, notes = independent_columns(fixed, len(y))
    factors = _factors(groups, columns, notes)
    order = np.lexsort((y, *columns.T, *factors.values())) if len(y) else np.zeros(0, dtype=np.int64)
    y, columns = y[order], columns[order]
    n_free = len(y) - len(names)
    if n_free < 1 or not names:
        return _undefined("too_few_units", len(y), level, "There are no more rows than coefficients.")
    start = np.linalg.lstsq(columns, y, rcond=None)[0]
    left = y - columns @ start
    total = float(left @ left)
    if total <= _ROUNDING * float(y @ y):
        return _undefined("no_variation", len(y), level, "The fixed effects leave nothing to explain.")
    codes = [factor[order] for factor in factors.values()]
    return _fit(left, columns, codes, _Names(tuple(names), tuple(factors)), start, total, level, notes)


@dataclass(frozen=True)
class _Names:
    fixed: tuple[str, ...]
    factors: tuple[str, ...]


def _fit(
    left: Array,
    columns: Array,
    codes: list[Array],
    names: _Names,
    start: Array,
    total: float,
    level: float,
    notes: list[str],
) -> MixedResult:
    n, n_free = len(left), len(left) - len(names.fixed)
    if codes:
        equations = Equations.of(left, columns, codes)
        evaluate: Callable[[Array], Fit] = equations.at
        sizes = equations.sizes
    else:
        evaluate, sizes = _without_groups(columns, total), np.zeros(0, dtype=np.int64)
    theta = minimum(evaluate, len(codes), n_free, _NOTHING * total)
    fit = evaluate(theta)
    if fit.squares <= 2 * _NOTHING * total:
        return _undefined("no_variation", n, level, "The random effects leave nothing for the residual.")
    singular = [name for name, value in zip(names.factors, theta, strict=True) if value == 0]
    notes += [f"The variance of {name} is estimated as 0." for name in singular]
    found = uncertainty(evaluate, theta, fit, n_free)
    status: Status = "ok"
    if found.parameters is None:
        status = "not_converged"
        notes.append("These data do not tell the components of variance apart.")
    sigma = float(np.sqrt(fit.squares / n_free))
    values = start + fit.fixed
    rows = np.eye(len(names.fixed))
    parts = zip(names.factors, theta, sizes, strict=True)
    return MixedResult(
        tuple(
            wald_effect(name, row, values, found, level) for name, row in zip(names.fixed, rows, strict=True)
        ),
        (
            *(Component(name, float(value) * sigma, int(size)) for name, value, size in parts),
            Component("residual", sigma, n),
        ),
        -0.5 * fit.deviance(n_free),
        n,
        level,
        found,
        status,
        " ".join(notes),
    )


def _undefined(status: Status, n: int, level: float, note: str) -> MixedResult:
    return MixedResult((), (), None, n, level, None, status, note)


def independent_columns(
    fixed: Mapping[str, Sequence[float] | Array], n: int
) -> tuple[list[str], Array, list[str]]:
    """The columns that are no sums of those before them, shape (n_rows, n_columns)."""
    names: list[str] = []
    kept: list[Array] = []
    basis: list[Array] = []
    notes = []
    for name, given in fixed.items():
        column = np.asarray(given, dtype=np.float64)
        rest = column.copy()
        for _ in range(2):  # twice is enough for orthogonality to rounding
            for direction in basis:
                rest -= (direction @ rest) * direction
        size = float(np.linalg.norm(rest))
        if size <= 1e-9 * max(float(np.linalg.norm(column)), 1e-300):
            notes.append(f"{name} is left out: other effects add up to it.")
            continue
        basis.append(rest / size)
        names.append(name)
        kept.append(column)
    return names, np.stack(kept, axis=1) if kept else np.zeros((n, 0)), notes


def _factors(
    groups: Mapping[str, Sequence[Hashable] | Array], columns: Array, notes: list[str]
) -> dict[str, Array]:
    """Codes of the factors whose variance these data can tell from that of the others."""
    found: dict[str, Array] = {}
    for name, given in groups.items():
        codes = np.unique(np.asarray(given), return_inverse=True)[1].reshape(-1)
        n_levels = int(codes.max(initial=-1)) + 1
        if n_levels < 2:
            reason = "it has a single level"
        elif n_levels == len(columns):
            reason = "each of its levels has a single row"
        elif _spanned(codes, n_levels, columns):
            reason = "fixed effects tell its levels apart"
        else:
            twins = (other for other, held in found.items() if _same(codes, held, n_levels))
            twin = next(twins, None)
            if twin is None:
                found[name] = codes
                continue
            reason = f"its levels are those of {twin}"
        notes.append(f"The random effect of {name} is left out: {reason}.")
    return found


def _spanned(codes: Array, n_levels: int, columns: Array) -> bool:
    """Whether the fixed effects add up to an indicator of every level."""
    if n_levels > columns.shape[1]:
        return False
    indicators = np.eye(n_levels)[codes]
    left = indicators - columns @ np.linalg.lstsq(columns, indicators, rcond=None)[0]
    return bool(np.abs(left).max() < 1e-9)


def _same(a: Array, b: Array, n_levels: int) -> bool:
    if int(b.max()) + 1 != n_levels:
        return False
    return len(np.unique(a * n_levels + b)) == n_levels


def _without_groups(columns: Array, total: float) -> Callable[[Array], Fit]:
    """Ordinary least squares in the same form."""
    inverse = np.linalg.inv(columns.T @ columns)
    log_determinant = -float(np.linalg.slogdet(inverse)[1])
    none = np.zeros(0)
    fit = Fit(log_determinant, total, none, none, np.zeros(columns.shape[1]), inverse)
    return lambda _: fit
