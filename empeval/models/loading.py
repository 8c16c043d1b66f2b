"""Loading tokenizers and networks with torch and transformers, quietly, from folders only."""

from __future__ import annotations

import contextlib
import importlib.util
import warnings
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any, TypeVar

from empeval.errors import InputError, MissingExtra
from empeval.models.folder import ModelFolder
from empeval.models.resources import current

__all__ = [
    "library_versions",
    "load_network",
    "load_tokenizer",
    "loading",
    "longest",
    "require",
    "torch_device",
]

T = TypeVar("T")

#: A tokenizer that was never told a limit reports a number like 10^30.
_NO_LIMIT = 10**9


def require(extra: str, *packages: str) -> None:
    """Raise MissingExtra for the first package that is not installed."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(package, extra)


def library_versions(*packages: str) -> dict[str, str]:
    """The versions of those that are installed."""
    found = {}
    for package in packages:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def torch_device() -> str:
    """``cpu`` or ``cuda``, as `Resources.device` says or as there is; InputError for one that is absent."""
    import torch

    wanted, there = current().device, torch.cuda.is_available()
    if wanted == "cuda" and not there:
        raise InputError("there is no CUDA device here that torch can use; take device cpu or auto")
    return "cuda" if there and wanted != "cpu" else "cpu"


@contextlib.contextmanager
def loading(model: ModelFolder) -> Iterator[None]:
    """Keep transformers quiet, and turn whatever it raises into an InputError that names the folder."""
    from transformers import utils

    logging: Any = utils.logging
    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except InputError:
        raise
    except Exception as error:
        why = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
        raise InputError(f"the model cannot be loaded: {why}", source=str(model.path)) from error
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()


def load_tokenizer(model: ModelFolder, **settings: Any) -> Any:
    """The folder's tokenizer; InputError where it cannot be loaded."""
    from transformers import AutoTokenizer

    with loading(model):
        return AutoTokenizer.from_pretrained(str(model.path), local_files_only=True, **settings)


def load_network(model: ModelFolder, load: Callable[..., T], **settings: Any) -> T:
    """The folder's network in inference mode on the current device; InputError where it cannot be loaded."""
    with loading(model):
        network: Any = load(str(model.path), local_files_only=True, **settings)
        found: T = network.eval().requires_grad_(False).to(torch_device())
    return found


def longest(model: ModelFolder, tokenizer: Any) -> int:
    """How many tokens a text may have, special ones included.

    The tokenizer's declared maximum and the number of positions that the configuration has, whichever is
    less; models of the RoBERTa kind keep the first ``pad_token_id + 1`` positions for themselves.
    """
    limits = [int(tokenizer.model_max_length)] if tokenizer.model_max_length < _NO_LIMIT else []
    config = model.config
    # relative positions, as T5 and XLNet have them, set no limit
    for key in ("max_position_embeddings", "n_positions"):
        if isinstance(config.get(key), int) and config[key] > 0:
            kept = config.get("pad_token_id", 1) + 1 if config.get("model_type") in _OFFSET_POSITIONS else 0
            limits.append(config[key] - kept)
    return min(limits, default=_NO_LIMIT)


_OFFSET_POSITIONS = frozenset(
    ("roberta", "xlm-roberta", "camembert", "longformer", "mpnet", "xlm-roberta-xl", "data2vec-text", "ibert")
)
