"""Studies by simulation of what intervals and tests promise: ``python -m benchmarks.simulations [names]``.

A study is a module with ``NAME``, a docstring that says what is simulated, and ``run() -> list[Row]``.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Row"]


@dataclass(frozen=True)
class Row:
    """One measured rate of one design, and the bounds it must keep; without bounds it is reported only."""

    design: str
    what: str
    measured: float
    low: float | None = None
    high: float | None = None

    @property
    def ok(self) -> bool:
        """Whether the rate lies within its bounds."""
        above = self.low is None or self.measured >= self.low
        return above and (self.high is None or self.measured <= self.high)
