"""Bradley–Terry on resampled counts, ours beside choix: ``python -m benchmarks.preferences SIDE [N]``.

N comparisons among ten systems are resampled 1000 times, and each resample is fitted. Both sides get the
counts as arrays; the peer's dense form is its fastest. Prints seconds and the strengths found, as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

N_SYSTEMS = 10
N_RESAMPLES = 1000


def drawn_counts(n_comparisons: int) -> tuple[Any, Any]:
    """Wins (n_resamples, n_systems, n_systems) of resampled comparisons, and those of the sample itself."""
    rng = np.random.default_rng(20)
    strengths = rng.normal(0.0, 0.7, N_SYSTEMS)
    chances = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None]))
    np.fill_diagonal(chances, 0.0)
    wins = rng.multinomial(n_comparisons, (chances / chances.sum()).ravel()).astype(np.float64)
    resampled = rng.multinomial(n_comparisons, wins / n_comparisons, size=N_RESAMPLES)
    shape = (N_SYSTEMS, N_SYSTEMS)
    return resampled.astype(np.float64).reshape(-1, *shape), wins.reshape(shape)


def ours(resampled: Any, wins: Any) -> Any:
    """All resamples in one go, from the fit of the sample."""
    from empeval.statistics.preference.fitting import fit
    from empeval.statistics.preference.tables import counts_of_matrix

    pairs, counts = counts_of_matrix(wins)
    start = fit(pairs, counts[None], tie_parameter=False)
    drawn = np.zeros((len(resampled), len(pairs), 3))
    drawn[..., 0] = resampled[:, pairs.first, pairs.second]
    drawn[..., 2] = resampled[:, pairs.second, pairs.first]
    return fit(pairs, drawn, tie_parameter=False, start=start).strengths


def peer(resampled: Any, wins: Any) -> Any:
    """choix, one resample after another, from the fit of the sample."""
    import choix

    start = choix.ilsr_pairwise_dense(wins)
    return np.array([choix.ilsr_pairwise_dense(table, initial_params=start) for table in resampled])


def main(side: str, n_comparisons: int) -> None:
    """Run one side twice, the second time on the clock."""
    work = {"ours": ours, "peer": peer}[side]
    resampled, wins = drawn_counts(n_comparisons)
    work(resampled[:10], wins)
    start = time.perf_counter()
    strengths = work(resampled, wins)
    seconds = time.perf_counter() - start
    found = {f"{r} {s}": float(strengths[r, s]) for r in range(0, N_RESAMPLES, 50) for s in range(N_SYSTEMS)}
    print(json.dumps({"seconds": seconds, "found": found}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
