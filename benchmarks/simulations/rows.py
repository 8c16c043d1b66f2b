"""What a simulation gives: one measured share of a design, and between which bounds it must lie."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Row"]


@dataclass(frozen=True)
class Row:
    """A design, what was measured in it, and the bounds that it must keep; None where there is none."""

    design: str
    what: str
    measured: float
    low: float | None = None
    high: float | None = None

    @property
    def ok(self) -> bool:
        """Whether the bounds are kept."""
        return (self.low is None or self.measured >= self.low) and (
            self.high is None or self.measured <= self.high
        )
