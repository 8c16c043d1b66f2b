"""What a metric is: a frozen value that turns segments into rows and sums of rows into a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, Literal

from empeval import specs
from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.records import Notice
from empeval.registry import Registry
from empeval.statistics.segments import Array, Stats

__all__ = ["METRICS", "Metric", "Resampling", "parse_metrics"]

Resampling = Literal["bootstrap", "jackknife", "none"]


@dataclass(frozen=True)
class Metric:
    """The base of every metric; a subclass is a frozen dataclass whose fields fix the number.

    A subclass states `higher_is_better` (None where neither direction is better), the range `bounds`, the
    data it `needs` (names of columns of `Corpus` and `SystemOutputs`), `why_undefined` (the reason given when
    `aggregate` returns NaN), and how it may be resampled. It implements `segment_stats` and `aggregate`.
    """

    name: ClassVar[str]
    higher_is_better: ClassVar[bool | None]
    bounds: ClassVar[tuple[float, float | None]] = (0.0, 100.0)
    needs: ClassVar[tuple[str, ...]] = ()
    decimals: ClassVar[int] = 2
    #: text-quality metrics promise that emptying a response never raises the score
    text_quality: ClassVar[bool] = False
    why_undefined: ClassVar[str] = "undefined: nothing to divide by"
    #: fields that name a file or folder; the signature holds what is in it, not where it lies
    paths: ClassVar[tuple[str, ...]] = ()

    @property
    def resampling(self) -> Resampling:
        """How intervals may be made; the paired permutation test is valid for every metric."""
        return "bootstrap"

    @property
    def depends_on_n(self) -> bool:
        """Whether the score falls or rises merely because a test set is larger."""
        return False

    @property
    def depends_on_corpus(self) -> bool:
        """Whether the rows of a segment depend on what else is in the corpus, as word weights do."""
        return False

    @property
    def depends_on_outputs(self) -> bool:
        """Whether the score says something of a system's outputs, and not of the corpus alone."""
        return True

    @property
    def tolerance(self) -> float | None:
        """Numbers that differ by this much or this share are the same; None: as sums of integers are.

        For what processors compute differently in the last digits.
        """
        return None

    @property
    def required(self) -> tuple[str, ...]:
        """The columns without which the score is undefined: `needs`, unless the fields decide."""
        return self.needs

    @property
    def limits(self) -> tuple[float, float | None]:
        """The range of the score: `bounds`, unless the fields decide."""
        return self.bounds

    @property
    def spec(self) -> str:
        """The canonical text form, e.g. ``distinct(n=2)``."""
        return specs.format_spec(self.name, self)

    def versions(self) -> dict[str, str]:
        """Versions of the libraries whose change could change the number."""
        return {}

    def problem(self, corpus: Corpus, outputs: SystemOutputs) -> str | None:
        """Why the score is undefined on these data although the columns exist, or None."""
        return None

    def notices(self, corpus: Corpus, outputs: SystemOutputs) -> list[Notice]:
        """What a reader of the score should know about these data; asked only where there is no `problem`."""
        return []

    def prepare(self, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
        """Compute at once what is cheaper for all systems together; asked once, before any rows."""

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> Stats:
        """One row a segment, in corpus order; ``outputs`` are aligned with the corpus."""
        raise NotImplementedError(f"{type(self).__name__} defines no segment_stats")

    def aggregate(self, totals: Array) -> Array:
        """Scores from totals: shape (..., n_columns) → (...); NaN where undefined."""
        raise NotImplementedError(f"{type(self).__name__} defines no aggregate")

    def signature_fields(self) -> dict[str, str]:
        """Every field with its value, defaults included, for the signature; of `paths`, what they hold."""
        return {field.name: str(getattr(self, field.name)) for field in fields(self)}

    def corpus_fields(self, corpus: Corpus) -> dict[str, str]:
        """What else fixes the number and is taken from the corpus, for the signature."""
        return {}


METRICS: Registry[type[Metric]] = Registry("metric", "empeval.metrics")


def parse_metrics(text: str) -> list[Metric]:
    """Metrics from a comma-separated list of text forms.

    Raises UnknownName for an unknown metric or field, InputError for a malformed text.

    >>> [m.spec for m in parse_metrics("bleu(tokenize=13a),distinct(n=2)")]
    ['bleu', 'distinct(n=2)']
    """
    parts = specs.split_specs(text)
    if not parts:
        raise InputError("no metric is named; `empeval metrics` lists them")
    return [METRICS.create(part) for part in parts]
