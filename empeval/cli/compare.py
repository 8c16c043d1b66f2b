"""``empeval compare``: where two systems differ."""

from __future__ import annotations

import argparse
import json

from empeval.cli import options, terminal
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "compare",
        help="where two systems differ: tests, segments, n-grams",
        description="Where two systems differ: paired tests, segments with the largest gap, and n-grams that "
        "one uses more than the other. All systems in the files decide which segments are shared.",
    )
    options.add_inputs(parser)
    parser.add_argument("--systems", metavar="A,B", help="the two systems (default: the only two there are)")
    options.add_metrics(parser)
    options.add_models(parser)
    parser.add_argument(
        "--segment-metric",
        metavar="METRIC",
        help="ranks segments (default: segment BLEU with effective order, or length without references)",
    )
    for what, default in (("segments", 5), ("ngrams", 15)):
        parser.add_argument(
            f"--{what}",
            type=options.count,
            default=default,
            metavar="N",
            help=f"{what} to show each way (default: {default})",
        )
    options.add_statistics(parser)
    options.add_format(parser, ("text", "json"))
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, compare, print."""
    from empeval.report.compare import compare, split_pair
    from empeval.report.comparison_text import comparison_text
    from empeval.report.pipeline import Options, read_cohort

    with (
        terminal.Progress(quiet=args.quiet) as progress,
        options.model_resources(args, progress.say),
    ):
        progress("reading")
        cohort, _ = read_cohort(Options(**options.scoring_options(args)))
        a, b = split_pair(args.systems, [outputs.system for outputs in cohort.systems])
        found = compare(
            cohort,
            a,
            b,
            args.metrics,
            segment_metric=args.segment_metric,
            n_segments=args.segments,
            n_ngrams=args.ngrams,
            seed=args.seed,
            n_resamples=args.resamples,
            level=args.level,
            progress=progress,
        )
    document = found.to_dict()
    terminal.warnings(document["warnings"], quiet=args.quiet)
    if args.format == "json":
        terminal.result(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        terminal.result(comparison_text(found))
    return 0
