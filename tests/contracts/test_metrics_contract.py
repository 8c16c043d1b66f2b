"""Every registered metric, crossed with the values of its fields, keeps the contract; broken ones do not."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from empeval.errors import InputError
from empeval.metrics import METRICS, Metric
from empeval.scoring import Signature
from empeval.statistics.segments import SegmentStats
from empeval.testing import METRIC_CHECKS, sample

#: Metrics that cannot be made from defaults, with what they need; tests of their own see to them.
NEEDS_MORE: dict[str, str] = {
    "bertscore": "a model: tests/encoders/test_bertscore.py",
    "evaluate": "the folder of a module: tests/metrics/test_evaluate.py",
    "response_emotion_accuracy": "a classifier: tests/metrics/test_response_emotion_accuracy.py",
}
#: Values of fields that can take any number, or that go together.
MORE = {
    "distinct": [{"n": n} for n in (2, 3, 9)]
    + [{"n": 2, "key": "concat"}, {"n": 2, "average": "macro", "key": "concat"}]
    + [{"adjust": "ead", "vocabulary": v} for v in (2, 30_522)],
    "bleu": [{"average": "segment", "effective_order": True, "smooth": "floor", "order": 3}],
    "emotion_accuracy": [{"k": 2}, {"k": 3}],
    "generic": [{"k": 1}, {"k": 3}],
    "hits": [{"k": 10}, {"k": 100}],
    "ngram_precision": [{"n": 4, "average": "segment"}],
    "perplexity": [],  # tests of its own give it a model
}


def variants(cls: type[Metric]) -> Iterator[Metric]:
    """The defaults, each listed value of each field, and a few combinations."""
    yield cls()
    hints = typing.get_type_hints(cls)
    for field in dataclasses.fields(cls):
        choices = typing.get_args(hints[field.name]) if "Literal" in str(hints[field.name]) else ()
        for value in (True, False) if hints[field.name] is bool else choices:
            if value != field.default:
                try:
                    yield cls(**{field.name: value})
                except InputError:  # a value that needs another field, such as adjust=ead
                    assert cls.name in MORE
    yield from (cls(**fields) for fields in MORE.get(cls.name, []))


ALL = [metric for name, cls in METRICS.items() if name not in NEEDS_MORE for metric in variants(cls)]


@pytest.fixture(scope="module")
def data():
    """The corpus and its systems; what metrics derive from them is shared, as it is in use."""
    return sample()


@pytest.mark.parametrize("check", METRIC_CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.spec)
def test_the_contract(check, metric, data) -> None:
    """Each check of each metric on its own."""
    corpus, systems = data
    check(metric, corpus, systems)


def test_a_signature_belongs_to_one_metric() -> None:
    """Metrics that differ in any field differ in their signature, so that no column can mix them."""
    signatures = {str(Signature.of(metric, n_segments=1, rule="strict", fingerprint="0")) for metric in ALL}
    assert len(set(ALL)) == len(signatures)


def test_every_metric_is_covered() -> None:
    """A metric that needs more than its defaults says so in this file."""
    assert set(METRICS.names()) == {metric.name for metric in ALL} | set(NEEDS_MORE)


@dataclass(frozen=True)
class Words(Metric):
    """Share of words that end in a mark: a metric as another package would bring it."""

    name: ClassVar[str] = "words"
    higher_is_better: ClassVar[bool | None] = True

    mark: str = "."

    def segment_stats(self, corpus, outputs):
        words = [text.split() for text in outputs.hypotheses]
        rows = [[sum(word.endswith(self.mark) for word in found), len(found)] for found in words]
        return SegmentStats(np.array(rows), ("marked", "words"))

    def aggregate(self, totals):
        return 100.0 * totals[..., 0] / totals[..., 1]


@pytest.fixture
def registered():
    """Register a class under its name for the length of a test."""
    names = []

    def enter(cls: type[Metric]) -> type[Metric]:
        METRICS.register(cls.name)(cls)
        names.append(cls.name)
        return cls

    yield enter
    for name in names:
        del METRICS._things[name]


@pytest.mark.parametrize("check", METRIC_CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_a_metric_of_another_package_passes(check, registered) -> None:
    """Also with a value that needs quotes, and a mark that no word has."""
    registered(Words)
    for mark in (".", 'a,"b"=(c)', ""):
        check(Words(mark), *sample())


class Unregistered(Words):
    """Its text form leads nowhere, or to another metric."""

    name = "length"


class Undocumented(Words):  # noqa: D101 — which is its fault
    __doc__ = ""


class ForgetfulSignature(Words):
    """A field that changes the number is not in the signature."""

    def signature_fields(self) -> dict[str, str]:
        return {}


class Careless(Words):
    """`aggregate` works in place."""

    def aggregate(self, totals):
        totals += 1
        return super().aggregate(totals)


class OnlyFlat(Words):
    """`aggregate` takes one row of totals only."""

    def aggregate(self, totals):
        return 100.0 * totals.flat[0] / totals.flat[1]


class OutOfBounds(Words):
    """Per mille, declared as percent."""

    def aggregate(self, totals):
        return 50.0 + 100.0 * super().aggregate(totals)


class SilentlyZero(Words):
    """A missing column becomes a number."""

    needs = ("predicted_intents",)

    def problem(self, corpus, outputs) -> str | None:
        return None


class Positional(Words):
    """Rows depend on where a segment stands."""

    def segment_stats(self, corpus, outputs):
        rows = super().segment_stats(corpus, outputs).values
        return SegmentStats(rows * (1 + np.arange(len(rows)))[:, None], ("marked", "words"))


class WholeCorpus(Words):
    """Rows depend on what other segments say, which shards cannot know."""

    def segment_stats(self, corpus, outputs):
        rows = super().segment_stats(corpus, outputs).values
        return SegmentStats(rows + np.array([len(set(outputs.hypotheses)), 100]), ("marked", "words"))


class Sum(Words):
    """A total, where a ratio was meant: it grows with the number of segments."""

    bounds = (0.0, None)

    def aggregate(self, totals):
        return np.asarray(totals[..., 0], dtype=float)


class Brevity(Words):
    """Claims text quality, but fewer words make it better."""

    text_quality = True

    def aggregate(self, totals):
        return 100.0 / (1.0 + totals[..., 1])


class NoIntervals(Words):
    """Declares a kind of resampling that does not exist."""

    resampling = "jacknife"


@pytest.mark.parametrize(
    ("broken", "check"),
    [
        (Unregistered, "text_form"),
        (Undocumented, "declarations"),
        (NoIntervals, "declarations"),
        (ForgetfulSignature, "signature"),
        (Careless, "totals"),
        (OnlyFlat, "totals"),
        (OutOfBounds, "bounds"),
        (Positional, "any_order"),
        (WholeCorpus, "shards"),
        (Sum, "scale"),
        (Brevity, "emptied_response"),
    ],
)
def test_a_broken_metric_fails(broken, check) -> None:
    """The checks notice what they are for."""
    failing = next(c for c in METRIC_CHECKS if c.__name__ == f"check_{check}")
    with pytest.raises(AssertionError):
        failing(broken(), *sample())


class Unpaired(Words):
    """Rows depend on the name of the system, so that even a copy differs."""

    def segment_stats(self, corpus, outputs):
        rows = super().segment_stats(corpus, outputs).values
        return SegmentStats(rows + np.array([len(outputs.system), 100]), ("marked", "words"))


class Sociable(Words):
    """Rows depend on how many systems were measured before."""

    measured: ClassVar[list[str]] = []

    def segment_stats(self, corpus, outputs):
        self.measured.append(outputs.system)
        rows = super().segment_stats(corpus, outputs).values
        return SegmentStats(rows + np.array([len(self.measured), 100]), ("marked", "words"))


@pytest.mark.parametrize(
    ("broken", "check"), [(Unpaired, "self_comparison"), (Sociable, "no_change_by_company")]
)
def test_a_metric_that_looks_at_other_systems_fails(broken, check) -> None:
    """A number belongs to one system alone."""
    failing = next(c for c in METRIC_CHECKS if c.__name__ == f"check_{check}")
    with pytest.raises(AssertionError):
        failing(broken(), *sample())
