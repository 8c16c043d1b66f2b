"""The power of planned studies as a grid and as CSV."""

from __future__ import annotations

from empeval.report.formats._printed import DASH, count, number
from empeval.report.grids import Grid, as_csv
from empeval.report.power import PowerReport
from empeval.report.power_sentences import subject
from empeval.statistics.power.plans import PlanRow
from empeval.statistics.power.simulation import MOST_ITEMS

__all__ = ["power_csv", "power_grid"]


def power_grid(found: PowerReport) -> Grid:
    """A row for each size of the study, with the sentences for a paper below."""
    plan = found.plan
    what = subject(plan)
    if not found.rows:
        return Grid("Power", (), (), 0, (f"The pilot gives no components: {found.pilot.status}.",))
    sizes = ("items", "raters an item", "raters", "answers", "cost")
    header = (*sizes, "power", "interval", f"least {what}")
    explained = (
        f"power: share of {count(plan.n_simulations)} drawn studies that find a {what} of {plan.effect:g}; "
        f"interval: how exact it is; least {what}: what is found with {plan.power:.0%} power."
    )
    notes = [explained, *_needed(found), f"Methods: {found.methods}", f"Results: {found.results}"]
    return Grid(f"Power of a {plan.design} study", header, [_cells(row) for row in found.rows], 0, notes)


def _needed(found: PowerReport) -> list[str]:
    """How many items each number of raters needs."""
    lines, power = [], f"{found.plan.power:.0%}"
    for n_raters, needed in found.needed:
        who = f"{n_raters} {'rater' if n_raters == 1 else 'raters'} an item"
        if needed.value is None:
            lines.append(
                f"{who}: {count(MOST_ITEMS)} items are not enough for {power} power; have more raters."
            )
        else:
            lines.append(f"{who}: {count(int(needed.value))} items have {power} power.")
    return lines


def _cells(row: PlanRow) -> tuple[str, ...]:
    interval, smallest = row.power.interval, row.detectable.value
    return (
        count(row.size.n_items),
        count(row.size.n_raters),
        count(row.size.n_pool),
        count(row.n_answers),
        DASH if row.cost is None else f"{row.cost:,.2f}",
        number(row.power.power, 2),
        DASH if interval is None else f"[{number(interval.low, 2)}, {number(interval.high, 2)}]",
        DASH if smallest is None else number(smallest, 2),
    )


def power_csv(found: PowerReport) -> str:
    """The rows of the JSON document as a table, the bounds of the interval in columns of their own."""
    rows = found.to_dict()["rows"]
    header = [
        *(
            "n_items",
            "n_raters_per_item",
            "n_raters",
            "n_answers",
            "cost",
            "power",
            "power_low",
            "power_high",
        ),
        *("minimum_detectable_difference", "status", "method"),
    ]
    for row in rows:
        interval = row["interval"] or {}
        row["power_low"], row["power_high"] = interval.get("low"), interval.get("high")
    return as_csv(header, [[row[name] for name in header] for row in rows])
