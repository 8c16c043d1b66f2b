"""What bert-score publishes as data: which layer of a model to take, and the baselines of rescaling."""

from __future__ import annotations

import ast
import csv
import functools
import hashlib
import importlib.util
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from empeval.errors import InputError, MissingExtra
from empeval.models import ModelFolder
from empeval.models.resources import located

__all__ = ["Baseline", "Layer", "baseline_of", "layer_of"]

#: Names under which configurations give the number of layers.
_DEPTHS = ("num_hidden_layers", "n_layers", "n_layer", "num_layers", "encoder_layers")


@dataclass(frozen=True)
class Layer:
    """The layer whose output is compared, of ``depth`` there are, and what chose it."""

    number: int
    depth: int | None
    chosen_by: Literal["asked", "table", "config"]


@dataclass(frozen=True)
class Baseline:
    """What unrelated sentences score: a rescaled score is (score − baseline) / (1 − baseline)."""

    precision: float
    recall: float
    f1: float
    fingerprint: str


def layer_of(model: ModelFolder, asked: int | None) -> Layer:
    """The layer that was asked for, else that of bert-score's table, else the last one of the configuration.

    Raises InputError for a layer that the model does not have, and where nothing says which one to take.
    """
    config = model.config
    depth = next((config[key] for key in _DEPTHS if isinstance(config.get(key), int)), None)
    if asked is not None:
        found = Layer(asked, depth, "asked")
    elif (listed := next((layers()[name] for name in _names(model) if name in layers()), None)) is not None:
        found = Layer(listed, depth, "table")
    elif depth is not None:
        found = Layer(depth, depth, "config")
    else:
        raise InputError(
            "neither bert-score's table nor the configuration says which layer to take; give layer=N",
            source=str(model.path),
        )
    if found.number < 0 or (depth is not None and found.number > depth):
        raise InputError(f"there is no layer {found.number}: the model has {depth}", source=str(model.path))
    return found


def baseline_of(model: ModelFolder, layer: int, file: str | None) -> Baseline:
    """The baseline of a layer, from a file, else from those that bert-score brings for English.

    A file has a head line and one line a layer: ``LAYER,P,R,F``. Raises InputError where there is none: a
    score is never left as it is when rescaling was asked for.
    """
    if file is not None:
        path = located(file)
        if not path.is_file():
            what = f"{file} is a folder" if path.is_dir() else f"there is no file {file}"
            raise InputError(f"{what}; give a file with bert-score's lines LAYER,P,R,F")
        return _read(path, layer)
    folder = _package() / "rescale_baseline" / "en"
    for name in _names(model):
        if (folder / f"{name}.tsv").is_file():
            return _read(folder / f"{name}.tsv", layer)
    raise InputError(
        f"bert-score has no baseline for {model.name}; "
        "give baseline=FILE (lines LAYER,P,R,F) or rescale=False"
    )


@functools.cache
def layers() -> dict[str, int]:
    """bert-score's table: the layer of each model that agreed best with people (Zhang et al., 2020).

    Taken from the text of the installed package, whose import would take seconds.
    """
    source = ast.parse((_package() / "utils.py").read_text(encoding="utf-8"))
    for statement in source.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "model2layers":
            return dict(ast.literal_eval(statement.value))
    return {}


def _package() -> Path:
    found = importlib.util.find_spec("bert_score")
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("bert-score", "bertscore")
    return Path(found.submodule_search_locations[0])


def _names(model: ModelFolder) -> list[str]:
    """What the model may be listed under: as asked for, as its configuration says, as its folder is named."""
    configured = str(model.config.get("_name_or_path") or "")
    return [name for name in dict.fromkeys((model.name, configured, model.path.resolve().name)) if name]


def _read(path: Path, layer: int) -> Baseline:
    content = path.read_bytes()
    try:
        lines = list(csv.DictReader(content.decode("utf-8-sig").splitlines()))
        row = next((line for line in lines if int(line["LAYER"]) == layer), None)
        values = [float(row[key]) for key in ("P", "R", "F")] if row else []
    except (UnicodeDecodeError, KeyError, TypeError, ValueError, csv.Error):
        raise InputError("expected a head line LAYER,P,R,F and numbers under it", source=str(path)) from None
    if not values:
        raise InputError(f"there is no line for layer {layer}", source=str(path))
    if not all(math.isfinite(value) and value < 1 for value in values):
        raise InputError(f"the baseline of layer {layer} must be below 1", source=str(path))
    precision, recall, f1 = values
    return Baseline(precision, recall, f1, hashlib.sha256(content).hexdigest()[:16])
