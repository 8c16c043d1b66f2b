"""The password of the researcher's pages: kept as an argon2 hash, checked at a bounded rate."""

from __future__ import annotations

import os
import secrets
import threading
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from empeval.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from argon2 import PasswordHasher

__all__ = ["HASH_VARIABLE", "Door", "load_hash", "new_password", "save_password"]

#: The environment variable with the hash, where no file holds it.
HASH_VARIABLE = "EMPEVAL_ADMIN_PASSWORD_HASH"

_SHORTEST = 12
_TRIES = 5
_SECONDS = 300.0


def load_hash(file: str | Path) -> str | None:
    """The hash of the environment, else of the file; None where there is none.

    Raises InputError for a file that cannot be read, that others than its owner may read or write, or for
    what is no argon2 hash: nobody would get in, without a word why.
    """
    given = os.environ.get(HASH_VARIABLE)
    if given:
        return _checked(given.strip(), f"the environment variable {HASH_VARIABLE}")
    path = Path(file)
    try:
        if not path.exists():
            return None
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise InputError(
                f"others may read or write the password's hash; chmod 600 {path}", source=str(path)
            )
        return _checked(path.read_text(encoding="ascii").strip(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise InputError(f"the password's hash cannot be read: {reason}", source=str(path)) from None


def _checked(hashed: str, source: str) -> str:
    _hasher()  # argon2 is there, or MissingExtra
    from argon2 import extract_parameters
    from argon2.exceptions import InvalidHashError

    try:
        extract_parameters(hashed)
    except InvalidHashError:
        raise InputError(
            "this is no argon2 hash; empeval study admin --set-password makes one", source=source
        ) from None
    return hashed


def new_password() -> str:
    """A password that nobody guesses.

    >>> len(new_password()) >= 12
    True
    """
    return secrets.token_urlsafe(18)


def save_password(file: str | Path, password: str) -> str:
    """Keep the hash of a password in a file that its owner alone reads, and give it back.

    Raises InputError for a password of fewer than 12 characters.
    """
    if len(password) < _SHORTEST:
        raise InputError(f"a password has at least {_SHORTEST} characters")
    hashed = _hasher().hash(password)
    path = Path(file)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(hashed + "\n")
        draft.replace(path)
    except OSError as error:
        raise InputError(
            f"the password's hash cannot be written: {error.strerror or error}", source=str(path)
        ) from None
    return hashed


@dataclass
class Door:
    """Lets in who knows the password; after 5 wrong tries within 5 minutes, nobody, for as long."""

    hashed: str
    _wrong: deque[float] = field(default_factory=deque)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def wait(self, now: float) -> float:
        """Seconds until the next try is looked at."""
        with self._lock:
            while self._wrong and self._wrong[0] <= now - _SECONDS:
                self._wrong.popleft()
            return self._wrong[0] + _SECONDS - now if len(self._wrong) >= _TRIES else 0.0

    def opens(self, password: str, now: float) -> bool:
        """Whether this is the password; False without a look while there is a wait."""
        # One at a time: tries that come at once must not all be looked at before the first is counted.
        with self._lock:
            if self.wait(now) > 0:
                return False
            if _matches(self.hashed, password):
                self._wrong.clear()
                return True
            self._wrong.append(now)
            return False


def _matches(hashed: str, password: str) -> bool:
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        return _hasher().verify(hashed, password)
    except (InvalidHashError, VerificationError):
        return False


def _hasher() -> PasswordHasher:
    try:
        from argon2 import PasswordHasher
    except ModuleNotFoundError:
        raise MissingExtra("argon2", "study") from None
    return PasswordHasher()
