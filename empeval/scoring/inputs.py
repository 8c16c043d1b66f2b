"""What is scored: a cohort of checked outputs, metrics as values, the references as one more row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from empeval.cohort import Cohort
from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import AlignmentError, InputError
from empeval.metrics.base import Metric, parse_metrics
from empeval.specs import split_specs

__all__ = ["HUMAN", "as_cohort", "as_metrics", "column_of", "default_metrics", "human_row"]

#: the name of the row that holds the references themselves
HUMAN = "human"

_DEFAULTS = {
    "bleu": ("references",),
    "avg_bleu": ("references",),
    "distinct(n=1)": (),
    "distinct(n=2)": (),
    "emotion_accuracy": ("emotions", "predicted_emotions"),
    "intent_accuracy": ("response_intents", "predicted_intents"),
    "perplexity": ("nlls", "n_tokens"),
    "hits": ("candidate_scores",),
    "length": (),
    "unique": (),
    "generic": (),
}


def default_metrics(corpus: Corpus, systems: Sequence[SystemOutputs]) -> list[str]:
    """The metrics that the fields present allow: those for which at least one system has the data."""
    chosen = []
    for text, needs in _DEFAULTS.items():
        if all(any(column_of(need, corpus, s) is not None for s in systems) for need in needs):
            if text == "hits":
                sizes = {len(c) for s in systems for c in s.candidate_scores or () if c is not None}
                if len(sizes) != 1:
                    continue
                chosen.append(f"hits(candidates={sizes.pop()})")
            else:
                chosen.append(text)
    return chosen


def as_cohort(cohort: Cohort | Corpus, systems: Sequence[SystemOutputs] | SystemOutputs | None) -> Cohort:
    """A cohort as it is, or that of a corpus and its systems, in its order.

    Raises InputError for a cohort with systems, no system, or two of one name; AlignmentError for a gap.
    """
    if isinstance(cohort, Cohort):
        if systems is not None:
            raise InputError("a cohort brings its systems; give either a cohort, or a corpus and systems")
        return cohort
    given = [systems] if isinstance(systems, SystemOutputs) else list(systems or ())
    if not given:
        raise InputError("there is no system to score")
    for outputs in given:
        if not isinstance(outputs, SystemOutputs):
            raise InputError(
                f"a system must be SystemOutputs, not {type(outputs).__name__}; what `read` gives is joined "
                "first: score(join(read(files), corpus=read_corpus(file)))"
            )
    names = [outputs.system for outputs in given]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two systems are named {name!r}")
    for outputs in given:
        _refuse_surplus(cohort, outputs)
    return Cohort(
        corpus=cohort,
        systems=tuple(outputs.on(cohort) for outputs in given),
        rule="strict",
        dropped={outputs.system: len(outputs) - len(cohort) for outputs in given},
        notices=(),
    )


def _refuse_surplus(corpus: Corpus, outputs: SystemOutputs) -> None:
    """Bare lists share nothing but their numbering, so the longer one cannot be cut to the shorter."""
    n, n_segments = len(outputs), len(corpus)
    if n <= n_segments:
        return
    if any(tuple(data.ids) != tuple(str(i + 1) for i in range(len(data))) for data in (corpus, outputs)):
        return
    hint = "give one output a segment, or ids to both"
    if corpus.references is not None and all(len(texts) == n for texts in corpus.references):
        hint = f"the references look transposed: give {n} lists of {n_segments}, one list a segment"
    raise AlignmentError(
        f"system {outputs.system!r} has {n} outputs, but the corpus has {n_segments} segments; {hint}"
    )


def as_metrics(
    metrics: str | Sequence[Metric | str] | None, corpus: Corpus, systems: Sequence[SystemOutputs]
) -> list[tuple[str, Metric]]:
    """Metrics with the text that was asked for; a metric asked for twice is scored once."""
    asked: Sequence[Metric | str]
    if metrics is None:
        asked = default_metrics(corpus, systems)
    else:
        asked = [metrics] if isinstance(metrics, str) else metrics
    found: dict[str, Metric] = {}
    for entry in asked:
        if isinstance(entry, Metric):
            found.setdefault(entry.spec, entry)
        else:
            found.update((text, parse_metrics(text)[0]) for text in split_specs(entry) if text not in found)
    if not found:
        raise InputError("no metric is named; `empeval metrics` lists them")
    return list(found.items())


def human_row(corpus: Corpus, systems: Sequence[SystemOutputs]) -> SystemOutputs:
    """The first reference of each segment as what a system answered; InputError where one is missing."""
    if corpus.references is None:
        raise InputError("the human row needs references, and no file has them", source=corpus.name)
    if not all(corpus.references):
        raise InputError(
            "the human row needs at least one reference for every segment",
            source=corpus.name,
            segment_id=next(
                name for name, texts in zip(corpus.ids, corpus.references, strict=True) if not texts
            ),
        )
    if any(outputs.system == HUMAN for outputs in systems):
        raise InputError(f"a system is named {HUMAN!r}, as the row of the references is; rename it")
    return SystemOutputs(HUMAN, corpus.ids, tuple(texts[0] for texts in corpus.references))


def column_of(need: str, corpus: Corpus, outputs: SystemOutputs) -> Sequence[Any] | None:
    """The column of the corpus or of the outputs that a metric needs, or None where there is none."""
    owner = corpus if hasattr(corpus, need) else outputs
    column: Sequence[Any] | None = getattr(owner, need)
    return column
