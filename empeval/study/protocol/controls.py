"""The part of a study file that watches quality: practice, attention checks, gold, repeats, damage."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from empeval.protocols.blocks import Block, Count, Slug, Text, wrong

__all__ = ["Attention", "Damaged", "Duplicates", "Example", "Expected", "Gold", "Practice", "ShownItem"]

#: What is expected of one question: an answer, or any of several.
Expected = str | int | Annotated[tuple[str | int, ...], Field(min_length=1)]


class ShownItem(Block):
    """An item that the study file itself holds: turns and one response, or two.

    ``expected`` names the answers, by question, that are right; a question that it leaves out may be answered
    in any way.
    """

    context: tuple[Text, ...] = ()
    response: Text | None = None
    responses: Annotated[tuple[Text, ...], Field(min_length=2, max_length=2)] | None = None
    expected: Annotated[dict[Slug, Expected], Field(min_length=1)]
    explanation: Text | None = None

    @model_validator(mode="after")
    def _shows_one_or_two(self) -> ShownItem:
        if (self.response is None) == (self.responses is None):
            raise wrong("expected response (one) or responses (two), and not both", "response")
        return self

    @property
    def kind(self) -> Literal["rating", "pair"]:
        """Whether one response is rated or two are compared."""
        return "rating" if self.responses is None else "pair"

    @property
    def texts(self) -> tuple[str, ...]:
        """The responses, in the order in which they are shown."""
        return self.responses if self.responses is not None else (self.response or "",)


class Example(ShownItem):
    """An item with its answers, shown with the instructions; ``explanation`` says why."""


_Items = Annotated[tuple[ShownItem, ...], Field(min_length=1)]


class Practice(Block):
    """Items with feedback before the task; each may be tried ``tries`` times.

    Whoever gets more than ``max_failures`` of them wrong to the end is screened out (and paid as the
    platform does for that), unless ``screen_out`` is false.
    """

    items: _Items
    tries: Annotated[int, Field(ge=1, le=10)] = 2
    max_failures: Annotated[int, Field(ge=0)] = 0
    screen_out: bool = True


class Attention(Block):
    """Items whose text says how to answer them; each rater gets ``per_rater`` of them."""

    items: _Items
    per_rater: Count = 2


class Gold(Block):
    """Items with an answer that most would give; failing them is never ground for refusing pay."""

    items: _Items
    per_rater: Count = 1


class Duplicates(Block):
    """Items shown to the same rater again, at least ``min_gap`` items later."""

    per_rater: Count = 1
    min_gap: Count = 5


class Damaged(Block):
    """Responses that were damaged on purpose, and must fare worse than the rater's others.

    ``other_dialogue`` puts in the response to another dialogue, ``repeated`` says every word again and again.
    """

    per_rater: Count = 1
    method: Literal["other_dialogue", "repeated"] = "other_dialogue"
