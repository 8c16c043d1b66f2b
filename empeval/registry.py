"""One door for everything that can be named: metrics, readers, tokenizers, table formats.

A new thing is one new file in its folder plus a decorator. The folder is scanned when a name is first
asked for; packages installed beside empeval come in through entry points of the same group.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from empeval import specs
from empeval.errors import UnknownName

__all__ = ["Registry"]

T = TypeVar("T")
U = TypeVar("U")


class Registry(Generic[T]):
    """Named things of one kind.

    >>> colours: Registry[str] = Registry("colour")
    >>> colours.register("red")("#f00")
    '#f00'
    >>> colours.names()
    ['red']
    """

    def __init__(self, kind: str, package: str | None = None) -> None:
        self.kind = kind
        self._package = package
        # empeval.report.formats is open to others as empeval.formats
        self._group = f"empeval.{package.rpartition('.')[2]}" if package else ""
        self._things: dict[str, T] = {}
        self._loaded = package is None

    def register(self, name: str) -> Callable[[U], U]:
        """Enter the decorated thing under a name; a second thing under one name is a mistake of ours."""

        def enter(thing: U) -> U:
            if name in self._things:
                raise ValueError(f"two {self.kind}s are named {name!r}")
            self._things[name] = thing  # type: ignore[assignment]  # the decorator keeps the precise type
            return thing

        return enter

    def names(self) -> list[str]:
        """All names, sorted."""
        self._load()
        return sorted(self._things)

    def items(self) -> Iterator[tuple[str, T]]:
        """Names and things, sorted by name."""
        return ((name, self._things[name]) for name in self.names())

    def __getitem__(self, name: str) -> T:
        self._load()
        if name not in self._things:
            raise UnknownName(self.kind, name, self._things)
        return self._things[name]

    def __contains__(self, name: object) -> bool:
        self._load()
        return name in self._things

    def create(self, text: str) -> Any:
        """Make a value of a registered class from its text form: ``create("distinct(n=2)")``."""
        name, fields = specs.parse_spec(text)
        cls: Any = self[name]
        return specs.build(self.kind, name, cls, fields)

    def _load(self) -> None:
        if self._loaded or self._package is None:
            return
        self._loaded = True
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            if not module.name.startswith("_"):
                importlib.import_module(f"{self._package}.{module.name}")
        for point in importlib.metadata.entry_points(group=self._group):
            point.load()
