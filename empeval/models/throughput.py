"""How far a long computation has come, in words."""

from __future__ import annotations

import time

__all__ = ["Throughput"]


class Throughput:
    """Tells of work done: how much, how fast, and how long the rest will take.

    ``total`` is the work in all, in units of which ``cost`` says how many a step takes; the time left is
    estimated by cost, since long texts take longer than short ones.

    >>> Throughput("sequences", 4, 100.0).after(1, 50.0, seconds=2.0)
    '1 of 4 sequences, 0.5 a second, 2 s left'
    """

    def __init__(self, what: str, total: int, cost: float) -> None:
        self._what, self._total, self._cost = what, total, cost
        self._done, self._paid = 0, 0.0
        self._start = time.monotonic()

    def after(self, n: int, cost: float, seconds: float | None = None) -> str:
        """The words after ``n`` more, at this cost; ``seconds`` since the start are measured if not given."""
        self._done += n
        self._paid += cost
        passed = time.monotonic() - self._start if seconds is None else seconds
        rate = self._done / max(passed, 1e-9)
        left = passed * (self._cost - self._paid) / max(self._paid, 1e-9)
        speed = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
        return f"{self._done:,} of {self._total:,} {self._what}, {speed} a second, {_lasting(left)} left"


def _lasting(seconds: float) -> str:
    """A duration in the two units that matter.

    >>> _lasting(59.4), _lasting(61), _lasting(7300)
    ('59 s', '1 min 1 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
