"""Every key of a study file in one line each: what templates and the documentation say of it."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic.fields import FieldInfo

from empeval.protocols.blocks import Block
from empeval.study.protocol.model import StudyParts
from empeval.study.questions import Question

__all__ = ["KEYS", "SECTIONS", "Key", "block_of", "keys"]

#: The key that opens a part of the file, and the part's name.
SECTIONS = {
    "id": "The study",
    "systems": "What is judged",
    "questions": "What is asked, and how often",
    "instructions": "What raters read, and how they are checked",
    "platform": "People",
    "lease_minutes": "Running it",
}

KEYS = {
    "id": "the study's name in the database: lower-case letters, digits, '.', '_' and '-'",
    "version": "a study that has begun keeps its file; a changed one gets the next number",
    "title": "what raters see as the page's title; it does not say what is studied",
    "extends": "a published protocol (`empeval protocols`) or a study file whose keys are taken over",
    "seed": "decides which items are drawn, the order, and which response is shown first",
    "systems": "each system's file of outputs, relative to this file, by its name; or a list of files",
    "corpus": "the test set: ids, contexts, emotions; not needed where the outputs hold the contexts",
    "reader": "how the outputs are read, where their content does not say (`empeval readers`)",
    "columns": "columns of the files under another name: field: column",
    "sampling": "which of the segments that all systems answered are judged; without it, all",
    "sampling.method": "all, random, or stratified (equally many of each emotion)",
    "sampling.n": "how many; needed unless all",
    "sampling.by": "what the strata are",
    "presentation": "what raters see beside the dialogue",
    "presentation.situation": "the speaker's situation, where the corpus has it",
    "presentation.emotion": "the label of the emotion, where the corpus has it",
    "questions": "kind: likert (a scale), pairwise (which of two), categorical or text; names become columns",
    "pairs": "which systems are compared: all, or a list of pairs [A, B]",
    "ratings_per_item": "how many raters judge each response, and each pair",
    "responses_per_segment_per_rater": "all (default in a lab), one (default of crowds), or a number",
    "quota": "how many items one rater gets at most, checks not among them; without it as many as there are",
    "instructions": "shown before the first item, and at hand at every item",
    "examples": "items with their answers, shown with the instructions",
    "practice": "items with feedback before the task",
    "practice.items": "context, response (or responses: two), expected answers by question, explanation",
    "practice.tries": "how often each may be tried; Prolific asks for two",
    "practice.max_failures": "how many may stay wrong",
    "practice.screen_out": "whether whoever fails more is sent back with the code screened_out",
    "attention": "items whose text says how to answer them",
    "attention.items": "as under practice",
    "attention.per_rater": "how many each rater gets, at random places",
    "gold": "items with an answer that most would give: for the analysis, never a ground to refuse pay",
    "gold.items": "as under practice",
    "gold.per_rater": "how many each rater gets",
    "duplicates": "items that a rater gets again, pairs with their sides exchanged",
    "duplicates.per_rater": "how many",
    "duplicates.min_gap": "how many items later at least",
    "damaged": "responses damaged on purpose, which must fare worse",
    "damaged.per_rater": "how many each rater gets",
    "damaged.method": "other_dialogue (the response to another dialogue) or repeated (every word again)",
    "platform": "lab (personal links), prolific, or open (one link for everybody)",
    "consent": "what raters agree to before anything else; needed outside a lab",
    "consent.version": "kept with each rater; a changed text gets another",
    "consent.text": "the text",
    "consent.statements": "sentences to tick, each of them",
    "demographics": "a form about the rater; kind: choice (with options), number or text",
    "content_notes": "what the dialogues may hold that could distress, shown before consent",
    "skip": "passing over an item without loss of pay; it goes to somebody else",
    "skip.allowed": "whether items may be passed over",
    "skip.max_per_rater": "how often at most",
    "back": "whether a rater may go back and correct",
    "debrief": "shown at the end",
    "completion": "codes that send raters back to the platform",
    "completion.done": "for whoever finished",
    "completion.screened_out": "for whoever failed the practice",
    "completion.problem": "for whoever met a fault of ours, and is paid all the same",
    "completion.url": "the address that takes them, with {code} in it (default: the platform's)",
    "pay": "what a rater gets for the whole study",
    "pay.amount": "in money",
    "pay.currency": "three capital letters",
    "pay.minutes": "the time that raters are told it takes (default: the estimate)",
    "pay.minimum_per_hour": "`validate` warns below it",
    "lease_minutes": "how long an item waits for a rater who has gone silent",
    "lease_cap_minutes": "how long an item stays with a rater whose page is open and who does not answer",
    "capacity": "raters at a time in one process; more are asked to come back before they agree to anything",
    "max_raters": "raters in all",
    "database": "a file beside this one, or an address (postgresql://…); EMPEVAL_DATABASE_URL goes before it",
    "forget": "whether the ratings of whoever withdraws go too (remove_ratings) or stay (keep_ratings)",
}


@dataclass(frozen=True)
class Key:
    """A key, what it says, and its default (None where there is none)."""

    path: str
    words: str
    default: Any
    required: bool


def keys(block: type[Block] = StudyParts, above: str = "") -> Iterator[Key]:
    """Every key of a block in the order of the model, those of blocks below it after it.

    >>> [key.path for key in keys() if key.path.startswith("sampling")]
    ['sampling', 'sampling.method', 'sampling.n', 'sampling.by']
    """
    for name, field in block.model_fields.items():
        path = f"{above}{name}"
        yield Key(path, KEYS[path], _default(field), field.is_required())
        inner = block_of(field)
        if inner is not None:
            yield from keys(inner, f"{path}.")


def block_of(field: FieldInfo) -> type[Block] | None:
    """The block that a field holds, unless it holds several, or questions."""
    union = typing.get_origin(field.annotation) in (typing.Union, types.UnionType)
    for part in typing.get_args(field.annotation) if union else (field.annotation,):
        if isinstance(part, type) and issubclass(part, Block) and not issubclass(part, Question):
            return part
    return None


def _default(field: FieldInfo) -> Any:
    if field.is_required():
        return None
    value = field.get_default(call_default_factory=True)
    if isinstance(value, Block):
        return value.model_dump(mode="json", exclude_none=True)
    return value
