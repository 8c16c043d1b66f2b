"""``empeval study reconcile``: Prolific's submissions against the database."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from empeval.cli import options, terminal
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "reconcile",
        help="compare Prolific's submissions with the database",
        description="Compare Prolific's list of submissions (its CSV) with the database: who finished "
        "and is to "
        "be approved, who is to be paid by hand, who is not known. Nothing is changed, here or there.",
    )
    parser.add_argument("file", metavar="STUDY.yaml", help="the study's file")
    parser.add_argument("submissions", metavar="CSV", help="Prolific's list of submissions")
    options.add_format(parser, ("text", "json"))
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compare, group, print."""
    from empeval.study.preparing import find
    from empeval.study.reconciling import FINDINGS, reconcile

    with find(args.file) as study:
        found = reconcile(study, args.submissions)
    if args.format == "json":
        document = {
            name: [asdict(one) for one in found if one.finding == name]
            for name in FINDINGS
            if any(one.finding == name for one in found)
        }
        terminal.result(json.dumps(document, indent=2, ensure_ascii=False))
        return 0
    for name, meaning in FINDINGS.items():
        group = [one for one in found if one.finding == name]
        if group:
            terminal.result(f"{meaning} ({len(group)})")
            for one in group:
                terminal.result(
                    f"  {one.person or '(no id)'}  {one.rater or '-'}  {one.platform_status or '-'}"
                )
    if not found:
        terminal.result("no submissions, and no raters from Prolific")
    return 0
