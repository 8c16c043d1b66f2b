"""How ratings and preferences come about: the components of variance behind a planned study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Protocol

import numpy as np

from empeval.statistics.segments import Array

__all__ = ["Answers", "Components", "PreferenceComponents", "normal_cdf"]


class Answers(Protocol):
    """What answers of a planned study are drawn from."""

    def draw(self, raters: Array, n_simulations: int, rng: np.random.Generator) -> Callable[[float], Array]:
        """Random studies: effect → values (n_simulations, n_items, n_raters), of the same chances each time.

        ``raters`` (n_items, n_raters) says who answers to each item; a value compares two systems.
        """
        ...

    @property
    def largest(self) -> float:
        """An effect beyond which looking for a larger one is of no use."""
        ...

    def answers_per_item(self, n_systems: int) -> int:
        """How often one rater answers to one item that compares this many systems."""
        ...


@dataclass(frozen=True)
class Components:
    """Standard deviations behind ratings, in points of the scale.

    ``item`` and ``rater``: how far items (and raters) differ in their level; ``item_system`` and
    ``rater_system``: how far a system's standing varies over items (and raters); ``residual``: the rest. With
    ``scale`` (lowest and highest category) ratings are rounded to whole points and cut at its ends, around
    ``mean`` (the middle of the scale unless given); without it they are numbers as they come. A rater who
    answers to an item does so for both systems.

    >>> Components(residual=1.0).sd_of_difference
    1.4142135623730951
    """

    item: float = 0.0
    rater: float = 0.0
    item_system: float = 0.0
    rater_system: float = 0.0
    residual: float = 1.0
    scale: tuple[int, int] | None = None
    mean: float | None = None

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The standard deviations that there are."""
        return tuple(field.name for field in fields(cls) if field.name not in ("scale", "mean"))

    @property
    def sd_of_difference(self) -> float:
        """SD of one rater's difference between two systems on one item, before rounding."""
        return float(np.sqrt(2.0 * (self.item_system**2 + self.rater_system**2 + self.residual**2)))

    @property
    def largest(self) -> float:
        return (
            float(self.scale[1] - self.scale[0]) if self.scale else 100.0 * max(self.sd_of_difference, 1e-9)
        )

    def answers_per_item(self, n_systems: int) -> int:
        return n_systems

    def draw(self, raters: Array, n_simulations: int, rng: np.random.Generator) -> Callable[[float], Array]:
        if self.scale is None:
            # levels of items and raters cancel in a difference
            parts = (self.item_system, self.rater_system, self.residual)
            noise = _effects(raters, n_simulations, rng, *(np.sqrt(2.0) * sd for sd in parts))
            return lambda effect: noise + effect
        low, high = self.scale
        centre = (low + high) / 2.0 if self.mean is None else self.mean
        level = _effects(raters, n_simulations, rng, self.item, self.rater, 0.0) + centre
        own = (self.item_system, self.rater_system, self.residual)
        first, second = (level + _effects(raters, n_simulations, rng, *own) for _ in range(2))

        def shown(latent: Array) -> Array:
            return np.clip(np.rint(latent), low, high)

        return lambda effect: shown(first + effect / 2.0) - shown(second - effect / 2.0)


@dataclass(frozen=True)
class PreferenceComponents:
    """Standard deviations behind A/B judgments coded 1, 0 (tie), −1; that of chance in one judgment is 1.

    A judgment is the sign of a leaning, the sum of the effect, the item's and the rater's own leanings and
    chance, all normal; it is a tie near 0, so often that two systems alike would have ``ties`` of them. An
    effect is the expected net preference, (wins − losses) / judgments, between −1 and 1.

    >>> PreferenceComponents(item=1.0, ties=0.2).net(0.0)
    0.0
    """

    item: float = 0.0
    rater: float = 0.0
    ties: float = 0.0

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """What can be stated."""
        return tuple(field.name for field in fields(cls))

    @property
    def largest(self) -> float:
        return 0.95

    @cached_property
    def spread(self) -> float:
        """SD of leanings over items, raters and chance."""
        return float(np.sqrt(1.0 + self.item**2 + self.rater**2))

    @cached_property
    def band(self) -> float:
        """Leanings closer to 0 than this are ties."""
        from scipy.special import ndtri

        return self.spread * float(ndtri((1.0 + self.ties) / 2.0))

    def net(self, leaning: float) -> float:
        """The net preference that an average leaning gives: P(win) − P(loss)."""
        win = normal_cdf((leaning - self.band) / self.spread)
        return float(win - normal_cdf((-leaning - self.band) / self.spread))

    def leaning(self, net: float) -> float:
        """The average leaning that gives this net preference, by bisection."""
        low, high = -20.0 * self.spread - self.band, 20.0 * self.spread + self.band
        for _ in range(80):
            middle = (low + high) / 2.0
            low, high = (middle, high) if self.net(middle) < net else (low, middle)
        return (low + high) / 2.0

    def answers_per_item(self, n_systems: int) -> int:
        return n_systems * (n_systems - 1) // 2

    def draw(self, raters: Array, n_simulations: int, rng: np.random.Generator) -> Callable[[float], Array]:
        noise = _effects(raters, n_simulations, rng, self.item, self.rater, 1.0)

        def judged(effect: float) -> Array:
            leaning = noise + self.leaning(effect)
            return np.where(np.abs(leaning) <= self.band, 0.0, np.sign(leaning))

        return judged


def normal_cdf(x: float) -> float:
    """Φ(x)."""
    from scipy.special import ndtr

    return float(ndtr(x))


def _effects(
    raters: Array, n_simulations: int, rng: np.random.Generator, item: float, rater: float, residual: float
) -> Array:
    """Normal effects of items, raters and single answers, (n_simulations, n_items, n_raters)."""
    n_items, n_raters = raters.shape
    total = np.zeros((n_simulations, n_items, n_raters))
    if residual:
        total += residual * rng.standard_normal(total.shape)
    if item:
        total += item * rng.standard_normal((n_simulations, n_items, 1))
    if rater:
        drawn = rng.standard_normal((n_simulations, int(raters.max()) + 1))
        total += rater * drawn[:, raters]
    return total
