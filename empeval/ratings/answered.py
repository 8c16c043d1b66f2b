"""Rows with their names checked: what must not occur twice, which rows count, and why others do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from empeval.ratings.rows import QUESTION, Rows
from empeval.statistics.segments import Array

__all__ = ["Answered"]


@dataclass(frozen=True, eq=False)
class Answered:
    """The rows; their ``names`` by field; ``keys``, of which no two rows that count may share one.

    ``counted`` and the masks of ``left_out``, by reason, have shape (n_rows,). ``pairs`` are the systems of
    pairwise judgments. A key ends with the pass.
    """

    rows: Rows
    names: Mapping[str, Sequence[str]]
    keys: Sequence[tuple[object, ...]]
    counted: Array
    left_out: Mapping[str, Array]
    pairs: Sequence[tuple[str, str]] = ()

    @classmethod
    def of(cls, rows: Rows, pairs: Sequence[tuple[str, str]] = ()) -> Answered:
        """Check the names; InputError where an item, a rater, a question or a system is blank."""
        names: dict[str, Sequence[str]] = {field: rows.names(field) for field in ("item", "rater")}
        names["question"] = rows.names("question") if "question" in rows.columns else [QUESTION] * len(rows)
        for field in ("system", "dialogue", "pass"):
            texts = rows.optional_names(field) if field in rows.columns else ()
            if any(texts):
                names[field] = rows.names(field) if field == "system" else [text or "" for text in texts]
        blank = [""] * len(rows)
        what: Sequence[object] = [frozenset(pair) for pair in pairs] if pairs else names.get("system", blank)
        passes = names.get("pass", blank)
        keys = list(zip(names["item"], what, names["question"], names["rater"], passes, strict=True))
        counted, left_out = rows.counts()
        latest = rows.latest(keys, counted)
        return cls(rows, names, keys, latest, {**left_out, "older_revision": counted & ~latest}, pairs)

    def of_question(self, name: str) -> Array:
        """The rows that answer a question, shape (n_rows,)."""
        return np.array([text == name for text in self.names["question"]], dtype=bool)

    def column(self, field: str, at: Sequence[int]) -> list[str]:
        """The names of the rows ``at``."""
        names = self.names[field]
        return [names[row] for row in at]

    def dialogues(self, at: Sequence[int]) -> list[str] | None:
        """The dialogues of the rows ``at``; an item without one stands alone."""
        if "dialogue" not in self.names:
            return None
        items = self.column("item", at)
        return [name or f"\0{item}" for name, item in zip(self.column("dialogue", at), items, strict=True)]
