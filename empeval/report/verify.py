"""Repeating a finished run from its manifest, and what differs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from empeval import __version__
from empeval.errors import InputError
from empeval.report import runs
from empeval.report.pipeline import Options, execute, sha256, versions

__all__ = ["Difference", "Verification", "verify"]

#: Sums may differ in their last bits between processors and library versions.
RELATIVE, ABSOLUTE = 1e-9, 1e-12

#: Parts of a score document that are words about files and versions, not results.
_WORDS = frozenset({"manifest", "source", "message", "signature"})


@dataclass(frozen=True)
class Difference:
    """One value of the document: where it stands, as stored, and as recomputed."""

    where: str
    stored: Any
    recomputed: Any


@dataclass(frozen=True)
class Verification:
    """What came of repeating a run: ``confirmed`` if nothing at all differs.

    ``changed_inputs`` and ``changed_files`` no longer have the bytes of which the manifest holds the
    fingerprint; ``versions`` are pairs (then, now) of libraries that are other ones now.
    """

    run: str
    n_values: int
    differences: tuple[Difference, ...]
    changed_inputs: tuple[str, ...]
    changed_files: tuple[str, ...]
    versions: Mapping[str, tuple[str, str]]

    @property
    def confirmed(self) -> bool:
        """Whether every value and every file is as it was."""
        return not (self.differences or self.changed_inputs or self.changed_files)

    def to_dict(self) -> dict[str, Any]:
        """The document that ``empeval verify --format json`` prints."""
        return {"confirmed": self.confirmed, **asdict(self)}


def verify(folder: str | Path, progress: Callable[[str], None] | None = None) -> Verification:
    """Recompute a run from its inputs and compare every value of its score document.

    Raises InputError where the folder is no run, its files are broken, or an input is gone.
    """
    manifest = runs.load_manifest(folder)
    stored = runs.load(folder)
    try:
        options = Options.from_dict(manifest["options"])
        inputs = [(entry["path"], entry["sha256"]) for entry in manifest["inputs"]]
        files = dict(manifest["files"])
        before = {**manifest["versions"], "empeval": manifest["empeval"]}
        home = Path(folder, manifest["working_directory"])
    except (KeyError, TypeError, ValueError) as error:
        what = f"the manifest is incomplete: {error!r}"
        raise InputError(what, source=str(Path(folder) / runs.MANIFEST)) from None
    paths = _located([path for path, _ in inputs], home)
    recomputed = execute(_relocated(options, paths), progress).document()
    pairs = list(_pairs("", stored, recomputed))
    return Verification(
        run=str(folder),
        n_values=len(pairs),
        differences=tuple(Difference(*pair) for pair in pairs if not _same(*pair[1:])),
        changed_inputs=tuple(path for path, digest in inputs if sha256(paths[path]) != digest),
        changed_files=tuple(name for name, digest in files.items() if _digest(Path(folder, name)) != digest),
        versions=_other_versions(before),
    )


def _located(paths: Sequence[str], home: Path) -> dict[str, Path]:
    """Where the inputs are: relative to the folder in which the run was made, else to the present one."""
    found = {}
    for path in paths:
        candidates = [home / path, Path(path)]
        at = next((candidate for candidate in candidates if candidate.is_file()), None)
        if at is not None:
            found[path] = at
    missing = [path for path in paths if path not in found]
    if missing:
        raise InputError(
            f"the run cannot be repeated without its input: {', '.join(missing)}; put it back, "
            "or go to the folder from which its relative path leads to it"
        )
    return found


def _relocated(options: Options, paths: Mapping[str, Path]) -> Options:
    def moved(file: str) -> str:
        if file in paths:
            return str(paths[file])
        name, _, path = file.partition("=")
        return f"{name}={paths.get(path, path)}"

    corpus = options.corpus
    return replace(
        options,
        files=tuple(map(moved, options.files)),
        corpus=None if corpus is None else str(paths.get(corpus, corpus)),
    )


def _pairs(where: str, stored: Any, recomputed: Any) -> Iterator[tuple[str, Any, Any]]:
    """The values of two documents side by side, each with the place where it stands."""
    if isinstance(stored, Mapping) and isinstance(recomputed, Mapping):
        for key in dict.fromkeys((*recomputed, *stored)):
            if key not in _WORDS:
                place = f"{where}.{key}" if where else str(key)
                yield from _pairs(place, stored.get(key), recomputed.get(key))
    elif _is_list(stored) and _is_list(recomputed) and len(stored) == len(recomputed):
        for i, (one, other) in enumerate(zip(stored, recomputed, strict=True)):
            yield from _pairs(f"{where}[{_label(other, i)}]", one, other)
    else:
        yield where, stored, recomputed


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _label(entry: Any, i: int) -> str:
    """What tells an entry of a list from its neighbours: its names, else its number."""
    names = ("group", "system", "metric", "system_a", "system_b", "name", "code")
    given = entry if isinstance(entry, Mapping) else {}
    return ", ".join(str(given[name]) for name in names if given.get(name) is not None) or str(i)


def _same(stored: Any, recomputed: Any) -> bool:
    if isinstance(stored, float) or isinstance(recomputed, float):
        numbers = (int, float)
        if isinstance(stored, numbers) and isinstance(recomputed, numbers):
            return math.isclose(stored, recomputed, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return bool(stored == recomputed)


def _digest(path: Path) -> str | None:
    return sha256(path) if path.is_file() else None


def _other_versions(before: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    now = {**versions(), "empeval": __version__}
    return {
        library: (version, now.get(library, "none"))
        for library, version in before.items()
        if now.get(library) != version
    }
