"""Finding a protocol, joining it with those it extends, and checking the whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from empeval.errors import ProtocolError, UnknownName
from empeval.protocols.complaints import Complaint, complaint
from empeval.protocols.model import Protocol
from empeval.protocols.paths import key_path
from empeval.protocols.yaml_text import MAX_BYTES, parse_yaml
from empeval.shipped import protocols_folder

__all__ = ["load", "names"]

_SUFFIXES = (".yaml", ".yml")

#: What a protocol says of itself alone, and no other inherits.
_OWN = frozenset({"id", "aliases", "extends"})


class _Layer(NamedTuple):
    """One file of a chain of `extends`: its name in messages, and what it says."""

    source: str
    data: dict[Any, Any]


def names() -> list[str]:
    """The protocols that come with empeval, sorted; a file without an `id` is only there to be extended.

    >>> "mime" in names()
    True
    """
    return [file.stem for file in _shipped()]


def load(name_or_path: str | Path) -> Protocol:
    """A protocol by its name, an alias of it (such as an arXiv number), or its file.

    What `extends` names is read first, beside the file or else among the shipped ones; the file's mappings
    are merged into it, key by key, and anything else replaces what was there. Raises UnknownName for a name
    that nothing has, and ProtocolError, with file and key path, for a file that is not a protocol.

    >>> load("mime").metric("BLEU").metric
    'bleu(tokenize=none,lowercase=True,smooth=none)'
    """
    file, source = _locate(name_or_path)
    layers = _read_chain(file, source)
    merged: dict[Any, Any] = {}
    for layer in reversed(layers):
        own = layer is layers[0]
        merged = _merge(merged, {key: v for key, v in layer.data.items() if own or key not in _OWN})
    try:
        return Protocol.model_validate(merged)
    except ValidationError as error:
        found = complaint(error)
        raise ProtocolError(
            found.message, source=_origin(layers, found), key=key_path(found.path) or None
        ) from None


def _locate(name_or_path: str | Path) -> tuple[Path, str]:
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or "/" in text or "\\" in text or text.lower().endswith(_SUFFIXES):
        return Path(name_or_path), text
    shipped = _shipped()
    for file, known_as in shipped.items():
        if text.casefold() in known_as:
            return file, file.name
    if _is_file(Path(text)):
        return Path(text), text
    raise UnknownName("protocol", text, [file.stem for file in shipped])


def _shipped() -> dict[Path, tuple[str, ...]]:
    """The file of every shipped protocol, and the names that it goes by."""
    found = {}
    for file in sorted(protocols_folder().glob("*.yaml")):
        data = _read(file, file.name)
        if "id" in data:
            found[file] = (file.stem, *map(str, data.get("aliases") or ()))
    return found


def _read_chain(file: Path, source: str) -> list[_Layer]:
    """The file, what it extends, what that extends, and so on."""
    layers, seen = [_Layer(source, _read(file, source))], [file.resolve()]
    while (parent := layers[-1].data.get("extends")) is not None:
        child = layers[-1].source
        if not isinstance(parent, str) or not parent.strip():
            raise ProtocolError("expected the name of a file", source=child, key="extends")
        file, source = _parent(seen[-1], child, parent)
        if file.resolve() in seen:
            chain = " → ".join([*(layer.source for layer in layers), source])
            raise ProtocolError(
                f"the files extend each other in a circle: {chain}", source=child, key="extends"
            )
        seen.append(file.resolve())
        layers.append(_Layer(source, _read(file, source)))
    return layers


def _parent(child: Path, source: str, parent: str) -> tuple[Path, str]:
    """The file that `extends` names: relative to the child, else among the shipped ones."""
    beside = child.parent / parent
    if _is_file(beside) and beside.resolve() != child:
        return beside, str(Path(source).parent / parent)
    shipped = protocols_folder() / parent
    if Path(parent).name == parent and _is_file(shipped):
        return shipped, shipped.name
    if _is_file(beside):
        return beside, str(Path(source).parent / parent)
    known = ", ".join(sorted(file.name for file in protocols_folder().glob("*.yaml")))
    raise ProtocolError(
        f"there is no file {parent!r} beside this one, and none is shipped; shipped are: {known}",
        source=source,
        key="extends",
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long, or with a NUL
        return False


def _read(file: Path, source: str) -> dict[Any, Any]:
    try:
        with file.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ProtocolError("there is no such file", source=source) from None
    except IsADirectoryError:
        raise ProtocolError("this is a folder; name a file", source=source) from None
    except PermissionError:
        raise ProtocolError("permission to read the file is missing", source=source) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ProtocolError(f"the file cannot be read: {reason}", source=source) from None
    return parse_yaml(raw, source)


def _merge(below: dict[Any, Any], above: dict[Any, Any]) -> dict[Any, Any]:
    """Both mappings as one; where both have a key, two mappings are merged and anything else is replaced."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _origin(layers: list[_Layer], found: Complaint) -> str:
    """The file in which the offending value stands, or in which the missing key belongs."""
    path = found.path[:-1] if found.missing else found.path
    return next((layer.source for layer in layers if _holds(layer.data, path)), layers[0].source)


def _holds(value: Any, path: tuple[Any, ...]) -> bool:
    """Whether there is something at a path."""
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return False
    return True
