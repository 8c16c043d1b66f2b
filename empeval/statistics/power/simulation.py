"""Power by simulation: studies are drawn, and given the very analysis that the real one will have.

Source: Card et al. (2020), "With little power comes great responsibility", who simulate ratings with effects
of items and raters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empeval.statistics.power.analyses import Analysis, default_analysis, method_name
from empeval.statistics.power.components import Answers
from empeval.statistics.proportions import wilson
from empeval.statistics.resampling import Interval
from empeval.statistics.results import Estimate, undefined
from empeval.statistics.segments import Array

__all__ = ["MOST_ITEMS", "PowerResult", "Size", "minimum_detectable_effect", "sample_size", "simulate_power"]

#: Numbers held at once in one array of a block of simulations.
_CELLS = 2_000_000
#: A search ends at this relative precision of the effect.
_PRECISION = 0.005
#: A search for a number of items ends here.
MOST_ITEMS = 4_000
#: So many simulations tell whether the search is worth while.
_FIRST_LOOK = 200


@dataclass(frozen=True)
class Size:
    """How large a study is: items, raters for each item, and how many items one rater answers to.

    Every rater answers to all items (a crossed design) where ``items_per_rater`` is None or no less than
    their number.

    >>> Size(10, 3).n_pool, Size(10, 3, 4).n_pool
    (3, 9)
    """

    n_items: int
    n_raters: int
    items_per_rater: int | None = None

    @property
    def n_pool(self) -> int:
        """How many people are needed."""
        return self.n_raters * -(-self.n_items // min(self.items_per_rater or self.n_items, self.n_items))

    @property
    def is_crossed(self) -> bool:
        """Whether every rater answers to every item."""
        return self.items_per_rater is None or self.items_per_rater >= self.n_items

    def raters(self, rng: np.random.Generator) -> Array:
        """Who answers to each item, (n_items, n_raters): items in random order, dealt out one by one."""
        each = min(self.items_per_rater or self.n_items, self.n_items)
        if each == self.n_items:
            return np.tile(np.arange(self.n_raters), (self.n_items, 1))
        n_each = -(-self.n_items // each)
        return np.stack(
            [k * n_each + rng.permutation(self.n_items) // each for k in range(self.n_raters)], axis=1
        )


@dataclass(frozen=True)
class PowerResult:
    """The share of simulated studies that find an effect, with its Monte-Carlo interval.

    ``mean`` is the average difference seen, which rounding and the ends of a scale may make smaller than
    ``effect``; ``n_undefined`` studies had no p-value and count as finding nothing.
    """

    power: float
    interval: Interval | None
    effect: float
    mean: float
    size: Size
    method: str
    n_simulations: int
    n_undefined: int = 0


def simulate_power(
    components: Answers,
    *,
    n_items: int,
    n_raters: int,
    effect: float,
    items_per_rater: int | None = None,
    analysis: Analysis | None = None,
    level: float = 0.95,
    n_simulations: int = 1000,
    rng: np.random.Generator | None = None,
) -> PowerResult:
    """The chance that a study of this size finds an effect: p ≤ 1 − ``level`` in the analysis given.

    The default analysis is the package's own for the design: two-way random items and raters where everyone
    answers to everything (items only, with fewer than three raters), two-way clusters otherwise.

    >>> from empeval.statistics.power.components import Components
    >>> parts = Components(item_system=0.3, rater_system=0.2, residual=0.8)
    >>> found = simulate_power(parts, n_items=60, n_raters=5, effect=0.5)
    >>> 0.6 < found.power < 0.9, found.interval.low < found.power < found.interval.high
    (True, True)
    """
    study = _Study.of(
        components, Size(n_items, n_raters, items_per_rater), analysis, level, n_simulations, rng
    )
    p_values, mean = study.run(effect)
    found = int((p_values <= study.alpha).sum())
    return PowerResult(
        found / n_simulations,
        wilson(found, n_simulations).interval,
        effect,
        mean,
        study.size,
        "given analysis" if analysis else method_name(study.raters),
        n_simulations,
        int(np.isnan(p_values).sum()),
    )


def minimum_detectable_effect(
    components: Answers,
    *,
    n_items: int,
    n_raters: int,
    power: float = 0.8,
    items_per_rater: int | None = None,
    analysis: Analysis | None = None,
    level: float = 0.95,
    n_simulations: int = 1000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """The smallest effect that a study of this size finds with this power, within 0.5 %.

    All effects are tried on the same random studies. It may be asked of a finished study too, from its own
    components. Status ``out_of_reach`` where no effect has this power.

    >>> from empeval.statistics.power.components import Components
    >>> found = minimum_detectable_effect(Components(residual=0.5**0.5), n_items=34, n_raters=1)
    >>> 0.47 < found.value < 0.52
    True
    """
    study = _Study.of(
        components, Size(n_items, n_raters, items_per_rater), analysis, level, n_simulations, rng
    )
    low, high = 0.0, min(study.guess(), components.largest)
    while study.power(high) < power:
        if high == components.largest:
            return undefined("out_of_reach", "No effect has this power in a study of this size.")
        low, high = high, min(1.5 * high, components.largest)
    while high - low > _PRECISION * high:
        middle = (low + high) / 2.0
        low, high = (low, middle) if study.power(middle) >= power else (middle, high)
    return Estimate(high)


def sample_size(
    components: Answers,
    *,
    n_raters: int,
    effect: float,
    power: float = 0.8,
    items_per_rater: int | None = None,
    analysis: Analysis | None = None,
    level: float = 0.95,
    n_simulations: int = 1000,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """How many items a study with these raters needs for this power.

    Status ``out_of_reach`` where 4,000 items are not enough: more items do not make up for raters who differ
    in what they think of the systems.

    >>> from empeval.statistics.power.components import Components
    >>> found = sample_size(Components(residual=0.5**0.5), n_raters=1, effect=0.5)
    >>> 30 <= found.value <= 37
    True
    """
    rng = np.random.default_rng(0) if rng is None else rng
    seed = int(rng.integers(2**62))

    def found(n_items: int, n: int) -> float:
        size = Size(n_items, n_raters, items_per_rater)
        drawn = np.random.default_rng(seed)
        return _Study.of(components, size, analysis, level, n, drawn).power(effect)

    out = undefined("out_of_reach", f"{MOST_ITEMS:,} items are not enough with {n_raters} raters.")
    few = min(_FIRST_LOOK, n_simulations)
    if found(MOST_ITEMS, few) < power - 4.0 * (0.25 / few) ** 0.5:
        return out
    low, high = 1, 8
    while found(high, n_simulations) < power:
        if high == MOST_ITEMS:
            return out
        low, high = high, min(2 * high, MOST_ITEMS)
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle, n_simulations) >= power else (middle, high)
    return Estimate(float(high))


@dataclass(frozen=True, eq=False)
class _Study:
    """A planned study, and the seeds of its simulations in blocks."""

    components: Answers
    size: Size
    raters: Array
    analysis: Analysis
    alpha: float
    blocks: tuple[tuple[int, int], ...]

    @classmethod
    def of(
        cls,
        components: Answers,
        size: Size,
        analysis: Analysis | None,
        level: float,
        n_simulations: int,
        rng: np.random.Generator | None,
    ) -> _Study:
        rng = np.random.default_rng(0) if rng is None else rng
        raters = size.raters(rng)
        block = max(1, _CELLS // max(1, raters.size))
        counts = [min(block, n_simulations - at) for at in range(0, n_simulations, block)]
        seeds = rng.integers(2**62, size=len(counts)).tolist()
        # rounding must not make the limit 0.050000000000000044
        alpha = round(1.0 - level, 12)
        chosen = default_analysis(raters) if analysis is None else analysis
        return cls(components, size, raters, chosen, alpha, tuple(zip(seeds, counts, strict=True)))

    def run(self, effect: float) -> tuple[Array, float]:
        """p-values of all simulations and the average value."""
        found, total = [], 0.0
        for seed, count in self.blocks:
            values = self.components.draw(self.raters, count, np.random.default_rng(seed))(effect)
            found.append(self.analysis(values, self.raters))
            total += float(values.mean()) * count
        p_values = np.concatenate(found)
        return p_values, total / len(p_values)

    def power(self, effect: float) -> float:
        """The share of simulations with p ≤ α."""
        return float((self.run(effect)[0] <= self.alpha).mean())

    def guess(self) -> float:
        """An effect to begin the search with: 2.8 standard errors of independent answers."""
        seed, count = self.blocks[0]
        values = self.components.draw(self.raters, min(count, 50), np.random.default_rng(seed))(0.0)
        return 2.8 * float(values.mean(axis=(1, 2)).std()) + 1e-9
