"""The ``evaluate.Metric`` that computes with one of our metrics; importing this file loads ``evaluate``."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import datasets  # type: ignore[import-untyped]
import evaluate  # type: ignore[import-untyped]

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.metrics.base import Metric
from empeval.scoring import score

__all__ = ["EmpevalMetric"]

_TEXT = datasets.Value("string")
_TEXTS = datasets.Sequence(_TEXT)
#: The forms in which an input may come; evaluate takes the first that the data fit.
_FORMS: Mapping[str, tuple[Any, ...]] = {
    "references": (_TEXTS, _TEXT),
    "contexts": (_TEXTS, _TEXT),
    "predicted_emotions": (_TEXTS, _TEXT),
    "emotions": (_TEXT,),
    "response_intents": (_TEXT,),
    "predicted_intents": (_TEXT,),
    "nlls": (datasets.Value("float64"),),
    "n_tokens": (datasets.Value("int64"),),
    "candidate_scores": (datasets.Sequence(datasets.Value("float64")),),
}
_OF_CORPUS = ("references", "contexts", "emotions", "response_intents")

_INPUTS = """
Inputs: predictions (texts) and the columns that the metric needs, by their names: {names}.
`compute` also takes n_resamples (default 0: no interval), level (0.95), seed (0) and dialogue_ids.
Gives the value under the metric's text form, with _low and _high where there is an interval, and with
_reason where the value is None.
"""


class EmpevalMetric(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """One of empeval's metrics, ``metric``, as evaluate's own; `empeval.adapters.metric_class` makes it."""

    metric: ClassVar[Metric]

    @property
    def name(self) -> str:
        """The metric's name without its fields, which evaluate uses for folders and prefixes."""
        return self.metric.name

    def _info(self) -> Any:
        needs = [name for name in self.metric.required if name != "hypotheses"]
        unknown = [name for name in needs if name not in _FORMS]
        if unknown:
            raise InputError(f"{self.metric.spec} needs {', '.join(unknown)}, which evaluate cannot carry")
        options = [
            datasets.Features({"predictions": _TEXT, **dict(zip(needs, forms, strict=True))})
            for forms in itertools.product(*(_FORMS[name] for name in needs))
        ]
        return evaluate.MetricInfo(
            description=inspect.getdoc(type(self.metric)) or "",
            citation="",
            inputs_description=_INPUTS.format(names=", ".join(needs) or "none"),
            features=options if len(options) > 1 else options[0],
        )

    def _compute(
        self,
        *,
        predictions: Sequence[str],
        n_resamples: int = 0,
        level: float = 0.95,
        seed: int = 0,
        dialogue_ids: Sequence[str] | None = None,
        **columns: Any,
    ) -> dict[str, Any]:
        """The score of these predictions; columns that this metric does not need belong to others."""
        given = {name: column for name, column in columns.items() if name in self.metric.required}
        of_corpus = {name: given.pop(name) for name in _OF_CORPUS if name in given}
        ids = [str(i + 1) for i in range(len(predictions))]
        corpus = Corpus.build(ids=ids, dialogue_ids=dialogue_ids, **of_corpus)
        outputs = SystemOutputs.build("predictions", list(predictions), ids=ids, **given)
        found = score(corpus, outputs, [self.metric], n_resamples=n_resamples, level=level, seed=seed).scores[
            0
        ]
        name = self.metric.spec
        result: dict[str, Any] = {name: found.value}
        if found.interval:
            result |= {f"{name}_low": found.interval.low, f"{name}_high": found.interval.high}
        return result if found.reason is None else {**result, f"{name}_reason": found.reason}
