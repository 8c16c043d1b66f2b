"""What a study is about: the segments that are judged, and every system's response to them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from empeval.errors import InputError

if TYPE_CHECKING:
    from empeval.cohort import Cohort
    from empeval.study.protocol import StudyProtocol

__all__ = ["Material", "StudySegment", "draw", "load_material", "material_of"]


@dataclass(frozen=True)
class StudySegment:
    """A segment as raters see it; ``id`` is the corpus's, the same for every system."""

    id: str
    dialogue_id: str
    turns: tuple[str, ...]
    emotion: str | None = None
    situation: str | None = None


@dataclass(frozen=True)
class Material:
    """Systems in the order of the file, segments in the order of their ids, ``responses[system][segment]``."""

    systems: tuple[str, ...]
    segments: tuple[StudySegment, ...]
    responses: tuple[tuple[str, ...], ...]


def load_material(study: StudyProtocol, folder: str | Path = ".") -> Material:
    """Read the systems' outputs and the corpus of a study, and draw its items.

    Paths are relative to ``folder``, that of the study file. Raises InputError where files cannot be read or
    joined, where there are no contexts, and where fewer segments are shared than are to be drawn.
    """
    from empeval.cohort import join
    from empeval.readers import read, read_corpus, split_name

    def placed(file: str, name: str | None = None) -> str:
        own, path = split_name(file)
        full = Path(folder) / Path(str(path)).expanduser()
        known = name if name is not None else own
        return str(full) if known is None else f"{known}={full}"

    named = study.systems
    files = (
        [placed(file, name) for name, file in named.items()]
        if isinstance(named, dict)
        else list(map(placed, named))
    )
    options = {"reader": study.reader, "columns": dict(study.columns) or None}
    tables = read(files, **options)  # type: ignore[arg-type]  # each option has its own type
    corpus = None if study.corpus is None else read_corpus(Path(folder) / study.corpus)
    return material_of(study, join(tables, corpus=corpus))


def material_of(study: StudyProtocol, cohort: Cohort) -> Material:
    """The items of a study from systems laid side by side; InputError as for `load_material`."""
    corpus = cohort.corpus
    if corpus.contexts is None:
        raise InputError("the dialogues have no context to show; give the corpus (corpus: FILE)")
    systems = tuple(outputs.system for outputs in cohort.systems)
    for i, pair in enumerate(study.pairs if study.pairs != "all" else ()):
        for name in pair:
            if name not in systems:
                raise InputError(f"pairs[{i}] names a system {name!r}; there are {', '.join(systems)}")
    if "pair" in study.kinds and len(systems) < 2:
        raise InputError("a pairwise question needs at least two systems")
    emotions = dict(zip(corpus.ids, corpus.emotions or [None] * len(corpus), strict=True))
    sampling = study.sampling
    ids = sorted(corpus.ids)
    if sampling.n is not None:
        ids = draw(ids, sampling.n, study.seed, emotions if sampling.method == "stratified" else None)
    row = {segment_id: i for i, segment_id in enumerate(corpus.ids)}
    rows = [row[segment_id] for segment_id in ids]
    situations = corpus.extra.get("situation")
    segments = tuple(
        StudySegment(
            corpus.ids[i],
            corpus.dialogue_ids[i],
            tuple(corpus.contexts[i]),
            emotions[corpus.ids[i]],
            None if situations is None or situations[i] is None else str(situations[i]),
        )
        for i in rows
    )
    responses = tuple(tuple(outputs.hypotheses[i] for i in rows) for outputs in cohort.systems)
    return Material(systems, segments, responses)


def draw(ids: Sequence[str], n: int, seed: int, strata: Mapping[str, str | None] | None = None) -> list[str]:
    """``n`` of the ids, sorted, as the seed and the ids say, whatever their order.

    With ``strata``, every stratum gives as many as any other, give or take one, or all it has. Raises
    InputError where there are fewer than ``n``.

    >>> draw(["a", "b", "c", "d"], 2, seed=1) == draw(["d", "c", "b", "a"], 2, seed=1)
    True
    """
    if n > len(ids):
        raise InputError(f"{n} items are to be drawn, and all systems answered {len(ids)}; lower sampling.n")
    ranked = sorted(ids, key=lambda segment_id: _rank(seed, segment_id))
    if strata is None:
        return sorted(ranked[:n])
    if any(strata[segment_id] is None for segment_id in ids):
        raise InputError("stratified sampling needs the emotion of every segment, and some have none")
    queues: dict[str, list[str]] = defaultdict(list)
    for segment_id in ranked:
        queues[str(strata[segment_id])].append(segment_id)
    order = sorted(queues, key=lambda stratum: _rank(seed, f"stratum {stratum}"))
    chosen: list[str] = []
    while len(chosen) < n:
        for stratum in order:
            if queues[stratum] and len(chosen) < n:
                chosen.append(queues[stratum].pop(0))
    return sorted(chosen)


def _rank(seed: int, key: str) -> bytes:
    return hashlib.blake2b(f"{seed}\0{key}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
