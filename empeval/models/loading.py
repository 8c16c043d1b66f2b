"""Loading tokenizers and networks with torch and transformers, quietly, from folders only."""

from __future__ import annotations

import contextlib
import importlib.util
import warnings
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any, TypeVar

from empeval.errors import EmpevalError, InputError, MissingExtra
from empeval.models.folder import ModelFolder
from empeval.models.resources import current

__all__ = [
    "guarded",
    "library_versions",
    "load_config",
    "load_network",
    "load_tokenizer",
    "longest",
    "require",
    "torch_device",
]

T = TypeVar("T")

#: Code that a folder brings along is not run, and nobody is asked whether it may be.
_SAFE = {"trust_remote_code": False}
#: Of an error of a library, as characters.
_MOST_WORDS = 300
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
def guarded(model: ModelFolder, what: str = "the model cannot be loaded") -> Iterator[None]:
    """Keep transformers quiet, and turn whatever a model raises into an InputError that names its folder."""
    from transformers import utils

    logging: Any = utils.logging
    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (EmpevalError, MemoryError):
        raise
    except Exception as error:
        raise InputError(f"{what}: {words_of(error)}", source=str(model.path)) from error
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()


def words_of(error: BaseException) -> str:
    r"""What a library's error says, on one line of reasonable length.

    >>> words_of(KeyError("added_tokens"))
    "KeyError: 'added_tokens'"
    >>> words_of(ValueError("two\n  lines"))
    'two lines'
    """
    text = " ".join(str(error).split())
    if "ignore_mismatched_sizes" in text:
        return "its weights have other sizes than its configuration says"
    if "weights_only" in text:
        return "its weights are a pickle that holds more than numbers, which is not loaded"
    short = text if len(text) <= _MOST_WORDS else f"{text[:_MOST_WORDS]} …"
    telling = isinstance(error, ValueError | OSError | RuntimeError) and len(text) > 1
    return short if telling else f"{type(error).__name__}: {short}".removesuffix(": ")


def load_config(model: ModelFolder) -> Any:
    """The folder's configuration as transformers has it; InputError where it cannot be loaded."""
    from transformers import AutoConfig

    with guarded(model):
        return AutoConfig.from_pretrained(str(model.path), local_files_only=True, **_SAFE)


def load_tokenizer(model: ModelFolder, **settings: Any) -> Any:
    """The folder's tokenizer; InputError where it cannot be loaded."""
    from transformers import AutoTokenizer

    with guarded(model):
        return AutoTokenizer.from_pretrained(str(model.path), local_files_only=True, **_SAFE, **settings)


def load_network(model: ModelFolder, load: Callable[..., T], **settings: Any) -> T:
    """The folder's network in inference mode on the current device; InputError where it cannot be loaded."""
    with guarded(model):
        network: Any = load(str(model.path), local_files_only=True, **_SAFE, **settings)
        found: T = network.eval().requires_grad_(False).to(torch_device())
    return found


def longest(model: ModelFolder, tokenizer: Any) -> int:
    """How many tokens a text may have, special ones included.

    The tokenizer's declared maximum and the number of positions that the configuration has, whichever is
    less; models of the RoBERTa kind keep the first ``pad_token_id + 1`` positions for themselves. Raises
    InputError where that leaves no token for words.
    """
    told, config = tokenizer.model_max_length, model.config
    limits = [int(told)] if _is_number(told) and told < _NO_LIMIT else []
    # relative positions, as T5 and XLNet have them, set no limit
    for key in ("max_position_embeddings", "n_positions"):
        if _is_number(config.get(key)):
            padding = config.get("pad_token_id")
            padding = padding if isinstance(padding, int) else 1
            kept = padding + 1 if config.get("model_type") in _OFFSET_POSITIONS else 0
            limits.append(config[key] - kept)
    limit = min(limits, default=_NO_LIMIT)
    if limit <= tokenizer.num_special_tokens_to_add():
        raise InputError(
            f"tokenizer and configuration allow {limit} tokens a text, which leaves none for its words",
            source=str(model.path),
        )
    return limit


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_OFFSET_POSITIONS = frozenset(
    (
        *("camembert", "data2vec-text", "esm", "ibert", "longformer", "luke", "mpnet", "roberta"),
        *("roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "xmod"),
    )
)
