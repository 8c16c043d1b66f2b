"""What a reader of the scores should know."""

from __future__ import annotations

from collections.abc import Sequence

from empeval.cohort import Cohort
from empeval.corpus import SystemOutputs
from empeval.hygiene import inspect
from empeval.metrics.base import Metric
from empeval.records import Notice
from empeval.scoring.inference import Settings, Table, fewest_dialogues
from empeval.scoring.results import Breakdown

__all__ = ["notices_of", "on_dialogues"]


def notices_of(
    cohort: Cohort, rows: Sequence[SystemOutputs], metrics: Sequence[tuple[str, Metric]], table: Table
) -> list[Notice]:
    """All notices of a scored cohort, each once: of joining, of hygiene, of the metrics on each system."""
    found = [*cohort.notices, *inspect(cohort.corpus, cohort.systems)]
    for m, (_, metric) in enumerate(metrics):
        for s, outputs in enumerate(rows):
            if not isinstance(table.cells[m, s], str):
                found += metric.notices(cohort.corpus, outputs)
    found += _on_size(cohort, [metric for _, metric in metrics])
    found += _on_sameness(rows, metrics)
    unique: dict[tuple[str, str], Notice] = {}
    for notice in found:
        unique.setdefault((notice.code, notice.message), notice)
    return list(unique.values())


def on_dialogues(
    n_dialogues: int, breakdown: Breakdown | None, n_systems: int, settings: Settings
) -> list[Notice]:
    """That so few dialogues cannot separate so many systems, whatever these answered."""
    n_pairs = n_systems * (n_systems - 1) // 2
    if not n_pairs or not settings.n_resamples:
        return []
    needed = fewest_dialogues(n_pairs, settings.level)
    end = (
        f"separate {n_systems} systems at level {settings.level:g}, whatever they answered: "
        f"{needed} are needed"
    )
    found = []
    if n_dialogues < needed:
        noun = "dialogue" if n_dialogues == 1 else "dialogues"
        found.append(Notice("too_few_dialogues", f"{n_dialogues} {noun} cannot {end}", n_dialogues))
    elif breakdown is not None:
        few = [group.group for group in breakdown.groups if group.n_dialogues < needed]
        if few:
            groups = f"{len(few)} of {len(breakdown.groups)} groups by {breakdown.by}"
            found.append(
                Notice("too_few_dialogues", f"the dialogues of {groups} are too few to {end}", len(few))
            )
    return found


def _on_size(cohort: Cohort, metrics: Sequence[Metric]) -> list[Notice]:
    """One notice for each metric whose values belong to this number of responses, with the counts."""
    n = len(cohort.corpus)
    held = [f"{system} has {n + dropped:,}" for system, dropped in cohort.dropped.items() if dropped > 0]
    whole = f" ({', '.join(held)} in its file)" if held else ""
    names = dict.fromkeys(metric.name for metric in metrics if metric.depends_on_n)
    return [
        Notice(
            f"{name}_depends_on_n",
            f"{name} falls as the number of responses grows: these values belong to {n:,} "
            f"{'response' if n == 1 else 'responses'}{whole} and may be compared "
            "only with values at the same number"
            + (" (or use adjust=ead,vocabulary=SIZE)" if name == "distinct" else ""),
            n,
        )
        for name in names
    ]


def _on_sameness(rows: Sequence[SystemOutputs], metrics: Sequence[tuple[str, Metric]]) -> list[Notice]:
    """One notice for each metric that does not look at what the systems answered, where there are several."""
    if len(rows) < 2:
        return []
    return [
        Notice(
            f"{metric.name}_of_model",
            f"{text} is a property of its model and the references, not of what a system answered: it is the "
            "same in every row; score each system with its own model",
            len(rows),
        )
        for text, metric in metrics
        if not metric.depends_on_outputs
    ]
