"""BERTScore: how well the tokens of a response and its reference match in the space of an encoder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.encoders import Baseline, Encoder, Flag, Layer, PairScore, PairScorer, baseline_of, layer_of
from empeval.encoders.pairs import LIBRARIES
from empeval.errors import InputError
from empeval.metrics._fields import MAX_IDS, given, mean
from empeval.metrics.base import METRICS, Metric
from empeval.models import ModelFolder, find
from empeval.models.loading import library_versions
from empeval.records import Notice
from empeval.statistics.segments import Array, SegmentStats

__all__ = ["BertScore"]


@METRICS.register("bertscore")
@dataclass(frozen=True)
class BertScore(Metric):
    """Mean over segments of how closely the tokens of response and reference match, as vectors of an encoder.

    Precision: each token of the response with its nearest of the reference, by cosine; recall: each of the
    reference with its nearest of the response; F1: 2PR / (P + R), and 0 where P and R have different signs.
    Of several references the best counts. In −1…1; rescaled, (score − baseline) / (1 − baseline), lower too.

    ``model`` is a folder or the name of a model on the Hugging Face hub. ``layer`` None stands for the layer
    that bert-score recommends for the model, else the last. ``idf`` weights tokens by their inverse document
    frequency in the references of the cohort. ``rescale`` takes bert-score's baseline of model and layer, or
    the file ``baseline`` (lines LAYER,P,R,F). ``dtype=bf16`` computes faster and less exactly. Special tokens
    may be matched and weigh nothing. An empty response or reference has the raw score 0; a text beyond the
    model's limit is cut; both are counted. A text all of whose tokens weigh nothing weighs them alike.

    Equals bert-score 0.3.13 at batch size 1, whatever the batches here. Raises InputError for a model folder
    that is not whole, a layer that it lacks and a baseline that there is none of; MissingExtra without torch
    and transformers. Source: Zhang et al. (2020).

    >>> metric = METRICS.create("bertscore(model=models/roberta-large,idf=True)")
    >>> metric.spec, metric.part
    ('bertscore(model=models/roberta-large,idf=True)', 'f1')
    """

    name: ClassVar[str] = "bertscore"
    higher_is_better: ClassVar[bool | None] = True
    bounds: ClassVar[tuple[float, float | None]] = (-1.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("references",)
    decimals: ClassVar[int] = 4
    tolerance: ClassVar[float | None] = 1e-5
    paths: ClassVar[tuple[str, ...]] = ("model", "baseline")

    model: str
    layer: int | None = None
    idf: bool = False
    rescale: bool = False
    part: Literal["f1", "precision", "recall"] = "f1"
    baseline: str | None = None
    dtype: Literal["fp32", "bf16"] = "fp32"

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise InputError("bertscore: model is empty; give a folder or a hub name")
        if self.baseline is not None and not self.rescale:
            raise InputError(f"{self.spec}: baseline belongs to rescale=True")

    @property
    def depends_on_corpus(self) -> bool:
        return self.idf

    @property
    def limits(self) -> tuple[float, float | None]:
        if not self.rescale:
            return self.bounds
        base = self._baseline_of_part
        return (-1.0 - base) / (1.0 - base), 1.0

    @cached_property
    def _folder(self) -> ModelFolder:
        return find(self.model)

    @cached_property
    def _layer(self) -> Layer:
        return layer_of(self._folder, self.layer)

    @cached_property
    def _baseline(self) -> Baseline | None:
        return baseline_of(self._folder, self._layer.number, self.baseline) if self.rescale else None

    @property
    def _baseline_of_part(self) -> float:
        found: float = getattr(self._baseline, self.part) if self._baseline else 0.0
        return found

    def versions(self) -> dict[str, str]:
        return library_versions(*LIBRARIES)

    def signature_fields(self) -> dict[str, str]:
        fields = super().signature_fields()
        return fields | {
            "model": self._folder.fingerprint,
            "layer": str(self._layer.number),
            "baseline": self._baseline.fingerprint if self._baseline else "none",
        }

    def corpus_fields(self, corpus: Corpus) -> dict[str, str]:
        return {"idf_table": self._scorer(corpus).table} if self.idf else {}

    def prepare(self, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
        self._scorer(corpus).score([pair for outputs in systems for pair in _pairs(corpus, outputs)])

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> SegmentStats:
        scores = iter(self._scores(corpus, outputs))
        base = self._baseline_of_part
        best = [max(self._value(next(scores)) for _ in texts) for texts in given(corpus.references)]
        values = (np.array(best, dtype=np.float64) - base) / (1.0 - base)
        return SegmentStats(np.stack([values, np.ones_like(values)], axis=1), ("score", "n"))

    def aggregate(self, totals: Array) -> Array:
        return mean(totals)

    def notices(self, corpus: Corpus, outputs: SystemOutputs) -> list[Notice]:
        ids = [name for name, texts in zip(corpus.ids, given(corpus.references), strict=True) for _ in texts]
        scores = list(zip(ids, self._scores(corpus, outputs), strict=True))
        found = []
        if self._layer.chosen_by == "config":
            found.append(
                Notice(
                    "bertscore_layer",
                    f"bert-score recommends no layer for {self.model}, so its last one is used "
                    f"({self._layer.number}); layer=N takes another",
                )
            )
        for flag, code, what in _TOLD:
            of_system = dict.fromkeys(name for name, score in scores if score.of_hypothesis(flag))
            of_corpus = dict.fromkeys(name for name, score in scores if score.of_reference(flag))
            found += [
                *_notice(code, of_system, f"response{{}} of {outputs.system!r}", what),
                *_notice(f"{code}_reference", of_corpus, "reference{}", what),
            ]
        return found

    def _scores(self, corpus: Corpus, outputs: SystemOutputs) -> list[PairScore]:
        """Scores of a system's pairs, looked up once for all parts."""
        scorer = self._scorer(corpus)
        found: list[PairScore] = outputs.derived(
            ("bertscore", scorer), lambda: scorer.score(_pairs(corpus, outputs))
        )
        return found

    def _scorer(self, corpus: Corpus) -> PairScorer:
        """One scorer for all metrics that differ only in what becomes of precision and recall."""
        model, layer = self._folder, self._layer.number
        key = (model.fingerprint, layer, self.dtype)
        encoder: Encoder = corpus.derived(("encoder", *key), lambda: Encoder(model, layer, self.dtype))
        references = given(corpus.references) if self.idf else None
        found: PairScorer = corpus.derived(
            ("bertscore", *key, self.idf), lambda: PairScorer(encoder, references)
        )
        return found

    def _value(self, score: PairScore) -> float:
        if self.part != "f1":
            return score.precision if self.part == "precision" else score.recall
        if score.precision * score.recall <= 0:
            return 0.0
        return 2 * score.precision * score.recall / (score.precision + score.recall)


_TOLD = (
    (Flag.EMPTY, "bertscore_empty", "without a token: the raw BERTScore of an empty text is 0"),
    (Flag.CUT, "bertscore_cut", "longer than the BERTScore model takes: cut at its limit"),
    (
        Flag.WEIGHTLESS,
        "bertscore_weightless",
        "with only tokens that weigh nothing by idf: BERTScore weighs them alike",
    ),
)


def _pairs(corpus: Corpus, outputs: SystemOutputs) -> Iterator[tuple[str, str]]:
    """Each response with each of its references, segment by segment."""
    for hypothesis, texts in zip(outputs.hypotheses, given(corpus.references), strict=True):
        for text in texts:
            yield hypothesis, text


def _notice(code: str, ids: Iterable[str], whose: str, what: str) -> list[Notice]:
    """One notice with a count, or none where nothing is concerned."""
    named = tuple(ids)
    n = len(named)
    counted = f"{n:,} {whose.format('' if n == 1 else 's')}"
    return [Notice(code, f"{counted} {what}", n, named[:MAX_IDS])] if named else []
