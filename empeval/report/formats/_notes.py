"""The notes under a leaderboard: what fixes each number, what is missing and why, what the marks mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from empeval.report.formats._sheets import breakdown_caption, size
from empeval.report.tables import Breakdown, Cell, Column, Run, differing_parts

if TYPE_CHECKING:
    from empeval.report.leaderboard import Leaderboard

__all__ = ["Note", "Notes", "notes"]


@dataclass(frozen=True)
class Note:
    """A numbered note; ``code`` is a signature, to be set as one unbroken word."""

    number: int
    text: str
    code: str = ""


@dataclass(frozen=True)
class Notes:
    """Numbered notes (columns first, then reasons for missing values) and notes on the whole."""

    numbered: tuple[Note, ...]
    general: tuple[str, ...]
    reasons: dict[str, int]


def notes(board: Leaderboard, best: str) -> Notes:
    """All notes of a leaderboard; ``best`` says how the format marks a best value."""
    numbered = [
        Note(i + 1, _on_column(column, [row.cells[i] for row in board.rows]), column.signature)
        for i, column in enumerate(board.columns)
    ]
    reasons: dict[str, int] = {}
    for cell in _cells(board):
        if cell.value is None and cell.reason not in reasons:
            reasons[cell.reason or ""] = len(numbered) + 1
            numbered.append(Note(len(numbered) + 1, f"no value: {cell.reason}"))
    general = [
        *_not_comparable(board.columns),
        *(_on_run(run, named=len(board.runs) > 1) for run in board.runs),
        *_on_empty(board),
        *_on_marks(board, best),
        *(_on_breakdown(breakdown, board) for breakdown in board.breakdowns),
        *(f"Warning ({code}): {message}" for code, message in board.warnings),
    ]
    return Notes(tuple(numbered), tuple(general), reasons)


def _cells(board: Leaderboard) -> Iterable[Cell]:
    rows = [*board.rows]
    for breakdown in board.breakdowns:
        for section in breakdown.sections:
            rows.extend(section.rows)
    return (cell for row in rows for cell in row.cells)


def _on_column(column: Column, cells: Sequence[Cell]) -> str:
    counts = {cell.n_segments for cell in cells if cell.n_segments is not None}
    parts = [column.metric]
    if len(counts) == 1:
        parts.append(size(counts.pop(), column.n_dialogues))
    elif counts:
        parts.append(f"{min(counts):,} to {size(max(counts), column.n_dialogues)}")
    made = {(cell.interval.level, cell.interval.method) for cell in cells if cell.interval}
    parts.extend(f"{100 * level:g}% interval by {method}" for level, method in sorted(made))
    if not made and any(cell.value is not None for cell in cells):
        parts.append("no interval")
    if column.untested:
        parts.append("no tiers, as these runs were not tested against each other")
    elif column.tiers and column.tiers.within:
        parts.append(f"within a tier, {_pairs(column.tiers.within)}")
    elif column.tiers and len(column.tiers.sets) == 1:
        parts.append("not separable: no two systems differ significantly")
    return "; ".join(parts)


def _pairs(pairs: Sequence[tuple[str, str]]) -> str:
    """Pairs that differ significantly although they share a tier, at most six by name."""
    told = [f"{better} beats {worse}" for better, worse in pairs[:6]]
    return ", ".join(told) + (f" and {len(pairs) - 6} more pairs differ" if len(pairs) > 6 else "")


def _not_comparable(columns: Sequence[Column]) -> Iterable[str]:
    """One sentence for each further column of a metric: which parts of its signature differ."""
    first: dict[str, int] = {}
    for i, column in enumerate(columns):
        at = first.setdefault(column.metric, i)
        if at != i:
            parts = differing_parts(columns[at].signature, column.signature)
            told = "; ".join(f"{key} is {a} and {b}" for key, a, b in parts)
            yield f"Columns {at + 1} and {i + 1} ({column.metric}) are not comparable: {told}."


def _on_run(run: Run, *, named: bool) -> str:
    who = f"{run.name}: " if named else ""
    text = f"{who}corpus {run.corpus} ({run.fingerprint}), cohort {run.rule}: "
    text += size(run.n_segments, run.n_dialogues)
    dropped = [f"{system} {n:,}" for system, n in run.dropped if n]
    return f"{text}; left out: {', '.join(dropped)}." if dropped else f"{text}; nothing left out."


def _on_empty(board: Leaderboard) -> Iterable[str]:
    if "empty_response" in {code for code, _ in board.warnings}:
        return  # the warning counts them
    counts = {row.system: max((cell.n_empty for cell in row.cells), default=0) for row in board.rows}
    told = [f"{system} {n:,}" for system, n in counts.items() if n]
    if told:
        yield f"Empty responses, scored as they are: {', '.join(told)}."


def _on_marks(board: Leaderboard, best: str) -> Iterable[str]:
    cells = list(_cells(board))
    if any(cell.interval for cell in cells):
        yield "Brackets hold confidence intervals."
    if any(cell.best for cell in cells):
        yield f"The best value of a column is {best}; values that print alike are equally best."
    families: dict[tuple[float, str], dict[str, None]] = {}
    for tiers in (column.tiers for column in board.columns if column.tiers):
        tests = families.setdefault((tiers.alpha, tiers.correction.capitalize()), {})
        tests.update({tiers.test: None} if tiers.test else {})
    for (alpha, correction), tests in families.items():
        by = f" ({'; '.join(tests)})" if tests else ""
        yield (
            f"A tier (a is the best) ends where each of its systems is better than every system below, at "
            f"p < {alpha:g}, {correction} over the pairs of a metric{by}. Systems that share a letter are "
            "not separated as groups; pairs among them that differ are named with their column."
        )


def _on_breakdown(breakdown: Breakdown, board: Leaderboard) -> str:
    keys: dict[str, None] = {}
    for section in breakdown.sections:
        for cell in (cell for row in section.rows for cell in row.cells if cell.signature):
            keys.update(dict.fromkeys(_nearest(cell.signature, board.columns)))
    but = f", but for {', '.join(keys)}" if keys else ""
    return (
        f"{breakdown_caption(breakdown, board)}: {breakdown.correction.capitalize()} within each group; "
        f"best values and tiers are those of the group; signatures are those of the columns above{but}."
        + "".join(_not_separable(breakdown))
    )


def _not_separable(breakdown: Breakdown) -> Iterable[str]:
    """For each metric with tiers, in how many groups one tier holds all systems."""
    for i, column in enumerate(breakdown.columns):
        letters = [{row.cells[i].tier for row in section.rows} - {None} for section in breakdown.sections]
        tested = [found for found in letters if found]
        alone = sum(len(found) == 1 for found in tested)
        if alone:
            yield f" {column.metric}: a single tier in {alone} of {len(tested)} groups."


def _nearest(signature: str, columns: Sequence[Column]) -> list[str]:
    """The keys in which a signature differs from that of the main column which it is closest to."""
    found = [[key for key, _, _ in differing_parts(column.signature, signature)] for column in columns]
    return min(found, key=len, default=[])
