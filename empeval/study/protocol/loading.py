"""Reading a study file: finding what it extends, checking all of it, and naming every fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from empeval.errors import InputError, ProtocolError, UnknownName
from empeval.protocols.complaints import Complaint
from empeval.protocols.paths import key_path
from empeval.study.protocol import checks
from empeval.study.protocol.complaining import every_complaint
from empeval.study.protocol.layers import merged_keys, origin, read_layers
from empeval.study.protocol.model import StudyParts, StudyProtocol
from empeval.study.questions import QUESTIONS, Question
from empeval.study.questions.text import TextQuestion

__all__ = ["check_study", "files_of", "load_study", "study_from"]

_OF_FILES = ("systems", "corpus", "reader", "columns")

#: In place of keys that are missing or wrong, so that the others can be looked at together.
_STAND_INS: dict[str, Any] = {
    "id": "a",
    "title": "A",
    "systems": ("a",),
    "instructions": "A",
    "questions": (TextQuestion(kind="text", name="a", prompt="A"),),
}


def load_study(path: str | Path) -> StudyProtocol:
    """The study of a file; ProtocolError names the file, and every fault with its key path.

    ``extends`` names a published protocol, whose human part gives questions, raters and items, or another
    study file beside this one; the file's own mappings are merged into that key by key, and anything else
    replaces what was there.
    """
    study, faults = check_study(path)
    if study is None:
        raise _one_error(str(path), faults)
    return study


def check_study(path: str | Path) -> tuple[StudyProtocol | None, list[ProtocolError]]:
    """The study of a file, or None and all that is wrong with it.

    A fault names the file that holds it, which may be one that the study extends.
    """
    layers, early = read_layers(Path(path))
    if not layers:
        return None, early
    merged = merged_keys(layers)
    study, found = _validated(merged)
    if early:  # what is missing here may stand in the file that could not be read
        found = [fault for fault in found if not (fault.missing and len(fault.path) < 2)]
    faults = early + [
        ProtocolError(fault.message, source=origin(layers, fault.path), key=key_path(fault.path) or None)
        for fault in found
    ]
    return (None if faults else study), faults


def files_of(path: str | Path) -> StudyParts | None:
    """The keys of a study file that say what is read and how, others set aside; None where they are wrong.

    So that the files can be looked at even where the study is not right yet.
    """
    layers, _ = read_layers(Path(path))
    merged = merged_keys(layers)
    named = {key: merged[key] for key in _OF_FILES if merged.get(key) is not None}
    try:
        return StudyParts.model_validate({**_STAND_INS, **named}) if "systems" in named else None
    except ValidationError:
        return None


def study_from(data: Mapping[str, Any], source: str = "the study") -> StudyProtocol:
    """The study that a mapping of plain values describes, such as one that was stored as JSON.

    Raises ProtocolError as `load_study` does.

    >>> study = study_from({"id": "s", "title": "T", "systems": ["a.jsonl"], "instructions": "Read.",
    ...     "questions": [{"kind": "text", "name": "why", "prompt": "Why?"}]})
    >>> study.kinds, study.ratings_per_item
    (('rating',), 3)
    """
    study, found = _validated(_plain(dict(data)))
    if study is None:
        raise _one_error(
            source, [ProtocolError(fault.message, source=source, key=key_path(fault.path)) for fault in found]
        )
    return study


def _one_error(source: str, faults: list[ProtocolError]) -> ProtocolError:
    if len(faults) == 1:
        return faults[0]
    lines = "\n".join(f"  {str(fault).removeprefix(f'{source}, ')}" for fault in faults)
    return ProtocolError(f"{len(faults)} faults:\n{lines}", source=source)


def _plain(value: Any, name: object = None) -> Any:
    """Lists as tuples and points of a scale as numbers, as the YAML reader gives them and JSON does not."""
    if isinstance(value, dict):
        return {
            _point(key) if name == "anchors" else key: _plain(inner, key)
            for key, inner in value.items()
            if inner is not None
        }
    return tuple(_plain(inner) for inner in value) if isinstance(value, list | tuple) else value


def _point(key: Any) -> Any:
    whole = isinstance(key, str) and key.removeprefix("-").isdecimal() and key.isascii()
    return int(key) if whole and str(int(key)) == key else key


def _validated(data: dict[Any, Any]) -> tuple[StudyProtocol | None, list[Complaint]]:
    """The study, or every complaint about the mapping, in the order of the keys."""
    data = {key: value for key, value in data.items() if value is not None}
    questions, found = _questions(data.get("questions"))
    if found:
        del data["questions"]
        found += [
            fault
            for fault in every_complaint(StudyParts.model_validate, data)
            if fault.path != ("questions",)
        ]
    else:
        data.update({} if questions is None else {"questions": questions})
        found = every_complaint(StudyParts.model_validate, data)
    found += _misfits(data, {fault.path[0] for fault in found if fault.path})
    if not found:
        return StudyProtocol.model_validate(data), []
    return None, sorted(dict.fromkeys(found), key=_place)


def _misfits(data: dict[Any, Any], bad: set[Any]) -> list[Complaint]:
    """What does not fit together among the keys that are right by themselves."""
    right = {key: value for key, value in data.items() if key in StudyParts.model_fields and key not in bad}
    try:
        parts = StudyParts.model_validate({**_STAND_INS, **right})
    except ValidationError:
        return []
    return [
        Complaint(tuple(at), message, message.startswith("this key is missing"))
        for message, *at in checks.faults(parts)
        if at[0] not in bad and not bad & checks.RESTS_ON.get(at[0], frozenset())
    ]


def _place(fault: Complaint) -> int:
    keys = list(StudyProtocol.model_fields)
    return keys.index(fault.path[0]) if fault.path and fault.path[0] in keys else -1


def _questions(listed: Any) -> tuple[tuple[Question, ...] | None, list[Complaint]]:
    """The questions, or every complaint about them; neither where there is no list of them at all."""
    if not isinstance(listed, tuple) or not listed:
        return None, []
    made: list[Question] = []
    found: list[Complaint] = []
    for i, data in enumerate(listed):
        if isinstance(data, Question):
            made.append(data)
            continue
        kind = data.get("kind") if isinstance(data, Mapping) else None
        try:
            if not isinstance(data, Mapping):
                raise InputError("expected a mapping of keys to values")
            if kind is None:
                raise InputError(f"this key is missing: one of {', '.join(QUESTIONS.names())}")
            cls = QUESTIONS[str(kind)]
        except (InputError, UnknownName) as unknown:
            at = ("questions", i, "kind") if isinstance(data, Mapping) else ("questions", i)
            found.append(Complaint(at, str(unknown), missing=kind is None))
            continue
        of_this = every_complaint(cls.model_validate, data)
        found += [replace(fault, path=("questions", i, *fault.path)) for fault in of_this]
        if not of_this:
            made.append(cls.model_validate(data))
    return tuple(made), found
