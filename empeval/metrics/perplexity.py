"""Perplexity of the references: under the system, from its recorded losses, or under a language model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics._fields import MAX_IDS, given, mean, missing_field
from empeval.metrics.base import METRICS, Metric
from empeval.models import find
from empeval.models.likelihood import encode, negative_log_likelihoods
from empeval.models.loading import library_versions
from empeval.models.sequences import Encoded, Separator
from empeval.records import Notice
from empeval.statistics.segments import Array, SegmentStats

__all__ = ["Perplexity"]

#: Half-precision log-probabilities of certain tokens can end up this far above 0.
_ROUNDING = 1e-3


@METRICS.register("perplexity")
@dataclass(frozen=True)
class Perplexity(Metric):
    """Exponential of the mean negative log-likelihood (natural logarithm) per token; lower is better.

    ``segment``: exp(mean over segments of nll / n_tokens), what the papers on EmpatheticDialogues print;
    ``token``: exp(Σ nll / Σ n_tokens), where long references count for more. At least 1. Undefined where a
    segment lacks its likelihood or has none (probability 0). Raises InputError for a negative likelihood
    or fewer than one token, and names the segment.

    With ``model``, the folder or hub name of a causal or sequence-to-sequence language model, the likelihoods
    are computed: of the first reference given its context, in single precision. Predicted, and counted, are
    the reference's own tokens and the token that ends a text; the turns before are joined by ``separator``.
    The number belongs to the model and is the same for every system. References and contexts are all that
    is needed then; undefined where a reference has no token.

    >>> corpus = Corpus.build(references=["oh no", "great !"])
    >>> outputs = SystemOutputs.build("a", ["", ""], nlls=[math.log(8), math.log(2)], n_tokens=[1, 1])
    >>> metric = Perplexity()
    >>> round(metric.aggregate(metric.segment_stats(corpus, outputs).totals()).item(), 6)
    4.0
    """

    name: ClassVar[str] = "perplexity"
    higher_is_better: ClassVar[bool | None] = False
    bounds: ClassVar[tuple[float, float | None]] = (1.0, None)
    needs: ClassVar[tuple[str, ...]] = ("nlls", "n_tokens")
    why_undefined: ClassVar[str] = "infinite: the mean negative log-likelihood is too large to exponentiate"
    paths: ClassVar[tuple[str, ...]] = ("model",)

    average: Literal["segment", "token"] = "segment"
    model: str | None = None
    separator: Separator = "auto"

    def __post_init__(self) -> None:
        if self.separator != "auto" and self.model is None:
            raise InputError(
                f"{self.spec}: separator says how a model reads a context; give model=FOLDER too"
            )

    @property
    def required(self) -> tuple[str, ...]:
        return self.needs if self.model is None else ("references", "contexts")

    @property
    def depends_on_outputs(self) -> bool:
        return self.model is None

    @property
    def tolerance(self) -> float | None:
        return None if self.model is None else 1e-5

    def versions(self) -> dict[str, str]:
        return {} if self.model is None else library_versions("torch", "transformers")

    def signature_fields(self) -> dict[str, str]:
        fields = super().signature_fields()
        if self.model is None:
            return fields
        return {**fields, "model": find(self.model).fingerprint, "dtype": "float32"}

    def problem(self, corpus: Corpus, outputs: SystemOutputs) -> str | None:
        return self._gap(corpus, outputs) if self.model is None else self._wordless(corpus)

    def _gap(self, corpus: Corpus, outputs: SystemOutputs) -> str | None:
        """Why recorded likelihoods give no score."""
        nlls = given(outputs.nlls)
        gap = missing_field(nlls, corpus.ids, "nll") or missing_field(
            given(outputs.n_tokens), corpus.ids, "n_tokens"
        )
        if gap:
            return gap
        impossible = [i for i, nll in enumerate(nlls) if nll == math.inf]
        if not impossible:
            return None
        return (
            f"infinite: {len(impossible)} of {len(nlls)} segments have probability 0, "
            f"the first is id {corpus.ids[impossible[0]]!r}"
        )

    def _wordless(self, corpus: Corpus) -> str | None:
        """Why a model gives no score: a reference of which nothing is predicted."""
        texts, sequences = given(corpus.references), self._sequences(corpus)
        lacking = [
            i for i, s in enumerate(sequences) if s.n_tokens < 1 or not (texts[i] and texts[i][0].strip())
        ]
        if not lacking:
            return None
        return (
            f"no_tokens: {len(lacking)} of {len(texts)} references have no token that could be predicted, "
            f"the first is id {corpus.ids[lacking[0]]!r}"
        )

    def _sequences(self, corpus: Corpus) -> list[Encoded]:
        """The first reference of each segment under its context, as the model reads it."""
        model = find(given(self.model))
        texts = [references[0] if references else "" for references in given(corpus.references)]
        return corpus.derived(
            ("sequences", model.fingerprint, self.separator),
            lambda: encode(model, given(corpus.contexts), texts, self.separator),
        )

    def _computed(self, corpus: Corpus) -> Array:
        """The negative log-likelihood of each segment under the model."""
        model = find(given(self.model))
        return corpus.derived(
            ("nlls", model.fingerprint, self.separator),
            lambda: negative_log_likelihoods(model, self._sequences(corpus)),
        )

    def prepare(self, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
        if self.model is not None and systems:
            self._computed(corpus)

    def notices(self, corpus: Corpus, outputs: SystemOutputs) -> list[Notice]:
        if self.model is None:
            return []
        sequences, found = self._sequences(corpus), []
        for what, cut, end in (
            ("context", [s.context_cut for s in sequences], "oldest"),
            ("reference", [s.reference_cut for s in sequences], "last"),
        ):
            ids = [name for name, is_cut in zip(corpus.ids, cut, strict=True) if is_cut]
            if ids:
                message = (
                    f"{self.spec}: {len(ids):,} of {len(corpus):,} {what}s exceed what the model can read "
                    f"and lost their {end} tokens"
                )
                found.append(Notice(f"{what}_cut", message, len(ids), tuple(ids[:MAX_IDS])))
        return found

    def segment_stats(self, corpus: Corpus, outputs: SystemOutputs) -> SegmentStats:
        if self.model is not None:
            nlls, n_tokens = self._computed(corpus), np.array([s.n_tokens for s in self._sequences(corpus)])
            return self._rows(np.maximum(nlls, 0.0), n_tokens)
        nlls = np.array(given(outputs.nlls), dtype=np.float64)
        n_tokens = np.array(given(outputs.n_tokens), dtype=np.int64)
        _refuse(n_tokens < 1, "n_tokens must be at least 1", corpus, outputs)
        _refuse(
            ~(nlls >= -_ROUNDING * n_tokens),
            "nll must be a number and not negative: it is minus the sum of the log-probabilities",
            corpus,
            outputs,
        )
        return self._rows(np.maximum(nlls, 0.0), n_tokens)

    def _rows(self, nlls: Array, n_tokens: Array) -> SegmentStats:
        if self.average == "token":
            return SegmentStats(np.stack([nlls, n_tokens], axis=1), ("nll", "n_tokens"))
        return SegmentStats(np.stack([nlls / n_tokens, np.ones_like(nlls)], axis=1), ("nll_per_token", "n"))

    def aggregate(self, totals: Array) -> Array:
        with np.errstate(over="ignore"):
            score = np.exp(mean(totals))
        return np.asarray(np.where(np.isfinite(score), score, np.nan))


def _refuse(wrong: Array, message: str, corpus: Corpus, outputs: SystemOutputs) -> None:
    if wrong.any():
        raise InputError(
            f"{message} (system {outputs.system!r})",
            source=outputs.source or None,
            segment_id=corpus.ids[int(np.argmax(wrong))],
        )
