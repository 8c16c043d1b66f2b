"""Published numbers, table by table as they were printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, model_validator

from empeval.protocols.blocks import Block, Count, Mark, Printed, SourceKind, Text, wrong
from empeval.protocols.grim import grim, grim_shares

__all__ = ["Cell", "PublishedTable"]

Part = Literal["automatic", "ratings", "preferences"]


@dataclass(frozen=True)
class Cell:
    """One published number.

    ``value`` is the text as printed, so that its decimals count, and ``plus_minus`` the standard error beside
    it. ``column`` is the label of a metric or of a dimension, or an option (win, lose, …) of a comparison of
    ``system`` with ``against`` on an ``aspect``. ``stream`` names a decode, ``group`` the labels that the
    number is restricted to. ``n`` counts segments or items, ``raters`` the answers that each item has.
    """

    table: str
    part: Part
    system: str
    column: str
    value: str
    source: str
    source_kind: SourceKind
    verified: bool
    plus_minus: str | None = None
    n: int | None = None
    raters: int | None = None
    stream: str | None = None
    against: str | None = None
    aspect: str | None = None
    group: str | None = None
    note: str | None = None

    @property
    def number(self) -> float:
        """The value as a number."""
        return float(self.value)

    @property
    def decimals(self) -> int:
        """How many decimals are printed."""
        return len(self.value.partition(".")[2])


class PublishedTable(Block):
    """Numbers from one place: a row for each system, a value (or null) for each of ``columns``.

    In a table of preferences the rows are the systems that ``system`` was compared with. A row named
    ``SYSTEM:STREAM`` is about one decode of a log that holds several.
    """

    title: Text
    part: Part
    mark: Mark
    n: Count | None = None
    raters: Count | None = None
    system: Text | None = None
    aspect: Text | None = None
    group: Text | None = None
    columns: Annotated[tuple[Text, ...], Field(min_length=1)]
    rows: Annotated[dict[Text, tuple[Printed | None, ...]], Field(min_length=1)]
    note: Text | None = None

    @model_validator(mode="after")
    def _is_a_table(self) -> PublishedTable:
        if len(set(self.columns)) < len(self.columns):
            raise wrong("a column is named twice", "columns")
        for name, row in self.rows.items():
            if len(row) != len(self.columns):
                raise wrong(f"expected {len(self.columns)} values, found {len(row)}", "rows", name)
        for key in ("system", "aspect"):
            if (self.part == "preferences") != (getattr(self, key) is not None):
                reason = "this key is missing: a table" if self.part == "preferences" else "only a table"
                raise wrong(f"{reason} of preferences says who was compared with the rows, and on what", key)
        return self

    def cells(self) -> Iterator[Cell]:
        """The numbers one by one, row by row."""
        for row, values in self.rows.items():
            name, _, stream = row.partition(":")
            for column, printed in zip(self.columns, values, strict=True):
                if printed is None:
                    continue
                value, _, error = printed.partition("±")
                yield Cell(
                    table=self.title,
                    part=self.part,
                    system=self.system or name,
                    column=column,
                    value=value,
                    source=self.mark.source,
                    source_kind=self.mark.source_kind,
                    verified=self.mark.verified,
                    plus_minus=error or None,
                    n=self.n,
                    raters=self.raters,
                    stream=stream or None,
                    against=name if self.part == "preferences" else None,
                    aspect=self.aspect,
                    group=self.group,
                    note=self.note,
                )

    def grim_rows(self) -> dict[str, bool | None]:
        """Whether ``n`` items can give the numbers of each row; None for scores and where ``n`` is not known.

        Percentages that add up to 100 share the items among them; any other number is looked at alone.
        """
        known = self.n is not None and (self.part == "preferences" or self.raters is not None)
        checkable = known and self.part != "automatic"
        return {name: self._grim_row(row) if checkable else None for name, row in self.rows.items()}

    def _grim_row(self, row: tuple[str | None, ...]) -> bool:
        n, raters = self.n or 1, self.raters or 1
        values = [value.partition("±")[0] for value in row if value is not None]
        if self.part == "ratings":
            return all(grim(value, n, "mean", raters=raters) for value in values)
        if abs(sum(map(float, values)) - 100) < 0.5:
            return grim_shares(values, n, raters=raters) is not None
        return all(grim(value, n, raters=raters) for value in values)
