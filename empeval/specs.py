"""The text form of a parameterised name: ``NAME`` or ``NAME(field=value, …)``.

Object → text → object is the identity, and the text is canonical: defaults are left out and fields
stand in the order of the class. A value that holds a comma, a parenthesis, an equals sign, a quote or
a blank is written in double quotes.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Hashable
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

from empeval.errors import InputError, UnknownName

__all__ = ["build", "format_spec", "parse_spec", "split_specs"]

T = TypeVar("T")

_NAME = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_.\-]*)\s*")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PLAIN = re.compile(r"[^,()=\"]*")
_NEEDS_QUOTES = re.compile(r"[,()=\"\\\s]")


def split_specs(text: str) -> list[str]:
    """Split a list of text forms at the commas outside parentheses and quotes.

    >>> split_specs("bleu(tokenize=none, order=2),length")
    ['bleu(tokenize=none, order=2)', 'length']
    """
    parts, depth, quoted, start, i = [], 0, False, 0, 0
    while i < len(text):
        char = text[i]
        if quoted:
            i += char == "\\"
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(text[start:i])
            start = i + 1
        i += 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def parse_spec(text: str) -> tuple[str, dict[str, str]]:
    """Take a text form apart into its name and its fields, both as text.

    Raises InputError with the position where the text stops making sense.

    >>> parse_spec('rouge(kind=l)')
    ('rouge', {'kind': 'l'})
    """
    match = _NAME.match(text)
    if not match:
        raise InputError(f"{text!r} is not of the form NAME or NAME(field=value, …)")
    name, at, fields = match.group(1), match.end(), {}
    if at == len(text):
        return name, {}
    if text[at] != "(" or not text.rstrip().endswith(")"):
        raise InputError(f"{text!r} is not of the form NAME or NAME(field=value, …)")
    text, at = text.rstrip(), at + 1
    while at < len(text) - 1:
        field = _NAME.match(text, at)
        if not field or text[field.end() : field.end() + 1] != "=":
            raise InputError(f"{text!r}: expected field=value at position {at + 1}")
        key, at = field.group(1), field.end() + 1
        while text[at : at + 1] == " ":
            at += 1
        quoted = _QUOTED.match(text, at)
        if quoted:
            value, at = re.sub(r"\\(.)", r"\1", quoted.group(1)), quoted.end()
        else:
            plain = _PLAIN.match(text, at)
            assert plain is not None  # the pattern matches the empty string
            value, at = plain.group(0).strip(), plain.end()
        if key in fields:
            raise InputError(f"{text!r}: the field {key!r} is given twice")
        fields[key] = value
        while text[at : at + 1] == " ":
            at += 1
        if at < len(text) - 1:
            if text[at] != ",":
                raise InputError(f"{text!r}: expected ',' or ')' at position {at + 1}")
            at += 1
    return name, fields


def format_spec(name: str, value: Any) -> str:
    """Write a frozen dataclass as its canonical text form."""
    parts = []
    for field in dataclasses.fields(value):
        current = getattr(value, field.name)
        if current != field.default:
            text = str(current)
            if text == "" or _NEEDS_QUOTES.search(text):
                text = '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'
            parts.append(f"{field.name}={text}")
    return f"{name}({','.join(parts)})" if parts else name


def build(kind: str, name: str, cls: type[T], fields: dict[str, str]) -> T:
    """Make an object of a dataclass from fields given as text.

    Raises UnknownName for a field that the class lacks, InputError for a value that it cannot take and for a
    field without a default that is not given.
    """
    hints = _hints(cast(Hashable, cls))
    known = [f.name for f in dataclasses.fields(cls)]  # type: ignore[arg-type]  # cls is a dataclass
    values = {}
    for key, text in fields.items():
        if key not in known:
            if not known:
                raise InputError(f"{kind} {name!r} takes no fields, and {key!r} was given")
            raise UnknownName(f"field of {kind} {name!r} named", key, known)
        values[key] = _convert(text, hints[key], f"{name}({key}={text})")
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]  # cls is a dataclass
        optional = {field.default, field.default_factory} != {dataclasses.MISSING}
        if not optional and field.name not in values:
            raise InputError(f"{kind} {name!r} needs the field {field.name!r}: {name}({field.name}=…)")
    return cls(**values)


@functools.cache
def _hints(cls: Hashable) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _convert(text: str, hint: Any, where: str) -> Any:
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        for choice in choices:
            if text == str(choice):
                return choice
        raise InputError(f"{where}: expected one of {', '.join(map(str, choices))}")
    if get_origin(hint) in (typing.Union, types.UnionType):
        inner = [arg for arg in get_args(hint) if arg is not type(None)]
        if text == "None":
            return None
        return _convert(text, inner[0], where)
    if hint is bool:
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        raise InputError(f"{where}: expected True or False")
    if hint in (int, float):
        try:
            return hint(text)
        except ValueError:
            kind = "a whole number" if hint is int else "a number"
            raise InputError(f"{where}: expected {kind}") from None
    return text
