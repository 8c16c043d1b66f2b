"""The segment file of a run: what each system answered on each segment, and the rows behind the scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics.base import parse_metrics
from empeval.report.pipeline import Run, without_last_chunk
from empeval.specs import split_specs
from empeval.statistics.segments import SegmentStats

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["segments_table", "write_segments"]

_INT64 = range(-(2**63), 2**63)


def write_segments(run: Run, path: Path) -> None:
    """Write `segments_table` as Parquet; equal runs give equal bytes."""
    import pyarrow.parquet as pq

    pq.write_table(segments_table(run), path, compression="zstd")


def segments_table(run: Run) -> pa.Table:
    """One row for each system and segment, systems in their order, segments in that of the corpus.

    Columns: system, id, dialogue_id, emotion, hypothesis; one column ``metric:column`` for each number of the
    metric's rows, null where the system lacks the data or the metric leaves the segment out (metrics that
    count types have no rows); then every other column of the files. Values of a column that mixes types are
    written as JSON.
    """
    import pyarrow as pa

    corpus, systems = run.cohort.corpus, run.cohort.systems
    emotions = corpus.emotions or [None] * len(corpus)
    columns: dict[str, list[Any]] = {
        "system": [outputs.system for outputs in systems for _ in corpus.ids],
        "id": list(corpus.ids) * len(systems),
        "dialogue_id": list(corpus.dialogue_ids) * len(systems),
        "emotion": list(emotions) * len(systems),
        "hypothesis": [text for outputs in systems for text in outputs.hypotheses],
    }
    arrays = {name: pa.array(map(_writable, values), pa.string()) for name, values in columns.items()}
    arrays.update(_metric_columns(run))
    for name, values in _extra_columns(corpus, systems).items():
        arrays.setdefault(_clean(name), _typed(values))
    return pa.table(arrays)


def _metric_columns(run: Run) -> dict[str, pa.ChunkedArray]:
    import pyarrow as pa

    n = len(run.cohort.corpus)
    undefined = {(score.system, score.metric) for score in run.scores.scores if score.value is None}
    found: dict[str, pa.ChunkedArray] = {}
    for text in split_specs(run.options.metrics or ""):
        metric = parse_metrics(text)[0]
        size = run.chunks.get(text)
        part = run.cohort if size is None else without_last_chunk(run.cohort, size)
        rows = [
            None if (outputs.system, text) in undefined else metric.segment_stats(part.corpus, outputs)
            for outputs in part.systems
        ]
        dense = [stats if isinstance(stats, SegmentStats) else None for stats in rows]
        first = next((stats for stats in dense if stats is not None), None)
        if first is None:
            continue
        kind = pa.int64() if first.values.dtype.kind in "iub" else pa.float64()
        for i, name in enumerate(first.columns):
            chunks = []
            for stats in dense:
                values: Any = [] if stats is None else stats.values[:, i]
                chunks += [pa.array(values).cast(kind), pa.nulls(n - len(values), kind)]
            found[f"{text}:{name}"] = pa.chunked_array(chunks, kind)
    return found


def _extra_columns(corpus: Corpus, systems: Sequence[SystemOutputs]) -> dict[str, list[Any]]:
    """Columns that empeval only carries; a system's own value comes before that of the corpus."""
    names = dict.fromkeys([*corpus.extra, *(name for outputs in systems for name in outputs.extra)])
    blank = [None] * len(corpus)
    return {
        name: [
            value for outputs in systems for value in outputs.extra.get(name, corpus.extra.get(name, blank))
        ]
        for name in names
    }


def _typed(values: list[Any]) -> pa.Array:
    import pyarrow as pa

    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    if kinds == {int} and all(value is None or value in _INT64 for value in values):
        return pa.array(values, pa.int64())
    if kinds == {float}:
        return pa.array(values, pa.float64())
    if kinds <= {str}:
        return pa.array(map(_writable, values), pa.string())
    texts = [None if v is None else json.dumps(v, ensure_ascii=False, default=str) for v in values]
    return pa.array(map(_writable, texts), pa.string())


def _writable(text: str | None) -> str | None:
    return None if text is None else _clean(text)


def _clean(text: str) -> str:
    """Half of a surrogate pair, which no UTF-8 file can hold, as its escape."""
    return text.encode("utf-8", "backslashreplace").decode()
