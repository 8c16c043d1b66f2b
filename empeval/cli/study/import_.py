"""``empeval study import``: an export back into a database."""

from __future__ import annotations

import argparse

from empeval.cli import options, terminal
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "import",
        help="read an export back into a database",
        description="Read an export back into the database of the same study, which nobody must have "
        "entered. "
        "Raters get no links: who they are on a platform is in no export.",
    )
    parser.add_argument("file", metavar="STUDY.yaml", help="the study's file")
    parser.add_argument("folder", metavar="DIR", help="what `empeval study export` wrote")
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, say how much."""
    from empeval.study.exporting import import_study
    from empeval.study.preparing import prepare

    with prepare(args.file) as study:
        taken = import_study(study.admin(), args.folder)
    terminal.result(f"imported {taken.n_answers:,} answers of {taken.n_raters:,} raters")
    return 0
