"""Texts reduced to what still tells them apart when only their form differs."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

__all__ = ["normalised", "normalised_context", "normalised_references"]

# Bytes translate in one pass; str.translate would look every character of every text up in a dictionary.
_LOWER = bytes(range(256)).lower()
_DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())


def normalised(text: str) -> str:
    """The letters and digits of a text, case-folded: case, spacing and punctuation are ignored.

    Compatibility forms are unified first (Unicode normalisation form KC), and combining marks are kept,
    because in many scripts they are the vowels.

    >>> normalised("I 'm  so SORRY !") == normalised("i'm so sorry")
    True
    >>> normalised("Straße"), normalised("cafe\u0301") == normalised("CAFÉ")
    ('strasse', True)
    """
    if text.isascii():
        return text.encode("ascii").translate(_LOWER, _DROPPED).decode("ascii")
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", "".join(filter(_is_kept, folded)))


def _is_kept(char: str) -> bool:
    if char.isalnum():
        return True
    # A variation selector only chooses between drawings of one character.
    return unicodedata.category(char) in ("Mn", "Mc") and not "\ufe00" <= char <= "\ufe0f"


def normalised_context(context: Sequence[str]) -> str:
    """The turns of a context, normalised and joined: where one turn ends is a matter of form.

    >>> normalised_context(("Hi !", "How are you ?")) == normalised_context(("hi how are you",))
    True
    """
    return "".join(map(normalised, context))


def normalised_references(references: Sequence[str]) -> tuple[str, ...]:
    """The references, each normalised, in sorted order: they are alternatives, not a sequence.

    >>> normalised_references(("Oh no !", "I see ."))
    ('isee', 'ohno')
    """
    return tuple(sorted(map(normalised, references)))
