"""``empeval study init``: a study file to begin with."""

from __future__ import annotations

import argparse
from pathlib import Path

from empeval.cli import options, terminal
from empeval.cli.parser import Commands, UsageError

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "init",
        help="write a study file to begin with",
        description="Write a study file in which every key stands with a line that says what it is; those "
        "that are not set are comments. It passes `empeval study validate` as it is.",
    )
    parser.add_argument(
        "file", nargs="?", default="study.yaml", metavar="FILE", help="what to write (default: study.yaml)"
    )
    parser.add_argument(
        "--protocol",
        metavar="NAME",
        help="a published protocol whose questions, raters and items to take over",
    )
    parser.add_argument(
        "--systems",
        nargs="+",
        default=[],
        metavar="FILE",
        help="outputs to be judged; NAME=FILE names the system",
    )
    parser.add_argument("--corpus", metavar="FILE", help="the test set, where outputs hold no contexts")
    parser.add_argument(
        "--platform",
        choices=("lab", "prolific", "open"),
        default="lab",
        metavar="lab|prolific|open",
        help="personal links (default), Prolific, or one link for everybody",
    )
    parser.add_argument("--force", action="store_true", help="replace a file that is there")
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Make the text, write it, say what comes next."""
    from empeval.study.starting import start_study

    path = Path(args.file)
    if path.exists() and not args.force:
        raise UsageError(f"{path} is there already; name another file, or replace it with --force")
    text = start_study(
        path, protocol=args.protocol, systems=tuple(args.systems), corpus=args.corpus, platform=args.platform
    )
    path.write_text(text, encoding="utf-8")
    terminal.note(f"{path} is written; edit it, then: empeval study validate {path}", quiet=args.quiet)
    return 0
