"""What pydantic found wrong, as one sentence in the words of somebody who writes YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from empeval.protocols.blocks import PATTERNS

__all__ = ["Complaint", "complaint", "complaints"]

#: pydantic's name of an error → what was expected; ``{…}`` are its details.
_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "literal_error": "{expected}",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number from {ge} on",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number up to {le}",
    "too_short": "at least {min_length} of them",
    "too_long": "at most {max_length} of them",
}


@dataclass(frozen=True)
class Complaint:
    """The first thing that is wrong, where it stands, and whether it is a key that does not stand there."""

    path: tuple[Any, ...]
    message: str
    missing: bool = False


def complaint(error: ValidationError) -> Complaint:
    """The first of the errors, and how many others there are."""
    first, *others = complaints(error)
    if not others:
        return first
    return Complaint(first.path, f"{first.message} (and {len(others)} more in this file)", first.missing)


def complaints(error: ValidationError) -> list[Complaint]:
    """All of the errors, in the order in which they were found."""
    return [_one(problem) for problem in error.errors(include_url=False)]


def _one(problem: ErrorDetails) -> Complaint:
    path = tuple(key for key in problem["loc"] if key != "[key]")
    details: Mapping[str, Any] = problem.get("ctx", {})
    missing = problem["type"] == "missing"
    if missing:
        message = "this key is missing"
    elif problem["type"] == "protocol":
        path += tuple(details["at"])
        message = str(details["message"])
        missing = message.startswith("this key is missing")
    else:
        message = _sentence(problem["type"], problem["msg"], details, problem["input"])
    return Complaint(path, " ".join(message.split()), missing)


def _sentence(kind: str, text: str, details: Mapping[str, Any], value: Any) -> str:
    if kind == "string_pattern_mismatch":
        expected = PATTERNS.get(str(details["pattern"]), f"a text like {details['pattern']}")
    elif kind in _EXPECTED:
        plain = {key: f"{v:g}" if isinstance(v, float) else v for key, v in details.items()}
        expected = _EXPECTED[kind].format(**plain)
    else:
        return f"{text[:1].lower()}{text[1:]}, found {_shown(value)}"
    advice = ""
    if kind == "string_type" and isinstance(value, bool | int | float):
        advice = "; put it in quotes"
    return f"expected {expected}, found {_shown(value)}{advice}"


def _shown(value: Any) -> str:
    """A value as it is called in YAML."""
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if value is None:
        return "nothing"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
