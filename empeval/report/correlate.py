"""``empeval correlate``: how well automatic metrics follow people's ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np

from empeval.errors import InputError
from empeval.ratings import Measurement, QuestionRatings, read_ratings
from empeval.records import Notice
from empeval.report.grids import Grid
from empeval.report.joined_ratings import Joined
from empeval.report.rating_files import manifest_of
from empeval.report.rating_text import estimate_fields
from empeval.report.runs import SCORES
from empeval.report.scored_run import ScoredMetric, read_scored_run
from empeval.statistics.correlation.ceiling import Ceiling, human_ceiling
from empeval.statistics.correlation.resampled import Resample, Resampled
from empeval.statistics.correlation.segment_level import compare_within_items, segment_level
from empeval.statistics.correlation.system_level import system_level
from empeval.statistics.multiplicity import holm
from empeval.statistics.resampling import TestResult
from empeval.statistics.results import Estimate
from empeval.statistics.segments import Array

__all__ = ["Correlate", "MetricComparison", "MetricValue", "QuestionCorrelations", "correlate"]

Level = Literal["segment", "system"]


@dataclass(frozen=True)
class MetricValue:
    """One statistic of one metric against people's ratings; ``n`` responses, items or systems behind it."""

    metric: str
    level: Level
    statistic: str
    estimate: Estimate
    n: int
    n_skipped: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The entry of the document."""
        found = {"metric": self.metric, "level": self.level, "statistic": self.statistic}
        return {**found, **estimate_fields(self.estimate), "n": self.n, "n_skipped": self.n_skipped}


@dataclass(frozen=True)
class MetricComparison:
    """Two metrics' mean τ_b within items."""

    metric_a: str
    metric_b: str
    test: TestResult
    p_adjusted: float | None

    def to_dict(self) -> dict[str, Any]:
        """The entry of the document."""
        return {
            "metric_a": self.metric_a,
            "metric_b": self.metric_b,
            "difference": self.test.difference,
            "p_value": self.test.p_value,
            "p_adjusted": self.p_adjusted,
            "method": f"{self.test.method} of dialogues",
        }


@dataclass(frozen=True, eq=False)
class QuestionCorrelations:
    """One question: what each metric reaches, what a rater reaches, and which metrics differ."""

    name: str
    values: tuple[MetricValue, ...]
    comparisons: tuple[MetricComparison, ...]
    ceiling: Ceiling
    systems: tuple[str, ...]
    n_items: int
    n_raters: int
    n_left_out: int
    methods: str
    results: str

    def ceiling_dict(self) -> dict[str, Any]:
        """The ceiling's part of the document."""
        statistics: dict[str, Any] = {
            name: estimate_fields(found) for name, found in self.ceiling.statistics.items()
        }
        reliability = {"reliability": estimate_fields(self.ceiling.reliability)}
        return {
            **statistics,
            **reliability,
            "attenuation": self.ceiling.attenuated,
            "n_raters": self.ceiling.n_raters,
        }


@dataclass(frozen=True, eq=False)
class Correlate:
    """The questions of a table of ratings against the metrics of a run, warnings, and how it was made."""

    questions: Mapping[str, QuestionCorrelations]
    warnings: tuple[Notice, ...]
    manifest: Mapping[str, Any]
    command: str = "correlate"

    def to_dict(self) -> dict[str, Any]:
        """The document that ``--format json`` prints."""
        return {
            "questions": {
                name: [value.to_dict() for value in of.values] for name, of in self.questions.items()
            },
            "ceiling": {name: of.ceiling_dict() for name, of in self.questions.items()},
            "comparisons": {
                name: [pair.to_dict() for pair in of.comparisons] for name, of in self.questions.items()
            },
            "text": {
                name: {"methods": of.methods, "results": of.results} for name, of in self.questions.items()
            },
            "warnings": [{**asdict(notice), "ids": list(notice.ids)} for notice in self.warnings],
            "manifest": dict(self.manifest),
        }

    def grids(self) -> list[Grid]:
        """A table of metrics for each question, the ceiling under it."""
        from empeval.report.correlate_text import correlate_grids

        return correlate_grids(self)

    def to_csv(self) -> str:
        """One row a value, unrounded."""
        from empeval.report.correlate_text import correlate_csv

        return correlate_csv(self)


def correlate(
    run: str | Path,
    files: Sequence[str | Path],
    *,
    columns: Mapping[str, str] | None = None,
    questions: Sequence[str] | None = None,
    measurement: Measurement | None = None,
    categories: Sequence[str | float] | None = None,
    resample: Resample = "items",
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> Correlate:
    """Hold the metrics of a run against the ratings of its responses.

    ``run`` is a folder that ``empeval score --out`` wrote; the ratings' ``item`` is the segment's id, their
    ``system`` the run's. ``resample`` says what the intervals generalise to: other items, other systems, or
    both. Raises InputError where they have no response in common.
    """
    progress("reading")
    scored = read_scored_run(run)
    reading: dict[str, Any] = {
        "columns": columns,
        "questions": questions,
        "measurement": measurement,
        "categories": categories,
    }
    table = read_ratings(files, **reading)
    found, notices = {}, [*table.notices]
    for name, question in table.questions.items():
        progress(name)
        if question.ratings.words:
            raise InputError(
                f"the answers to {name!r} are words, which have no mean to correlate with",
                source=str(files[0]),
            )
        joined = Joined.of(scored, question, str(files[0]), str(run))
        notices += joined.notices(name)
        rng = np.random.default_rng(seed % 2**64)
        draws = Resampled.of(
            joined.dialogues,
            len(joined.run.systems),
            resample=resample,
            level=level,
            n_resamples=n_resamples,
            rng=rng,
        )
        found[name] = _question(joined, question, draws, rng)
    options = {
        **{key: value or None for key, value in reading.items()},
        "resample": resample,
        "seed": seed,
        "n_resamples": n_resamples,
        "level": level,
    }
    scores = str(Path(run, SCORES))
    manifest = manifest_of("correlate", [run, *files], [scores, *table.sources], options)
    # the run is found again by the file that it is known by
    manifest["options"]["files"] = [scores, *map(str, files)]
    return Correlate(found, tuple(notices), manifest)


def _question(
    joined: Joined, question: QuestionRatings, draws: Resampled, rng: np.random.Generator
) -> QuestionCorrelations:
    from empeval.report.correlate_text import methods_sentence, results_sentence

    values: list[MetricValue] = []
    signed: dict[str, Array] = {}
    for metric in joined.run.metrics:
        segments = metric.segment_values(joined.at)
        if segments is not None:
            signed[metric.name] = segments * (metric.better or 1)
            values += [
                MetricValue(metric.name, "segment", part.statistic, part.estimate, part.n, part.n_skipped)
                for part in segment_level(joined.people, signed[metric.name], draws)
            ]
        values += [
            MetricValue(metric.name, "system", part.statistic, part.estimate, part.n)
            for part in _system_level(joined, metric, signed.get(metric.name), draws, rng)
        ]
    ceiling = human_ceiling(joined.ratings, draws)
    comparisons = _compared(joined, signed, rng)
    n_raters = len(joined.ratings.raters)
    return QuestionCorrelations(
        question.name,
        tuple(values),
        comparisons,
        ceiling,
        joined.run.systems,
        len(joined.people),
        n_raters,
        question.n_left_out,
        methods_sentence(joined.people, n_raters, draws, bool(comparisons)),
        results_sentence(question.name, values, ceiling),
    )


def _system_level(
    joined: Joined, metric: ScoredMetric, segments: Array | None, draws: Resampled, rng: np.random.Generator
) -> Any:
    kept, sign = np.isfinite(joined.people), metric.better or 1
    return system_level(
        joined.people,
        lambda weights: sign * metric.system_values(joined.at, kept, weights),
        draws,
        segments=segments,
        rng=rng,
    )


def _compared(
    joined: Joined, metrics: Mapping[str, Array], rng: np.random.Generator
) -> tuple[MetricComparison, ...]:
    """Every pair of metrics that have values of responses, by their mean τ_b within items."""
    tests = []
    for a, b in combinations(metrics, 2):
        test = compare_within_items(joined.people, metrics[a], metrics[b], joined.dialogues, rng=rng)
        if test is not None:
            tests.append((a, b, test))
    adjusted = holm([test.p_value for _, _, test in tests])
    return tuple(MetricComparison(a, b, test, p) for (a, b, test), p in zip(tests, adjusted, strict=True))
