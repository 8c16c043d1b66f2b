"""``empeval correlate``: how well automatic metrics follow people's ratings."""

from __future__ import annotations

import argparse

from empeval.cli import rating_options, terminal
from empeval.cli.parser import Commands, UsageError

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "correlate",
        help="how well metrics follow people's ratings",
        description="Hold the metrics of a finished run against people's ratings of the same responses: "
        "within items, over all responses and over systems, beside what a single rater reaches.",
    )
    parser.add_argument("folder", metavar="RUN", help="the folder that `empeval score --out` wrote")
    rating_options.add_reading(parser, "ratings", "item=segment,rater=worker,value=score")
    rating_options.add_scale(parser, wide=False)
    parser.add_argument(
        "--resample",
        choices=("items", "systems", "both"),
        default="items",
        metavar="items|systems|both",
        help="what the intervals generalise to (default: other items)",
    )
    rating_options.add_output(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read both, hold them together, write the folder if one is asked for, print."""
    from empeval.report import runs
    from empeval.report.correlate import correlate

    if args.resamples == 0 and args.resample != "items":
        raise UsageError("--resample says what is resampled, and --resamples 0 asks for no resampling")
    if args.out is not None:
        runs.check_target(args.out)
    scale = {"measurement": args.measurement, "categories": args.categories}
    asked = {**rating_options.reading(args), **scale, "resample": args.resample}
    with terminal.Progress(quiet=args.quiet) as progress:
        found = correlate(args.folder, args.files, **asked, progress=progress)
    rating_options.show(found, args)
    return 0
