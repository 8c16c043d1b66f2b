"""Scores of pairs of texts by the tokens that a pretrained encoder makes of them."""

from empeval.encoders.encoding import Encoder
from empeval.encoders.pairs import Flag, PairScore, PairScorer
from empeval.encoders.published import Baseline, Layer, baseline_of, layer_of

__all__ = ["Baseline", "Encoder", "Flag", "Layer", "PairScore", "PairScorer", "baseline_of", "layer_of"]
