"""``empeval leaderboard``: join finished runs into one table."""

from __future__ import annotations

import argparse

from empeval.cli import options, score
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "leaderboard",
        help="join finished runs and studies into one table",
        description="Join finished runs and studies into one table, metrics and people side by side; "
        "scores share "
        "a column if their signatures are equal.",
    )
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="RUN",
        help="the folder of a run, as `score --out` wrote it, or of a study, as `study report --out` did",
    )
    options.add_format(parser)
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Load, join, print."""
    from pathlib import Path

    from empeval.report import human_columns, runs
    from empeval.report.leaderboard import Leaderboard

    documents = [
        (
            Path(folder).resolve().name,
            human_columns.load_study(folder) if human_columns.is_study(folder) else runs.load(folder),
        )
        for folder in args.runs
    ]
    score.show(Leaderboard.from_documents(documents), args.format)
    return 0
