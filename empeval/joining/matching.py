"""Rows of one table found in another: by id, by text, or by position."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from empeval.joining.keys import normalised_context, normalised_references

__all__ = ["Rows", "match_ids", "match_pairs", "match_positions"]

#: For each row of a table the row of the base that it belongs to, or −1; shape (n_rows,).
Rows = NDArray[np.int64]

Texts = tuple[str, ...]
Column = Sequence[Texts | None]


def match_positions(n: int) -> Rows:
    """Row i belongs to row i."""
    return np.arange(n, dtype=np.int64)


def match_ids(base: Sequence[str], ids: Sequence[str]) -> Rows:
    """Rows with the same id; each side holds an id at most once.

    >>> match_ids(["a", "b"], ["b", "c"]).tolist()
    [1, -1]
    """
    if _same(base, ids):
        return match_positions(len(ids))
    row = {segment_id: i for i, segment_id in enumerate(base)}
    return np.fromiter((row.get(i, -1) for i in ids), dtype=np.int64, count=len(ids))


def match_pairs(base: tuple[Column, Column], pairs: tuple[Column, Column]) -> Rows:
    """Rows with the same context and references: first the same texts, then the same normalised texts.

    Equal pairs are matched in order, the first with the first. A pair without any letter or digit has no
    normalised form to go by and is matched exactly or not at all.

    >>> base = ([("Hi !",), ("Hm .",)], [("Oh ?",), ("So .",)])
    >>> match_pairs(base, ([("hm",), ("hi",)], [("so",), ("oh",)])).tolist()
    [1, 0]
    """
    if _same(base[0], pairs[0]) and _same(base[1], pairs[1]):
        return match_positions(len(pairs[0]))
    rows = _in_order(_exact(*base, range(len(base[0]))), _exact(*pairs, range(len(pairs[0]))))
    open_rows = np.flatnonzero(rows < 0)
    if len(open_rows):
        free = np.setdiff1d(np.arange(len(base[0])), rows)
        found = _in_order(_in_form(*base, free.tolist()), _in_form(*pairs, open_rows.tolist()))
        hits = found >= 0
        rows[open_rows[hits]] = free[found[hits]]
    return rows


def _same(a: Sequence[object], b: Sequence[object]) -> bool:
    return a is b or (len(a) == len(b) and all(map(operator.eq, a, b)))


def _exact(contexts: Column, references: Column, rows: Iterable[int]) -> list[Hashable]:
    return [
        None if contexts[i] is None or references[i] is None else (contexts[i], references[i]) for i in rows
    ]


def _in_form(contexts: Column, references: Column, rows: Iterable[int]) -> list[Hashable]:
    keys: list[Hashable] = []
    for i in rows:
        context, texts = contexts[i], references[i]
        key = None
        if context is not None and texts is not None:
            key = (normalised_context(context), *normalised_references(texts))
        keys.append(key if key and any(key) else None)
    return keys


def _in_order(base: Sequence[Hashable], keys: Sequence[Hashable]) -> Rows:
    """For each key the first row of the base with that key which no earlier key has taken; None is no key."""
    waiting: dict[Hashable, int] = {}
    following = [-1] * len(base)
    for row in range(len(base) - 1, -1, -1):
        key = base[row]
        if key is not None:
            following[row] = waiting.get(key, -1)
            waiting[key] = row
    found = np.full(len(keys), -1, dtype=np.int64)
    for i, key in enumerate(keys):
        row = waiting.get(key, -1)
        if row >= 0:
            found[i] = row
            waiting[key] = following[row]
    return found
