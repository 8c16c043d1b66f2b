"""Strengths of systems from who beat whom: the model of Bradley and Terry."""

from __future__ import annotations

from empeval.statistics.preference.strength_fit import StrengthFit, fit_counts
from empeval.statistics.preference.tables import counts_of_matrix
from empeval.statistics.segments import Array

__all__ = ["bradley_terry"]


def bradley_terry(wins: Array, *, ties: Array | None = None) -> StrengthFit:
    """Strengths β with P(i beats j) = 1 / (1 + exp(β_j − β_i)), by maximum likelihood, sum 0.

    ``wins`` has shape (n_systems, n_systems): ``wins[i, j]`` says how often i beat j. ``ties``, symmetric and
    of the same shape, count as half a win for each side, which pulls the strengths together; Davidson's model
    gives ties a parameter of their own. Errors come from the inverse information. Nothing is finite, and the
    status says ``separated`` or ``disconnected``, unless a chain of wins leads from every system to every
    other (Ford, 1957). Source: Bradley and Terry (1952).

    >>> import numpy as np
    >>> found = bradley_terry(np.array([[0, 3], [1, 0]]))
    >>> [round(strength, 3) for strength in found.strengths]
    [0.549, -0.549]
    >>> bradley_terry(np.array([[0, 3], [0, 0]])).status
    'separated'
    """
    pairs, counts = counts_of_matrix(wins, ties)
    return fit_counts(pairs, counts, model="Bradley–Terry", tie_parameter=False)
