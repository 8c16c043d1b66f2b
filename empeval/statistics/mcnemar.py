"""McNemar's test of two accuracies on the same segments."""

from __future__ import annotations

from dataclasses import dataclass

from empeval.statistics.proportions import sign_test

__all__ = ["McNemar", "mcnemar_test"]


@dataclass(frozen=True)
class McNemar:
    """p-values of the test by its four usual forms, and the two statistics that have one.

    ``exact`` is the binomial test of the discordant pairs, ``mid_p`` counts the observed table half. The
    chi-squared forms are None where no pair is discordant.
    """

    n_discordant: int
    exact: float
    mid_p: float
    chi2: float | None
    p_chi2: float | None
    chi2_corrected: float | None
    p_chi2_corrected: float | None


def mcnemar_test(only_first: int, only_second: int) -> McNemar:
    """Test whether two systems are right equally often; the counts are of segments that only one got right.

    χ² = (b − c)² / (b + c); corrected: (|b − c| − 1)² / (b + c). Source: McNemar (1947); Fagerland, Lydersen
    and Laake (2013) for the mid-p-value.

    >>> found = mcnemar_test(150, 86)
    >>> round(found.exact, 7), round(found.mid_p, 7)
    (3.72e-05, 2.89e-05)
    """
    n, exact = only_first + only_second, sign_test(only_first, only_second)
    if n == 0:
        return McNemar(0, 1.0, 1.0, None, None, None, None)
    from scipy.special import bdtr, chdtrc

    low = min(only_first, only_second)
    # P(fewer) + P(as few) / 2, both tails
    below = float(bdtr(low - 1, n, 0.5)) if low else 0.0
    mid_p = min(1.0, below + float(bdtr(low, n, 0.5)))
    away = abs(only_first - only_second)
    chi2, corrected = away**2 / n, max(0, away - 1) ** 2 / n
    return McNemar(n, exact, mid_p, chi2, float(chdtrc(1, chi2)), corrected, float(chdtrc(1, corrected)))
