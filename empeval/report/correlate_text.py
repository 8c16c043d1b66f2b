"""Correlations with people as grids, as one table and in sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from empeval.report.correlate import Correlate, MetricValue, QuestionCorrelations
from empeval.report.formats._printed import count
from empeval.report.grids import Grid, as_csv
from empeval.report.rating_text import bracket, p_value, plural, reasons, value
from empeval.statistics.correlation.ceiling import Ceiling
from empeval.statistics.correlation.resampled import Resampled
from empeval.statistics.segments import Array
from empeval.statistics.sentences import interval_text

__all__ = ["correlate_csv", "correlate_grids", "methods_sentence", "results_sentence"]

_SEGMENT = ("kendall_tau_b", "acc_eq", "pearson_pooled", "spearman_pooled")
_SYSTEM = ("pairwise_accuracy", "soft_pairwise_accuracy", "pearson", "kendall_tau_b")
_HEADS = {
    "kendall_tau_b": "τ_b",
    "acc_eq": "acc_eq",
    "pearson_pooled": "r (pooled)",
    "spearman_pooled": "ρ (pooled)",
    "pairwise_accuracy": "pairwise accuracy",
    "soft_pairwise_accuracy": "soft accuracy",
    "pearson": "r",
}
_HEADER = (
    "question",
    "metric",
    "level",
    "statistic",
    "value",
    "low",
    "high",
    "interval_level",
    "n",
    "n_skipped",
    "status",
    "note",
)
#: Pairs of metrics that a table lists; the document holds all.
_MOST_PAIRS = 15


def correlate_grids(found: Correlate) -> list[Grid]:
    """For each question the metrics within items and over systems, and pairs of metrics."""
    return [grid for of in found.questions.values() for grid in _grids(of)]


def _grids(of: QuestionCorrelations) -> list[Grid]:
    facts = (
        f"{plural(of.n_items, 'item')}, {plural(len(of.systems), 'system')}, {plural(of.n_raters, 'rater')}"
    )
    segment = _table(of, "segment", _SEGMENT, f"{of.name}, response by response: {facts}")
    system = _table(of, "system", _SYSTEM, f"{of.name}, system by system: {', '.join(of.systems)}")
    rows = [*segment.rows, _ceiling_row(of.ceiling, segment.header)] if segment.rows else []
    notes = [*segment.notes, *_ceiling_notes(of.ceiling)]
    grids = [Grid(segment.caption, segment.header, rows, 1, notes), system]
    if of.comparisons:
        listed = sorted(of.comparisons, key=lambda pair: (pair.test.p_value, pair.metric_a, pair.metric_b))
        lines = [
            (
                pair.metric_a,
                pair.metric_b,
                f"{pair.test.difference:+.3f}",
                p_value(pair.test.p_value),
                p_value(pair.p_adjusted),
            )
            for pair in listed[:_MOST_PAIRS]
        ]
        caption = f"{of.name}: differences of metrics in τ_b"
        more = (
            [f"{count(len(listed) - _MOST_PAIRS)} more pairs are in the document."]
            if len(listed) > _MOST_PAIRS
            else []
        )
        grids.append(Grid(caption, ("metric A", "metric B", "A − B", "p", "p (Holm)"), lines, 2, more))
    last = grids[-1]
    text = [*last.notes, f"Methods: {of.methods}", f"Results: {of.results}"]
    return [*grids[:-1], Grid(last.caption, last.header, last.rows, last.left, text)]


def _table(of: QuestionCorrelations, level: str, names: Sequence[str], caption: str) -> Grid:
    by_metric: dict[str, dict[str, MetricValue]] = {}
    for found in of.values:
        if found.level == level:
            by_metric.setdefault(found.metric, {})[found.statistic] = found
    # a column that no metric fills is told below the table
    filled = [n for n in names if any(of[n].estimate.value is not None for of in by_metric.values())]
    header = ["metric"]
    for name in filled:
        header += [_HEADS[name], "interval"]
    rows, why = [], {}
    for name in names:
        statuses = {values[name].estimate.status for values in by_metric.values()}
        if name not in filled and statuses:
            why[_HEADS[name]] = sorted(statuses)[0]
    for metric, values in by_metric.items():
        row = [metric]
        for name in filled:
            estimate = values[name].estimate
            row += [value(estimate.value), bracket(estimate.interval)]
            if estimate.value is None:
                why[f"{_HEADS[name]} of {metric}"] = estimate.status
        rows.append(row)
    skipped = sorted({v.n_skipped for values in by_metric.values() for v in values.values() if v.n_skipped})
    notes = reasons(why)
    if skipped:
        most = f"up to {count(skipped[-1])}" if len(skipped) > 1 else count(skipped[0])
        notes.append(f"τ_b leaves out {most} items on which people or the metric tell no two systems apart.")
    return Grid(caption, header, rows, 1, notes)


def _ceiling_row(ceiling: Ceiling, header: Sequence[str]) -> list[str]:
    """What a rater reaches, under the columns that there are."""
    row = ["a rater"]
    for name, found in ceiling.statistics.items():
        if _HEADS[name] in header:
            row += [value(found.value), ""]
    return row


def _ceiling_notes(ceiling: Ceiling) -> list[str]:
    notes = [
        f"A rater: the mean over {plural(ceiling.n_raters, 'rater')}, each against the mean of the others."
    ]
    if not ceiling.n_raters:
        notes = ["A rater: not defined, nobody shares responses with another."]
    if ceiling.attenuated is not None:
        notes.append(
            f"The mean ratings have a reliability of {value(ceiling.reliability.value)} (ICC(2,k)); no "
            f"metric can be expected to correlate with them by more than its root, "
            f"{value(ceiling.attenuated)}."
        )
    return notes


def methods_sentence(people: Array, n_raters: int, draws: Resampled, compared: bool) -> str:
    """How metrics were held against people."""
    n_items, n_systems = people.shape
    drawn = {"items": "items", "systems": "systems", "both": "items and systems"}[draws.resample]
    text = (
        f"Metrics were held against the mean ratings of {count(int(np.isfinite(people).sum()))} responses "
        f"of {plural(n_systems, 'system')} on {plural(n_items, 'item')} by {plural(n_raters, 'rater')}: "
        f"Kendall's τ_b between systems within items, averaged; pairwise accuracy with calibrated ties "
        f"(acc_eq); pooled correlations; and pairwise accuracy of systems on the rated items. Metrics for "
        f"which lower is better were negated."
    )
    if len(draws.items):
        text += (
            f" Intervals are percentiles of {count(len(draws.items))} bootstrap samples of {drawn}, those of "
            f"one dialogue together."
        )
    if compared:
        text += " Metrics were compared by exchanging them dialogue by dialogue, with Holm's correction."
    return text


def results_sentence(question: str, values: Sequence[MetricValue], ceiling: Ceiling) -> str:
    """Which metric follows people most closely, beside what a rater reaches."""
    taus = [v for v in values if v.statistic == "kendall_tau_b" and v.level == "segment"]
    defined = [v for v in taus if v.estimate.value is not None]
    if not defined:
        return f"On {question}, no metric's order of systems within items can be held against people's."
    best = max(defined, key=lambda v: v.estimate.value or 0.0)
    interval, limit = best.estimate.interval, ceiling.statistics["kendall_tau_b"].value
    shown = f"τ_b = {value(best.estimate.value)}"
    if interval is not None:
        shown += f", {interval_text(interval, decimals=3)}"
    rater = f"; a single rater reaches {value(limit)}." if limit is not None else "."
    if interval is not None and interval.low <= 0:
        none = f"No metric was found to follow the ratings of {question} within items"
        return f"{none}; the closest is {best.metric} ({shown}){rater}"
    return f"{best.metric} follows the ratings of {question} most closely within items ({shown}){rater}"


def correlate_csv(found: Correlate) -> str:
    """One row a value, ceilings included."""
    rows: list[Sequence[object]] = []
    for name, of in found.questions.items():
        for v in of.values:
            interval = v.estimate.interval
            ends = (None, None, None) if interval is None else (interval.low, interval.high, interval.level)
            head = (name, v.metric, v.level, v.statistic, v.estimate.value)
            rows.append((*head, *ends, v.n, v.n_skipped, v.estimate.status, v.estimate.note))
        for statistic, estimate in of.ceiling.statistics.items():
            head = (name, "a rater", "segment", statistic, estimate.value)
            rows.append((*head, None, None, None, of.ceiling.n_raters, 0, estimate.status, estimate.note))
    return as_csv(_HEADER, rows)
