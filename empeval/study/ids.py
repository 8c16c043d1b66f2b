"""Opaque names: identifiers in the order of their making, tokens that nobody can guess, pseudonyms."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time

__all__ = ["access_token", "hidden", "new_id", "new_pseudonym", "new_token", "sha256"]

_lock = threading.Lock()
_last = 0

#: No vowels, so that no word appears, and nothing that looks like something else.
_LETTERS = "bcdfghjkmnpqrstvwxz23456789"


def new_id() -> str:
    """A UUID of version 7 as 32 hexadecimal digits; later ones of one process sort after earlier ones.

    >>> new_id() < new_id()
    True
    """
    global _last  # noqa: PLW0603 - identifiers made within one millisecond must differ in order too
    with _lock:
        moment = max(time.time_ns() * 4096 // 1_000_000, _last + 1)  # milliseconds with 12 bits of fraction
        _last = moment
    milliseconds, fraction = divmod(moment, 4096)
    random = secrets.randbits(62)
    value = (milliseconds & (2**48 - 1)) << 80 | 7 << 76 | fraction << 64 | 0b10 << 62 | random
    return f"{value:032x}"


def new_token() -> str:
    """128 random bits as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def new_pseudonym() -> str:
    """A random name for a rater, as exports show it."""
    return "r-" + "".join(secrets.choice(_LETTERS) for _ in range(8))


def sha256(text: str) -> str:
    """The SHA-256 of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hidden(secret: bytes, *parts: str) -> str:
    """A keyed hash of texts, such as a platform's id of a person.

    >>> hidden(b"k" * 16, "a", "bc") == hidden(b"k" * 16, "ab", "c")
    False
    """
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hmac.new(secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def access_token(secret: bytes, rater_id: str, nonce: str) -> str:
    """The 128-bit token of a rater's personal link; only its hash is stored, and the secret makes it anew."""
    return hidden(secret, "access", rater_id, nonce)[:32]
