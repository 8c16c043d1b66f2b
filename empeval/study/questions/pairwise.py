"""Which of two responses, with or without "both" and "neither"."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from empeval.protocols.blocks import Text, wrong
from empeval.study.questions.base import QUESTIONS, About, Answer, Choice, Control, Question, one_of

__all__ = ["Pairwise"]

_LABELS: dict[str, str] = {
    "first": "the first reply",
    "second": "the second reply",
    "tie": "both equally",
    "neither": "neither",
}


@QUESTIONS.register("pairwise")
class Pairwise(Question):
    """A choice between the response shown first and the one shown second.

    >>> question = Pairwise(kind="pairwise", name="overall", prompt="Which would you rather have heard?")
    >>> question.parse("tie"), question.n_systems
    ('tie', 2)
    """

    kind: Literal["pairwise"]
    about: About = "pair"
    tie: bool = True
    neither: bool = False
    option_texts: dict[Literal["first", "second", "tie", "neither"], Text] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _options_are_consistent(self) -> Pairwise:
        if self.about != "pair":
            raise wrong("a pairwise question is about a pair", "about")
        for shown in self.option_texts:
            if shown not in self.values:
                raise wrong("this is not one of the options", "option_texts", shown)
        return self

    @property
    def level(self) -> str:
        return "nominal"

    @property
    def values(self) -> tuple[str, ...]:
        """The answers that it takes."""
        return ("first", "second", *(["tie"] if self.tie else []), *(["neither"] if self.neither else []))

    def control(self) -> Control:
        texts: dict[str, str] = _LABELS | {str(shown): text for shown, text in self.option_texts.items()}
        choices = tuple(Choice(value, texts[value], str(i)) for i, value in enumerate(self.values, start=1))
        return Control(self.name, self.kind, self.prompt, self.definition, choices, self.required)

    def parse(self, answer: object) -> Answer:
        return one_of(answer, self.values, self.prompt)
