"""The YAML that protocol and study files are written in: a strict, small part of the language.

Mappings, lists, text, numbers, true, false and null, with anchors for repetition. A key that stands twice, a
tag, a second document, or an alias that would blow a small file up is an error. Only ``true`` and ``false``
are truth values, and dates are text, as in YAML 1.2. The events of PyYAML's parser are taken as they come, so
that nothing is ever constructed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml

from empeval.errors import ProtocolError
from empeval.protocols.paths import key_path

__all__ = ["MAX_BYTES", "parse_yaml"]

#: libyaml where PyYAML was built with it: ten times as fast, and the same events.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

#: Far above any real protocol or study file, far below what could hurt.
MAX_BYTES = 1 << 18
_MAX_NODES = 20_000
_MAX_DEPTH = 32

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE, _FALSE = frozenset({"true", "True", "TRUE"}), frozenset({"false", "False", "FALSE"})
_INT = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][-+]?[0-9]{1,4})?")
_STR_TAG = "tag:yaml.org,2002:str"
#: What YAML does not allow in a file at all.
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_yaml(raw: bytes, source: str) -> dict[Any, Any]:
    """The mapping that a file holds; lists become tuples, and nothing in it is shared with anything mutable.

    Raises ProtocolError with the line, or with the key path where there is one.

    >>> parse_yaml(b"human: {raters: 3, scale: [1, 5]}", "study.yaml")
    {'human': {'raters': 3, 'scale': (1, 5)}}
    """
    text = _decode(raw, source)
    try:
        value = _Builder(source, yaml.parse(text, Loader=_LOADER)).document()
    except ProtocolError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        problem = " ".join((error.problem or error.context or "it breaks off here").split())
        if mark and "\t" in _line(text, mark.line)[: mark.column + 1]:
            problem = "a tab stands here, and YAML is indented with blanks"
        raise ProtocolError(f"this is not valid YAML: {problem}", source=source, line=line) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        problem = " ".join(str(error).split())
        raise ProtocolError(f"this is not valid YAML: {problem}", source=source) from None
    if not isinstance(value, dict):
        raise ProtocolError("expected a mapping of keys to values", source=source)
    return value


def _decode(raw: bytes, source: str) -> str:
    if len(raw) > MAX_BYTES:
        raise ProtocolError(f"the file is larger than {MAX_BYTES:,} bytes", source=source)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ProtocolError(
            f"byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8", source=source, line=line
        ) from None
    if damage := _UNPRINTABLE.search(text):
        raise ProtocolError(
            f"the character {damage[0]!r} stands here: the file is damaged, or it is not text",
            source=source,
            line=text.count("\n", 0, damage.start()) + 1,
        )
    if not text.strip():
        raise ProtocolError("the file is empty", source=source)
    return text


def _line(text: str, number: int) -> str:
    return [*text.splitlines(), ""][: number + 1][-1]


class _Builder:
    """Plain values from the events of one document."""

    def __init__(self, source: str, events: Iterator[Any]) -> None:
        self.source = source
        self.events = events
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.n_nodes = 0

    def document(self) -> Any:
        for start in (yaml.StreamStartEvent, yaml.DocumentStartEvent):
            if not isinstance(next(self.events), start):
                raise ProtocolError("the file holds nothing but comments", source=self.source)
        value = self._node(next(self.events), ())
        next(self.events)
        rest = next(self.events)
        if not isinstance(rest, yaml.StreamEndEvent):
            raise ProtocolError(
                "a second document begins here; one file is one document",
                source=self.source,
                line=rest.start_mark.line + 1,
            )
        return value

    def _node(self, event: Any, path: tuple[Any, ...]) -> Any:
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise self._error(f"the alias *{event.anchor} repeats nothing that stands before it", path)
            value, n_nodes = self.anchors[event.anchor]
            self._count(n_nodes, path)
            return value
        if event.tag not in (None, "!", _STR_TAG) or (
            event.tag is not None and not isinstance(event, yaml.ScalarEvent)
        ):
            raise self._error(f"the tag {event.tag!r} is not allowed here; write the plain value", path)
        if len(path) > _MAX_DEPTH:
            raise self._error(f"this is nested more than {_MAX_DEPTH} levels deep", path[:3])
        before = self.n_nodes
        self._count(1, path)
        value = self._value(event, path)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, self.n_nodes - before)
        return value

    def _value(self, event: Any, path: tuple[Any, ...]) -> Any:
        if isinstance(event, yaml.ScalarEvent):
            plain = event.tag is None and event.implicit[0]
            return _resolve(event.value) if plain else self._text(event.value, path)
        if isinstance(event, yaml.SequenceStartEvent):
            values: list[Any] = []
            while not isinstance(item := next(self.events), yaml.SequenceEndEvent):
                values.append(self._node(item, (*path, len(values))))
            return tuple(values)
        mapping: dict[Any, Any] = {}
        lines: dict[Any, int] = {}
        while not isinstance(key_event := next(self.events), yaml.MappingEndEvent):
            key, line = self._key(key_event, path), key_event.start_mark.line + 1
            if key in mapping:
                raise self._error(f"this key stands twice, in lines {lines[key]} and {line}", (*path, key))
            lines[key] = line
            mapping[key] = self._node(next(self.events), (*path, key))
        return mapping

    def _key(self, event: Any, path: tuple[Any, ...]) -> Any:
        key = self._node(event, path)
        if isinstance(key, dict | tuple) or key is None:
            raise self._error("a key must be plain text", path, line=event.start_mark.line + 1)
        return key

    def _text(self, value: str, path: tuple[Any, ...]) -> str:
        if _SURROGATE.search(value):
            raise self._error("half a character stands here (a surrogate)", path)
        return value

    def _count(self, n_nodes: int, path: tuple[Any, ...]) -> None:
        self.n_nodes += n_nodes
        if self.n_nodes > _MAX_NODES:
            raise self._error(f"with its aliases, the file holds more than {_MAX_NODES:,} values", path[:1])

    def _error(self, message: str, path: tuple[Any, ...], line: int | None = None) -> ProtocolError:
        return ProtocolError(message, source=self.source, key=key_path(path) or None, line=line)


def _resolve(plain: str) -> Any:
    """What a scalar without quotes stands for."""
    if plain in _NULL:
        return None
    if plain in _TRUE or plain in _FALSE:
        return plain in _TRUE
    if _INT.fullmatch(plain):
        return int(plain)
    if _FLOAT.fullmatch(plain) and math.isfinite(number := float(plain)):
        return number
    return plain
