"""Which segments come from one conversation, under names that no order of files or rows changes."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate

from empeval.joining.keys import normalised_context, normalised_references

__all__ = ["conversation_keys", "first_segments", "given_dialogues"]

Texts = tuple[str, ...]


def given_dialogues(ids: Sequence[str], dialogue_ids: Sequence[str | None]) -> Sequence[str]:
    """Dialogue ids as they were given; a segment without one is a dialogue of its own.

    >>> given_dialogues(["1", "2", "3"], ["d", None, "d"])
    ['d', '2', 'd']
    """
    named = [name for name in dialogue_ids if name is not None]
    if len(named) == len(dialogue_ids):
        return named
    taken = set(named)
    return [
        name if name is not None else f"segment {own}" if own in taken else own
        for own, name in zip(ids, dialogue_ids, strict=True)
    ]


def first_segments(contexts: Sequence[Texts | None], references: Sequence[Texts | None]) -> Sequence[int]:
    """For each segment the row of the first segment of its conversation.

    A segment continues the one before it if that one's context and (first) reference are the beginning of
    its own context. Where the one before is not its predecessor, any other segment whose context and
    reference are such a beginning is: in a file that lists conversations one after the other this finds
    nothing new, and in a file whose rows were shuffled it finds the same conversations again.

    >>> first_segments([("a",), ("x",), ("a", "b", "c")], [("b",), ("y",), ("d",)])
    [0, 1, 0]
    """
    before = [-1] * len(contexts)
    orphans = []
    context: Texts | None = None
    end: Texts | None = None
    for row, context in enumerate(contexts):
        if end is not None and context is not None and context[: len(end)] == end:
            before[row] = row - 1
        elif context is not None and len(context) > 1:
            orphans.append(row)
        end = _end(context, references[row])
    _adopt(orphans, before, contexts, references)
    return [_root(row, before) for row in range(len(before))]


def _end(context: Texts | None, references: Texts | None) -> Texts | None:
    return (*context, references[0]) if context is not None and references else None


def _adopt(
    orphans: Sequence[int],
    before: list[int],
    contexts: Sequence[Texts | None],
    references: Sequence[Texts | None],
) -> None:
    """Enter the predecessor of each orphan, wherever in the file it stands."""
    if not orphans:
        return
    rows: dict[int, int] = {}
    for row, context in enumerate(contexts):
        end = _end(context, references[row])
        if end is not None:
            rows.setdefault(_chain(end)[-1], row)
    for row in orphans:
        chain = _chain(contexts[row] or ())
        before[row] = next((rows[key] for key in chain[:0:-1] if key in rows), -1)


def _chain(texts: Texts) -> list[int]:
    """A key for each beginning of a list of texts, the shortest first, in one pass over however many."""
    return list(accumulate(texts, lambda key, text: hash((key, text)), initial=0))[1:]


def _root(row: int, before: Sequence[int]) -> int:
    while before[row] >= 0:
        row = before[row]
    return row


def conversation_keys(
    firsts: Sequence[int],
    contexts: Sequence[Texts | None],
    references: Sequence[Texts | None],
) -> list[str]:
    """A name for each segment's conversation, made of what its first segment says.

    The name is 64 bits of BLAKE2b (Aumasson et al., 2013) of the normalised context and references, in
    hexadecimal digits; where several conversations begin alike, ``#2``, ``#3`` … are appended.

    >>> conversation_keys([0, 0], [("Hi !",), ("Hi !", "Oh ?", "Yes .")], [("Oh ?",), ("I see .",)])
    ['922f707ef7e78e44', '922f707ef7e78e44']
    """
    alike: defaultdict[str, list[int]] = defaultdict(list)
    for row in sorted(set(firsts)):
        alike[_digest(contexts[row] or (), references[row] or ())].append(row)
    name = {}
    for digest, rows in alike.items():
        # Sorted by their exact texts, so that only exact repetitions depend on the order of rows.
        rows.sort(key=lambda row: (contexts[row] or (), references[row] or ()))
        for n, row in enumerate(rows, 1):
            name[row] = digest if n == 1 else f"{digest}#{n}"
    return [name[row] for row in firsts]


def _digest(context: Texts, references: Texts) -> str:
    text = "\n".join((normalised_context(context), *normalised_references(references)))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
