"""Where two systems differ: tests, segments with the largest gap, n-grams that one uses more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from empeval.cohort import Cohort
from empeval.errors import InputError, UnknownName
from empeval.metrics.base import Metric, parse_metrics
from empeval.report.ngram_use import PRIOR, NgramUse, ngram_use
from empeval.scoring import Scores, score
from empeval.statistics.segments import Array, SegmentStats
from empeval.statistics.whole import Whole

__all__ = ["SegmentGap", "SystemComparison", "compare", "split_pair"]

#: Tokenizer of the n-gram lists; also of BLEU, unless another is asked for.
TOKENIZE = "13a"


@dataclass(frozen=True)
class SegmentGap:
    """A segment on which two systems score differently; ``difference`` is a − b."""

    id: str
    dialogue_id: str
    context: tuple[str, ...]
    references: tuple[str, ...]
    hypothesis_a: str
    hypothesis_b: str
    value_a: float
    value_b: float
    difference: float


@dataclass(frozen=True)
class SystemComparison:
    """Two systems, a and b, on one cohort.

    ``a_higher`` and ``b_higher`` hold the segments with the largest gaps under ``segment_metric``, largest
    first; ``a_more`` and ``b_more`` the n-grams that one uses more than the other.
    """

    systems: tuple[str, str]
    scores: Scores
    segment_metric: str
    n_a_higher: int
    n_b_higher: int
    n_equal: int
    a_higher: tuple[SegmentGap, ...]
    b_higher: tuple[SegmentGap, ...]
    a_more: tuple[NgramUse, ...]
    b_more: tuple[NgramUse, ...]

    def to_dict(self) -> dict[str, Any]:
        """The document that ``empeval compare --format json`` prints."""
        whole = self.scores.to_dict()
        return {
            **{key: whole[key] for key in ("corpus", "cohort", "systems", "scores", "comparisons")},
            "segments": {
                "metric": self.segment_metric,
                "n_a_higher": self.n_a_higher,
                "n_b_higher": self.n_b_higher,
                "n_equal": self.n_equal,
                "a_higher": [asdict(gap) for gap in self.a_higher],
                "b_higher": [asdict(gap) for gap in self.b_higher],
            },
            "ngrams": {
                "tokenize": TOKENIZE,
                "statistic": "log-odds ratio with an informative Dirichlet prior",
                "prior": PRIOR,
                "a_more": [asdict(use) for use in self.a_more],
                "b_more": [asdict(use) for use in self.b_more],
            },
            "warnings": whole["warnings"],
        }


def split_pair(text: str | None, names: Sequence[str]) -> tuple[str, str]:
    """The two systems that ``A,B`` names, the only two there are by default.

    A name may itself hold commas. Raises UnknownName for a system that is not there, InputError where the
    text does not name two.

    >>> split_pair("b,a", ["a", "b", "c"]), split_pair(None, ["a", "b"])
    (('b', 'a'), ('a', 'b'))
    """
    if text is None:
        if len(names) != 2:
            raise InputError(
                f"two systems can be compared, and the files hold {len(names)}: {', '.join(names)}; "
                "name two with --systems A,B"
            )
        return names[0], names[1]
    parts = text.split(",")
    cuts = [(",".join(parts[:i]).strip(), ",".join(parts[i:]).strip()) for i in range(1, len(parts))]
    if not cuts:
        raise InputError(f"--systems names two systems, A,B, and not {text!r}")
    a, b = next((cut for cut in cuts if set(cut) <= set(names)), cuts[0])
    for name in (a, b):
        if name not in names:
            raise UnknownName("system", name, names)
    if a == b:
        raise InputError(f"--systems names {a!r} twice")
    return a, b


def compare(
    cohort: Cohort,
    a: str,
    b: str,
    metrics: str | Sequence[Metric | str] | None = None,
    *,
    segment_metric: str | None = None,
    n_segments: int = 5,
    n_ngrams: int = 15,
    seed: int = 0,
    n_resamples: int = 1000,
    level: float = 0.95,
    progress: Callable[[str], None] | None = None,
) -> SystemComparison:
    """Compare two systems of a cohort, on its segments.

    ``segment_metric`` ranks segments (default: segment BLEU with effective order, or length where there are
    no references). Of the gaps and n-grams, the ``n_segments`` and ``n_ngrams`` largest each way are kept.
    Raises UnknownName for a system that the cohort lacks, InputError where ``segment_metric`` cannot be used.
    """
    by_name = {outputs.system: outputs for outputs in cohort.systems}
    for name in (a, b):
        if name not in by_name:
            raise UnknownName("system", name, by_name)
    pair = replace(
        cohort,
        systems=(by_name[a], by_name[b]),
        dropped={name: n for name, n in cohort.dropped.items() if name in (a, b)},
    )
    ranking = parse_metrics(segment_metric or _default_segment_metric(pair))[0]
    values_a, values_b = _segment_values(pair, ranking)
    scores = score(pair, metrics=metrics, seed=seed, n_resamples=n_resamples, level=level, progress=progress)
    difference = np.nan_to_num(values_a - values_b)
    order = np.argsort(-difference, kind="stable")
    higher, lower = order[difference[order] > 0], order[difference[order] < 0][::-1]
    if progress is not None:
        progress("n-grams")
    uses = ngram_use(by_name[a].hypotheses, by_name[b].hypotheses, tokenize=TOKENIZE)
    return SystemComparison(
        systems=(a, b),
        scores=scores,
        segment_metric=ranking.spec,
        n_a_higher=len(higher),
        n_b_higher=len(lower),
        n_equal=len(difference) - len(higher) - len(lower),
        a_higher=_gaps(pair, higher[:n_segments], values_a, values_b),
        b_higher=_gaps(pair, lower[:n_segments], values_a, values_b),
        a_more=tuple(use for use in uses[:n_ngrams] if use.z > 0),
        b_more=tuple(use for use in uses[::-1][:n_ngrams] if use.z < 0),
    )


def _default_segment_metric(cohort: Cohort) -> str:
    references = cohort.corpus.references
    if references is not None and all(references):
        return "bleu(effective_order=True,average=segment)"
    return "length"


def _segment_values(cohort: Cohort, metric: Metric) -> tuple[Array, Array]:
    """The metric's value on each single segment, shape (n_segments,) each; NaN where undefined."""
    for found in score(cohort, metrics=[metric], n_resamples=0).scores:
        if found.value is None:
            raise InputError(
                f"segments cannot be ranked by {metric.spec}: {found.reason} (system {found.system!r})"
            )
    rows = [metric.segment_stats(cohort.corpus, outputs) for outputs in cohort.systems]
    dense = [stats.values for stats in rows if isinstance(stats, SegmentStats)]
    if len(dense) != len(rows):
        whole = any(isinstance(stats, Whole) for stats in rows)
        what = "is one number of all segments together" if whole else "counts types over all segments"
        raise InputError(
            f"segments cannot be ranked by {metric.spec}: it {what} and has no value for one; choose a "
            "metric such as bleu(average=segment) or length"
        )
    first, second = (metric.aggregate(values) for values in dense)
    return first, second


def _gaps(cohort: Cohort, rows: Array, values_a: Array, values_b: Array) -> tuple[SegmentGap, ...]:
    a, b = cohort.systems
    found = []
    for row in rows.tolist():
        segment = cohort.corpus[row]
        found.append(
            SegmentGap(
                id=segment.id,
                dialogue_id=segment.dialogue_id,
                context=segment.context,
                references=segment.references,
                hypothesis_a=a.hypotheses[row],
                hypothesis_b=b.hypotheses[row],
                value_a=float(values_a[row]),
                value_b=float(values_b[row]),
                difference=float(values_a[row] - values_b[row]),
            )
        )
    return tuple(found)
