"""Every complaint about a mapping, each at the key path that a reader of the file sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from empeval.protocols.complaints import Complaint, complaints

__all__ = ["every_complaint"]

_UNKNOWN = "unknown key"
_FEW = "expected at least "
#: How complaints begin about a value whose type is right.
_BOUNDS = (_FEW, "expected at most ", "expected a number from ", "expected a number up to ")
#: What pydantic puts into the path of an error for a branch of a union.
_BRANCH = re.compile(r"(dict|tuple|literal|union)\[.*\]|constrained-\w+|str|int|float|bool|none", re.DOTALL)

Path = tuple[Any, ...]


def every_complaint(validate: Callable[[Any], object], data: Any) -> list[Complaint]:
    """All that a validation finds wrong with plain data, unknown keys first.

    A block with an unknown key says nothing else; it is asked again without that key.
    """
    found: list[Complaint] = []
    while True:
        try:
            validate(data)
        except ValidationError as error:
            now = _tidied(complaints(error), data)
        else:
            return found
        unknown = [fault for fault in now if fault.message.startswith(_UNKNOWN)]
        rest = data
        for fault in unknown:
            rest = _without(rest, fault.path)
        if not unknown or rest == data:
            return found + now
        found += unknown
        data = rest


def _tidied(found: list[Complaint], data: Any) -> list[Complaint]:
    """One complaint a fault: of the branches of a union the one that fits best, or all in one sentence."""
    groups: dict[Path, list[tuple[Any, Complaint]]] = {}
    for fault in found:
        path, at, branch = _real_path(fault.path, data)
        key = path if at is None else (*path[:at], _BRANCH)
        groups.setdefault(key, []).append((branch, replace(fault, path=path)))
    tidy: list[Complaint] = []
    for key, members in groups.items():
        tidy += [fault for _, fault in members] if key[-1:] != (_BRANCH,) else _of_union(members)
    above = {fault.path[:n] for fault in tidy for n in range(len(fault.path))}
    return [fault for fault in tidy if not (fault.message.startswith(_FEW) and fault.path in above)]


def _of_union(members: list[tuple[Any, Complaint]]) -> list[Complaint]:
    deepest = max(len(fault.path) for _, fault in members)
    best = next(branch for branch, fault in members if len(fault.path) == deepest)
    of_best = [fault for branch, fault in members if branch == best]
    if deepest > min(len(fault.path) for _, fault in members):
        return of_best
    if of_right_type := [fault for _, fault in members if fault.message.startswith(_BOUNDS)]:
        return of_right_type
    expected = {
        fault.message.partition(", found ")[0].removeprefix("expected "): None
        for _, fault in members
        if fault.message.startswith("expected ")
    }
    _, found, rest = members[0][1].message.partition(", found ")
    if not found or len(expected) < 2:
        return of_best
    return [replace(members[0][1], message=f"expected {' or '.join(expected)}, found {rest}")]


def _real_path(path: Path, data: Any) -> tuple[Path, int | None, Any]:
    """The path without the branches of unions, where the first one stood, and which it was."""
    here, at, branch = data, None, None
    real: list[Any] = []
    for key in path:
        keys = (
            range(len(here)) if isinstance(here, tuple | list) else here if isinstance(here, Mapping) else ()
        )
        if key in keys:
            here = here[key]
        elif isinstance(key, str) and _BRANCH.fullmatch(key):
            if at is None:
                at, branch = len(real), key
            continue
        else:
            here = None
        real.append(key)
    return tuple(real), at, branch


def _without(data: Any, path: Path) -> Any:
    """The data less what stands at a path."""
    key, *below = path
    if isinstance(data, Mapping) and key in data:
        if not below:
            return {k: v for k, v in data.items() if k != key}
        return {k: _without(v, tuple(below)) if k == key else v for k, v in data.items()}
    if isinstance(data, tuple) and isinstance(key, int) and below:
        return tuple(_without(v, tuple(below)) if i == key else v for i, v in enumerate(data))
    return data
