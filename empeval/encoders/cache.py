"""Scores of pairs kept on disk, named by content: files that are written whole, and never changed."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from empeval.errors import InputError
from empeval.models import Resources
from empeval.statistics.segments import Array

__all__ = ["PairCache", "digest_of"]

SUFFIX = ".pairs"
_MAGIC = b"empeval pairs 1\n"
_ROW = np.dtype([("key", "V16"), ("precision", "<f4"), ("recall", "<f4"), ("flags", "u1")])
#: Reading so many files takes longer than writing them as one.
_MANY_FILES = 24
#: What a process that died left behind is older than anything still being written.
_ABANDONED = 24 * 3600.0


def digest_of(hypothesis: str, reference: str) -> bytes:
    """16 bytes that name a pair of texts.

    >>> digest_of("a", "bc") == digest_of("ab", "c")
    False
    """
    text = f"{len(hypothesis)}:{hypothesis}{reference}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@dataclass(frozen=True)
class PairCache:
    """The pairs of one model, layer and weighting in a folder, for any number of processes at once.

    A file holds rows and a hash of them under the cache's key. It appears under its name once it is whole, so
    that a process killed at any moment leaves the others' pairs as they were; a file that is cut short,
    damaged, or from another folder is not believed and goes. Files are merged when there are many, and those
    longest unused go when all together exceed ``n_bytes``. Raises InputError where ``root`` is a file; a
    folder that cannot be used is told once through ``resources.say`` and then left alone.
    """

    root: Path
    key: str
    n_bytes: int

    @classmethod
    def of(cls, resources: Resources, key: str) -> PairCache | None:
        """The cache that the resources ask for; ``key`` names everything but the texts that fixes a score."""
        if resources.cache is None:
            return None
        if resources.cache.exists() and not resources.cache.is_dir():
            raise InputError("the cache must be a folder, and this is a file", source=str(resources.cache))
        name = hashlib.sha256(key.encode()).hexdigest()[:32]
        return cls(resources.cache / "bertscore", name, resources.cache_bytes)

    @property
    def folder(self) -> Path:
        """Where the files lie."""
        return self.root / self.key

    def load(self) -> Array:
        """Every row there is, as a structured array with fields key, precision, recall and flags."""
        parts, files = [], self._files()
        for file in files:
            rows = _read(file, self.key)
            if rows is not None:
                parts.append(rows)
        found = np.concatenate(parts) if parts else np.empty(0, dtype=_ROW)
        if len(files) > _MANY_FILES:
            found = found[np.unique(found["key"], return_index=True)[1]]
            with contextlib.suppress(OSError):  # a folder that may only be read is of use too
                self._write(found)
                for file in files:
                    file.unlink(missing_ok=True)
        return found

    def add(self, pairs: Mapping[bytes, tuple[float, float, int]]) -> None:
        """Keep further pairs: digest → precision, recall, flags."""
        rows = np.empty(len(pairs), dtype=_ROW)
        rows["key"] = np.frombuffer(b"".join(pairs), dtype="V16")
        values = list(pairs.values())
        for i, name in enumerate(("precision", "recall", "flags")):
            rows[name] = [value[i] for value in values]
        self._write(rows)
        self._tidy()

    def _write(self, rows: Array) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        content = rows.tobytes()
        name = uuid.uuid4().hex
        hidden = self.folder / f".{name}"
        try:
            hidden.write_bytes(_head(content, self.key) + content)
            hidden.replace(self.folder / f"{name}{SUFFIX}")
        finally:
            hidden.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        found = sorted(self.folder.glob(f"*{SUFFIX}"))
        for file in found:
            with contextlib.suppress(OSError):  # gone since, or not ours to touch
                os.utime(file)
        return found

    def _tidy(self) -> None:
        """Remove what nobody finished writing, and what is unused longest if everything is too large."""
        now, kept = time.time(), []
        for file, status in _entries(self.root):
            if file.name.startswith("."):
                if now - status.st_mtime > _ABANDONED:
                    file.unlink(missing_ok=True)
            else:
                kept.append((status.st_mtime, status.st_size, file))
        total = sum(size for _, size, _ in kept)
        for _, size, file in sorted(kept):
            if total <= self.n_bytes:
                break
            file.unlink(missing_ok=True)
            total -= size


def _entries(root: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for file in root.glob("*/*"):
        with contextlib.suppress(FileNotFoundError):  # another process tidies too
            yield file, file.stat()


def _head(rows: bytes, key: str) -> bytes:
    """What stands before rows: it fits no other rows, and no other model, layer or weighting."""
    return _MAGIC + hashlib.blake2b(rows, digest_size=32, key=key.encode()[:64]).digest()


def _read(file: Path, key: str) -> Array | None:
    """The rows of a file, or None where it cannot be read; one that is damaged or misplaced is removed."""
    try:
        content = file.read_bytes()
    except OSError:  # gone since, or not ours to read
        return None
    rows = content[len(_MAGIC) + 32 :]
    if content[: len(_MAGIC) + 32] != _head(rows, key) or len(rows) % _ROW.itemsize:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
        return None
    return np.frombuffer(rows, dtype=_ROW)
