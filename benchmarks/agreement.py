"""Alpha with its interval in a process of its own: prints seconds and the numbers found, as JSON.

``python -m benchmarks.agreement ours|peer N_ITEMS``. Both sides start from the same matrix in memory, with
libraries imported. The peer resamples units in a loop around ``krippendorff.alpha``; a few rounds are timed,
and the time of all is what they would take.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

import numpy as np

N_RATERS = 10
N_RESAMPLES = 1000
#: Rounds of the peer's loop that are run.
N_LOOPS = 8


def ratings(n_items: int) -> Any:
    """Ratings 1 to 5 of shape (n_items, raters): an item's truth and a rater's error, both normal."""
    rng = np.random.default_rng(1)
    drawn = 3 + 0.8 * rng.normal(size=(n_items, 1)) + 0.8 * rng.normal(size=(n_items, N_RATERS))
    return np.clip(np.round(drawn), 1, 5)


def ours(table: Any) -> tuple[float, dict[str, float]]:
    """Seconds and numbers of alpha with 1,000 resamples, the ratings made from the matrix included."""
    from empeval.statistics.agreement.alpha import krippendorff_alpha
    from empeval.statistics.design import Ratings

    krippendorff_alpha(Ratings.from_matrix(table[:50]))
    start = time.perf_counter()
    found = krippendorff_alpha(Ratings.from_matrix(table), "ordinal", n_resamples=N_RESAMPLES)
    seconds = time.perf_counter() - start
    assert found.value is not None
    assert found.interval is not None
    return seconds, {"alpha": found.value, "low": found.interval.low, "high": found.interval.high}


def peer(table: Any) -> tuple[float, dict[str, float]]:
    """The same by a loop: one call for the value, and one a resample."""
    import krippendorff

    def alpha(matrix: Any) -> float:
        return float(krippendorff.alpha(matrix, level_of_measurement="ordinal"))

    matrix = np.ascontiguousarray(table.T)
    alpha(matrix[:, :50])
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    value = alpha(matrix)
    once = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(N_LOOPS):
        alpha(matrix[:, rng.integers(0, matrix.shape[1], matrix.shape[1])])
    seconds = once + (time.perf_counter() - start) / N_LOOPS * N_RESAMPLES
    return seconds, {"alpha": value}


def main(side: str, n_items: int) -> None:
    """Time one side and print what it took."""
    seconds, found = {"ours": ours, "peer": peer}[side](ratings(n_items))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mb": peak, "found": found}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
