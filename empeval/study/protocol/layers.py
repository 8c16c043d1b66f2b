"""The files that a study file consists of: itself, and what it extends."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from empeval import protocols
from empeval.errors import ProtocolError, UnknownName
from empeval.protocols.yaml_text import MAX_BYTES, parse_yaml
from empeval.study.protocol.extending import study_keys
from empeval.study.protocol.model import StudyParts

__all__ = ["Layer", "merged_keys", "origin", "read_layers"]

#: Keys that tell the file of a protocol from that of a study.
_OF_PROTOCOLS = frozenset(protocols.Protocol.model_fields) - frozenset(StudyParts.model_fields)


class Layer(NamedTuple):
    """One file of a chain of ``extends``: its name in messages, and what it says."""

    source: str
    data: dict[Any, Any]


def read_layers(path: Path) -> tuple[list[Layer], list[ProtocolError]]:
    """The file and what it extends, the file itself first, as far as they can be read."""
    layers: list[Layer] = []
    seen: list[Path] = []
    while True:
        source = str(path)
        try:
            data = _read(path, source)
            inherited = {key: value for key, value in data.items() if key != "id"} if layers else data
            layers.append(Layer(source, inherited))
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


def _parent(path: Path, source: str, named: Any) -> Path | Layer | None:
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
    return Layer(f"protocol {protocol.id}", study_keys(protocol.human))


def origin(layers: list[Layer], path: tuple[Any, ...]) -> str:
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


def merged_keys(layers: list[Layer]) -> dict[Any, Any]:
    """What the files say together: mappings key by key, anything else as the first of them says."""
    merged: dict[Any, Any] = {}
    for layer in reversed(layers):
        merged = _merge(merged, layer.data)
    return merged


def _merge(below: dict[Any, Any], above: dict[Any, Any]) -> dict[Any, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged
