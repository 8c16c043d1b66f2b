"""Key paths: where in a file a value stands."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["key_path"]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,60}")


def key_path(keys: Iterable[object]) -> str:
    """A path of keys and list positions as messages name it.

    >>> key_path(["published", 2, "rows", "w/o STC", 0])
    "published[2].rows['w/o STC'][0]"
    """
    text = ""
    for key in keys:
        if isinstance(key, str) and _PLAIN.fullmatch(key):
            text += f".{key}" if text else key
        else:
            shown = repr(key)
            text += f"[{shown}]" if len(shown) <= 60 else f"[{shown[:57]}…]"
    return text
