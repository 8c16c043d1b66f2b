"""``empeval agreement``: how far raters agree."""

from __future__ import annotations

import argparse

from empeval.cli import rating_options, terminal
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "agreement",
        help="how far raters agree in a table of ratings",
        description="How far raters agree: Krippendorff's alpha and the other coefficients that suit the "
        "measurement, with intervals, for each question, pair of raters and rater. The unit is an item as "
        "one system answered it.",
    )
    rating_options.add_reading(parser, "ratings", "item=task,rater=worker,value=score")
    rating_options.add_scale(parser)
    rating_options.add_output(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, measure, write the folder if one is asked for, print."""
    from empeval.report import runs
    from empeval.report.agreement import agreement

    if args.out is not None:
        runs.check_target(args.out)
    asked = {**rating_options.reading(args), **rating_options.scale(args)}
    with terminal.Progress(quiet=args.quiet) as progress:
        found = agreement(args.files, **asked, progress=progress)
    rating_options.show(found, args)
    return 0
