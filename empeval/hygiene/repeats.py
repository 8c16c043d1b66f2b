"""Texts that stand where another text was expected."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from empeval.hygiene.streams import SHOWN, Streams, plural
from empeval.joining.keys import normalised
from empeval.records import Notice

__all__ = ["copied_from_context", "duplicate_references", "equal_responses", "identical_systems"]

_A_FEW_WORDS = 5  # fewer may be said twice by chance


def copied_from_context(streams: Streams) -> list[Notice]:
    """Responses that only repeat a turn of their context; case, spacing and punctuation do not matter."""
    contexts = streams.corpus.contexts
    if contexts is None:
        return []
    copies: list[list[int]] = [[] for _ in streams.systems]
    for row, context in enumerate(contexts):
        turns = set(map(normalised, context))
        for rows, outputs in zip(copies, streams.systems, strict=True):
            text = outputs.hypotheses[row]
            if normalised(text) in turns and len(text.split()) >= _A_FEW_WORDS:
                rows.append(row)
    return [
        _notice(
            "copied_from_context",
            f"{plural(len(rows), 'response')} of {outputs.system!r} only {_repeat(rows)} "
            "a turn of the context",
            rows,
            streams.corpus.ids,
        )
        for rows, outputs in zip(copies, streams.systems, strict=True)
        if rows
    ]


def equal_responses(streams: Streams) -> list[Notice]:
    """Systems that answer everything with one text."""
    return [
        Notice(
            "all_responses_equal",
            f"all {len(stream.texts)} responses of {stream.system!r} are one text; check what the file holds",
            len(stream.texts),
        )
        for stream in streams.responses
        if len(stream.texts) > 1 and len(stream.distinct) == 1
    ]


def identical_systems(streams: Streams) -> list[Notice]:
    """Systems with the same responses on every segment, each group once."""
    groups: list[list[int]] = []
    texts = [outputs.hypotheses for outputs in streams.systems]
    for i, hypotheses in enumerate(texts):
        for group in groups:
            if all(map(operator.eq, texts[group[0]], hypotheses)):
                group.append(i)
                break
        else:
            groups.append([i])
    return [
        Notice(
            "identical_systems",
            f"{' and '.join(repr(streams.systems[i].system) for i in group)} gave the same response to every "
            "segment; check that no file was given twice",
            len(streams.corpus),
        )
        for group in groups
        if len(group) > 1
    ]


def duplicate_references(streams: Streams) -> list[Notice]:
    """Segments that repeat an earlier one, and segments with the same reference twice."""
    contexts, references = streams.corpus.contexts, streams.corpus.references
    if references is None:
        return []
    ids = streams.corpus.ids
    notices = []
    twice = [row for row, texts in enumerate(references) if len(texts) > 1 and len(set(texts)) < len(texts)]
    if twice:
        message = f"{plural(len(twice), 'segment')} {_hold(twice)} the same reference twice"
        notices.append(_notice("duplicate_references", message, twice, ids))
    if contexts is not None:
        repeats, seen = [], set()
        for row, pair in enumerate(zip(contexts, references, strict=True)):
            if pair in seen:
                repeats.append(row)
            seen.add(pair)
        if repeats:
            message = (
                f"{plural(len(repeats), 'segment')} {_hold(repeats)} the context and references of an "
                "earlier one, which thus weighs more than others"
            )
            notices.append(_notice("duplicate_references", message, repeats, ids))
    return notices


def _hold(rows: Sequence[int]) -> str:
    return "hold" if len(rows) > 1 else "holds"


def _repeat(rows: Sequence[int]) -> str:
    return "repeat" if len(rows) > 1 else "repeats"


def _notice(code: str, message: str, rows: Sequence[int], ids: Sequence[str]) -> Notice:
    return Notice(code, message, len(rows), tuple(ids[row] for row in rows[:SHOWN]))
