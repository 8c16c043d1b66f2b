"""How often the 95 % interval of Krippendorff's alpha holds the true value.

Each design is simulated 2,000 times, with 1,000 resamples an interval; the truth is alpha of one million
units. Ratings are an item's quality plus the rater's habit plus an error, all normal, cut into five points;
nominal ratings are an item's category or, now and then, a guess. Raters and their habits stay the same, units
are drawn anew. A study without an interval counts as not holding the truth. From 30 units on the interval is
a percentile bootstrap of the units, below a jackknife.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.simulations.rows import Row
from empeval.statistics.agreement.alpha import Measurement, krippendorff_alpha
from empeval.statistics.design import Factor, Ratings

NAME = "Coverage of alpha's interval"
N_STUDIES = 2000
N_TRUTH = 1_000_000
#: From so many units on the coverage must lie within the bounds.
ENOUGH = 50
LOW, HIGH = 0.92, 0.97
HABITS = np.array([-0.4, 0.0, 0.3, -0.1, 0.2])

Draw = Callable[[np.random.Generator, int], Any]


@dataclass(frozen=True)
class Design:
    """How units are drawn, (rng, n_units) → ratings (n_units, n_raters), and how many there are."""

    name: str
    n_units: int
    draw: Draw
    measurement: Measurement = "ordinal"
    #: units of one dialogue, which follow each other
    n_together: int = 1


def rated(
    n_raters: int, error: float, *, missing: float = 0.0, shared: float = 0.0, together: int = 1
) -> Draw:
    """Five points; ``shared`` is how much of an item's variance is its dialogue's."""

    def draw(rng: np.random.Generator, n: int) -> Any:
        dialogue = np.repeat(rng.normal(size=(n // together, 1)), together, axis=0)
        truth = np.sqrt(shared) * dialogue + np.sqrt(1.0 - shared) * rng.normal(size=(n, 1))
        table = truth + HABITS[:n_raters] + error * rng.normal(size=(n, n_raters))
        points = np.clip(np.round(3.0 + table), 1.0, 5.0)
        if missing:
            points[rng.random(points.shape) < missing] = np.nan
        return points

    return draw


def labelled(n_raters: int, guessed: float) -> Draw:
    """Four categories, the first of them half of all items; a share of the labels is guessed."""
    shares = [0.5, 0.25, 0.15, 0.1]

    def draw(rng: np.random.Generator, n: int) -> Any:
        truth = rng.choice(4, size=(n, 1), p=shares)
        guess = rng.choice(4, size=(n, n_raters), p=shares)
        return np.where(rng.random((n, n_raters)) < guessed, guess, truth).astype(np.float64)

    return draw


DESIGNS = (
    Design("ordinal, 3 raters, 50 units", 50, rated(3, 0.8)),
    Design("ordinal, 3 raters, 150 units", 150, rated(3, 0.8)),
    Design("ordinal, 5 raters, 100 units, low agreement", 100, rated(5, 1.4)),
    Design("ordinal, 4 raters, 100 units, 30 % of the ratings missing", 100, rated(4, 0.8, missing=0.3)),
    Design("interval, 3 raters, 100 units", 100, rated(3, 0.8), "interval"),
    Design("nominal, 3 raters, 100 units", 100, labelled(3, 0.4), "nominal"),
    Design("nominal, 2 raters, 50 units", 50, labelled(2, 0.3), "nominal"),
    Design(
        "ordinal, 3 raters, 240 units in dialogues of 4",
        240,
        rated(3, 0.8, shared=0.7, together=4),
        n_together=4,
    ),
    Design("ordinal, 3 raters, 10 units", 10, rated(3, 0.8)),
    Design("ordinal, 3 raters, 20 units", 20, rated(3, 0.8)),
    Design("nominal, 3 raters, 20 units", 20, labelled(3, 0.4), "nominal"),
)


def run() -> list[Row]:
    """The coverage of every design."""
    return [_coverage(number, design) for number, design in enumerate(DESIGNS)]


def _coverage(number: int, design: Design) -> Row:
    rng = np.random.default_rng([2011, number])
    large = Ratings.from_matrix(design.draw(rng, N_TRUTH))
    truth = krippendorff_alpha(large, design.measurement, n_resamples=0).value
    assert truth is not None
    n_held, widths = 0, []
    for _ in range(N_STUDIES):
        ratings = Ratings.from_matrix(design.draw(rng, design.n_units))
        if design.n_together > 1:
            together = ratings.items.codes // design.n_together
            names = tuple(range(design.n_units // design.n_together))
            ratings = replace(ratings, dialogues=Factor(names, together))
        found = krippendorff_alpha(ratings, design.measurement, rng=rng).interval
        if found is not None:
            n_held += found.low <= truth <= found.high
            widths.append(found.high - found.low)
    what = f"coverage (alpha {truth:.3f}, mean width {np.mean(widths):.2f})"
    bounds = (LOW, HIGH) if design.n_units >= ENOUGH else (None, None)
    return Row(design.name, what, n_held / N_STUDIES, *bounds)
