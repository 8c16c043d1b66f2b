"""A free text."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from empeval.errors import RejectedJudgment
from empeval.study.questions.base import QUESTIONS, Answer, Control, Question, storable

__all__ = ["TextQuestion"]


@QUESTIONS.register("text")
class TextQuestion(Question):
    """What the rater writes, kept as it is; not required unless the study says so.

    What no database can hold, NUL and half of a surrogate pair, becomes U+FFFD.

    >>> TextQuestion(kind="text", name="why", prompt="Why?").parse(" It listens. ")
    ' It listens. '
    """

    kind: Literal["text"]
    required: bool = False
    max_length: Annotated[int, Field(ge=1, le=20_000)] = 2_000

    @property
    def level(self) -> str:
        return "text"

    def control(self) -> Control:
        return Control(
            self.name, self.kind, self.prompt, self.definition, (), self.required, max_length=self.max_length
        )

    def parse(self, answer: object) -> Answer:
        if not isinstance(answer, str) or (self.required and not answer.strip()):
            raise RejectedJudgment(f"Please answer: {self.prompt}")
        if len(answer) > self.max_length:
            raise RejectedJudgment(f"At most {self.max_length} characters, please, for: {self.prompt}")
        return storable(answer)
