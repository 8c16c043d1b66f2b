"""``empeval preference``: which system people prefer."""

from __future__ import annotations

import argparse

from empeval.cli import rating_options, terminal
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "preference",
        help="wins, ties, losses and a ranking from pairwise judgments",
        description="Which system people prefer: wins, ties and losses of each pair of systems with the net "
        "preference, a ranking by strengths, the effect of the side shown first, and agreement. Judgments "
        "are coded by system, whichever side its response was shown on.",
    )
    rating_options.add_reading(parser, "pairwise judgments", "item=task,rater=worker")
    rating_options.add_output(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, analyse, write the folder if one is asked for, print."""
    from empeval.report import runs
    from empeval.report.preference import preference

    if args.out is not None:
        runs.check_target(args.out)
    with terminal.Progress(quiet=args.quiet) as progress:
        found = preference(args.files, **rating_options.reading(args), progress=progress)
    rating_options.show(found, args)
    return 0
