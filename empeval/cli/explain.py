"""``empeval explain``: every common variant of a metric on the same outputs."""

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
        "explain",
        help="every common variant of a metric on these outputs",
        description="Compute every common variant of BLEU, Distinct or accuracy on the same outputs: values, "
        "ranks, how far the rankings agree, where the best system changes, and which paper used which.",
    )
    parser.add_argument(
        "metric", metavar="METRIC", help="bleu, distinct or accuracy, or a metric with fields"
    )
    options.add_inputs(parser)
    options.add_format(parser, ("text", "markdown", "csv", "json"))
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, compute, print."""
    from empeval.report.explain import explain
    from empeval.report.explanation_text import explanation_csv, explanation_grids
    from empeval.report.grids import as_markdown, as_text
    from empeval.report.pipeline import Options, read_cohort

    with terminal.Progress(quiet=args.quiet) as progress:
        progress("reading")
        cohort, _ = read_cohort(Options(**options.input_options(args)))
        progress("computing variants")
        found = explain(args.metric, cohort)
    terminal.warnings([asdict(notice) for notice in cohort.notices], quiet=args.quiet)
    if args.format == "json":
        terminal.result(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    elif args.format == "csv":
        terminal.result(explanation_csv(found))
    else:
        render = as_markdown if args.format == "markdown" else as_text
        terminal.result(render(explanation_grids(found)))
    return 0
