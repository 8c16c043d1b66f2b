"""What one fit of a paired-comparison model gives: strengths with errors, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.preference.fitting import fit, information, log_likelihood, probabilities
from empeval.statistics.preference.tables import Pairs, beaten_chain, groups
from empeval.statistics.results import Status
from empeval.statistics.segments import Array

__all__ = ["StrengthFit", "fit_counts", "status_of_counts"]


@dataclass(frozen=True, eq=False)
class StrengthFit:
    """Strengths of systems on the logit scale, centred to sum 0, with no penalty on them.

    ``covariance`` (n_systems, n_systems) is the inverse information within that constraint. ``nu`` is
    Davidson's tie parameter, None in Bradley–Terry. Where ``status`` is not ``ok`` the numbers are None and
    ``groups`` says who: for ``separated`` the groups of systems, best first, of which no later one ever beat
    an earlier one (one group where ties alone keep the strengths from being finite); for ``disconnected``
    those that were never compared with each other.
    """

    model: str
    status: Status
    groups: tuple[tuple[int, ...], ...]
    strengths: tuple[float, ...] | None = None
    covariance: Array | None = None
    nu: float | None = None
    log_nu_error: float | None = None
    log_likelihood: float | None = None

    @property
    def standard_errors(self) -> tuple[float, ...] | None:
        """Errors of the centred strengths."""
        if self.covariance is None:
            return None
        return tuple(np.sqrt(np.diagonal(self.covariance)).tolist())

    def relative_to(self, base: int) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """Each strength minus that of one system, and the errors of these differences."""
        if self.strengths is None or self.covariance is None:
            return None
        values = np.array(self.strengths) - self.strengths[base]
        own = np.diagonal(self.covariance)
        variances = own + own[base] - 2.0 * self.covariance[base]
        # the difference of a system to itself, which rounding may put below zero
        return tuple(values.tolist()), tuple(np.sqrt(np.maximum(variances, 0.0)).tolist())

    def win_probability(self, first: int, second: int) -> tuple[float, float, float] | None:
        """Fitted P(first wins), P(tie), P(second wins)."""
        if self.strengths is None:
            return None
        log_nu = -np.inf if not self.nu else np.log(self.nu)
        pair = Pairs.of(len(self.strengths), [(first, second)])
        found = probabilities(pair, np.array([[*self.strengths, log_nu]]))
        return float(found[0][0, 0]), float(found[1][0, 0]), float(found[2][0, 0])


def status_of_counts(pairs: Pairs, counts: Array) -> tuple[Status, tuple[tuple[int, ...], ...]]:
    """Why counts (n_pairs, 3) may have no finite strengths, and the groups that show it.

    ``ok`` here does not exclude that ties keep Davidson's strengths from being finite.
    """
    if pairs.n_systems < 2:
        return "too_few_systems", ()
    if not counts.any():
        return "no_judgments", ()
    either = np.where(counts.any(axis=-1, keepdims=True), 1.0, np.zeros(3))
    compared = groups(beaten_chain(pairs, either[None])[0])
    if len(compared) > 1:
        return "disconnected", compared
    found = groups(beaten_chain(pairs, counts[None])[0])
    return ("separated" if len(found) > 1 else "ok"), found


def fit_counts(pairs: Pairs, counts: Array, *, model: str, tie_parameter: bool) -> StrengthFit:
    """Fit counts of shape (n_pairs, 3), or say why that cannot be done."""
    status, found = status_of_counts(pairs, counts)
    if status == "ok" and tie_parameter and not counts[:, [0, 2]].any():
        status = "only_ties"
    if status != "ok":
        return StrengthFit(model, status, found)
    fits = fit(pairs, counts[None], tie_parameter=tie_parameter)
    if not np.all(np.isfinite(fits.strengths)):
        return StrengthFit(model, "separated" if tie_parameter else "not_converged", found)
    n = pairs.n_systems
    inverse = np.linalg.inv(information(pairs, counts[None], fits))
    strengths = fits.strengths[0] - fits.strengths[0].mean()
    has_nu = bool(np.isfinite(fits.log_nu[0]))
    return StrengthFit(
        model,
        "ok",
        found,
        tuple(strengths.tolist()),
        inverse[:n, :n] - 1.0 / n,
        float(np.exp(fits.log_nu[0])) if tie_parameter else None,
        float(np.sqrt(inverse[n, n])) if has_nu else None,
        log_likelihood(pairs, counts[None], fits),
    )
