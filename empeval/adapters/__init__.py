"""empeval's metrics in other libraries: as an ``evaluate.Metric``, and as a module that evaluate loads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from empeval.errors import InputError
from empeval.metrics.base import METRICS, Metric
from empeval.models.loading import require

if TYPE_CHECKING:
    from empeval.adapters.evaluate_metric import EmpevalMetric

__all__ = ["as_evaluate", "metric_class", "write_module"]

_HEAD = "of empeval, as a module of the evaluate package"


def as_evaluate(metric: str | Metric) -> EmpevalMetric:
    """A metric as an ``evaluate.Metric``, for `compute`, `add_batch` and ``evaluate.combine``.

    Raises UnknownName for a metric that is not known, MissingExtra without ``evaluate``.

    >>> as_evaluate("distinct(n=2)").compute(predictions=["oh no", "oh no"])
    {'distinct(n=2)': 50.0}
    """
    return metric_class(metric)()


def metric_class(metric: str | Metric) -> type[EmpevalMetric]:
    """The class of such a metric: what a module that ``evaluate.load`` reads has to hold."""
    made: Metric = METRICS.create(metric) if isinstance(metric, str) else metric
    require("evaluate", "evaluate")
    from empeval.adapters.evaluate_metric import EmpevalMetric

    return type(type(made).__name__, (EmpevalMetric,), {"metric": made, "__doc__": type(made).__doc__})


def write_module(metric: str | Metric, folder: Path | str) -> Path:
    """Write a module that ``evaluate.load(folder)`` loads, and give its file.

    The file bears the folder's name, as evaluate wants it; a former one that this function wrote is
    overwritten. Raises InputError for a folder whose name or content does not allow it.

    >>> write_module("bleu(lowercase=True)", getfixture("tmp_path") / "bleu_lower").name
    'bleu_lower.py'
    """
    spec = (METRICS.create(metric) if isinstance(metric, str) else metric).spec
    folder = Path(folder)
    name = folder.resolve().name
    if not name.replace("-", "_").isidentifier():
        raise InputError(
            f"evaluate loads no module named {name!r}; take letters, digits and _", source=str(folder)
        )
    file = folder / f"{name}.py"
    if file.is_dir():
        raise InputError("this is a folder, and would be the module's file", source=str(file))
    if file.exists() and _HEAD not in file.read_text(encoding="utf-8", errors="replace").partition("\n")[0]:
        raise InputError("this file is something else; take another folder", source=str(file))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"no folder can be made here ({error.strerror})", source=str(folder)) from None
    text = (
        f'"""A metric {_HEAD}."""\n\n'
        "from empeval.adapters import metric_class\n\n"
        f"Metric = metric_class({spec!r})\n"
    )
    file.write_text(text, encoding="utf-8")
    return file
