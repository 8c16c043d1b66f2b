"""Modules of the ``evaluate`` package: finding them, naming their files, giving them our columns."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError
from empeval.models.folder import digest_of_files
from empeval.models.loading import require
from empeval.models.resources import current, located

__all__ = ["ForeignModule", "fingerprint"]

#: What a module calls an input → our column, and how an entry becomes one text where it asks for one.
_INPUTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "predictions": ("hypotheses", str),
    "data": ("hypotheses", str),
    "references": ("references", lambda texts: texts[0]),
    "sources": ("contexts", "\n".join),
    "contexts": ("contexts", "\n".join),
    "predicted_emotions": ("predicted_emotions", lambda ranked: ranked[0] if ranked else None),
    **{
        name: (name, lambda value: value)
        for name in ("emotions", "response_intents", "predicted_intents", "nlls", "n_tokens")
    },
    "candidate_scores": ("candidate_scores", list),
}
_NAME = re.compile(r"[A-Za-z0-9][\w-]*(/[\w.-]+)?")
_SIBLING = re.compile(r"^(?:from\s+\.(\w+)|import\s+\.(\w+))", re.MULTILINE)


def script_of(path: str) -> Path | None:
    """The file of a module, or None where ``path`` is a name; InputError for a folder without one."""
    place = located(path)
    if place.is_file():
        if place.suffix != ".py":
            raise InputError("a module of evaluate is a folder or a .py file", source=str(place))
        return place
    if place.is_dir():
        named = place / f"{place.resolve().name}.py"
        files = [named] if named.is_file() else sorted(place.glob("*.py"))
        if len(files) == 1:
            return files[0]
        raise InputError(f"a module's folder holds a file of its name, {named.name}", source=str(place))
    if not _NAME.fullmatch(path):
        raise InputError(f"there is no folder or file {path}; give the folder of an evaluate module")
    return None


def fingerprint(path: str) -> str:
    """16 hexadecimal digits that any change to a module's files changes."""
    script = script_of(path)
    if script is None:
        return str(ForeignModule.load(path).hash)[:16]
    if located(path).is_dir():
        files = [
            f for f in sorted(script.parent.rglob("*")) if f.is_file() and not _passing(f, script.parent)
        ]
    else:
        text = script.read_text(encoding="utf-8", errors="replace")
        siblings = {f"{a or b}.py" for a, b in _SIBLING.findall(text)}
        files = [script, *(f for name in sorted(siblings) if (f := script.parent / name).is_file())]
    return digest_of_files(script.parent, files)


def _passing(file: Path, folder: Path) -> bool:
    """Whether a file comes and goes without a change to the module."""
    return any(part.startswith((".", "__pycache__")) for part in file.relative_to(folder).parts)


class ForeignModule:
    """A module of ``evaluate``, loaded; make it with `load`.

    ``features`` are the inputs that it asks for, those with lists of references where there is a choice.
    """

    def __init__(self, path: str, module: Any) -> None:
        self.path, self._module = path, module
        options = module.features if isinstance(module.features, list) else [module.features]
        usable = [option for option in options if self._complaint(option) is None]
        if not usable:
            raise InputError(f"{path}: {self._complaint(options[0])}")
        self.features: Mapping[str, Any] = max(usable, key=lambda f: _is_list(f.get("references")))

    @property
    def hash(self) -> str:
        """What evaluate itself computes of the module's code."""
        return str(self._module._hash)  # noqa: SLF001  # evaluate has no other name for it

    @classmethod
    def load(cls, path: str) -> ForeignModule:
        """Load a module from its folder, its file, or the hub by its name.

        Raises InputError where it cannot be loaded, MissingExtra where ``evaluate`` is not installed.
        """
        require("evaluate", "evaluate")
        script = script_of(path)
        return _loaded(path, str(script) if script else path, fingerprint(path) if script else "")

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of `Corpus` and `SystemOutputs` that the inputs come from."""
        return tuple(
            dict.fromkeys(_INPUTS[name][0] for name in self.features if _INPUTS[name][0] != "hypotheses")
        )

    def columns(self, corpus: Corpus, outputs: SystemOutputs) -> list[list[Any]]:
        """The inputs, one column each in the order of ``features``, one entry a segment."""
        found = []
        for name, feature in self.features.items():
            column, single = _INPUTS[name]
            values = getattr(corpus if hasattr(corpus, column) else outputs, column)
            made = list if _is_list(feature) else single
            found.append([None if value is None else made(value) for value in values])
            for segment_id, value in zip(corpus.ids, found[-1], strict=True):
                self._require_text(segment_id, value)
        return found

    def _require_text(self, segment_id: str, value: Any) -> None:
        texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        for text in texts:
            # a text that no encoding can hold cannot be handed to evaluate, which keeps texts in Arrow
            if isinstance(text, str) and not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
                raise InputError(
                    f"evaluate takes no text with half of a surrogate pair; mend it to use {self.path}",
                    segment_id=segment_id,
                )

    def compute(self, columns: Sequence[Sequence[Any]]) -> Any:
        """What the module gives for these inputs; InputError with its own words where it fails."""
        try:
            with _quiet():
                return self._module.compute(**dict(zip(self.features, map(list, columns), strict=True)))
        except (Exception, SystemExit) as error:
            _loaded.cache_clear()  # what a failed module still holds must not be added to
            raise InputError(f"the module {self.path} failed: {_words(error)}") from error

    def _complaint(self, features: Mapping[str, Any]) -> str | None:
        """Why these inputs cannot be given, or None."""
        unknown = [name for name in features if name not in _INPUTS]
        if unknown:
            return f"the module asks for {', '.join(unknown)}; empeval has {', '.join(_INPUTS)}"
        for name in ("predictions", "data"):
            if name in features and "string" not in str(getattr(features[name], "dtype", "")):
                return f"the module takes {features[name]} as {name}; responses are texts"
        return None


@functools.lru_cache(maxsize=16)
def _loaded(path: str, place: str, stamp: str) -> ForeignModule:
    import evaluate  # type: ignore[import-untyped]

    if not stamp:
        _require_network(path)
    current().progress(f"loading {path}")
    try:
        with _quiet():
            # the seed is that of numpy while the module computes, its own state would be another each time
            module = evaluate.load(place, keep_in_memory=True, seed=0)
    except (Exception, SystemExit) as error:
        advice = "" if stamp else f"; {_advice(path)}"
        raise InputError(f"the module {path} cannot be loaded: {_words(error)}{advice}") from error
    return ForeignModule(path, module)


def _require_network(name: str) -> None:
    """Raise InputError where the module of a name may not be fetched."""
    from evaluate import config
    from huggingface_hub import constants

    if not (current().offline or config.HF_EVALUATE_OFFLINE or constants.HF_HUB_OFFLINE):
        return
    raise InputError(f"{name!r} is no folder, and the network may not be used; {_advice(name)}")


def _advice(name: str) -> str:
    space = name if "/" in name else f"evaluate-metric/{name}"
    folder = name.rpartition("/")[2]
    return (
        f"to work from a folder, run `git clone https://huggingface.co/spaces/{space} {folder}` on a machine "
        f"with network, bring the folder here and give path=./{folder}"
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep what a module prints away from standard output, and its warnings to itself."""
    with (
        contextlib.redirect_stdout(sys.stderr),
        _children_quiet(),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _children_quiet() -> Iterator[None]:
    """The same for what a module's child processes and its compiled parts print."""
    try:
        kept = os.dup(1)
    except OSError:  # there is no standard output
        yield
        return
    if sys.__stdout__ is not None:
        sys.__stdout__.flush()
    try:
        os.dup2(2, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _words(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _is_list(feature: Any) -> bool:
    return isinstance(feature, list | tuple) or hasattr(feature, "feature")
