"""From a cohort and a list of metrics to scores, intervals, tests and tiers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from empeval.cohort import Cohort
from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics.base import Metric
from empeval.models import using
from empeval.scoring.claims import ClaimCheck, check_claims
from empeval.scoring.inference import Grouping, Inference, Settings, Table
from empeval.scoring.inputs import HUMAN, as_cohort, as_metrics, column_of, default_metrics, human_row
from empeval.scoring.notices import notices_of, on_dialogues
from empeval.scoring.results import Breakdown, Comparison, Group, Score, Scores
from empeval.scoring.signature import Signature
from empeval.statistics.segments import Array, Stats
from empeval.statistics.weights import hashed_keys

__all__ = ["HUMAN", "default_metrics", "score"]

Progress = Callable[[str], None]


def score(
    cohort: Cohort | Corpus,
    systems: Sequence[SystemOutputs] | SystemOutputs | None = None,
    metrics: str | Sequence[Metric | str] | None = None,
    *,
    seed: int = 0,
    n_resamples: int = 1000,
    level: float = 0.95,
    by: Literal["emotion"] | None = None,
    human: bool = False,
    progress: Progress | None = None,
) -> Scores:
    """Score systems on the segments they share.

    Takes a `Cohort`, or a `Corpus` and the outputs of systems on it. ``metrics`` are text forms or values
    (default: those that the data allow). Intervals take ``n_resamples`` resamples of dialogues, tests at
    least as many (0: neither is made). ``by="emotion"`` adds the same table for each gold emotion, ``human``
    the references as one more row. Raises InputError for data or options that cannot be used, AlignmentError
    for a system that lacks a segment of the corpus, UnknownName for a metric that is not known.

    >>> corpus = Corpus.build(references=["oh no !", "that is great !"])
    >>> system = SystemOutputs.build("echo", ["oh no !", "great !"])
    >>> score(corpus, system, "bleu,length").value("echo", "length")
    2.5
    """
    settings = Settings(seed=seed, n_resamples=n_resamples, level=level)
    cohort = as_cohort(cohort, systems)
    corpus = cohort.corpus
    chosen = as_metrics(metrics, corpus, cohort.systems)
    rows = [*cohort.systems, *([human_row(corpus, cohort.systems)] if human else [])]
    dialogues, groups, keys = _dialogues(corpus)
    joining = Grouping(groups, len(dialogues))
    # rows are joined as soon as they are made, unless a breakdown needs those of the segments
    table = _measure(cohort, rows, chosen, progress or (lambda _: None), None if by else joining)
    whole = table.grouped(joining) if by else table
    scores, comparisons, tiers = _infer(whole, keys, settings, progress or (lambda _: None))
    breakdown = _breakdown(table, corpus, by, settings) if by else None
    return Scores(
        corpus={
            "name": corpus.name,
            "n_segments": len(corpus),
            "n_dialogues": len(dialogues),
            "fingerprint": corpus.fingerprint,
        },
        cohort={
            "rule": cohort.rule,
            "n_segments": len(corpus),
            "n_dialogues": len(dialogues),
            "dropped": dict(cohort.dropped),
        },
        systems=tuple(row.system for row in rows),
        scores=tuple(scores),
        comparisons=tuple(comparisons),
        tiers=tiers,
        claims=tuple(_claims(cohort)),
        groups=breakdown,
        warnings=(
            *notices_of(cohort, rows, chosen, table),
            *on_dialogues(len(dialogues), breakdown, len(rows), settings),
        ),
    )


def _dialogues(corpus: Corpus) -> tuple[list[str], Array, Array]:
    """Dialogue names in the order of their keys, the dialogue of each segment, and the keys.

    The order of the keys is the same however the files were ordered, so sums are too.
    """
    names = sorted(set(corpus.dialogue_ids))
    keys = hashed_keys(names)
    order = np.argsort(keys, kind="stable")
    names = [names[i] for i in order]
    place = {name: i for i, name in enumerate(names)}
    groups = np.fromiter(map(place.__getitem__, corpus.dialogue_ids), dtype=np.int64, count=len(corpus))
    return names, groups, keys[order]


def _measure(
    cohort: Cohort,
    rows: Sequence[SystemOutputs],
    metrics: Sequence[tuple[str, Metric]],
    progress: Progress,
    joining: Grouping | None,
) -> Table:
    corpus = cohort.corpus
    cells: dict[tuple[int, int], Stats | str] = {}
    signatures = []
    for m, (text, metric) in enumerate(metrics):
        reasons = [_reason(metric, corpus, outputs) for outputs in rows]
        able = [outputs for outputs, reason in zip(rows, reasons, strict=True) if reason is None]
        signature = Signature.of(
            metric,
            n_segments=len(corpus),
            rule=cohort.rule,
            fingerprint=corpus.fingerprint,
            corpus_fields=metric.corpus_fields(corpus) if able else None,
        )
        signatures.append(signature)
        if able:
            with using(progress=_under(text, progress)):
                metric.prepare(corpus, able)
        for s, (outputs, reason) in enumerate(zip(rows, reasons, strict=True)):
            progress(f"{text}: {outputs.system}")
            cell = reason or metric.segment_stats(corpus, outputs)
            cells[m, s] = cell if joining is None or isinstance(cell, str) else joining(cell)
    empty = np.array([[not text.strip() for text in outputs.hypotheses] for outputs in rows])
    names = [outputs.system for outputs in rows]
    return Table(names, list(metrics), signatures, cells, empty)


def _under(text: str, progress: Progress) -> Progress:
    """Progress that says which metric it is about."""
    return lambda message: progress(f"{text}: {message}")


def _reason(metric: Metric, corpus: Corpus, outputs: SystemOutputs) -> str | None:
    """Why a system has no rows under a metric, or None."""
    if "references" in metric.required and outputs.system == HUMAN:
        return "is_reference: the human row is the reference itself"
    for need in metric.required:
        column = column_of(need, corpus, outputs)
        if column is None:
            field = _FIELD.get(need, need)
            return f"missing_field: there {'are' if field.endswith('s') else 'is'} no {field}"
        if need == "references" and not all(column):
            n = sum(not texts for texts in column)
            return f"missing_field: {n} of {len(corpus)} segments have no references"
    return metric.problem(corpus, outputs)


_FIELD = {
    "emotions": "emotion",
    "predicted_emotions": "predicted_emotion",
    "predicted_intents": "predicted_intent",
    "response_intents": "response_intent",
    "nlls": "nll",
}


def _infer(
    table: Table, keys: Array, settings: Settings, progress: Progress
) -> tuple[list[Score], list[Comparison], dict[str, list[list[str]]]]:
    progress("intervals")
    inference = Inference(table, keys, settings)
    progress("paired tests")
    comparisons = inference.comparisons()
    scores = []
    for s, system in enumerate(table.systems):
        for m, (text, metric) in enumerate(table.metrics):
            value, reason = table.value(m, s)
            scores.append(
                Score(
                    system=system,
                    metric=text,
                    value=value,
                    interval=inference.interval(m, s),
                    n_segments=table.n_segments,
                    n_empty=table.n_empty(s),
                    reason=reason,
                    signature=str(table.signatures[m]),
                    higher_is_better=metric.higher_is_better,
                )
            )
    return scores, comparisons, inference.tiers(comparisons)


def _breakdown(table: Table, corpus: Corpus, by: str, settings: Settings) -> Breakdown:
    if by != "emotion":
        raise InputError(f"scores can be broken down by emotion, not by {by!r}")
    if corpus.emotions is None:
        raise InputError(
            "a breakdown by emotion needs the field 'emotion', and no file has it", source=corpus.name
        )
    labels = sorted({label for label in corpus.emotions if label is not None})
    groups = []
    for label in labels:
        rows = np.flatnonzero([emotion == label for emotion in corpus.emotions])
        names, member, keys = _dialogues_of(corpus, rows)
        part = table.subset(rows, by, label).grouped(Grouping(member, len(names)))
        scores, comparisons, tiers = _infer(part, keys, settings, lambda _: None)
        groups.append(Group(label, len(rows), len(names), tuple(scores), tuple(comparisons), tiers))
    return Breakdown(by, tuple(groups))


def _dialogues_of(corpus: Corpus, rows: Array) -> tuple[list[str], Array, Array]:
    return _dialogues(
        Corpus(corpus.name, [corpus.ids[i] for i in rows], [corpus.dialogue_ids[i] for i in rows])
    )


def _claims(cohort: Cohort) -> list[ClaimCheck]:
    """A file's claims are about all of its records, so they are checked on these, not on the cohort."""
    checks = []
    for outputs in cohort.systems:
        if outputs.claims:
            corpus, whole = cohort.whole.get(outputs.system, (cohort.corpus, outputs))
            checks += check_claims(corpus, whole)
    return checks
