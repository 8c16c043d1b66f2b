"""The part of a study file that says what is judged: systems' outputs, corpus, sampling, pairs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from empeval.protocols.blocks import Block, Count, Text, wrong

__all__ = ["Pair", "Presentation", "Sampling"]

Pair = Annotated[tuple[Text, ...], Field(min_length=2, max_length=2)]


class Sampling(Block):
    """Which segments are judged: ``n`` of those that all systems answered, or all.

    ``random`` draws from all of them, ``stratified`` the same number (give or take one) from each emotion;
    both depend on the study's seed and the segments' ids alone.
    """

    method: Literal["all", "random", "stratified"] = "random"
    n: Count | None = None
    by: Literal["emotion"] = "emotion"

    @model_validator(mode="after")
    def _draws_some(self) -> Sampling:
        if self.method != "all" and self.n is None:
            raise wrong("this key is missing: how many items are drawn (or method: all)", "n")
        if self.method == "all" and self.n is not None:
            raise wrong("with method: all, every item is judged; leave n out", "n")
        return self


class Presentation(Block):
    """What raters see beside the dialogue: the speaker's situation, the emotion's label."""

    situation: bool = False
    emotion: bool = False
