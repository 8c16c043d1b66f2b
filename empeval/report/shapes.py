"""Whether what was read from JSON has the shape of what was written: its types, all the way down."""

from __future__ import annotations

import functools
import sys
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any, Literal, get_args, get_origin

from empeval.errors import InputError
from empeval.records import Notice
from empeval.scoring.claims import ClaimCheck
from empeval.scoring.results import Breakdown, Comparison, Score

__all__ = ["Document", "Manifest", "Reproduced", "conform"]

_WORDS = {str: "text", int: "a whole number", float: "a finite number", bool: "true or false"}


@dataclass(frozen=True)
class Corpus:
    """What a score document says of the corpus."""

    name: str
    n_segments: int
    fingerprint: str
    n_dialogues: int | None = None


@dataclass(frozen=True)
class Cohort:
    """What it says of the cohort."""

    rule: str
    n_segments: int
    n_dialogues: int | None = None
    dropped: Mapping[str, int] | None = None


@dataclass(frozen=True)
class Document:
    """A score document."""

    corpus: Corpus
    cohort: Cohort
    systems: tuple[str, ...]
    scores: tuple[Score, ...]
    comparisons: tuple[Comparison, ...] = ()
    tiers: Mapping[str, tuple[tuple[str, ...], ...]] | None = None
    claims: tuple[ClaimCheck, ...] = ()
    groups: Breakdown | None = None
    warnings: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class InputFile:
    """A file that a run has read."""

    path: str
    sha256: str | None


@dataclass(frozen=True)
class Manifest:
    """The parts of a manifest by which a run is repeated."""

    empeval: str
    options: Mapping[str, Any]
    inputs: tuple[InputFile, ...]
    versions: Mapping[str, str]
    files: Mapping[str, str]
    working_directory: str


@dataclass(frozen=True)
class Reproduced:
    """The options of a reproduction."""

    protocol: str
    files: tuple[str, ...]
    corpus: str | None
    reader: str | None
    columns: Mapping[str, str] | None


def conform(value: Any, shape: type, *, source: str, saying: str) -> None:
    """Refuse a value that is not what a class promises; an object may hold more than the class has fields.

    Raises InputError with the file, what is said of it, and the place where a field is missing, a type is
    another one, or a number is not finite.

    >>> conform({"path": 3, "sha256": None}, InputFile, source="manifest.json", saying="this is no input")
    Traceback (most recent call last):
    empeval.errors.InputError: manifest.json: this is no input: path must be text
    """
    try:
        _check(value, shape, "")
    except _Misfit as misfit:
        raise InputError(f"{saying}: {misfit}", source=source) from None


class _Misfit(Exception):
    """What must stand where."""


def _check(value: Any, hint: Any, where: str) -> None:
    if hint is Any:
        return
    origin, args = get_origin(hint), get_args(hint)
    if origin in (typing.Union, types.UnionType):  # of which all are optional values here
        if value is not None:
            _check(value, next(arg for arg in args if arg is not type(None)), where)
    elif isinstance(hint, type) and is_dataclass(hint):
        _check_object(value, hint, where)
    elif origin is Literal:
        _require(isinstance(value, str) and value in args, where, f"one of {', '.join(args)}")
    elif hint in _WORDS:
        _require(_is_plain(value, hint), where, _WORDS[hint])
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        _require(isinstance(value, dict), where, "an object")
        for key, entry in value.items():
            _check(entry, args[1], f"{where}.{key}")
    else:
        _require(isinstance(value, list | tuple), where, "a list")
        for i, entry in enumerate(value):
            _check(entry, args[0], f"{where}[{i}]")


def _check_object(value: Any, cls: type, where: str) -> None:
    _require(isinstance(value, dict), where, "an object")
    for name, hint, required in _fields(cls):
        place = f"{where}.{name}" if where else name
        if name in value:
            _check(value[name], hint, place)
        elif required:
            raise _Misfit(f"{place} is missing")


@functools.cache
def _fields(cls: Any) -> Sequence[tuple[str, Any, bool]]:
    """Name and type of each field, and whether it has no default."""
    hints = typing.get_type_hints(cls)
    return [
        (entry.name, hints[entry.name], entry.default is MISSING and entry.default_factory is MISSING)
        for entry in fields(cls)
    ]


def _is_plain(value: Any, kind: type) -> bool:
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    if kind is float and isinstance(value, int | float):
        return -sys.float_info.max <= value <= sys.float_info.max
    return isinstance(value, kind)


def _require(right: bool, where: str, what: str) -> None:
    if not right:
        raise _Misfit(f"{where or 'it'} must be {what}")
