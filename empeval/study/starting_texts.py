"""The words that a new study file begins with, for its author to change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["CONSENT", "FILL_IN", "INSTRUCTIONS", "QUESTIONS", "SYSTEMS", "TITLE", "samples"]

#: Stands where only the study's author knows what to write; `validate` warns while it is there.
FILL_IN = "FILL IN"

TITLE = "Rating replies in conversations"

SYSTEMS: Mapping[str, str] = {"SystemA": "system-a.jsonl", "SystemB": "system-b.jsonl"}

INSTRUCTIONS = """\
You will read short conversations in which somebody tells of something that happened to them.
Below each conversation there is a reply to its last message, or there are two.

Read the conversation and the reply before you answer. Judge the reply as if you had written the
last message yourself. There are no right answers; we would like to know what you think.

If a conversation is distressing, you can skip it, and you can stop at any time."""

CONSENT: Mapping[str, Any] = {
    "version": "1",
    "text": f"""\
You are invited to take part in a study of how people judge replies in conversations. It is run by
{FILL_IN}: institution and person responsible, with an address for questions.

You will read conversations and answer questions about replies to them. Some tell of sad or
frightening events. Taking part is voluntary: you can skip items, and stop at any time without
giving a reason.

We keep your answers and how long they took. Answers are published without anything that says who
you are. {FILL_IN}: how long data are kept, and whom to ask for their removal.""",
    "statements": [
        "I am at least 18 years old.",
        "I have read the above, and I agree to take part.",
    ],
}


def _scale(name: str, prompt: str, low: str, high: str) -> dict[str, Any]:
    return {
        "kind": "likert",
        "name": name,
        "prompt": prompt,
        "scale": {"low": 1, "high": 5, "anchors": {1: low, 3: "somewhat", 5: high}},
    }


QUESTIONS: Sequence[Mapping[str, Any]] = (
    _scale(
        "empathy",
        "How well does the reply show that the other person's feelings were understood?",
        "not at all",
        "very well",
    ),
    _scale("relevance", "How well does the reply fit what was said?", "not at all", "very well"),
    _scale("fluency", "How well is the reply written?", "hard to understand", "flawless"),
    {
        "kind": "pairwise",
        "name": "overall",
        "prompt": "Which reply would you rather have received?",
        "tie": True,
        "neither": False,
    },
)

_SAID = "I dropped my phone in the lake this morning."


def samples(questions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A value for each key that has no default worth showing, made for these questions."""
    found: dict[str, Any] = {
        "extends": "empatheticdialogues",
        "corpus": "corpus.jsonl",
        "reader": "jsonl",
        "columns": {"hypothesis": "response"},
        "sampling": {"method": "random", "n": 100},
        "questions": list(questions),
        "responses_per_segment_per_rater": "all",
        "quota": 20,
        "duplicates": {"per_rater": 1, "min_gap": 5},
        "damaged": {"per_rater": 1, "method": "other_dialogue"},
        "consent": CONSENT,
        "demographics": [
            {"name": "age", "prompt": "How old are you?", "kind": "number"},
            {
                "name": "english",
                "prompt": "How well do you know English?",
                "options": ["first language", "fluent", "some"],
            },
        ],
        "content_notes": ["Some conversations tell of loss, illness or violence."],
        "skip": {"allowed": True},
        "debrief": "Thank you. The study compares how computer programs reply to people's experiences.",
        "completion": {"done": f"{FILL_IN} 1", "screened_out": f"{FILL_IN} 2", "problem": f"{FILL_IN} 3"},
        "pay": {"amount": 3.0, "currency": "GBP", "minutes": 20, "minimum_per_hour": 9.0},
        "max_raters": 60,
        "database": "study.db",
    }
    told = [item for n in (1, 2) if (item := _told(questions, n))]
    if told:
        found["attention"] = {"items": told, "per_rater": len(told)}
        cold = _cold(questions)
        found["practice"] = {"items": [cold], "tries": 2, "max_failures": 0}
        found["gold"] = {"items": [{k: v for k, v in cold.items() if k != "explanation"}], "per_rater": 1}
        found["examples"] = [cold]
    return found


def _told(questions: Sequence[Mapping[str, Any]], n: int) -> dict[str, Any] | None:
    """An attention check that says the answer outright, for a single reply or for a pair."""
    scales = [question for question in questions if question["kind"] == "likert"]
    if scales:
        point = scales[0]["scale"]["low"] + n
        text = f"This is no reply but a check that texts are read. Please choose {point} on every scale."
        expected = {one["name"]: point for one in scales if one["scale"]["high"] >= point}
        return {"context": [_SAID], "response": text, "expected": expected} if expected else None
    pairs = [question["name"] for question in questions if question["kind"] == "pairwise"]
    if not pairs:
        return None
    side = ("first", "second")[n - 1]
    text = f"This is no reply but a check that texts are read. Please choose the {side} reply."
    return {"context": [_SAID], "responses": [text, text], "expected": dict.fromkeys(pairs, side)}


def _cold(questions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """An item about which most people would agree."""
    cold, warm = "That is your own fault.", "Oh no, how annoying! Could you get it out again?"
    scales = [question for question in questions if question["kind"] == "likert"]
    if scales:
        low = scales[0]["scale"]["low"]
        answer: dict[str, Any] = {"response": cold, "expected": {scales[0]["name"]: [low, low + 1]}}
    else:
        first = next(question["name"] for question in questions if question["kind"] == "pairwise")
        answer = {"responses": [cold, warm], "expected": {first: "second"}}
    return {"context": [_SAID], **answer, "explanation": "The reply blames, and takes no part."}
