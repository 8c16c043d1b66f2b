"""What every metric promises, check by check."""

from __future__ import annotations

import dataclasses
import math
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics.base import METRICS, Metric
from empeval.scoring import Score, Scores, Signature, score
from empeval.scoring.inference import Settings
from empeval.statistics.segments import Array, SegmentStats

__all__ = ["METRIC_CHECKS", "MetricCheck"]

MetricCheck = Callable[[Metric, Corpus, Sequence[SystemOutputs]], None]

_COLUMNS = {field.name for cls in (Corpus, SystemOutputs) for field in dataclasses.fields(cls)}
_TOLERANCE = 1e-12
_RESAMPLES = 200


def check_text_form(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """Object → text → object is the identity, and one text stands for a metric however it was written."""
    back = METRICS.create(metric.spec)
    assert back == metric, f"{metric.spec!r} is read as {back!r}, which is not {metric!r}"
    quoted = {name: re.sub(r'(["\\])', r"\\\1", value) for name, value in _fields(metric).items()}
    given = [f'{name}="{value}"' for name, value in quoted.items() if value != "None"]
    for fields in (given, given[::-1]):
        again = METRICS.create(f"{metric.name}({','.join(fields)})")
        assert isinstance(again, Metric)
        assert again.spec == metric.spec, f"{fields} gives {again.spec!r}, not {metric.spec!r}"


def check_declarations(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """What the class states is there and has the values that it may have."""
    low, high = metric.limits
    assert metric.higher_is_better in (True, False, None)
    assert metric.resampling in ("bootstrap", "jackknife", "none"), f"resampling is {metric.resampling!r}"
    assert high is None or low < high, f"limits are {metric.limits}"
    needs = {*metric.needs, *metric.required}
    assert needs <= _COLUMNS, f"no columns are named {needs - _COLUMNS}"
    assert re.match(r"\w+: .", metric.why_undefined), "why_undefined is not of the form 'code: sentence'"
    assert (type(metric).__doc__ or "").strip(), "the docstring is the metric's documentation, and is missing"


def check_signature(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """Every field stands in the signature, defaults included, before anything is scored.

    Of a path it holds what lies there, of a field left open what was taken for it.
    """
    signature = Signature.of(metric, n_segments=1, rule="strict", fingerprint="0")
    for name, value in _fields(metric).items():
        resolved = name in metric.paths or value == "None"
        there = name in dict(signature.parts) if resolved else (name, value) in signature.parts
        assert there, f"{name}={value} is missing in {signature}"
    assert str(signature).startswith(f"{metric.name}|"), f"{signature} does not begin with the name"


def check_totals(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """One row a segment; `aggregate` is a function of totals of any shape and leaves them as they are."""
    stats = metric.segment_stats(corpus, systems[0])
    assert stats.n_units == len(corpus), f"{stats.n_units} rows for {len(corpus)} segments"
    totals = np.stack([metric.segment_stats(corpus, outputs).totals() for outputs in systems])
    before = totals.copy()
    together = _aggregate(metric, np.stack([totals, totals[::-1]]))
    alone = [_value(metric, row) for row in totals]
    assert np.array_equal(before, totals), "aggregate changes its argument"
    assert together.shape == (2, len(systems)), f"{totals.shape} totals, twice, give {together.shape} scores"
    assert np.allclose(together, [alone, alone[::-1]], rtol=_TOLERANCE, equal_nan=True)


def check_bounds(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """Scores lie in `bounds`; a score that is undefined is None, and the reason says why."""
    low, high = metric.limits
    for found in _scores(metric, corpus, systems).scores:
        if found.value is None:
            _require_reason(found)
        else:
            assert found.reason is None
            assert low <= found.value, f"{found.value} is below {low}"
            assert high is None or found.value <= high, f"{found.value} is above {high}"
    nothing = _value(metric, np.zeros_like(metric.segment_stats(corpus, systems[0]).totals()))
    inside = low <= nothing and (high is None or nothing <= high)
    assert math.isnan(nothing) or inside, f"nothing at all has the score {nothing}, not NaN"


def check_missing_columns(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """Without a column that it needs the score is None, with a reason, and nothing else happens."""
    for need in metric.required:
        without: dict[str, Any] = {need: None}
        if hasattr(corpus, need):
            found = _scores(metric, dataclasses.replace(corpus, **without), systems[:1]).scores[0]
        else:
            found = _scores(metric, corpus, [dataclasses.replace(systems[0], **without)]).scores[0]
        assert found.value is None, f"without {need} the score is {found.value}"
        _require_reason(found)


def check_any_order(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """The order of the segments changes neither the score nor its interval."""
    order = random.Random(0).sample(range(len(corpus)), len(corpus))
    there = _scores(metric, corpus, systems).scores
    for ours, theirs in zip(there, _scores(metric, corpus.take(order), systems).scores, strict=True):
        for one, other in zip(_numbers(ours), _numbers(theirs), strict=True):
            assert _close(one, other, metric), f"{ours} becomes {theirs} for shuffled segments"


def check_shards(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """The rows of parts of the corpus, one after the other, are those of the whole."""
    for outputs in systems:
        whole = metric.segment_stats(corpus, outputs)
        parts = [np.arange(start, len(corpus), 3) for start in range(3)]
        first, *others = [_part(metric, corpus, outputs, whole, rows) for rows in parts]
        joined = _value(metric, first.concat(others).totals())
        score_of_whole = _value(metric, whole.totals())
        assert _close(score_of_whole, joined, metric), (
            f"the whole has {score_of_whole}, its joined parts {joined}"
        )


def check_groups(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """Joining the rows of each dialogue keeps the score."""
    names = sorted(set(corpus.dialogue_ids))
    groups = np.array([names.index(name) for name in corpus.dialogue_ids])
    for outputs in systems:
        stats = metric.segment_stats(corpus, outputs)
        ungrouped, grouped = (
            _value(metric, rows.totals()) for rows in (stats, stats.grouped(groups, len(names)))
        )
        assert _close(ungrouped, grouped, metric), f"{ungrouped} by segment, {grouped} by dialogue"


def check_self_comparison(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """A system does not differ from its copy: p is 1, and they share a tier."""
    copy = dataclasses.replace(systems[0], system=f"{systems[0].system} again")
    found = _scores(metric, corpus, [systems[0], copy])
    for comparison in found.comparisons:
        assert comparison.difference == 0.0, f"the copy differs by {comparison.difference}"
        assert comparison.p_value == 1.0, f"the copy differs with p = {comparison.p_value}"
    assert all(len(tiers) == 1 for tiers in found.tiers.values()), f"tiers are {found.tiers}"


def check_scale(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """Twice the totals have the same score, or bootstrap weights, whose sum is random, would not do.

    Smoothing with constants is allowed: the totals compared are a million times those of the data.
    """
    if metric.resampling == "bootstrap":
        for outputs in systems:
            totals = 1e6 * metric.segment_stats(corpus, outputs).totals()
            once, twice = _value(metric, totals), _value(metric, 2 * totals)
            same = math.isclose(once, twice, rel_tol=1e-5) or (math.isnan(once) and math.isnan(twice))
            assert same, f"{once} becomes {twice} where everything happens twice as often"


def check_emptied_response(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """An emptied response raises no `text_quality`; of silence alone the score is in bounds or None."""
    for outputs in systems:
        full = _value(metric, metric.segment_stats(corpus, outputs).totals())
        for i in range(0, len(corpus), 4) if metric.text_quality else ():
            texts = (*outputs.hypotheses[:i], "", *outputs.hypotheses[i + 1 :])
            emptied = dataclasses.replace(outputs, hypotheses=texts)
            found = _value(metric, metric.segment_stats(corpus, emptied).totals())
            assert found <= full + (metric.tolerance or _TOLERANCE), (
                f"{full} rises to {found} where response {i + 1} is emptied"
            )
    silence = dataclasses.replace(systems[0], hypotheses=("",) * len(corpus))
    check_bounds(metric, corpus, [silence])


def check_interval(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """An interval holds its estimate and is made as the metric allows; so is that of a difference."""
    allowed = {
        "bootstrap": ("bootstrap", "exact bootstrap", "jackknife"),
        "jackknife": ("jackknife",),
        "none": (),
    }[metric.resampling]
    found = _scores(metric, corpus, systems)
    estimates = [(entry.value, entry.interval) for entry in found.scores]
    estimates += [(entry.difference, entry.interval) for entry in found.comparisons]
    for value, interval in estimates:
        if value is None or interval is None:
            assert value is None or not allowed, f"{value} has no interval"
            continue
        assert interval.low <= value <= interval.high, f"{interval} does not hold {value}"
        assert interval.method in allowed, f"{interval.method} for a metric with {metric.resampling}"


def check_no_change_by_company(metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
    """Neither a further system nor the order of systems changes a bit of a number.

    Numbers of a network may change within the metric's `tolerance`, and with them which resamples tie.
    """
    # as many as the tests of all pairs ask for, so that two systems alone are tested with no fewer
    n_resamples = Settings().n_swaps(len(systems) * (len(systems) - 1) // 2)
    alone = _scores(metric, corpus, systems[:2], n_resamples)
    together = _scores(metric, corpus, systems[::-1], n_resamples)
    numbers = {entry.system: _numbers(entry) for entry in together.scores}
    for entry in alone.scores:
        there = numbers[entry.system]
        same = (
            _numbers(entry) == there
            if metric.tolerance is None
            else all(map(_close, _numbers(entry), there, [metric] * len(there)))
        )
        assert same, f"{entry} becomes {there}"
    p_values = {frozenset((c.system_a, c.system_b)): c.p_value for c in together.comparisons}
    for c in alone.comparisons:
        p = p_values[frozenset((c.system_a, c.system_b))]
        same = c.p_value == p if metric.tolerance is None else abs((c.p_value or 0) - (p or 0)) < 0.01
        assert same, f"p = {c.p_value} becomes {p} in other company"


METRIC_CHECKS: tuple[MetricCheck, ...] = (
    check_text_form,
    check_declarations,
    check_signature,
    check_totals,
    check_bounds,
    check_missing_columns,
    check_any_order,
    check_shards,
    check_groups,
    check_self_comparison,
    check_scale,
    check_emptied_response,
    check_interval,
    check_no_change_by_company,
)


def _fields(metric: Metric) -> dict[str, str]:
    return {field.name: str(getattr(metric, field.name)) for field in dataclasses.fields(metric)}


def _aggregate(metric: Metric, totals: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(metric.aggregate(totals))


def _value(metric: Metric, totals: Array) -> float:
    return float(_aggregate(metric, totals))


def _scores(
    metric: Metric, corpus: Corpus, systems: Sequence[SystemOutputs], n_resamples: int = _RESAMPLES
) -> Scores:
    with np.errstate(all="ignore"):
        return score(corpus, systems, [metric], n_resamples=n_resamples)


def _part(metric: Metric, corpus: Corpus, outputs: SystemOutputs, whole: Any, rows: Array) -> Any:
    """Rows of a part of the corpus, cut from the whole where they depend on it, as numbers of types do."""
    if metric.depends_on_corpus or not isinstance(whole, SegmentStats):
        return whole.subset(rows)
    part = corpus.take(rows.tolist())
    return metric.segment_stats(part, outputs.on(part))


def _numbers(found: Score) -> tuple[float | None, ...]:
    interval = found.interval
    return (found.value, *((interval.low, interval.high) if interval else (None, None)))


def _close(one: float | None, other: float | None, metric: Metric) -> bool:
    if one is None or other is None:
        return one is other
    allowed = metric.tolerance or _TOLERANCE
    return math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=allowed) or (one != one and other != other)


def _require_reason(found: Score) -> None:
    assert found.reason, f"{found.metric} is undefined for {found.system}, and no reason is given"
    assert re.match(r"\w+: .", found.reason), f"{found.reason!r} is not of the form 'code: sentence'"
