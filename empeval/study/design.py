"""Who may see what: showings and slots made in advance, sides balanced; where a rater's checks stand.

Pure functions of the material, a few counts and a generator: no input or output, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

__all__ = ["Control", "PlannedShowing", "PlannedSlot", "Side", "controls_for", "showings", "sides", "slots"]

Side = Literal["low", "high"]
Purpose = Literal["gold", "attention", "duplicate", "damaged", "practice"]


@dataclass(frozen=True)
class PlannedShowing:
    """A segment with one response, or two: indices into the material; ``low == high`` for a rating."""

    kind: Literal["rating", "pair"]
    segment: int
    low: int
    high: int


@dataclass(frozen=True)
class PlannedSlot:
    """One place for one rater: which showing, which of its ``rep``, which response comes first."""

    showing: int
    rep: int
    first: Side
    shuffle: int


@dataclass(frozen=True)
class Control:
    """A check of one rater: after how many main items it is due, what it is, and which one of its kind."""

    position: int
    purpose: Purpose
    index: int


def showings(
    kinds: Sequence[Literal["rating", "pair"]],
    n_segments: int,
    n_systems: int,
    pairs: Iterable[tuple[int, int]] | None = None,
) -> list[PlannedShowing]:
    """Every showing of the main part: each response alone, each pair of responses, or both.

    >>> len(showings(["rating", "pair"], n_segments=10, n_systems=3))
    60
    """
    chosen = (
        list(combinations(range(n_systems), 2))
        if pairs is None
        else sorted({(min(p), max(p)) for p in pairs})
    )
    planned: list[PlannedShowing] = []
    for segment in range(n_segments):
        if "rating" in kinds:
            planned += [PlannedShowing("rating", segment, system, system) for system in range(n_systems)]
        if "pair" in kinds:
            planned += [PlannedShowing("pair", segment, low, high) for low, high in chosen]
    return planned


def slots(planned: Sequence[PlannedShowing], n_ratings: int, rng: np.random.Generator) -> list[PlannedSlot]:
    """``n_ratings`` slots for each showing; first sides differ by at most one, in each pair and over all.

    Within a showing they differ by at most one too, and which repetition has which is random.
    """
    first = sides(planned, n_ratings, rng)
    shuffle = rng.permutation(len(planned) * n_ratings)
    return [
        PlannedSlot(i, rep, first[i][rep], int(shuffle[i * n_ratings + rep]))
        for i in range(len(planned))
        for rep in range(n_ratings)
    ]


def sides(planned: Sequence[PlannedShowing], n_ratings: int, rng: np.random.Generator) -> list[list[Side]]:
    """For each showing the side that comes first, by repetition.

    The places of one pair of systems alternate through its segments in random order; pairs with an odd number
    of places begin with alternating sides.

    >>> pairs = showings(["pair"], n_segments=3, n_systems=2)
    >>> made = [side for row in sides(pairs, 3, np.random.default_rng(0)) for side in row]
    >>> abs(made.count("low") - made.count("high"))
    1
    """
    first: list[list[Side]] = [["low"] * n_ratings for _ in planned]
    of_pair: dict[tuple[int, int], list[int]] = {}
    for i, showing in enumerate(planned):
        if showing.kind == "pair":
            of_pair.setdefault((showing.low, showing.high), []).append(i)
    odd_begins = bool(rng.integers(2))
    for key in sorted(of_pair):
        members = of_pair[key]
        n_places = len(members) * n_ratings
        begins = odd_begins if n_places % 2 else bool(rng.integers(2))
        odd_begins ^= bool(n_places % 2)
        place = int(begins)
        for i in rng.permutation(members).tolist():
            row: list[Side] = ["low" if (place + rep) % 2 == 0 else "high" for rep in range(n_ratings)]
            place += n_ratings
            first[i] = [row[j] for j in rng.permutation(n_ratings).tolist()]
    return first


def controls_for(
    n_main: int,
    *,
    n_practice: int = 0,
    attention: tuple[int, int] = (0, 0),
    gold: tuple[int, int] = (0, 0),
    damaged: tuple[int, int] = (0, 0),
    n_duplicates: int = 0,
    min_gap: int = 1,
    rng: np.random.Generator,
) -> list[Control]:
    """The checks of one rater who gets ``n_main`` main items: practice first, the others spread at random.

    ``attention``, ``gold`` and ``damaged`` are (how many, of how many there are). Checks stand at positions
    of their own as long as there are enough, none before the first item, repeats not before ``min_gap``
    items; what finds no place at all is left out.

    >>> made = controls_for(20, attention=(2, 3), n_duplicates=1, min_gap=5, rng=np.random.default_rng(0))
    >>> [control.purpose for control in sorted(made, key=lambda control: control.purpose)]
    ['attention', 'attention', 'duplicate']
    """
    made = [Control(i - n_practice, "practice", i) for i in range(n_practice)]
    wanted: list[tuple[Purpose, int, int]] = [("duplicate", i, min_gap) for i in range(n_duplicates)]
    pools: tuple[tuple[Purpose, tuple[int, int]], ...] = (
        ("attention", attention),
        ("gold", gold),
        ("damaged", damaged),
    )
    for purpose, (n, n_there) in pools:
        chosen = rng.permutation(n_there)[: min(n, n_there)].tolist()
        wanted += [(purpose, index, 1) for index in chosen]
    free = list(range(1, n_main))
    for purpose, index, earliest in wanted:
        places = [position for position in free if position >= earliest]
        if not places:
            places = [position for position in range(1, n_main) if position >= earliest]
        if places:
            position = int(rng.choice(places))
            made.append(Control(position, purpose, index))
            if position in free:
                free.remove(position)
    return sorted(made, key=lambda control: (control.position, control.purpose, control.index))
