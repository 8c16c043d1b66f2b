"""Reading a study file: finding what it extends, checking all of it, and naming every fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from empeval import protocols
from empeval.errors import InputError, ProtocolError, UnknownName
from empeval.protocols.complaints import Complaint
from empeval.protocols.paths import key_path
from empeval.protocols.yaml_text import MAX_BYTES, parse_yaml
from empeval.study.protocol import checks
from empeval.study.protocol.complaining import every_complaint
from empeval.study.protocol.extending import study_keys
from empeval.study.protocol.model import StudyParts, StudyProtocol
from empeval.study.questions import QUESTIONS, Question
from empeval.study.questions.text import TextQuestion

__all__ = ["check_study", "load_study", "study_from"]

#: Keys that tell the file of a protocol from that of a study.
_OF_PROTOCOLS = frozenset(protocols.Protocol.model_fields) - frozenset(StudyParts.model_fields)

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
    layers, early = _layers(Path(path))
    if not layers:
        return None, early
    merged: dict[Any, Any] = {}
    for layer in reversed(layers):
        merged = _merged(merged, layer.data)
    study, found = _validated(merged)
    if early:  # what is missing here may stand in the file that could not be read
        found = [fault for fault in found if not (fault.missing and len(fault.path) < 2)]
    faults = early + [
        ProtocolError(fault.message, source=_origin(layers, fault.path), key=key_path(fault.path) or None)
        for fault in found
    ]
    return (None if faults else study), faults


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


class _Layer(NamedTuple):
    """One file of a chain of ``extends``: its name in messages, and what it says."""

    source: str
    data: dict[Any, Any]


def _layers(path: Path) -> tuple[list[_Layer], list[ProtocolError]]:
    """The file and what it extends, the file itself first, as far as they can be read."""
    layers: list[_Layer] = []
    seen: list[Path] = []
    while True:
        source = str(path)
        try:
            data = _read(path, source)
            inherited = {key: value for key, value in data.items() if key != "id"} if layers else data
            layers.append(_Layer(source, inherited))
            seen.append(path.resolve())
            parent = _parent(path, source, data.get("extends"))
        except ProtocolError as fault:
            return layers, [fault]
        if not isinstance(parent, Path):
            return layers + ([] if parent is None else [parent]), []
        if parent.resolve() in seen:
            circle = "the files extend each other in a circle"
            return layers, [ProtocolError(circle, source=source, key="extends")]
        path = parent


def _parent(path: Path, source: str, named: Any) -> Path | _Layer | None:
    """The study file that is extended, or the keys that a protocol gives."""
    if named is None:
        return None
    if not isinstance(named, str) or not named.strip():
        raise ProtocolError("expected the name of a protocol or of a file", source=source, key="extends")
    beside = path.parent / named
    is_file = beside.is_file()
    if is_file and not _OF_PROTOCOLS & set(_read(beside, str(beside))):
        return beside
    if not is_file and ("/" in named or named.lower().endswith((".yaml", ".yml"))):
        raise ProtocolError(f"there is no file {str(beside)!r}", source=source, key="extends")
    try:
        protocol = protocols.load(beside if is_file else named)
    except UnknownName as unknown:
        raise ProtocolError(str(unknown), source=source, key="extends") from None
    if protocol.human is None:
        raise ProtocolError(
            f"the protocol {protocol.id!r} has no human part to extend", source=source, key="extends"
        )
    return _Layer(f"protocol {protocol.id}", study_keys(protocol.human))


def _origin(layers: list[_Layer], path: tuple[Any, ...]) -> str:
    """The file that says what stands at a path; the first of them where none does."""
    for source, data in layers:
        here: Any = data
        for key in path:
            if not isinstance(here, dict):
                return source
            if key not in here:
                break
            here = here[key]
        else:
            return source
    return layers[0].source


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
