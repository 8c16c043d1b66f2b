"""An explanation of a metric's variants as grids."""

from __future__ import annotations

from collections.abc import Sequence

from empeval.metrics.base import parse_metrics
from empeval.report.explain import Explanation, Variant
from empeval.report.formats._printed import DASH, count, number
from empeval.report.grids import Grid, as_csv

__all__ = ["explanation_csv", "explanation_grids"]


def explanation_grids(found: Explanation) -> list[Grid]:
    """Values with ranks, then how well the variants agree on the ranking."""
    return [_values(found), *_agreement(found)]


def _values(found: Explanation) -> Grid:
    rows = [
        (
            variant.metric,
            *(_cell(variant, system) for system in found.systems),
            _best(variant),
            ", ".join(variant.used_by) or DASH,
        )
        for variant in found.variants
    ]
    header = ("variant", *found.systems, "best", "used by")
    notes = ["In parentheses the rank of the system; ← marks a variant that puts another system first."]
    notes += [
        f"{system}: {count(n)} of its segments are left out, others lack them."
        for system, n in found.dropped.items()
        if n
    ]
    return Grid(
        f"{found.metric} on {count(found.n_segments)} segments", header, rows, 1, [*notes, *_reasons(found)]
    )


def _reasons(found: Explanation) -> list[str]:
    """Why values are missing, once for all variants that the same systems lack for the same reason."""
    variants: dict[tuple[str, str], list[str]] = {}
    for variant in found.variants:
        systems: dict[str, list[str]] = {}
        for system, reason in variant.reasons.items():
            systems.setdefault(reason, []).append(system)
        for reason, names in systems.items():
            variants.setdefault((", ".join(names), reason), []).append(variant.metric)
    return [f"{', '.join(texts)} of {names}: {reason}." for (names, reason), texts in variants.items()]


def _cell(variant: Variant, system: str) -> str:
    value, place = variant.values[system], variant.ranks[system]
    if value is None or place is None:
        return DASH
    return f"{number(value, parse_metrics(variant.metric)[0].decimals)} ({place:g})"


def _best(variant: Variant) -> str:
    if not variant.best:
        return DASH
    return " = ".join(variant.best) + (" ←" if variant.best_changes else "")


def _agreement(found: Explanation) -> list[Grid]:
    """Kendall's tau between the variants that have values, as a triangle."""
    known = [v for v in found.variants if v.best]
    if len(found.systems) < 2 or len(known) < 2:
        return []
    tau = {(a.variant_a, a.variant_b): a for a in found.agreement}
    numbers = {variant.metric: str(i) for i, variant in enumerate(known, 1)}
    rows = []
    for i, row in enumerate(known):
        cells = [
            DASH if (entry := tau[column.metric, row.metric]).tau is None else number(entry.tau, 2)
            for column in known[:i]
        ]
        rows.append((f"{numbers[row.metric]} {row.metric}", *cells, *[""] * (len(known) - i)))
    header = ("Kendall's tau-b between rankings", *numbers.values())
    return [Grid("How far the variants agree", header, rows)]


def explanation_csv(found: Explanation) -> str:
    """One row a variant and system."""
    rows: list[Sequence[object]] = [
        (
            variant.metric,
            system,
            variant.values[system],
            variant.ranks[system],
            "true" if system in variant.best else "false",
            variant.reasons.get(system),
            ";".join(variant.used_by),
        )
        for variant in found.variants
        for system in found.systems
    ]
    return as_csv(("metric", "system", "value", "rank", "best", "reason", "used_by"), rows)
