"""Scales of whole numbers, with words beside some of them."""

from __future__ import annotations

from typing import Literal

from empeval.protocols.human import Scale
from empeval.study.questions.base import QUESTIONS, Answer, Choice, Control, Question, one_of

__all__ = ["Likert"]

#: Scales that a single digit answers.
_DIGITS = 9


@QUESTIONS.register("likert")
class Likert(Question):
    """A point on a scale of whole numbers.

    >>> question = Likert(kind="likert", name="empathy", prompt="How warm?", scale=Scale(low=1, high=5))
    >>> question.parse("4"), [choice.value for choice in question.control().choices]
    (4, ['1', '2', '3', '4', '5'])
    """

    kind: Literal["likert"]
    scale: Scale

    @property
    def level(self) -> str:
        return self.scale.measurement

    @property
    def points(self) -> range:
        """The scale's points from low to high."""
        return range(self.scale.low, self.scale.high + 1)

    def control(self) -> Control:
        keyed = self.scale.low >= 0 and self.scale.high <= _DIGITS
        choices = tuple(
            Choice(str(point), self.scale.anchors.get(point, ""), str(point) if keyed else None)
            for point in self.points
        )
        return Control(self.name, self.kind, self.prompt, self.definition, choices, self.required)

    def parse(self, answer: object) -> Answer:
        return int(one_of(answer, tuple(map(str, self.points)), self.prompt))
