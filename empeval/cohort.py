"""The segments that all compared systems share, and what each system answered on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import AlignmentError, InputError
from empeval.joining.base import Base, Joined
from empeval.joining.dialogues import conversation_keys, first_segments, given_dialogues
from empeval.records import FIELDS, Notice, Records

__all__ = ["Cohort", "Rule", "join"]

Rule = Literal["intersection", "strict"]

_SHOWN = 20  # ids in a notice


@dataclass(frozen=True)
class Cohort:
    """Systems beside one another on the same segments.

    ``systems`` stand in the order given, each aligned with ``corpus``; ``dropped`` counts for each system
    its own segments that are not in the cohort; ``notices`` are those of the readers, then those of the join.
    ``whole`` holds, for a system whose file states numbers about itself and that lost segments, all that the
    file says: its claims are about that.
    """

    corpus: Corpus
    systems: tuple[SystemOutputs, ...]
    rule: Rule
    dropped: dict[str, int]
    notices: tuple[Notice, ...]
    whole: Mapping[str, tuple[Corpus, SystemOutputs]] = field(default_factory=dict)


def join(tables: Sequence[Records], *, corpus: Records | None = None, rule: Rule = "intersection") -> Cohort:
    """Lay the outputs of several systems beside one another.

    The base is the corpus, else the system whose name sorts first among those with contexts or references;
    its order, its ids and its texts are used. A table is joined to it by ``id`` where both have ids, else by
    the pair of context and references (exactly, then normalised, equal pairs in order), else, for bare lines
    of text, by position. Under the rule ``intersection`` the cohort holds the segments of the base that every
    system answers, under ``strict`` any gap is an error. Neither the order of the tables nor, where there are
    ids, the order of their rows changes what is joined to what.

    Raises InputError where a table cannot be joined at all, AlignmentError where the tables do not fit
    together: gaps under ``strict``, nothing in common, or other texts under the same id.

    >>> test = Records("test.csv", "csv", None, {"id": ["a", "b"], "references": [("oh",), ("no",)]}, [2, 3])
    >>> outputs = Records("s.csv", "csv", "s", {"id": ["b", "c"], "hypothesis": ["yes", "hm"]}, [2, 3])
    >>> cohort = join([outputs], corpus=test)
    >>> cohort.corpus.ids, cohort.systems[0].hypotheses, cohort.dropped
    (('b',), ('yes',), {'s': 1})
    """
    corpus, tables = _roles(tables, corpus)
    first = corpus if corpus is not None else _first_by_name(tables)
    base = Base(first, is_corpus=corpus is not None)
    joined = {table.system: base.join(table) for table in sorted(tables, key=_ids_first)}
    matches = [joined[table.system] for table in tables]
    if rule == "strict":
        _refuse_gaps(base, matches)
    shared = np.logical_and.reduce([match.row_of >= 0 for match in matches])
    kept = np.flatnonzero(shared)
    if not len(kept):
        raise _nothing_shared(base, matches)
    whole = _corpus(base)
    common = whole if len(kept) == len(whole) else whole.take(kept.tolist())
    dropped = {match.name: len(match.table) - len(kept) for match in matches}
    read = () if corpus is None else corpus.notices
    notices = [*read, *(notice for table in tables for notice in table.notices)]
    notices += [notice for match in matches for notice in match.notices]
    notices += _reduced(base, shared, matches, dropped)
    return Cohort(
        corpus=common,
        systems=tuple(_outputs(match, kept, common) for match in matches),
        rule=rule,
        dropped=dropped,
        notices=tuple(dict.fromkeys(notices)),
        whole=dict(_whole(table) for table in tables if table.claims and dropped[str(table.system)]),
    )


def _whole(table: Records) -> tuple[str, tuple[Corpus, SystemOutputs]]:
    alone = join([table])
    return str(table.system), (alone.corpus, alone.systems[0])


def _roles(tables: Sequence[Records], corpus: Records | None) -> tuple[Records | None, list[Records]]:
    """Tell the corpus from the systems: a table without hypotheses is a corpus."""
    systems = [table for table in tables if "hypothesis" in table.columns]
    corpora = [table for table in tables if "hypothesis" not in table.columns]
    if corpus is not None:
        corpora.insert(0, corpus)
    if len(corpora) > 1:
        names = " and ".join(table.source for table in corpora)
        raise InputError(f"{names} hold no system's responses, and only one file can be the corpus")
    for table in (*corpora, *systems):
        if not len(table):
            raise InputError("there are no records in this file", source=table.source)
    if not systems:
        where = corpora[0].source if corpora else None
        raise InputError("there is no system to score: give a file with a field 'hypothesis'", source=where)
    named = [
        table if table.system is not None else replace(table, system=PurePath(table.source).stem)
        for table in systems
    ]
    for name, n in Counter(table.system for table in named).items():
        if n > 1:
            sources = " and ".join(table.source for table in named if table.system == name)
            raise InputError(f"{n} systems are named {name!r} ({sources}); name them apart with NAME=FILE")
    return (corpora[0] if corpora else None), named


def _first_by_name(tables: Sequence[Records]) -> Records:
    def rank(table: Records) -> tuple[bool, str]:
        has_texts = "context" in table.columns or "references" in table.columns
        return not has_texts, str(table.system)

    return min(tables, key=rank)


def _ids_first(table: Records) -> tuple[bool, str]:
    # Tables with ids may bring the texts through which tables without ids are then joined.
    return "id" not in table.columns, str(table.system)


def _refuse_gaps(base: Base, matches: Sequence[Joined]) -> None:
    hint = "complete it, or score the shared segments with --cohort intersection"
    for match in matches:
        gaps = np.flatnonzero(match.row_of < 0)
        if len(gaps):
            raise AlignmentError(
                f"system {match.name!r} lacks {len(gaps)} of the {len(base)} segments of {base.label}, "
                f"the first is id {base.ids[gaps[0]]!r}; {hint}",
                source=match.table.source,
            )
    for match in matches:
        extra = np.flatnonzero(match.rows < 0)
        if len(extra):
            raise AlignmentError(
                f"{base.label} lacks {len(extra)} of the {len(match.table)} segments of system "
                f"{match.name!r}, the first is {match.where(int(extra[0]))}; {hint}",
                source=base.table.source,
            )


def _nothing_shared(base: Base, matches: Sequence[Joined]) -> AlignmentError:
    """Which two share nothing, or else that only all together share nothing."""
    advice = "check that the files belong to one test set"
    for match in matches:
        if not (match.row_of >= 0).any():
            if (
                match.key == "id"
                and base.has_pair
                and {"context", "references"} <= match.table.columns.keys()
            ):
                advice += ", or leave the id column out of one, so that context and references join them"
            return AlignmentError(
                f"system {match.name!r} shares no segment with {base.label} (joined by {match.key}): "
                f"{advice}",
                source=match.table.source,
            )
    for i, a in enumerate(matches):
        for b in matches[i + 1 :]:
            if not ((a.row_of >= 0) & (b.row_of >= 0)).any():
                return AlignmentError(
                    f"systems {a.name!r} and {b.name!r} share no segment of {base.label} "
                    f"(joined by {a.key} and by {b.key}): {advice}",
                    source=b.table.source,
                )
    return AlignmentError(
        f"no segment of {base.label} is answered by all {len(matches)} systems: {advice}",
        source=base.table.source,
    )


def _corpus(base: Base) -> Corpus:
    columns = base.columns
    return Corpus(
        name=PurePath(base.table.source.removesuffix(".gz")).stem,
        ids=base.ids,
        dialogue_ids=_dialogue_ids(base),
        references=columns.get("references"),
        contexts=columns.get("context"),
        emotions=columns.get("emotion"),
        response_intents=columns.get("response_intent"),
        extra=_extra(base.table),
    )


def _dialogue_ids(base: Base) -> Sequence[str]:
    """Keys of the resampling weights: they may depend on what is said, never on where it stands."""
    columns = base.columns
    if "dialogue_id" in columns:
        return given_dialogues(base.ids, columns["dialogue_id"])
    contexts, references = columns.get("context"), columns.get("references")
    nothing = [None] * len(base)
    if contexts is None and (references is None or base.has_ids):
        return base.ids
    firsts = first_segments(contexts or nothing, references or nothing)
    if base.has_ids:
        return [base.ids[row] for row in firsts]
    return conversation_keys(firsts, contexts or nothing, references or nothing)


def _extra(table: Records) -> Mapping[str, Sequence[Any]]:
    return {name: column for name, column in table.columns.items() if name not in FIELDS}


def _outputs(match: Joined, kept: NDArray[np.int64], corpus: Corpus) -> SystemOutputs:
    columns = match.table.columns
    rows = match.row_of[kept]
    outputs = SystemOutputs(
        system=match.name,
        ids=corpus.ids,
        hypotheses=columns["hypothesis"],
        predicted_emotions=columns.get("predicted_emotion"),
        predicted_intents=columns.get("predicted_intent"),
        nlls=columns.get("nll"),
        n_tokens=columns.get("n_tokens"),
        candidate_scores=columns.get("candidate_scores"),
        extra=_extra(match.table),
        claims=match.table.claims,
        source=match.table.source,
    )
    if len(rows) == len(match.table) and np.array_equal(rows, np.arange(len(rows))):
        return outputs
    return outputs.take(rows.tolist(), ids=corpus.ids)


def _reduced(
    base: Base, shared: NDArray[np.bool_], matches: Sequence[Joined], dropped: Mapping[str, int]
) -> list[Notice]:
    """A notice that says how many segments are left out, of which system."""
    left_out = np.flatnonzero(~shared)
    unknown = [np.flatnonzero(match.rows < 0) for match in matches]
    counts = [f"{n} of {name!r}" for name, n in dropped.items() if n]
    if base.is_corpus and len(left_out):
        counts.insert(0, f"{len(left_out)} of {base.label}")
    if not counts:
        return []
    n_kept = int(shared.sum())
    ids = [base.ids[row] for row in left_out[:_SHOWN]]
    for match, rows in zip(matches, unknown, strict=True):
        ids += [match.table.columns["id"][row] for row in rows[:_SHOWN] if match.key == "id"]
    return [
        Notice(
            "cohort_reduced",
            f"{n_kept} {'segment is' if n_kept == 1 else 'segments are'} scored, shared by "
            f"{_everyone(base, matches)}; left out: {', '.join(counts)}",
            len(left_out) + max(map(len, unknown)),
            tuple(dict.fromkeys(ids))[:_SHOWN],
        )
    ]


def _everyone(base: Base, matches: Sequence[Joined]) -> str:
    n = len(matches)
    systems = f"system {matches[0].name!r}" if n == 1 else "both systems" if n == 2 else f"all {n} systems"
    return f"{base.label} and {systems}" if base.is_corpus else systems
