"""A protocol: how one paper, or one study, evaluates empathetic dialogue systems, and what it reported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, model_validator

from empeval.protocols.automatic import Data, Decoding, LabelSet, MetricColumn, Outputs, Paper, TextProcessing
from empeval.protocols.blocks import Block, Slug, Text, wrong
from empeval.protocols.human import HumanPart
from empeval.protocols.published import Cell, PublishedTable

__all__ = ["Checks", "Protocol"]


class Checks(Block):
    """What is checked of the published numbers: ``grim``, whether the human ones are possible at their n."""

    grim: bool = False


class Protocol(Block):
    """The recipe of an evaluation; every part is optional but its name, its data and one way of measuring."""

    id: Slug
    aliases: tuple[Slug, ...] = ()
    extends: Text | None = None
    paper: Paper | None = None
    data: Data
    text: TextProcessing | None = None
    decoding: Decoding | None = None
    outputs: Outputs | None = None
    metrics: tuple[MetricColumn, ...] = ()
    label_sets: dict[Slug, LabelSet] = Field(default_factory=dict)
    human: HumanPart | None = None
    published: tuple[PublishedTable, ...] = ()
    checks: Checks = Checks()
    notes: Annotated[tuple[Text, ...], Field(max_length=100)] = ()

    @model_validator(mode="after")
    def _parts_fit_together(self) -> Protocol:
        if not self.metrics and self.human is None:
            raise wrong("this key is missing: a protocol has metrics, a human part or both", "metrics")
        labels = [column.label for column in self.metrics]
        for i, label in enumerate(labels):
            if label in labels[:i]:
                raise wrong(f"{label!r} is there twice", "metrics", i, "label")
        self._check_label_sets()
        for i, table in enumerate(self.published):
            for message, *at in self._complaints_about(table):
                raise wrong(message, "published", i, *at)
        return self

    def _check_label_sets(self) -> None:
        items = self.human.items if self.human else None
        for name, at in (
            (self.data.emotion_labels, ("data", "emotion_labels")),
            (items and items.label_set, ("human", "items", "label_set")),
        ):
            if name is not None and name not in self.label_sets:
                raise wrong(f"there is no label set {name!r} under label_sets", *at)
        if items and items.n and items.per_stratum and items.label_set:
            n = items.per_stratum * len(self.label_sets[items.label_set].labels)
            if items.n != n:
                raise wrong(
                    f"expected {n}: {items.per_stratum} for each label of {items.label_set}",
                    "human",
                    "items",
                    "n",
                )

    def _complaints_about(self, table: PublishedTable) -> Iterator[tuple[str, *tuple[str | int, ...]]]:
        """What a table names that this protocol does not have: a message, and the path below the table."""
        ratings = self.human.ratings if self.human else None
        preferences = self.human.preferences if self.human else None
        measured: dict[str, list[str]] = {
            "automatic": [column.label for column in self.metrics],
            "ratings": [dimension.label for dimension in ratings.dimensions] if ratings else [],
            "preferences": list(preferences.options) if preferences else [],
        }
        for i, column in enumerate(table.columns):
            if column not in measured[table.part]:
                yield _expected(measured[table.part], column), "columns", i
        aspects = [aspect.label for aspect in preferences.aspects] if preferences else []
        if table.aspect is not None and table.aspect not in aspects:
            yield _expected(aspects, table.aspect), "aspect"
        groups = [group for labels in self.label_sets.values() for group in labels.groups]
        if table.group is not None and table.group not in groups:
            yield _expected(groups, table.group), "group"
        streams = [self.decoding.stream, *self.decoding.other_streams] if self.decoding else []
        for row in table.rows:
            stream = row.partition(":")[2]
            if stream and stream not in streams:
                yield f"there is no stream {stream!r} under decoding", "rows", row

    @property
    def table_metrics(self) -> tuple[MetricColumn, ...]:
        """The columns of the paper's own table, in order."""
        return tuple(column for column in self.metrics if column.in_table)

    def metric(self, label: str) -> MetricColumn:
        """The column of a label; KeyError if there is none."""
        return {column.label: column for column in self.metrics}[label]

    def cells(self) -> tuple[Cell, ...]:
        """All published numbers, table by table."""
        return tuple(cell for table in self.published for cell in table.cells())

    def printed_name(self, system: str) -> tuple[str, str | None]:
        """What the published tables call a system read as ``stem`` or ``stem:stream``, and its stream.

        A stream that is a system of its own (MoEL's log holds several) leaves none.
        """
        names = self.outputs.systems if self.outputs else {}
        stem, _, stream = system.partition(":")
        if stream in names:
            return names[stream], None
        return names.get(stem, stem), stream or None


def _expected(known: list[str], found: str) -> str:
    named = ", ".join(known) or "nothing"
    return f"expected one of what this protocol has ({named}), found {found!r}"
