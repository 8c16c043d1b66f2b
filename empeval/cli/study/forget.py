"""``empeval study forget``: remove a person."""

from __future__ import annotations

import argparse

from empeval.cli import options, terminal
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "forget",
        help="remove a person from a study",
        description="Remove a person: the platform's id, link, forms, comments, texts and drafts go; "
        "ratings go "
        "too, or stay under a new random name, as the study's file says (forget:). Backups and exports "
        "that were "
        "made before are not touched.",
    )
    parser.add_argument("file", metavar="STUDY.yaml", help="the study's file")
    parser.add_argument("rater", metavar="RATER", help="the rater's name in exports")
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Remove, and say what there was and what is left."""
    from empeval.study.preparing import find

    with find(args.file) as study:
        done = study.admin().forget(args.rater)
    terminal.result(f"forgotten, as the study says ({done.policy}):")
    for table, n in done.before.items():
        terminal.result(f"  {table:<18}{n:>6} before {done.after[table]:>6} after")
    if done.n_reopened:
        terminal.result(f"{done.n_reopened:,} places are open again")
    terminal.note("backups and exports that were made before still hold what they held", quiet=args.quiet)
    return 0
