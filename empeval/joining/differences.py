"""Where two tables hold different values for one segment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from empeval.joining.keys import normalised, normalised_context, normalised_references
from empeval.joining.matching import Rows
from empeval.records import Notice

__all__ = ["LABELS", "TEXTS", "differ_notice", "unequal", "where_they_part"]

#: Columns whose texts must be the same but for their form: the plural for messages, the normal form.
TEXTS = {
    "context": ("contexts", normalised_context),
    "references": ("references", normalised_references),
}

#: Columns in which two tables may disagree: what messages call them, the normal form.
LABELS = {"emotion": ("gold emotion", normalised), "response_intent": ("response intent", normalised)}

_SHOWN = 20


def unequal(ours: Sequence[Any] | None, theirs: Sequence[Any] | None, rows: Rows) -> list[tuple[int, int]]:
    """(base row, table row) wherever both hold a value and the two differ.

    ``ours`` is a column of the base, ``theirs`` one of the table; ``rows[i]`` is the base row of table row i.

    >>> import numpy as np
    >>> unequal(["sad", "proud", None], ["proud", "sad", "angry"], np.array([1, 2, 0]))
    [(0, 2)]
    """
    if ours is None or theirs is None or ours is theirs:
        return []
    return [
        (base_row, row)
        for row, base_row in enumerate(rows.tolist())
        if base_row >= 0
        and theirs[row] != ours[base_row]
        and theirs[row] is not None
        and ours[base_row] is not None
    ]


def where_they_part(a: Sequence[str], b: Sequence[str]) -> tuple[str, str]:
    """Two lists of texts as messages show them, shortened to the surroundings of their first difference.

    >>> where_they_part(("oh no", "I see"), ("oh no", "I saw"))
    ('oh no | I see', 'oh no | I saw')
    """
    texts = " | ".join(a), " | ".join(b)
    part = (i for i, (x, y) in enumerate(zip(*texts, strict=False)) if x != y)
    at = next(part, min(map(len, texts)))
    start = at - 20 if at > 30 else 0
    shown = [f"{'…' if start else ''}{text[start:][:60]}{'…' * (len(text) > start + 60)}" for text in texts]
    return shown[0], shown[1]


def differ_notice(code: str, rows: set[int], ids: Sequence[str], message: str) -> list[Notice]:
    """One notice about these rows of the base, or none; ``{segments}`` in the message is their number."""
    if not rows:
        return []
    n = len(rows)
    segments = f"{n} {'segment' if n == 1 else 'segments'}"
    shown = tuple(ids[row] for row in sorted(rows)[:_SHOWN])
    return [Notice(code, message.replace("{segments}", segments), n, shown)]
