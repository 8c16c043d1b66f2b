"""A study's report as grids and as one table."""

from __future__ import annotations

from collections.abc import Sequence

from empeval.report.formats._printed import DASH
from empeval.report.grids import Grid, as_csv
from empeval.report.rating_text import bracket, p_value, value
from empeval.report.study_report import QuestionReport, StudyReport
from empeval.statistics.comparisons import RatingAnalysis

__all__ = ["report_csv", "report_grids"]

_HEADER = (
    "question",
    "kind",
    "system_a",
    "system_b",
    "value",
    "low",
    "high",
    "p_value",
    "p_adjusted",
    "status",
)
_MODEL = (
    "model: the difference and its Holm-adjusted p under rating ~ system + (1|item) + (1|rater) + "
    "(1|rater:system) "
    "+ (1|item:system), to see whether the result hangs on the analysis."
)


def report_grids(found: StudyReport) -> list[Grid]:
    """How it went; each question on a scale; preferences; agreement; raters."""
    marked = "SIMULATED: " if found.is_simulated else ""
    grids = [_overview(found, marked)]
    for question in found.questions.values():
        grids += _question(question, marked)
    parts = [part for part in (found.preference, found.agreement) if part is not None]
    for part in parts:
        grids += [
            Grid(f"{marked}{grid.caption}", grid.header, grid.rows, grid.left, grid.notes)
            for grid in part.grids()
        ]
    if found.raters:
        grids.append(_raters(found, marked))
    return grids


def _overview(found: StudyReport, marked: str) -> Grid:
    slots = found.status.slots
    rows = [
        ("state", found.status.state),
        ("places filled", f"{slots['done']:,} of {sum(slots.values()):,}"),
        ("raters", ", ".join(f"{n} {state}" for state, n in found.status.raters.items()) or "none"),
        ("answers not counted", ", ".join(f"{n} {why}" for why, n in found.not_counted.items()) or "none"),
    ]
    if sum(found.status.sides.values()):
        sides = found.status.sides
        rows.append(("sides", f"{sides['ab']} showed the earlier system first, {sides['ba']} the other"))
    if found.seconds is not None:
        low, middle, high = found.seconds
        rows.append(("seconds per item", f"median {middle:.0f}, quartiles {low:.0f} and {high:.0f}"))
    if found.dates is not None:
        rows.append(("answers from", " to ".join(day.date().isoformat() for day in found.dates)))
    if found.pay is not None and found.pay.median is not None:
        rows.append(("pay per hour", f"median {found.pay.median:.2f} {found.pay.currency}"))
    notes = [f"{notice.message[:1].upper()}{notice.message[1:]}." for notice in found.warnings]
    title = f"{marked}Study {found.status.study}, version {found.status.version}"
    return Grid(title, ("", ""), rows, 2, notes)


def _question(one: QuestionReport, marked: str) -> list[Grid]:
    grids = [
        _means(one.analysis, f"{marked}{one.name}"),
        _pairs(one, f"{marked}{one.name}: pairs of systems"),
    ]
    if one.with_excluded is not None:
        grids.append(_means(one.with_excluded, f"{marked}{one.name}, with the raters who were excluded"))
    return [grid for grid in grids if grid.rows]


def _means(analysis: RatingAnalysis, caption: str) -> Grid:
    rows = [
        (
            one.system,
            value(one.mean.value, 2),
            bracket(one.mean.interval, 2),
            one.letters,
            f"{one.n_ratings:,}",
        )
        for one in analysis.systems
    ]
    notes = ["Systems that share a letter are not told apart (Holm).", f"Methods: {analysis.methods}"]
    header = ("system", "mean", "interval", "letters", "ratings")
    return Grid(caption, header, rows, 1, [note for note in notes if analysis.methods])


def _pairs(one: QuestionReport, caption: str) -> Grid:
    model = {frozenset((pair.system_a, pair.system_b)): pair for pair in one.model.differences}
    rows: list[Sequence[str]] = []
    for pair in one.analysis.pairs:
        beside = model.get(frozenset((pair.system_a, pair.system_b)))
        effect = None if beside is None else beside.effect.value
        if effect is not None and beside is not None and beside.system_a != pair.system_a:
            effect = -effect
        rows.append(
            (
                pair.system_a,
                pair.system_b,
                value(pair.difference.value, 2),
                bracket(pair.difference.interval, 2),
                p_value(pair.p_adjusted),
                value(pair.effect.value, 2),
                value(pair.superiority.value, 2),
                value(effect, 2),
                DASH if beside is None else p_value(beside.p_adjusted),
            )
        )
    header = ("A", "B", "A − B", "interval", "p (Holm)", "d_z", "superiority", "model", "p (model)")
    said = " ".join(pair.results for pair in one.analysis.pairs if pair.results)
    notes = [_MODEL, *([f"Results: {said}"] if said else []), *([one.model.note] if one.model.note else [])]
    return Grid(caption, header, rows, 2, notes)


def _raters(found: StudyReport, marked: str) -> Grid:
    rows = [
        (
            line.rater,
            line.state if not line.block_reason else f"{line.state} ({line.block_reason})",
            f"{line.n_answers:,}",
            str(line.passed),
            str(line.failed),
            DASH if line.median_seconds is None else f"{line.median_seconds:.0f}",
            ", ".join(line.failed_checks),
        )
        for line in found.raters
    ]
    header = ("rater", "state", "answers", "passed", "failed", "seconds", "failed checks")
    return Grid(f"{marked}Raters and their checks", header, rows, 2)


def report_csv(found: StudyReport) -> str:
    """One row a system's mean or a pair's difference on each question, unrounded."""
    rows: list[Sequence[object]] = []
    for one in found.questions.values():
        for mean in one.analysis.systems:
            interval = mean.mean.interval
            ends = (None, None) if interval is None else (interval.low, interval.high)
            rows.append(
                (one.name, "mean", mean.system, "", mean.mean.value, *ends, None, None, mean.mean.status)
            )
        for pair in one.analysis.pairs:
            interval = pair.difference.interval
            ends = (None, None) if interval is None else (interval.low, interval.high)
            numbers = pair.difference.p_value, pair.p_adjusted
            told = pair.difference.status
            rows.append(
                (
                    one.name,
                    "difference",
                    pair.system_a,
                    pair.system_b,
                    pair.difference.value,
                    *ends,
                    *numbers,
                    told,
                )
            )
    return as_csv(_HEADER, rows)
