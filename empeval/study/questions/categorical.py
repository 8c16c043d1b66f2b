"""One of several named categories."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from empeval.protocols.blocks import Slug, Text
from empeval.study.questions.base import QUESTIONS, Answer, Choice, Control, Question, one_of

__all__ = ["Categorical"]

_DIGITS = 9


@QUESTIONS.register("categorical")
class Categorical(Question):
    """A category; ``options`` maps the value that is stored to the label that is shown.

    >>> options = {"ask": "It asks", "tell": "It tells"}
    >>> question = Categorical(kind="categorical", name="intent", prompt="It does what?", options=options)
    >>> question.parse("ask"), question.level
    ('ask', 'nominal')
    """

    kind: Literal["categorical"]
    options: Annotated[dict[Slug, Text], Field(min_length=2, max_length=50)]
    measurement: Literal["nominal", "ordinal"] = "nominal"

    @property
    def level(self) -> str:
        return self.measurement

    def control(self) -> Control:
        choices = tuple(
            Choice(value, label, str(i) if len(self.options) <= _DIGITS else None)
            for i, (value, label) in enumerate(self.options.items(), start=1)
        )
        return Control(self.name, self.kind, self.prompt, self.definition, choices, self.required)

    def parse(self, answer: object) -> Answer:
        return one_of(answer, tuple(self.options), self.prompt)
