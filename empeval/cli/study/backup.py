"""``empeval study backup``: a copy of the database that is whole, while raters work."""

from __future__ import annotations

import argparse

from empeval.cli import options, terminal
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "backup",
        help="copy a study's database while raters work",
        description="Copy a study's SQLite database into one file that is whole, while raters work, and "
        "check "
        "the copy. The secret of the links (the .secret file) is not in it: keep it too, elsewhere.",
    )
    parser.add_argument("file", metavar="STUDY.yaml", help="the study's file")
    parser.add_argument("to", metavar="FILE", help="where the copy goes; an existing file is not replaced")
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Copy, check, say how much."""
    from empeval.study.backup import back_up
    from empeval.study.preparing import find

    with find(args.file) as study:
        done = back_up(study, args.to)
    terminal.result(f"{done.path}: {done.n_bytes:,} bytes, {done.n_answers:,} answers, checked")
    return 0
