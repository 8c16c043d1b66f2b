"""``empeval study export``: what was gathered, as tables that the other commands read."""

from __future__ import annotations

import argparse

from empeval.cli import options, terminal
from empeval.cli.parser import Commands, UsageError

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "export",
        help="write ratings and preferences as tables",
        description="Write what was gathered: ratings, preferences, texts, answers, raters, forms and "
        "checks, "
        "one table each, with a manifest. `empeval agreement`, `preference` and `correlate` read ratings and "
        "preferences as they are; rows that do not count are in them, and say why.",
    )
    parser.add_argument("file", metavar="STUDY.yaml", help="the study's file")
    parser.add_argument("--out", required=True, metavar="DIR", help="where to write")
    parser.add_argument(
        "--format", choices=("csv", "jsonl", "parquet"), default="csv", help="of the tables (default: csv)"
    )
    parser.add_argument(
        "--last-revisions", action="store_true", help="leave out answers that were corrected later"
    )
    parser.add_argument("--excel", action="store_true", help="begin CSV with the mark that Excel looks for")
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write, say what."""
    from empeval.study.exporting import export_study
    from empeval.study.preparing import find

    if args.excel and args.format != "csv":
        raise UsageError("--excel is for --format csv")
    with find(args.file) as study:
        manifest = export_study(
            study.admin(),
            args.out,
            layout=args.format,
            all_revisions=not args.last_revisions,
            excel=args.excel,
        )
    for name, about in manifest["files"].items():
        terminal.result(f"{about['n_rows']:>8,}  {name}")
    if manifest["simulated"]:
        terminal.note("SIMULATED: answers of simulated raters are among these rows", quiet=args.quiet)
    return 0
