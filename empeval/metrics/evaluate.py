"""Any module of the ``evaluate`` package as a metric."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics._fields import mean
from empeval.metrics._foreign import ForeignModule, fingerprint
from empeval.metrics._foreign_results import numbers_in
from empeval.metrics.base import METRICS, Metric
from empeval.models.loading import library_versions
from empeval.records import Notice
from empeval.statistics.segments import Array, SegmentStats, Stats
from empeval.statistics.whole import Whole

__all__ = ["Evaluate"]

_DIRECTIONS = {"unknown": None, "higher": True, "lower": False}


@METRICS.register("evaluate")
@dataclass(frozen=True)
class Evaluate(Metric):
    """What a module of the ``evaluate`` package computes.

    ``path`` is the module's folder or .py file, or a name, for which the network is used; ``key`` the entry
    of its result (default: the only number there is; ``outer.inner`` within dictionaries). Where the entry
    is a list of one number a segment, the score is their mean. Where it is one number, only all segments
    together have it: there is neither an interval nor a test. A module is given the hypotheses as
    ``predictions`` or ``data``, ``references`` (all, or the first where it takes one), ``sources`` (the
    context), and whatever else bears the name of one of our columns. Which direction is better is what
    ``better`` says. Undefined where the module gives no finite number. Raises InputError for a module that
    cannot be loaded, fails, or gives no such number. A module is code, and loading it runs it.
    """

    name: ClassVar[str] = "evaluate"
    higher_is_better: ClassVar[bool | None] = None
    bounds: ClassVar[tuple[float, float | None]] = (-math.inf, None)
    why_undefined: ClassVar[str] = "undefined: the module gives no finite number for these segments"
    paths: ClassVar[tuple[str, ...]] = ("path",)

    path: str
    key: str | None = None
    better: Literal["unknown", "higher", "lower"] = "unknown"

    def __post_init__(self) -> None:
        # on the value, where it hides that of the class
        object.__setattr__(self, "higher_is_better", _DIRECTIONS[self.better])

    @property
    def required(self) -> tuple[str, ...]:
        return ForeignModule.load(self.path).needs

    def versions(self) -> dict[str, str]:
        return library_versions("evaluate")

    def signature_fields(self) -> dict[str, str]:
        return {**super().signature_fields(), "path": fingerprint(self.path)}

    def prepare(self, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
        for outputs in systems:
            self._measured(corpus, outputs)

    def notices(self, corpus: Corpus, outputs: SystemOutputs) -> list[Notice]:
        if not isinstance(self._measured(corpus, outputs), float):
            return []
        return [
            Notice(
                "evaluate_whole",
                f"{self.spec} is one number of all segments together: it has neither interval nor test",
                len(corpus),
            )
        ]

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> Stats:
        found = self._measured(corpus, outputs)
        if not isinstance(found, float):
            values = np.array(found, dtype=np.float64)
            return SegmentStats(np.stack([values, np.ones_like(values)], axis=1), ("value", "n"))
        columns = ForeignModule.load(self.path).columns(corpus, outputs)
        return Whole.of(columns, self._of_part, value=found)

    def aggregate(self, totals: Array) -> Array:
        return mean(totals)

    def _measured(self, corpus: Corpus, outputs: SystemOutputs) -> float | list[float]:
        def compute() -> float | list[float]:
            return self._computed(ForeignModule.load(self.path).columns(corpus, outputs))

        # the corpus itself is in the key: outputs may be scored on another one
        return outputs.derived((self.name, fingerprint(self.path), self.key, corpus), compute)

    def _computed(self, columns: Sequence[Sequence[object]]) -> float | list[float]:
        """The numbers of a module's result that are asked for."""
        n_segments = len(columns[0])
        result = ForeignModule.load(self.path).compute(columns)
        numbers = numbers_in(result, n_segments)
        if self.key is None:
            if len(numbers) == 1:
                return next(iter(numbers.values()))
            what = f"several numbers; name one with key={'|'.join(numbers)}" if numbers else "no number"
            raise InputError(f"the result of the module {self.path} holds {what}")
        if self.key not in numbers:
            known = f"it has {', '.join(numbers)}" if numbers else "it has no number"
            raise InputError(
                f"the result of the module {self.path} has under {self.key!r} neither a number nor one for "
                f"each of {n_segments} segments; {known}"
            )
        return numbers[self.key]

    def _of_part(self, columns: Sequence[Sequence[object]]) -> float:
        """The number of some of the segments; NaN where the module cannot compute it of so few."""
        try:
            found = self._computed(columns)
        except InputError:
            return math.nan
        return found if isinstance(found, float) else float(np.mean(found))
