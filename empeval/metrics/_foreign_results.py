"""The numbers in what a module of the ``evaluate`` package gives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

__all__ = ["numbers_in"]


def numbers_in(result: Any, n_segments: int, depth: int = 8) -> dict[str, float | list[float]]:
    """The numbers of a result by their keys, those of inner dictionaries as ``outer.inner``.

    One number, or a list of one for each segment; None is NaN. Whatever else a result holds is left out.

    >>> numbers_in({"f1": 0.5, "by": {"x": [1, 2]}, "name": "f"}, n_segments=2)
    {'f1': 0.5, 'by.x': [1.0, 2.0]}
    """
    found: dict[str, float | list[float]] = {}
    for key, value in result.items() if isinstance(result, Mapping) else ():
        if isinstance(value, Mapping):
            # a dictionary may hold itself
            inner = numbers_in(value, n_segments, depth - 1) if depth else {}
            found.update({f"{key}.{name}": number for name, number in inner.items()})
            continue
        plain = value.tolist() if hasattr(value, "tolist") else value
        if isinstance(plain, list | tuple) and len(plain) == n_segments:
            numbers = [_number(entry) for entry in plain]
            if None not in numbers:
                found[str(key)] = [number for number in numbers if number is not None]
        elif (number := _number(plain)) is not None:
            found[str(key)] = number
    return found


def _number(value: Any) -> float | None:
    """A number as one, NaN for None, and None for what is no number."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    if plain is None:
        return math.nan
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        return None
    try:
        return float(plain)
    except OverflowError:
        return math.inf
