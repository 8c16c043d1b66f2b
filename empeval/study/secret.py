"""The secret of a study's hashes and links: from the environment, or a file that its owner alone reads."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from empeval.errors import InputError

__all__ = ["SECRET_VARIABLE", "load_secret"]

#: The environment variable that holds the secret in hexadecimal digits, where several machines serve a study.
SECRET_VARIABLE = "EMPEVAL_SECRET"

_BYTES = 32
_FEWEST = 16


def load_secret(file: str | Path) -> bytes:
    """The environment's secret, else the file's, which is made (mode 0600) where there is none.

    Raises InputError for a secret that is too short or no hexadecimal number. Without it, nobody gets back in
    by an old link: it belongs into backups, and not into a repository.
    """
    given = os.environ.get(SECRET_VARIABLE)
    if given is not None:
        return _parsed(given, f"the environment variable {SECRET_VARIABLE}")
    path = Path(file)
    try:
        _make(path)
        return _parsed(path.read_text(encoding="ascii"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise InputError(f"the study's secret cannot be read: {reason}", source=str(path)) from None


def _make(path: Path) -> None:
    """Write a new secret whole or not at all, and leave one that is there."""
    if path.exists():
        return
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.write(secrets.token_hex(_BYTES) + "\n")
    try:
        os.link(draft, path)
    except FileExistsError:
        pass  # another process was first
    finally:
        draft.unlink()


def _parsed(text: str, source: str) -> bytes:
    try:
        secret = bytes.fromhex(text.strip())
    except ValueError:
        secret = b""
    if len(secret) < _FEWEST:
        raise InputError(f"expected at least {2 * _FEWEST} hexadecimal digits", source=source)
    return secret
