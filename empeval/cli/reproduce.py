"""``empeval reproduce``: which published numbers the published outputs give."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from empeval.cli import options, terminal
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "reproduce",
        help="a paper's published numbers beside what its outputs give",
        description="Recompute a paper's published numbers on outputs, the authors' way and the standard "
        "way, with a verdict for each; human tables go through a GRIM check.",
    )
    parser.add_argument(
        "protocol", metavar="PROTOCOL", help="a name (`empeval protocols` lists them) or a file"
    )
    options.add_files(parser)
    options.add_reading(parser)
    options.add_corpus(parser)
    options.add_format(parser, ("text", "markdown", "csv", "json"))
    options.add_out(parser, what="the table as JSON, Markdown and CSV, and the manifest")
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, recompute, write the folder if one is asked for, print."""
    from empeval.report import reproduction_files, runs
    from empeval.report.grids import as_markdown, as_text
    from empeval.report.reproduce import reproduce
    from empeval.report.reproduction_text import reproduction_csv, reproduction_grids

    if args.out is not None:
        runs.check_target(args.out)
    given = {"corpus": args.corpus, "reader": args.reader, "columns": args.columns}
    with terminal.Progress(quiet=args.quiet) as progress:
        found = reproduce(args.protocol, args.files, **given, progress=progress)
    if args.out is not None:
        reproduction_files.write(found, args.out)
    terminal.warnings([asdict(notice) for notice in found.warnings], quiet=args.quiet)
    if args.format == "json":
        terminal.result(reproduction_files.as_json(found))
    elif args.format == "csv":
        terminal.result(reproduction_csv(found))
    else:
        render = as_markdown if args.format == "markdown" else as_text
        terminal.result(render(reproduction_grids(found)))
    if args.out is not None:
        terminal.note(f"the reproduction is in {args.out}", quiet=args.quiet)
    return 0
