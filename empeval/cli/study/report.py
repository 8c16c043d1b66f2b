"""``empeval study report``: what a study found."""

from __future__ import annotations

import argparse

from empeval.cli import rating_options, terminal
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "report",
        help="means, comparisons, preferences, agreement and how it went",
        description="What a study found: for each question the systems' means with intervals that honour "
        "items "
        "and raters, every pair tested (Holm) with effect sizes and a mixed model beside it, preferences, "
        "agreement, raters with their checks, exclusions with the results both ways, time and pay. Sentences "
        "for a paper stand below the tables.",
    )
    parser.add_argument("file", metavar="STUDY.yaml", help="the study's file")
    rating_options.add_output(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Analyse, write the folder if one is asked for, print."""
    from empeval.report import runs
    from empeval.report.study_report import study_report
    from empeval.study.preparing import find

    if args.out is not None:
        runs.check_target(args.out)
    with terminal.Progress(quiet=args.quiet) as progress, find(args.file) as study:
        found = study_report(
            study.admin(),
            level=args.level,
            n_resamples=args.resamples,
            seed=args.seed,
            progress=progress,
        )
    rating_options.show(found, args)
    return 0
