"""What a study is about: the segments that are judged, and every system's response to them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from empeval.errors import InputError, ProtocolError, UnknownName
from empeval.protocols.paths import key_path

if TYPE_CHECKING:
    from empeval.cohort import Cohort
    from empeval.records import Records
    from empeval.study.protocol import StudyParts

__all__ = [
    "OWN_TEXTS",
    "Material",
    "StudySegment",
    "check_material",
    "draw",
    "load_material",
    "material_of",
]

#: The names of the two systems that stand for the study's own texts: a pair needs two.
OWN_TEXTS = ("own text 1", "own text 2")

_NO_STRATA = "stratified sampling needs the emotion of every segment, and some have none"


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
    """Systems in the order of the file, segments by their ids, ``responses[system][segment]``."""

    systems: tuple[str, ...]
    segments: tuple[StudySegment, ...]
    responses: tuple[tuple[str, ...], ...]


def load_material(study: StudyParts, folder: str | Path = ".") -> Material:
    """Read the systems' outputs and the corpus of a study, and draw its items.

    Paths are relative to ``folder``, that of the study file. Raises InputError where files cannot be read or
    joined, where there are no contexts, and where fewer segments are shared than are to be drawn; the message
    names the key of the study file, and every file that cannot be read.
    """
    material, faults = check_material(study, folder)
    if material is None:
        raise faults[0] if len(faults) == 1 else InputError("\n  ".join(map(str, faults)))
    return material


def check_material(
    study: StudyParts, folder: str | Path = ".", source: str | None = None
) -> tuple[Material | None, list[ProtocolError]]:
    """The material of a study, or None and all that is wrong with it; ``source`` names the study file."""
    from empeval.cohort import join

    tables, corpus, faults = _read_files(study, Path(folder), source)
    if faults:
        return None, faults
    try:
        cohort = join(tables, corpus=corpus)
    except InputError as error:
        return None, [ProtocolError(str(error), source=source, key="systems")]
    faults = [ProtocolError(message, source=source, key=key) for message, key in _misfits(study, cohort)]
    return (None if faults else _drawn(study, cohort)), faults


def material_of(study: StudyParts, cohort: Cohort) -> Material:
    """The items of a study from systems laid side by side; InputError as for `load_material`."""
    for message, key in _misfits(study, cohort):
        raise ProtocolError(message, key=key)
    return _drawn(study, cohort)


def _read_files(
    study: StudyParts, folder: Path, source: str | None
) -> tuple[list[Records], Records | None, list[ProtocolError]]:
    """Every file of a study that can be read, and a fault for each of the others."""
    from empeval.readers import read, read_corpus
    from empeval.readers.fields import CORPUS_FIELDS

    tables: list[Records] = []
    corpus: Records | None = None
    faults: list[ProtocolError] = []
    columns = dict(study.columns)

    def tried(read_it: Callable[..., Any], *at: str | int, file: object, **options: Any) -> Any:
        try:
            return read_it(file, **options)
        except (InputError, UnknownName, OSError) as error:
            message = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            faults.append(ProtocolError(message, source=source, key=key_path(at)))

    for key, file in _placed(study, folder):
        made = tried(read, "systems", key, file=[file], reader=study.reader, columns=columns)
        for table in made or ():
            twice = [known for known in tables if known.system == table.system]
            if twice:
                message = f"two files name a system {table.system!r}: {twice[0].source} and {table.source}"
                faults.append(ProtocolError(message, source=source, key=key_path(("systems", key))))
            tables.append(table)
    if study.corpus is not None:
        path = folder / Path(study.corpus).expanduser()
        shared = {name: column for name, column in columns.items() if name in CORPUS_FIELDS}
        corpus = tried(read_corpus, "corpus", file=path, columns=shared)
    return tables, corpus, faults


def _placed(study: StudyParts, folder: Path) -> Iterator[tuple[str | int, str]]:
    """The key of each system's file, and NAME=FILE or FILE with the study's folder before it."""
    if isinstance(study.systems, dict):
        for name, file in study.systems.items():
            yield name, f"{name}={folder / Path(file).expanduser()}"
        return
    for i, text in enumerate(study.systems):
        whole = folder / Path(text).expanduser()
        name, equals, file = text.partition("=")
        if equals and name and file and not whole.exists():
            yield i, f"{name}={folder / Path(file).expanduser()}"
        else:
            yield i, str(whole)


def _misfits(study: StudyParts, cohort: Cohort) -> Iterator[tuple[str, str]]:
    """What a study asks of its material that is not there, and the key that asks for it."""
    corpus, sampling = cohort.corpus, study.sampling
    systems = [outputs.system for outputs in cohort.systems]
    if corpus.contexts is None:
        yield "the dialogues have no context to show; give the corpus (corpus: FILE)", "corpus"
    for i, pair in enumerate(study.pairs if study.pairs != "all" else ()):
        for j, name in enumerate(pair):
            if name not in systems:
                yield f"there is no system {name!r}; there are {', '.join(systems)}", f"pairs[{i}][{j}]"
    if "pair" in study.kinds and len(systems) < 2:
        yield "a question about a pair needs at least two systems", "systems"
    for name in OWN_TEXTS:
        if name in systems:
            yield f"a system cannot be called {name!r}, which stands for the study's own texts", "systems"
    if sampling.n is not None and sampling.n > len(corpus):
        yield _too_few(sampling.n, len(corpus)), "sampling.n"
    if sampling.method == "stratified" and (corpus.emotions is None or None in corpus.emotions):
        yield _NO_STRATA, "sampling.by"


def _drawn(study: StudyParts, cohort: Cohort) -> Material:
    corpus = cohort.corpus
    assert corpus.contexts is not None, "a study whose dialogues have no context was refused"
    systems = tuple(outputs.system for outputs in cohort.systems)
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
        raise InputError(_too_few(n, len(ids)))
    ranked = sorted(ids, key=lambda segment_id: _rank(seed, segment_id))
    if strata is None:
        return sorted(ranked[:n])
    if any(strata[segment_id] is None for segment_id in ids):
        raise InputError(_NO_STRATA)
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


def _too_few(n: int, n_there: int) -> str:
    return f"{n} items are to be drawn, and all systems answered {n_there}; lower sampling.n"


def _rank(seed: int, key: str) -> bytes:
    return hashlib.blake2b(f"{seed}\0{key}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
