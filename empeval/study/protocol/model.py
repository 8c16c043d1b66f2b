"""A study file as a checked value."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SerializeAsAny, model_validator

from empeval.protocols.blocks import Block, Count, Slug, Text, wrong
from empeval.study.protocol import checks
from empeval.study.protocol.controls import Attention, Damaged, Duplicates, Example, Gold, Practice
from empeval.study.protocol.materials import Pair, Presentation, Sampling
from empeval.study.protocol.people import Completion, Consent, FormField, Pay, Platform, Skip
from empeval.study.questions import Question

__all__ = ["Kind", "StudyParts", "StudyProtocol"]

_Minutes = Annotated[float, Field(gt=0, le=10_080)]
Kind = Literal["rating", "pair"]


class StudyParts(Block):
    """Every key of a study file, each checked by itself."""

    id: Slug
    version: Count = 1
    title: Text
    extends: Text | None = None
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0

    systems: (
        Annotated[dict[Text, Text], Field(min_length=1)] | Annotated[tuple[Text, ...], Field(min_length=1)]
    )
    corpus: Text | None = None
    reader: Text | None = None
    columns: dict[Slug, Text] = Field(default_factory=dict)
    sampling: Sampling = Sampling(method="all")
    presentation: Presentation = Presentation()

    questions: Annotated[tuple[SerializeAsAny[Question], ...], Field(min_length=1)]
    pairs: Literal["all"] | Annotated[tuple[Pair, ...], Field(min_length=1)] = "all"
    ratings_per_item: Annotated[int, Field(ge=1, le=1000)] = 3
    responses_per_segment_per_rater: Literal["all", "one"] | Count | None = None
    quota: Count | None = None

    instructions: Text
    examples: tuple[Example, ...] = ()
    practice: Practice | None = None
    attention: Attention | None = None
    gold: Gold | None = None
    duplicates: Duplicates | None = None
    damaged: Damaged | None = None

    platform: Platform = "lab"
    consent: Consent | None = None
    demographics: tuple[FormField, ...] = ()
    content_notes: tuple[Text, ...] = ()
    skip: Skip = Skip()
    back: bool = True
    debrief: Text | None = None
    completion: Completion = Completion()
    pay: Pay | None = None

    lease_minutes: _Minutes = 30
    lease_cap_minutes: _Minutes = 240
    capacity: Count = 150
    max_raters: Count | None = None
    database: Text | None = None
    forget: Literal["keep_ratings", "remove_ratings"] = "remove_ratings"

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What is shown: items with one response, with two, or both in turn."""
        asked = {question.about for question in self.questions}
        return (*(("rating",) if "response" in asked else ()), *(("pair",) if "pair" in asked else ()))

    def asked_about(self, kind: Kind) -> tuple[Question, ...]:
        """The questions about one response, or about a pair."""
        about = "response" if kind == "rating" else "pair"
        return tuple(question for question in self.questions if question.about == about)

    @property
    def max_responses_per_segment(self) -> int | None:
        """How many showings of one segment a rater may get; None where there is no bound."""
        policy = self.responses_per_segment_per_rater
        if policy is None:
            policy = "all" if self.platform == "lab" else "one"
        return {"all": None, "one": 1}[policy] if isinstance(policy, str) else policy


class StudyProtocol(StudyParts):
    """The recipe of a study: what is judged, what is asked, of whom, how often, and under which terms."""

    @model_validator(mode="after")
    def _parts_fit_together(self) -> StudyProtocol:
        for message, *at in checks.faults(self):
            raise wrong(message, *at)
        return self
