"""Agreement on declared categories beyond chance: Fleiss, Gwet, Brennan–Prediger; any number of raters."""

from __future__ import annotations

import numpy as np

from empeval.statistics.agreement.chance import Weights, estimate_of_counts
from empeval.statistics.agreement.counts import Categories, coded
from empeval.statistics.design import Ratings
from empeval.statistics.results import Estimate

__all__ = ["brennan_prediger", "fleiss_kappa", "gwet_ac1", "gwet_ac2"]


def fleiss_kappa(
    ratings: Ratings,
    weights: Weights = "unweighted",
    *,
    categories: Categories = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """Fleiss' kappa for unequal numbers of raters: (p_a − p_e) / (1 − p_e), p_e = Σ_{k,l} w_kl π_k π_l, ≤ 1.

    p_a is the mean over units with r ≥ 2 ratings of Σ_k r_k (Σ_l w_kl r_l − 1) / (r (r − 1)); the shares
    π_k = mean of r_k / r are those of all rated units. Weights as in `category_weights`. Undefined where no
    unit has two ratings, and where all ratings are equal. Raises `InputError` for undeclared ratings.
    Sources: Fleiss (1971); Gwet (2014).

    >>> round(fleiss_kappa(Ratings.from_matrix([[1, 1], [2, 2], [1, 2]])).value, 4)
    0.3333
    """
    found = coded(ratings, categories)
    return estimate_of_counts(found, "fleiss_kappa", weights, level=level, n_resamples=n_resamples, rng=rng)


def gwet_ac1(
    ratings: Ratings,
    *,
    categories: Categories = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """Gwet's AC1: (p_a − p_e) / (1 − p_e) with p_e = Σ_k π_k (1 − π_k) / (q − 1) for q categories, at most 1.

    p_a and π as for `fleiss_kappa`. The value depends on q: declare the scale, as unused categories count.
    Undefined with fewer than two categories. Source: Gwet (2008).

    >>> ratings = Ratings.from_matrix([[3, 3], [3, 3], [3, 1]])
    >>> round(gwet_ac1(ratings).value, 4), round(gwet_ac1(ratings, categories=[1, 2, 3, 4, 5]).value, 4)
    (0.5385, 0.6418)
    """
    found = coded(ratings, categories)
    return estimate_of_counts(found, "gwet_ac", "unweighted", level=level, n_resamples=n_resamples, rng=rng)


def gwet_ac2(
    ratings: Ratings,
    weights: Weights = "quadratic",
    *,
    categories: Categories = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """Gwet's AC2: AC1 with weights, p_e = Σ_{k,l} w_kl · Σ_k π_k (1 − π_k) / (q (q − 1)), at most 1.

    Weights as in `category_weights`, all else as for `gwet_ac1`. Source: Gwet (2014).

    >>> round(gwet_ac2(Ratings.from_matrix([[3, 3], [1, 2]]), categories=[1, 2, 3]).value, 4)
    0.6667
    """
    found = coded(ratings, categories)
    return estimate_of_counts(found, "gwet_ac", weights, level=level, n_resamples=n_resamples, rng=rng)


def brennan_prediger(
    ratings: Ratings,
    weights: Weights = "unweighted",
    *,
    categories: Categories = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """Brennan and Prediger's kappa: (p_a − p_e) / (1 − p_e) with p_e = Σ_{k,l} w_kl / q², at most 1.

    For several raters this is Randolph's free-marginal kappa. p_a as for `fleiss_kappa`. Undefined with
    fewer than two categories. Source: Brennan and Prediger (1981).

    >>> brennan_prediger(Ratings.from_matrix([[1, 1], [2, 2], [1, 2], [1, 1]])).value
    0.5
    """
    found = coded(ratings, categories)
    return estimate_of_counts(
        found, "brennan_prediger", weights, level=level, n_resamples=n_resamples, rng=rng
    )
