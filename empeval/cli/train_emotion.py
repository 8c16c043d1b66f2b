"""``empeval train-emotion``: a small emotion classifier from labelled contexts."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from empeval.cli import options, terminal
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "train-emotion",
        help="a small emotion classifier from labelled texts",
        description="Fit a small classifier (TF-IDF and logistic regression) to contexts with an emotion, "
        "report on conversations that were held out, and write it into a folder, for the metric "
        "response_emotion_accuracy.",
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="TRAIN",
        help="records with a context and an emotion: JSONL, CSV, TSV, Parquet, or the EmpatheticDialogues "
        "release; - is standard input",
    )
    parser.add_argument(
        "--out",
        type=options.folder,
        required=True,
        metavar="FOLDER",
        help="write the classifier into this folder; an earlier classifier there is replaced",
    )
    options.add_reading(parser)
    group = parser.add_argument_group("training")
    group.add_argument(
        "--held-out",
        type=options.share,
        default=0.1,
        metavar="SHARE",
        help="of the conversations of each emotion, to report on (default: 0.1)",
    )
    group.add_argument(
        "--seed", type=options.seed, default=0, metavar="N", help="of what is held out (default: 0)"
    )
    options.add_format(parser, ("text", "json"))
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train, write the folder, print the report."""
    from empeval.report.grids import as_text
    from empeval.report.training import train
    from empeval.report.training_text import training_grids

    with terminal.Progress(quiet=args.quiet) as progress:
        found = train(
            args.files,
            args.out,
            reader=args.reader,
            columns=args.columns,
            seed=args.seed,
            held_out=args.held_out,
            progress=progress,
        )
    terminal.warnings([asdict(notice) for notice in found.warnings], quiet=args.quiet)
    if args.format == "json":
        terminal.result(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        terminal.result(as_text(training_grids(found)))
    terminal.note(f"the classifier is in {args.out}", quiet=args.quiet)
    return 0
