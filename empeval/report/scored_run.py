"""A finished run as numbers by segment and system, for what is to be held against people's ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from empeval.errors import InputError
from empeval.metrics.base import Metric, parse_metrics
from empeval.report import runs
from empeval.statistics.segments import Array

__all__ = ["ScoredMetric", "ScoredRun", "read_scored_run"]

_FILE = "segments.parquet"


@dataclass(frozen=True, eq=False)
class ScoredMetric:
    """One metric of a run: its rows (n_segments, n_systems, n_columns), NaN where there is none.

    ``rows`` is None for metrics whose scores are no function of sums over segments; ``scores`` (n_systems,)
    are those of the whole run. ``better`` is 1, −1, or 0 where neither direction is.
    """

    name: str
    better: int
    scores: Array
    rows: Array | None
    metric: Metric

    def segment_values(self, at: Array) -> Array | None:
        """The metric's value of each response at segments ``at``, (n_items, n_systems), or NaN."""
        return None if self.rows is None else self._aggregate(self.rows[at])

    def system_values(self, at: Array, kept: Array, weights: Array) -> Array:
        """Scores on the segments ``at`` where ``kept`` (n_items, n_systems), (n_resamples, n_systems).

        ``weights`` has shape (n_resamples, n_items).
        """
        if self.rows is None:
            return np.repeat(self.scores[None, :], len(weights), axis=0)
        rows = np.where(kept[:, :, None], self.rows[at], 0.0)
        # a response that the metric does not score takes no part
        rows = np.where(np.isfinite(rows), rows, 0.0)
        return self._aggregate(np.einsum("bi,isc->bsc", weights, rows))

    def _aggregate(self, totals: Array) -> Array:
        with np.errstate(all="ignore"):
            found = np.asarray(self.metric.aggregate(totals), dtype=np.float64)
        missing = ~np.isfinite(totals).all(axis=-1)
        return np.where(missing, np.nan, found)


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """The segments, systems and metrics of a run."""

    segments: tuple[str, ...]
    dialogues: tuple[str, ...]
    systems: tuple[str, ...]
    metrics: tuple[ScoredMetric, ...]
    fingerprint: str

    def subset(self, systems: Sequence[int]) -> ScoredRun:
        """The run with these systems alone, in this order."""
        chosen = list(systems)
        metrics = tuple(
            ScoredMetric(
                m.name, m.better, m.scores[chosen], None if m.rows is None else m.rows[:, chosen], m.metric
            )
            for m in self.metrics
        )
        names = tuple(self.systems[i] for i in chosen)
        return ScoredRun(self.segments, self.dialogues, names, metrics, self.fingerprint)


def read_scored_run(folder: str | Path) -> ScoredRun:
    """Read a folder that ``empeval score --out`` wrote.

    Raises InputError where it is none, or holds no file of segments (``--no-segments``).
    """
    document = runs.load(folder)
    path = Path(folder, _FILE)
    if not path.is_file():
        raise InputError(
            f"the run has no {_FILE}, which ratings are joined to: score again without --no-segments",
            source=str(folder),
        )
    columns = _columns(path)
    systems = tuple(document["systems"])
    n = len(columns["id"]) // max(1, len(systems))
    if not n or list(columns["system"]) != [name for name in systems for _ in range(n)]:
        raise InputError(
            "the file of segments is not that of the run's scores; score again", source=str(path)
        )
    by_metric: dict[str, dict[str, Any]] = {}
    for score in document["scores"]:
        by_metric.setdefault(score["metric"], {})[score["system"]] = score
    metrics = tuple(_metric(name, of, systems, columns, n) for name, of in by_metric.items())
    return ScoredRun(
        tuple(columns["id"][:n]),
        tuple(columns["dialogue_id"][:n]),
        systems,
        metrics,
        document["corpus"]["fingerprint"],
    )


def _columns(path: Path) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError("this is no readable Parquet file; score again", source=str(path)) from error
    lacking = {"system", "id", "dialogue_id"} - set(table.column_names)
    if lacking:
        raise InputError(f"the columns {', '.join(sorted(lacking))} are missing", source=str(path))
    return {name: table.column(name).to_pylist() for name in table.column_names}


def _metric(
    name: str, scores: dict[str, Any], systems: Sequence[str], columns: dict[str, Any], n: int
) -> ScoredMetric:
    metric = parse_metrics(name)[0]
    mine = [column for column in columns if column.startswith(f"{name}:")]
    rows = None
    if mine:
        table = np.array(
            [[np.nan if v is None else v for v in columns[column]] for column in mine], dtype=float
        )
        rows = table.reshape(len(mine), len(systems), n).transpose(2, 1, 0)
    direction = next(iter(scores.values()))["higher_is_better"]
    values = [scores[system]["value"] if system in scores else None for system in systems]
    whole = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return ScoredMetric(name, 0 if direction is None else (1 if direction else -1), whole, rows, metric)
