"""``empeval study validate``: what is wrong with a study file, and how large the study is."""

from __future__ import annotations

import argparse
import json

from empeval.cli import options, terminal
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "validate",
        help="check a study file; items, raters, minutes, cost",
        description="Check a study file and everything that it names. Every fault is told with its file and "
        "key; without faults come the plan (showings, slots, raters needed, minutes, cost) and warnings. "
        "Exit status 2 if there are faults.",
    )
    parser.add_argument("file", metavar="FILE", help="the study file")
    options.add_format(parser, ("text", "json"))
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Look, print."""
    from empeval.report.study_plan import check_file, fault_message, plan_text

    with terminal.Progress(quiet=args.quiet) as progress:
        progress("reading")
        found = check_file(args.file)
    document = found.to_dict()
    if args.format == "json":
        terminal.result(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
    if found.faults:
        terminal.error(fault_message(found.faults, found.file))
        return 2
    terminal.warnings(document["warnings"], quiet=args.quiet)
    if args.format == "text":
        terminal.result(plan_text(found))
    return 0
