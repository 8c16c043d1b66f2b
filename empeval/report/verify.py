"""Repeating a finished run from its manifest, and what differs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from empeval import __version__
from empeval.errors import EmpevalError, InputError
from empeval.metrics.base import parse_metrics
from empeval.report import runs
from empeval.report.pipeline import sha256, versions
from empeval.report.remaking import FOREIGN, kind_of
from empeval.report.shapes import Manifest, conform

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
    fingerprint; ``changed_signatures`` says of each metric which parts of its signature are other ones now,
    and ``versions`` holds pairs (then, now) of libraries that are other ones now.
    """

    run: str
    n_values: int
    differences: tuple[Difference, ...]
    changed_signatures: Mapping[str, str]
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
    """Recompute a run, or a report, from its inputs and compare every value of its document.

    Raises InputError where the folder is no run, its files are broken, or an input is gone.
    """
    manifest = runs.load_manifest(folder)
    kind = kind_of(folder)
    stored = kind.stored(folder)
    source = str(Path(folder) / runs.MANIFEST)
    conform(manifest, Manifest, source=source, saying="this is not the manifest of a run")
    conform(manifest["options"], kind.options, source=source, saying=FOREIGN)
    options = kind.checked(manifest["options"])
    inputs = [(entry["path"], entry["sha256"]) for entry in manifest["inputs"]]
    files = manifest["files"]
    before = {**manifest["versions"], "empeval": manifest["empeval"]}
    home = Path(folder, manifest["working_directory"])
    paths = _located([path for path, _ in inputs], home)
    options = _relocated(options, paths, home)
    recomputed = kind.remake(options, home, progress or (lambda _: None))
    pairs = list(_pairs("", stored, recomputed))
    return Verification(
        run=str(folder),
        n_values=len(pairs),
        differences=tuple(
            Difference(where, then, now)
            for where, then, now, tolerance in pairs
            if not _same(then, now, tolerance)
        ),
        changed_signatures=_changed_signatures(
            manifest.get("signatures"), (recomputed.get("manifest") or {}).get("signatures") or {}
        ),
        changed_inputs=tuple(path for path, digest in inputs if sha256(paths[path]) != digest),
        changed_files=tuple(name for name, digest in files.items() if _digest(Path(folder, name)) != digest),
        versions=_other_versions(before),
    )


def _changed_signatures(before: Any, now: Mapping[str, str]) -> dict[str, str]:
    """Metric → what of its signature changed, such as the model that lies in a folder."""
    found = {}
    for metric, signature in before.items() if isinstance(before, Mapping) else ():
        then, here = (
            dict(part.split(":", 1) for part in str(text).split("|")[1:] if ":" in part)
            for text in (signature, now.get(metric, ""))
        )
        changed = [
            f"{key} was {value}, is {here[key]}"
            for key, value in then.items()
            if here.get(key, value) != value
        ]
        if changed:
            found[metric] = "; ".join(changed)
    return found


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


def _relocated(options: Mapping[str, Any], paths: Mapping[str, Path], home: Path) -> dict[str, Any]:
    """The options with every file where it lies now; a protocol may be a file too, and is no input."""

    def moved(file: str) -> str:
        if file in paths:
            return str(paths[file])
        name, _, path = file.partition("=")
        return f"{name}={paths.get(path, path)}"

    found = {**options, "files": [moved(file) for file in options["files"]]}
    if options.get("corpus") is not None:
        found["corpus"] = moved(options["corpus"])
    protocol = Path(options.get("protocol") or "")
    if protocol.suffix in (".yaml", ".yml") and (home / protocol).is_file():
        found["protocol"] = str(home / protocol)
    return found


def _pairs(
    where: str, stored: Any, recomputed: Any, tolerance: float = ABSOLUTE
) -> Iterator[tuple[str, Any, Any, float]]:
    """The values of two documents side by side, each with its place and how far they may be apart."""
    if isinstance(stored, Mapping) and isinstance(recomputed, Mapping):
        tolerance = max(tolerance, _tolerance(recomputed.get("metric")))
        for key in dict.fromkeys((*recomputed, *stored)):
            if key not in _WORDS:
                place = f"{where}.{key}" if where else str(key)
                yield from _pairs(place, stored.get(key), recomputed.get(key), tolerance)
    elif _is_list(stored) and _is_list(recomputed) and len(stored) == len(recomputed):
        for i, (one, other) in enumerate(zip(stored, recomputed, strict=True)):
            yield from _pairs(f"{where}[{_label(other, i)}]", one, other, tolerance)
    else:
        yield where, stored, recomputed, tolerance


def _tolerance(metric: Any) -> float:
    """How far numbers of a metric may be apart on other processors, beyond what holds for all of them."""
    try:
        return parse_metrics(metric)[0].tolerance or ABSOLUTE
    except (EmpevalError, AttributeError, TypeError):  # some other entry that bears a name called metric
        return ABSOLUTE


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _label(entry: Any, i: int) -> str:
    """What tells an entry of a list from its neighbours: its names, else its number."""
    names = ("group", "system", "metric", "system_a", "system_b", "name", "code")
    given = entry if isinstance(entry, Mapping) else {}
    return ", ".join(str(given[name]) for name in names if given.get(name) is not None) or str(i)


def _same(stored: Any, recomputed: Any, tolerance: float) -> bool:
    if isinstance(stored, float) or isinstance(recomputed, float):
        numbers = (int, float)
        if isinstance(stored, numbers) and isinstance(recomputed, numbers):
            return math.isclose(stored, recomputed, rel_tol=max(RELATIVE, tolerance), abs_tol=tolerance)
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
