"""ROUGE: overlap of words or word sequences with the reference, by the rouge-score package."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from importlib import metadata
from typing import ClassVar, Literal

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics._fields import MAX_IDS, given, mean
from empeval.metrics.base import METRICS, Metric
from empeval.records import Notice
from empeval.statistics.segments import Array, SegmentStats

__all__ = ["Rouge"]

_TOKEN = re.compile("[a-z0-9]")


@METRICS.register("rouge")
@dataclass(frozen=True)
class Rouge(Metric):
    """Mean over segments of the F1 of a response against its best reference, times 100; 0–100.

    ``l`` compares by the longest common subsequence of words, ``1`` and ``2`` by words and pairs of words.
    Words are runs of a–z and 0–9 after lower-casing, without stemming; an empty response scores 0.
    Source: Lin (2004); the package rouge-score.

    >>> corpus = Corpus.build(references=["that is great !"])
    >>> metric = Rouge(kind="1")
    >>> stats = metric.segment_stats(corpus, SystemOutputs.build("a", ["That is so great!"]))
    >>> round(metric.aggregate(stats.totals()).item(), 2)
    85.71
    """

    name: ClassVar[str] = "rouge"
    higher_is_better: ClassVar[bool | None] = True
    needs: ClassVar[tuple[str, ...]] = ("references",)
    text_quality: ClassVar[bool] = True

    kind: Literal["l", "1", "2"] = "l"

    def versions(self) -> dict[str, str]:
        return {"rouge-score": metadata.version("rouge-score")}

    def notices(self, corpus: Corpus, outputs: SystemOutputs) -> list[Notice]:
        unseen = [
            i
            for i, (hypothesis, references) in enumerate(
                zip(outputs.hypotheses, given(corpus.references), strict=True)
            )
            if any(text.strip() and not _TOKEN.search(text.lower()) for text in (hypothesis, *references))
        ]
        if not unseen:
            return []
        message = (
            f"{len(unseen)} segments of {outputs.system!r} hold a text without any of a–z and 0–9, "
            "the only characters that rouge sees; against such a text it is 0"
        )
        return [Notice("no_words", message, len(unseen), tuple(corpus.ids[i] for i in unseen[:MAX_IDS]))]

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> SegmentStats:
        from rouge_score.rouge_scorer import RougeScorer

        name = f"rouge{self.kind.upper()}"
        scorer = RougeScorer([name], tokenizer=_Words())

        @functools.lru_cache(maxsize=1 << 16)
        def f1(hypothesis: str, references: tuple[str, ...]) -> float:
            return float(scorer.score_multi(references, hypothesis)[name].fmeasure)

        pairs = zip(outputs.hypotheses, given(corpus.references), strict=True)
        values = np.array([f1(hypothesis, references) for hypothesis, references in pairs])
        return SegmentStats(np.stack([100.0 * values, np.ones_like(values)], axis=1), ("f1", "n"))

    def aggregate(self, totals: Array) -> Array:
        return mean(totals)


class _Words:
    """rouge-score's own tokenizer, which each text passes once."""

    def __init__(self) -> None:
        from rouge_score.tokenize import tokenize

        self._words = functools.lru_cache(maxsize=1 << 16)(lambda text: tokenize(text, None))

    def tokenize(self, text: str) -> list[str]:
        return list(self._words(text))
