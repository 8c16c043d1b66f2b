"""Which systems are told apart, as letters and as ranges of ranks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["compact_letters", "rank_ranges"]


def compact_letters(order: Sequence[str], different: Collection[tuple[str, str]]) -> dict[str, str]:
    """Letters such that two systems share one if and only if they are not significantly different.

    ``order`` is best first and decides which letter comes first; ``different`` holds the significant pairs,
    in either order. Insert and absorb: Piepho (2004).

    >>> compact_letters(["x", "y", "z"], {("x", "z")})
    {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    groups = [frozenset(order)]
    for a, b in sorted(different):
        split: list[frozenset[str]] = []
        for group in groups:
            split += [group - {a}, group - {b}] if a in group and b in group else [group]
        groups = [group for group in dict.fromkeys(split) if not any(group < other for other in split)]
    groups = sorted(
        dict.fromkeys(groups), key=lambda group: [i for i, name in enumerate(order) if name in group]
    )
    return {name: "".join(_letter(i) for i, group in enumerate(groups) if name in group) for name in order}


def rank_ranges(order: Sequence[str], better: Collection[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Ranks that a system can hold: 1 + systems significantly better … k − systems significantly worse.

    ``better`` holds the significant pairs (winner, loser). Source: the WMT evaluation campaigns.

    >>> rank_ranges(["x", "y", "z"], {("x", "z"), ("y", "z")})
    {'x': (1, 2), 'y': (1, 2), 'z': (3, 3)}
    """
    wins = set(better)
    return {
        name: (
            1 + sum((other, name) in wins for other in order),
            len(order) - sum((name, other) in wins for other in order),
        )
        for name in order
    }


def _letter(i: int) -> str:
    """a … z, then a' … z' and so on."""
    return chr(ord("a") + i % 26) + "'" * (i // 26)
