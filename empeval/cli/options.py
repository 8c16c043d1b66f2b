"""Options that several commands share, and what their texts must be."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from empeval.cli.parser import Parser

__all__ = [
    "add_corpus",
    "add_files",
    "add_format",
    "add_inputs",
    "add_metrics",
    "add_models",
    "add_out",
    "add_protocol",
    "add_quiet",
    "add_reading",
    "add_statistics",
    "columns",
    "count",
    "folder",
    "input_options",
    "model_resources",
    "scoring_options",
    "seed",
    "share",
]

_FORMATS = ("text", "markdown", "latex", "csv", "html", "json")
_RUN_FILES = "scores, segments, tables in every format and the manifest"


def add_files(parser: Parser) -> None:
    """The files with what systems answered."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="outputs of one or several systems: JSONL, CSV, TSV, Parquet, a published log, or bare text; "
        "NAME=FILE names the system, - is standard input",
    )


def add_reading(parser: Parser) -> None:
    """How the files are read."""
    group = parser.add_argument_group("reading")
    group.add_argument("--reader", metavar="NAME", help="how to read the FILEs (default: by their content)")
    group.add_argument(
        "--columns",
        type=columns,
        metavar="FIELD=COLUMN,…",
        help="columns that hold a field under another name, e.g. hypothesis=response",
    )


def add_inputs(parser: Parser) -> None:
    """The files, the test set, and how they are read and joined."""
    add_files(parser)
    add_reading(parser)
    group = add_corpus(parser)
    group.add_argument(
        "--parser",
        choices=("standard", "authors"),
        default="standard",
        metavar="standard|authors",
        help="read published logs correctly, or as their authors' scripts do, damage included",
    )
    group.add_argument(
        "--cohort",
        choices=("intersection", "strict"),
        default="intersection",
        metavar="intersection|strict",
        help="score the segments that all systems share (default), or refuse gaps",
    )


def add_corpus(parser: Parser) -> argparse._ArgumentGroup:
    """The test set."""
    group = parser.add_argument_group("joining")
    group.add_argument("--corpus", metavar="FILE", help="the test set: contexts, references, emotions")
    return group


def add_metrics(parser: Parser) -> None:
    """Which metrics."""
    parser.add_argument(
        "--metrics",
        metavar="LIST",
        help="NAME or NAME(field=value,…), separated by commas (default: those that the fields present "
        "allow; `empeval metrics` lists them)",
    )


def add_models(parser: Parser) -> None:
    """What metrics that compute with a model may use."""
    group = parser.add_argument_group("models")
    group.add_argument(
        "--cache",
        type=folder,
        metavar="DIR|none",
        help="where scores of pairs of texts are kept for the next run (default: the user's cache folder)",
    )
    group.add_argument(
        "--offline", action="store_true", help="never reach for the network, whatever a model is named"
    )
    group.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        default="auto",
        metavar="auto|cpu|cuda",
        help="where models run (default: auto, CUDA where there is some)",
    )


def add_protocol(parser: Parser) -> None:
    """Whose metrics."""
    parser.add_argument(
        "--protocol",
        metavar="NAME|FILE",
        help="the metrics of a paper's own table, as its authors coded them (`empeval protocols` lists them)",
    )


def add_statistics(parser: Parser) -> None:
    """How uncertainty is measured."""
    group = parser.add_argument_group("uncertainty")
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="of all resampling (default: 0)")
    group.add_argument(
        "--resamples",
        type=count,
        default=1000,
        metavar="N",
        help="for intervals, and at least as many for tests (default: 1000; 0: neither)",
    )
    group.add_argument(
        "--level", type=share, default=0.95, metavar="L", help="of the intervals (default: 0.95)"
    )


def add_format(parser: Parser, formats: tuple[str, ...] = _FORMATS) -> None:
    """How the result is printed."""
    parser.add_argument(
        "--format",
        choices=formats,
        default="text",
        metavar="|".join(formats),
        help="what to print on standard output (default: text)",
    )


def add_out(parser: Parser, default: str | None = None, what: str = _RUN_FILES) -> None:
    """The folder to write to, and what goes there."""
    shown = f" (default: {default})" if default else ""
    parser.add_argument(
        "--out",
        type=folder,
        default=default,
        metavar="DIR",
        help=f"write {what} into this folder{shown}",
    )


def add_quiet(parser: Parser) -> None:
    """Whether anything but errors goes to standard error."""
    parser.add_argument("--quiet", action="store_true", help="no progress, notes and warnings")


def input_options(args: argparse.Namespace) -> dict[str, Any]:
    """The keyword arguments of `report.pipeline.Options` that say what is read and how it is joined."""
    names = ("corpus", "reader", "columns", "parser", "cohort")
    return {"files": tuple(args.files), **{name: getattr(args, name) for name in names}}


def model_resources(
    args: argparse.Namespace, say: Callable[[str], None] | None = None
) -> AbstractContextManager[Any]:
    """The resources that `add_models` asks about, for a ``with`` block; ``say`` is told what was chosen."""
    from empeval.models import using

    if args.cache is None:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        cache: Path | None = Path(home, "empeval")
    else:
        cache = None if args.cache == "none" else Path(args.cache)
    given: dict[str, Any] = {"cache": cache, "offline": args.offline, "device": args.device}
    if say is not None:
        given["say"] = say
    return using(**given)


def scoring_options(args: argparse.Namespace) -> dict[str, Any]:
    """All keyword arguments of `report.pipeline.Options` that a command line holds."""
    names = ("metrics", "protocol", "seed", "level", "by", "human", "segments")
    given = {name: getattr(args, name) for name in names if hasattr(args, name)}
    return {**input_options(args), "n_resamples": args.resamples, **given}


def columns(text: str) -> dict[str, str]:
    """Fields and the columns that hold them; raises ArgumentTypeError for anything else."""
    found: dict[str, str] = {}
    for part in text.split(","):
        field, _, column = (word.strip() for word in part.partition("="))
        if not field or not column:
            raise argparse.ArgumentTypeError(f"{part!r} is not of the form FIELD=COLUMN")
        if field in found:
            raise argparse.ArgumentTypeError(f"the field {field!r} is given twice")
        found[field] = column
    return found


def seed(text: str) -> int:
    """A whole number; raises ArgumentTypeError for anything else."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def count(text: str) -> int:
    """A whole number of 0 or more; raises ArgumentTypeError for anything else."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def share(text: str) -> float:
    """A number between 0 and 1, both excluded; raises ArgumentTypeError for anything else."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0.0 < found < 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} does not lie between 0 and 1")
    return found


def folder(text: str) -> str:
    """The name of a folder; raises ArgumentTypeError where there is none."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the name of the folder is empty")
    return text
