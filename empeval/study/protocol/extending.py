"""From a published protocol's human part to the keys of a study file."""

from __future__ import annotations

from typing import Any

from empeval import protocols
from empeval.errors import InputError
from empeval.protocols.human import HumanPart

__all__ = ["protocol_keys", "study_keys"]


def protocol_keys(name: str) -> dict[str, Any]:
    """What a study takes over from a protocol, by its name or file; InputError without a human part.

    >>> sorted(protocol_keys("mime"))
    ['presentation', 'questions', 'ratings_per_item', 'sampling']
    """
    human = protocols.load(name).human
    if human is None:
        raise InputError(f"the protocol {name!r} has no human part to extend")
    return study_keys(human)


def study_keys(human: HumanPart) -> dict[str, Any]:
    """What a study takes over: the questions with their scales, the number of items, the raters of each.

    Ratings come before preferences. What the protocol does not state is left out.
    """
    keys: dict[str, Any] = {"questions": (*_rated(human), *_compared(human))}
    counts = [part.raters_per_item for part in (human.ratings, human.preferences) if part]
    if stated := [count for count in counts if count is not None]:
        keys["ratings_per_item"] = max(stated)
    items = human.items
    if items.sampling == "stratified" and items.n is not None:
        keys["sampling"] = {"method": "stratified", "n": items.n, "by": "emotion"}
    elif items.n is not None and items.sampling != "all":
        keys["sampling"] = {"method": "random", "n": items.n}
    if human.presentation:
        shown = {"situation": human.presentation.situation, "emotion": human.presentation.emotion}
        keys["presentation"] = {key: value for key, value in shown.items() if value is not None}
    return keys


def _rated(human: HumanPart) -> list[dict[str, Any]]:
    return [
        {
            "kind": "likert",
            "name": dimension.key,
            "prompt": dimension.question,
            **({"definition": dimension.definition} if dimension.definition else {}),
            "scale": dimension.scale.model_dump(),
        }
        for dimension in (human.ratings.dimensions if human.ratings else ())
    ]


def _compared(human: HumanPart) -> list[dict[str, Any]]:
    part = human.preferences
    rated = {dimension.key for dimension in human.ratings.dimensions} if human.ratings else set()
    return [
        {
            "kind": "pairwise",
            "name": f"{aspect.key}-preference" if aspect.key in rated else aspect.key,
            "prompt": aspect.question,
            **({"definition": aspect.definition} if aspect.definition else {}),
            "tie": "tie" in part.options,
            "neither": "neither" in part.options,
            "option_texts": {
                shown: text
                for shown, text in part.option_texts.items()
                if shown in ("first", "second") or shown in part.options
            },
        }
        for aspect in (part.aspects if part else ())
        if part is not None
    ]
