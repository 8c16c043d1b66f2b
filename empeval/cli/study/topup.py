"""``empeval study topup``: exclude raters, and open their places for others."""

from __future__ import annotations

import argparse

from empeval.cli import options, terminal
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "topup",
        help="open the places of excluded raters for others",
        description="Exclude raters: their answers stay and count no longer, and their places are open again "
        "for others. Decide by rules that were fixed before the study, never by what the answers say.",
    )
    parser.add_argument("file", metavar="STUDY.yaml", help="the study's file")
    parser.add_argument(
        "raters", nargs="*", metavar="RATER", help="who is excluded (default: everybody who is blocked)"
    )
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Exclude, say what is open now."""
    from empeval.study.preparing import find

    with find(args.file) as study:
        done = study.admin().topup(tuple(args.raters))
    if not done.raters:
        terminal.result("nobody is blocked; name the raters to exclude")
        return 0
    terminal.result(
        f"excluded {', '.join(done.raters)}; {done.n_reopened:,} places are open again (their answers are "
        f"kept)"
    )
    return 0
