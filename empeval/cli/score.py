"""``empeval score``: score systems and print the leaderboard."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from empeval.cli import options, terminal
from empeval.cli.parser import Commands, UsageError

if TYPE_CHECKING:
    from empeval.report.leaderboard import Leaderboard
    from empeval.report.pipeline import Options

__all__ = ["register", "score_and_print", "show"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "score",
        help="score systems, print the leaderboard",
        description="Score the systems in the files and print the leaderboard, with intervals and tests.",
    )
    options.add_inputs(parser)
    options.add_metrics(parser)
    options.add_protocol(parser)
    options.add_models(parser)
    parser.add_argument("--by", choices=("emotion",), metavar="emotion", help="also a table for each emotion")
    parser.add_argument("--human", action="store_true", help="the references as one more row")
    options.add_statistics(parser)
    options.add_format(parser)
    options.add_out(parser)
    parser.add_argument(
        "--no-segments",
        dest="segments",
        action="store_false",
        help="leave the file of segments out of --out, and with it all texts",
    )
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Score, write the run folder if one is asked for, print."""
    from empeval.report.pipeline import Options

    if args.metrics is not None and args.protocol is not None:
        raise UsageError("--metrics and --protocol both name the metrics; give one of them")
    score_and_print(Options(**options.scoring_options(args)), args)
    return 0


def score_and_print(asked: Options, args: argparse.Namespace) -> None:
    """Score as asked; ``args`` says where to (``out``), how (``format``) and whether to be ``quiet``."""
    from empeval.report import runs
    from empeval.report.leaderboard import Leaderboard
    from empeval.report.pipeline import execute

    if args.out is not None:
        runs.check_target(args.out)
    started_at = datetime.now(UTC)
    with terminal.Progress(quiet=args.quiet) as progress:
        with options.model_resources(args, progress.say):
            run = execute(asked, progress)
        if args.out is not None:
            progress("writing")
            runs.write(run, args.out, started_at=started_at, finished_at=datetime.now(UTC))
    document = run.document()
    # a reader who sees both streams would read the warnings twice
    seen = args.format == "text" and sys.stdout.isatty()
    terminal.warnings(document["warnings"], quiet=args.quiet or seen)
    show(Leaderboard.from_document(document), args.format)
    if args.out is not None:
        terminal.note(f"the run is in {args.out}", quiet=args.quiet)


def show(board: Leaderboard, format: str) -> None:
    """Print a leaderboard; text as wide as the terminal, and in colour only there (see no-color.org)."""
    if format == "text" and sys.stdout.isatty():
        colour = not os.environ.get("NO_COLOR")
        terminal.result(board.to_text(width=shutil.get_terminal_size().columns, color=colour))
    else:
        terminal.result(board.render(format))
