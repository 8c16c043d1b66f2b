"""Strengths of systems from wins, losses and ties: Davidson's extension of Bradley–Terry."""

from __future__ import annotations

from empeval.statistics.preference.strength_fit import StrengthFit, fit_counts
from empeval.statistics.preference.tables import counts_of_matrix
from empeval.statistics.segments import Array

__all__ = ["davidson"]


def davidson(wins: Array, ties: Array) -> StrengthFit:
    """Strengths β and ν with P(i wins) : P(tie) : P(j wins) = exp(β_i) : ν·exp((β_i + β_j)/2) : exp(β_j).

    ``wins`` has shape (n_systems, n_systems): ``wins[i, j]`` says how often i beat j; ``ties`` is symmetric
    and of the same shape. Maximum likelihood, β with sum 0, errors from the inverse information. Without any
    tie ν is 0 and the strengths are Bradley–Terry's. The status is ``only_ties`` without any win, and
    ``separated`` also where each win of a system is offset by ties but by no loss. Source: Davidson (1970).

    >>> import numpy as np
    >>> found = davidson(np.array([[0, 4], [1, 0]]), np.array([[0, 2], [2, 0]]))
    >>> [round(strength, 3) for strength in found.strengths], round(found.nu, 3)
    ([0.693, -0.693], 1.0)
    """
    pairs, counts = counts_of_matrix(wins, ties)
    return fit_counts(pairs, counts, model="Davidson", tie_parameter=True)
