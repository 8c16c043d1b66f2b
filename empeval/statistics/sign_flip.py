"""Random signs of clustered differences: the test that assumes the least."""

from __future__ import annotations

import numpy as np

from empeval.statistics.resampling import EXACT_LIMIT, TestResult, permutation_p_value
from empeval.statistics.segments import Array

__all__ = ["sign_flip_test"]

_BLOCK = 2_000_000


def sign_flip_test(
    differences: Array,
    clusters: Array | None = None,
    *,
    n_resamples: int = 10_000,
    rng: np.random.Generator | None = None,
) -> TestResult | None:
    """Test whether the mean of differences (n_rows,) is 0 by giving each cluster a random sign.

    All 2^n signs are taken where there are at most 100,000, else ``n_resamples`` are drawn and one is added
    to both counts. It is valid for the raters there are, whatever the shape of the differences. None without
    rows. Source: Fisher (1935).

    >>> sign_flip_test(np.array([1.0, 2, 3])).p_value
    0.25
    """
    if not len(differences):
        return None
    values = np.asarray(differences, dtype=np.float64)
    at = np.arange(len(values)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    # sorted sums make the draws independent of the order of rows
    sums = np.sort(np.bincount(at, weights=values)) / len(values)
    # a cluster that sums to nothing has no sign
    sums = sums[sums != 0.0]
    n, observed = len(sums), float(values.mean())
    if n <= 62 and 2**n <= EXACT_LIMIT:
        every = np.arange(2**n)[:, None] >> np.arange(n)[None, :]
        null = (1.0 - 2.0 * (every & 1)) @ sums
        return TestResult(observed, permutation_p_value(observed, null, exact=True), "exact sign-flip")
    rng = np.random.default_rng(0) if rng is None else rng
    block = max(1, _BLOCK // n)
    null = np.concatenate(
        [
            (1.0 - 2.0 * rng.integers(0, 2, size=(min(block, n_resamples - start), n))) @ sums
            for start in range(0, n_resamples, block)
        ]
    )
    return TestResult(observed, permutation_p_value(observed, null, exact=False), "sign-flip")
