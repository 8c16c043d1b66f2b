"""What all parts of a protocol share: strictness, marks of provenance, and the texts they are made of."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

__all__ = ["PATTERNS", "Block", "Count", "Mark", "Marked", "Printed", "Slug", "SourceKind", "Text", "wrong"]

_TEXT = r"\S"
_SLUG = r"^[a-z0-9][a-z0-9._-]*$"
_NUMBER = r"[0-9]{1,15}(\.[0-9]{1,12})?"
_PRINTED = rf"^-?{_NUMBER}(±{_NUMBER})?$"

#: What a text has to be like, by the pattern that says so.
PATTERNS: Mapping[str, str] = {
    _TEXT: "a text that is not blank",
    _SLUG: "lower-case letters, digits, '.', '_' and '-'",
    _PRINTED: "a number in quotes, as it is printed, such as '2.90' or '3.76±0.11'",
}

Text = Annotated[str, Field(pattern=_TEXT)]
Slug = Annotated[str, Field(pattern=_SLUG)]
#: A number with the decimals it is printed with; its standard error may follow a ±.
Printed = Annotated[str, Field(pattern=_PRINTED)]
Count = Annotated[int, Field(ge=1, le=10**9)]

SourceKind = Literal["paper", "code", "recomputed", "secondary", "memory"]


def wrong(message: str, *at: str | int) -> PydanticCustomError:
    """The complaint of a validator about what stands at a path below its block."""
    return PydanticCustomError("protocol", "{message}", {"message": message, "at": at})


class Block(BaseModel):
    """A part of a protocol: frozen, and strict about keys and types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, data: Any) -> Any:
        """Name the nearest key that exists, which `extra="forbid"` alone does not."""
        for key in data if isinstance(data, Mapping) else ():
            if key not in cls.model_fields:
                near = difflib.get_close_matches(str(key), cls.model_fields, n=1, cutoff=0.5)
                hint = f"; did you mean {near[0]!r}?" if near else "."
                raise wrong(f"unknown key{hint} Known here: {', '.join(cls.model_fields)}", key)
        return data


class Mark(Block):
    """Where a fact comes from, and whether it was checked there.

    ``paper``, ``code`` and ``recomputed`` (from the published outputs) are primary sources; ``secondary`` is
    another paper or a public summary, ``memory`` no source at all. ``verified`` says that the fact was
    checked against a primary source, so that neither of the latter two can be verified.
    """

    source_kind: SourceKind
    source: Text
    verified: bool

    @model_validator(mode="after")
    def _only_primary_sources_verify(self) -> Mark:
        if self.verified and self.source_kind in ("secondary", "memory"):
            raise wrong(
                f"a fact of source_kind {self.source_kind!r} is not verified; once it has been checked, "
                "source_kind and source name what it was checked against",
                "verified",
            )
        return self


class Marked(Block):
    """A block that says where its facts come from; only a design of one's own needs no mark."""

    mark: Mark | None = None
    note: Text | None = None
