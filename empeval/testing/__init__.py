"""The contract that every metric keeps, for the tests of any package that brings metrics.

A check takes a metric, a corpus and some systems on it, and raises AssertionError where the metric breaks the
contract. `METRIC_CHECKS` holds all of them, `sample` makes data with every column that a metric may need:

    import pytest
    from empeval.testing import METRIC_CHECKS, sample

    @pytest.mark.parametrize("check", METRIC_CHECKS)
    def test_the_contract_of_metrics(check):
        check(MyMetric(), *sample())

`write_language_model` writes a language model with random weights into a folder.
"""

from empeval.testing.data import sample
from empeval.testing.language_models import write_language_model
from empeval.testing.metrics import METRIC_CHECKS, MetricCheck

__all__ = ["METRIC_CHECKS", "MetricCheck", "sample", "write_language_model"]
