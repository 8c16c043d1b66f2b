"""Metrics, one a file."""

from empeval.metrics.base import METRICS, Metric, parse_metrics

__all__ = ["METRICS", "Metric", "parse_metrics"]
