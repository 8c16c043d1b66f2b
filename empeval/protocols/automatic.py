"""The automatic part of a protocol: the paper, its data and texts, and the columns of its table."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from empeval.errors import EmpevalError
from empeval.metrics import METRICS
from empeval.protocols.blocks import Block, Count, Marked, Slug, Text, wrong
from empeval.readers import READERS

__all__ = [
    "AuthorsParser",
    "Data",
    "Decoding",
    "LabelSet",
    "MetricColumn",
    "Outputs",
    "Paper",
    "TextProcessing",
]

_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]

_DIRECTION = {True: "higher", False: "lower", None: "neither"}


class Paper(Marked):
    """The publication that a protocol follows; ``year`` is the one it is cited by."""

    title: Text
    authors: Text
    venue: Text | None = None
    year: Annotated[int, Field(ge=1900, le=2100)]
    arxiv: Text | None = None
    repository: Text | None = None


class Data(Marked):
    """The test set: ``n_items`` responses of ``n_dialogues`` conversations, as ``item_filter`` picks them."""

    dataset: Text
    split: Text | None = None
    n_items: Count | None = None
    n_dialogues: Count | None = None
    item_filter: Text | None = None
    #: name of an entry of `label_sets`
    emotion_labels: Slug | None = None


class TextProcessing(Marked):
    """What was done to the texts before the system saw them, and hence to what it printed."""

    lowercase: bool | None = None
    contractions: Text | None = None
    tokenizer: Text | None = None
    output_is_tokenized: bool | None = None


class Decoding(Marked):
    """Which decode the paper's table is about (``stream``, as the log names it), and what else logs hold."""

    method: Text | None = None
    stream: Text | None = None
    other_streams: tuple[Text, ...] = ()
    max_steps: Count | None = None

    @model_validator(mode="after")
    def _streams_differ(self) -> Decoding:
        if self.stream in self.other_streams:
            raise wrong(f"{self.stream!r} is already the stream of the table", "other_streams")
        return self


class AuthorsParser(Block):
    """How the authors' scripts read the log, and whether that damages the text behind some prefixes."""

    damages: bool
    prefixes: tuple[Text, ...] = ()
    note: Text | None = None

    @model_validator(mode="after")
    def _damage_has_a_place(self) -> AuthorsParser:
        if self.damages != bool(self.prefixes):
            raise wrong("name the prefixes behind which text is damaged, and only those", "prefixes")
        return self


class Outputs(Marked):
    """The log with the outputs: what reads it, whether it is public, and what its systems are called.

    ``systems`` maps the name in the log, a file's stem or a stream, to the name in the published tables.
    """

    reader: Text | None = None
    public: bool | None = None
    systems: dict[Text, Text] = Field(default_factory=dict)
    authors_parser: AuthorsParser | None = None

    @field_validator("reader")
    @classmethod
    def _reader_exists(cls, name: str | None) -> str | None:
        if name is not None:
            try:
                READERS.create(name)
            except EmpevalError as error:
                raise wrong(str(error)) from None
        return name

    @property
    def parser(self) -> Literal["standard", "authors"]:
        """How to read the log so that it gives what the authors scored."""
        return "authors" if self.authors_parser is not None and self.authors_parser.damages else "standard"


class MetricColumn(Marked):
    """One number of the paper's table, or (``in_table`` false) one that its log or script prints besides.

    ``metric`` is its text form, ``authors`` the form as the authors coded it where that is another one, and
    ``standard`` the form that compares across papers. What is printed is the score / ``divisor``, rounded to
    ``decimals``. A number that the paper takes from the log's header is called ``claim`` there, and is on the
    printed scale once it is multiplied by ``claim_scale``. With ``chunk`` the segments are cut in chunks of
    that size, in order, and the last chunk is left out even if it is full.
    """

    label: Text
    metric: Text | None = None
    authors: Text | None = None
    standard: Text | None = None
    divisor: _Positive = 1.0
    decimals: Annotated[int, Field(ge=0, le=10)] = 2
    direction: Literal["higher", "lower", "neither"] | None = None
    source: Literal["computed", "header"] = "computed"
    claim: Text | None = None
    claim_scale: _Positive = 1.0
    chunk: Count | None = None
    in_table: bool = True
    definition: Text | None = None

    @field_validator("metric", "authors", "standard")
    @classmethod
    def _metric_exists(cls, text: str | None) -> str | None:
        if text is not None:
            try:
                METRICS.create(text)
            except EmpevalError as error:
                raise wrong(str(error)) from None
        return text

    @model_validator(mode="after")
    def _can_be_had(self) -> MetricColumn:
        if self.source == "computed" and self.metric is None:
            raise wrong("this key is missing: a computed number needs its metric", "metric")
        if self.source == "header" and self.claim is None:
            raise wrong("this key is missing: say what the log's header calls the number", "claim")
        if self.metric is None:
            if self.direction is None:
                raise wrong("this key is missing: without a metric nothing says what is better", "direction")
            return self
        expected = _DIRECTION[METRICS.create(self.metric).higher_is_better]
        if self.direction not in (None, expected):
            raise wrong(f"expected {expected!r} for {self.metric}, found {self.direction!r}", "direction")
        return self

    @property
    def as_coded(self) -> str | None:
        """The text form of what the authors computed."""
        return self.authors or self.metric

    @property
    def as_standard(self) -> str | None:
        """The text form that compares across papers."""
        return self.standard or self.metric

    @property
    def better(self) -> str:
        """``higher``, ``lower`` or ``neither``."""
        if self.direction is not None:
            return self.direction
        assert self.metric is not None  # the validator saw to it
        return _DIRECTION[METRICS.create(self.metric).higher_is_better]


class LabelSet(Marked):
    """The labels of a classification, in the order of their indices.

    ``when_missing`` replaces an empty or unknown label. ``groups`` cut the set in parts, such as polarities.
    """

    labels: Annotated[tuple[Text, ...], Field(min_length=2)]
    when_missing: Text | None = None
    groups: dict[Slug, tuple[Text, ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _labels_are_consistent(self) -> LabelSet:
        twice = {label for label in self.labels if self.labels.count(label) > 1}
        if twice:
            raise wrong(f"{min(twice)!r} is listed twice", "labels")
        if self.when_missing is not None and self.when_missing not in self.labels:
            raise wrong(f"{self.when_missing!r} is not one of the labels", "when_missing")
        grouped = [label for group in self.groups.values() for label in group]
        for label in (*grouped, *self.labels) if grouped else ():
            if grouped.count(label) != 1 or label not in self.labels:
                raise wrong(f"every label belongs to exactly one group; see {label!r}", "groups")
        return self
