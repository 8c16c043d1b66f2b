"""What computing with a model may use: a cache, the network, a processor. None of it changes a number."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

__all__ = ["Device", "Resources", "current", "located", "using"]

Device = Literal["auto", "cpu", "cuda"]

#: Pair scores take about 30 bytes, so that this holds tens of millions of them.
CACHE_BYTES = 2**30


def _silent(_: str) -> None:
    pass


@dataclass(frozen=True)
class Resources:
    """What computing with a model may use.

    ``cache`` is the folder in which scores of pairs of texts are kept (None: nowhere), ``cache_bytes`` how
    large it may grow; ``offline`` forbids the network, ``device`` names the processor, ``batch_tokens`` says
    how many tokens it is given at once. Relative paths of models are looked up in ``base`` first.
    ``progress`` is told what is being done, ``say`` what was chosen.
    """

    cache: Path | None = None
    cache_bytes: int = CACHE_BYTES
    offline: bool = False
    device: Device = "auto"
    batch_tokens: int = 2048
    base: Path | None = None
    progress: Callable[[str], None] = _silent
    say: Callable[[str], None] = _silent


_DEFAULT = Resources()
_CURRENT: ContextVar[Resources] = ContextVar("resources", default=_DEFAULT)


def current() -> Resources:
    """The resources that hold here."""
    return _CURRENT.get()


@contextlib.contextmanager
def using(**changes: Any) -> Iterator[Resources]:
    """Other resources within a ``with`` block, by the names of the fields of `Resources`.

    >>> with using(offline=True) as resources:
    ...     resources.offline, current().offline
    (True, True)
    >>> current().offline
    False
    """
    resources = replace(current(), **changes)
    token = _CURRENT.set(resources)
    try:
        yield resources
    finally:
        _CURRENT.reset(token)


def located(path: str) -> Path:
    """Where a path leads: from `Resources.base` if there is something there, else from the working folder."""
    given, base = Path(path).expanduser(), current().base
    if base is not None and (base / given).exists():
        return base / given
    return given
