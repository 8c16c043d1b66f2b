"""Reading a study file: finding what it extends, checking all of it, and naming every fault."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from empeval import protocols
from empeval.errors import InputError, ProtocolError, UnknownName
from empeval.protocols.complaints import Complaint, complaints
from empeval.protocols.paths import key_path
from empeval.protocols.yaml_text import MAX_BYTES, parse_yaml
from empeval.study.protocol import checks
from empeval.study.protocol.extending import study_keys
from empeval.study.protocol.model import StudyParts, StudyProtocol
from empeval.study.questions import QUESTIONS, Question

__all__ = ["check_study", "load_study", "study_from"]


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
    """The study of a file, or None and all that is wrong with it."""
    source = str(path)
    try:
        data = _extended(Path(path), source, seen=())
    except ProtocolError as fault:
        return None, [fault]
    study, found = _validated(data)
    return study, [
        ProtocolError(fault.message, source=source, key=key_path(fault.path) or None) for fault in found
    ]


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


def _extended(path: Path, source: str, seen: tuple[Path, ...]) -> dict[Any, Any]:
    data = _read(path, source)
    parent = data.get("extends")
    if parent is None:
        return data
    if not isinstance(parent, str) or not parent.strip():
        raise ProtocolError("expected the name of a protocol or of a file", source=source, key="extends")
    beside = path.parent / parent
    if beside.is_file() and "human" not in (below := _read(beside, str(beside))):
        here = (*seen, path.resolve())
        if beside.resolve() in here:
            raise ProtocolError("the files extend each other in a circle", source=source, key="extends")
        below = _extended(beside, str(beside), here)
        return _merged({key: value for key, value in below.items() if key != "id"}, data)
    try:
        protocol = protocols.load(beside if beside.is_file() else parent)
    except UnknownName as unknown:
        raise ProtocolError(str(unknown), source=source, key="extends") from None
    if protocol.human is None:
        raise ProtocolError(
            f"the protocol {protocol.id!r} has no human part to extend", source=source, key="extends"
        )
    return _merged(study_keys(protocol.human), data)


def _read(path: Path, source: str) -> dict[Any, Any]:
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ProtocolError("there is no such file", source=source) from None
    except OSError as error:
        raise ProtocolError(f"the file cannot be read: {error.strerror or error}", source=source) from None
    return parse_yaml(raw, source)


def _merged(below: dict[Any, Any], above: dict[Any, Any]) -> dict[Any, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _plain(value: Any) -> Any:
    """Lists as tuples and whole numbers as keys, as the YAML reader gives them and JSON does not."""
    if isinstance(value, dict):
        return {_key(key): _plain(inner) for key, inner in value.items() if inner is not None}
    return tuple(_plain(inner) for inner in value) if isinstance(value, list | tuple) else value


def _key(key: Any) -> Any:
    whole = isinstance(key, str) and key.removeprefix("-").isdecimal() and key.isascii()
    return int(key) if whole and str(int(key)) == key else key


def _validated(data: dict[Any, Any]) -> tuple[StudyProtocol | None, list[Complaint]]:
    """The study, or every complaint about the mapping: questions by their kind, then the rest."""
    data = {key: value for key, value in data.items() if value is not None}
    questions, found = _questions(data.get("questions"))
    if questions is not None:
        data["questions"] = questions
    for key in [key for key in data if key not in StudyParts.model_fields]:
        try:
            StudyParts.model_validate({key: data.pop(key)})
        except ValidationError as error:
            found += complaints(error)[:1]
    try:
        parts = StudyParts.model_validate(data)
    except ValidationError as error:
        found += complaints(error)
    else:
        found += [
            Complaint(tuple(at), message, message.startswith("this key is missing"))
            for message, *at in checks.faults(parts)
        ]
    if not found:
        return StudyProtocol.model_validate(data), []
    return None, sorted(dict.fromkeys(found), key=_place)


def _place(fault: Complaint) -> int:
    keys = list(StudyProtocol.model_fields)
    return keys.index(fault.path[0]) if fault.path and fault.path[0] in keys else -1


def _questions(listed: Any) -> tuple[tuple[Question, ...] | None, list[Complaint]]:
    """The questions that are right, in place of their mappings, and complaints about the others."""
    if not isinstance(listed, tuple):
        return None, []
    made: list[Question] = []
    found: list[Complaint] = []
    for i, data in enumerate(listed):
        if isinstance(data, Question):
            made.append(data)
            continue
        kind = data.get("kind") if isinstance(data, Mapping) else None
        try:
            if kind is None:
                raise InputError(f"this key is missing: one of {', '.join(QUESTIONS.names())}")
            cls = QUESTIONS[str(kind)]
        except (InputError, UnknownName) as unknown:
            found.append(Complaint(("questions", i, "kind"), str(unknown), missing=kind is None))
            continue
        try:
            made.append(cls.model_validate(data))
        except ValidationError as error:
            found += [
                Complaint(("questions", i, *fault.path), fault.message, fault.missing)
                for fault in complaints(error)
            ]
    return (tuple(made) or None), found
