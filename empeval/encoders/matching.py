"""Greedy matching of the tokens of two texts by cosine, padding left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from empeval.encoders.encoding import Vectors
from empeval.statistics.segments import Array

if TYPE_CHECKING:
    import torch

__all__ = ["match"]

#: Similarities held at once; more would leave the processor's cache.
_CELLS = 1 << 18


def match(vectors: Vectors, weights: Sequence[Array], hypotheses: Array, references: Array) -> Array:
    """Precision and recall of pairs of texts, shape (n_pairs, 2).

    ``hypotheses`` and ``references`` number texts of the vectors, shape (n_pairs,) each; ``weights`` has an
    array of shape (n_tokens,) for each text. Precision is the weighted mean over the hypothesis's tokens of
    the largest cosine with a token of the reference; recall the same the other way round. Positions that only
    fill a batch cannot be chosen, so that a pair scores the same in any batch. Source: Zhang et al. (2020).
    """
    import torch

    # the vectors may stand in another order than the texts
    order = np.argsort(vectors.starts)
    of_token = torch.from_numpy(np.concatenate([weights[i] for i in order])).to(vectors.values.device)
    lengths_h, lengths_r = vectors.lengths[hypotheses], vectors.lengths[references]
    order = np.lexsort((lengths_r, lengths_h))[::-1]
    found = np.empty((len(order), 2), dtype=np.float32)
    start = 0
    while start < len(order):
        width = int(lengths_h[order[start]])
        # the longest reference of a batch may come later than its first: bound by the longest of all
        size = max(1, _CELLS // (width * int(lengths_r[order[start : start + _CELLS // width]].max())))
        rows = order[start : start + size]
        found[rows] = _matched(vectors, of_token, hypotheses[rows], references[rows])
        start += size
    return found


def _matched(vectors: Vectors, weights: torch.Tensor, hypotheses: Array, references: Array) -> Array:
    import torch

    at_h, real_h = _positions(vectors, hypotheses)
    at_r, real_r = _positions(vectors, references)
    values = vectors.values
    with torch.inference_mode():
        similar = torch.bmm(values[at_h], values[at_r].transpose(1, 2))
        precise = _best(similar, real_r[:, None, :], 2)
        recalled = _best(similar, real_h[:, :, None], 1)
        columns = (
            _mean(precise, weights[at_h] * real_h, real_h),
            _mean(recalled, weights[at_r] * real_r, real_r),
        )
        # rounding can lead beyond what a cosine can be
        return np.asarray(torch.stack(columns, dim=1).clamp(-1.0, 1.0).cpu().numpy())


def _best(similar: torch.Tensor, real: torch.Tensor, over: int) -> torch.Tensor:
    return similar.masked_fill(~real, float("-inf")).amax(dim=over)


def _mean(best: torch.Tensor, weights: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    """Weighted mean over real positions; a text whose tokens all weigh nothing counts each alike."""
    nothing = weights.sum(dim=1, keepdim=True) == 0
    weights = weights + nothing * real
    weights = weights / weights.sum(dim=1, keepdim=True)
    # positions that fill the batch hold −inf or the best of other rows; neither may be multiplied by 0
    return (best.masked_fill(~real, 0.0) * weights).sum(dim=1)


def _positions(vectors: Vectors, texts: Array) -> tuple[torch.Tensor, torch.Tensor]:
    """Where the tokens of texts stand, (n_texts, n_positions), and which of the positions are real."""
    import torch

    lengths = vectors.lengths[texts]
    steps = np.arange(int(lengths.max()))
    real = steps < lengths[:, None]
    at = vectors.starts[texts][:, None] + np.where(real, steps, 0)
    device = vectors.values.device
    return torch.from_numpy(at).to(device), torch.from_numpy(real).to(device)
