"""Candidates by chunk: how EmpatheticDialogues' retrieval script builds its P@1,100.

The split is cut in order into chunks of 100; the candidates of a context are the gold responses of its own
chunk, and the last chunk is left out even if it is full (Rashkin et al., 2019, as coded by the authors).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empeval.errors import InputError

__all__ = ["chunked_candidates", "n_in_chunks"]


def n_in_chunks(n: int, size: int = 100) -> int:
    """How many of n segments are left once the last chunk is out.

    >>> n_in_chunks(250), n_in_chunks(200), n_in_chunks(100)
    (200, 100, 0)
    """
    return max(0, -(-n // size) - 1) * size


def chunked_candidates(
    contexts: NDArray[Any], responses: NDArray[Any], size: int = 100
) -> list[tuple[float, ...]]:
    """``candidate_scores`` from vectors: dot products of a context with the gold responses of its chunk.

    ``contexts`` and ``responses`` have shape (n_segments, n_dimensions); row i of both belong together. Gives
    one tuple for each segment that is left, its own gold first, then the others of the chunk in order; a file
    of all segments has none (null) for those of the last chunk. Raises InputError for shapes that differ or
    fewer segments than make one full chunk and one more.

    >>> chunked_candidates(np.eye(3), np.eye(3), size=2)
    [(1.0, 0.0), (1.0, 0.0)]
    """
    contexts, responses = np.asarray(contexts), np.asarray(responses)
    if contexts.shape != responses.shape or contexts.ndim != 2:
        raise InputError(
            f"contexts have shape {contexts.shape} and responses {responses.shape}; "
            "both must be (n_segments, n_dimensions)"
        )
    kept = n_in_chunks(len(contexts), size)
    if not kept:
        raise InputError(
            f"{len(contexts)} segments are no more than one chunk of {size}, and the last chunk is left out"
        )
    found = []
    for start in range(0, kept, size):
        scores = contexts[start : start + size] @ responses[start : start + size].T
        for i, row in enumerate(scores.tolist()):
            found.append((row[i], *row[:i], *row[i + 1 :]))
    return found
