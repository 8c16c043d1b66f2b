"""``empeval study power``: what studies of several sizes could find, and what they cost."""

from __future__ import annotations

import argparse
import json
import math
from typing import Any

from empeval.cli import options, terminal
from empeval.cli.parser import Commands, Parser, UsageError

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "power",
        help="how many items and raters a study needs",
        description="What studies of several sizes could find: random studies are drawn from components of "
        "variance, stated or estimated from a pilot, and given the analysis that the real one will have.",
    )
    _add_components(parser)
    _add_sizes(parser)
    group = parser.add_argument_group("simulation")
    group.add_argument("--power", type=options.share, default=0.8, metavar="P", help="wanted (default: 0.8)")
    group.add_argument(
        "--level", type=options.share, default=0.95, metavar="L", help="of intervals, 1 − α (default: 0.95)"
    )
    group.add_argument(
        "--simulations",
        type=_positive,
        default=1000,
        metavar="N",
        help="studies of each size (default: 1000)",
    )
    group.add_argument(
        "--seed", type=options.seed, default=0, metavar="N", help="of all drawing (default: 0)"
    )
    options.add_format(parser, ("text", "markdown", "csv", "json"))
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def _add_components(parser: Parser) -> None:
    group = parser.add_argument_group("components of variance")
    group.add_argument(
        "--components",
        type=_components,
        metavar="NAME=SD,…",
        help="standard deviations in points of the scale: item, rater, item_system, rater_system, residual; "
        "for pairwise: item and rater against a chance of 1 in one judgment, and the share of ties",
    )
    group.add_argument("--pilot", metavar="FILE", help="estimate them from ratings (pairwise: judgments)")
    group.add_argument("--question", metavar="NAME", help="the pilot's question, where it has several")
    group.add_argument(
        "--columns",
        type=options.columns,
        metavar="FIELD=COLUMN,…",
        help="columns of the pilot under another name, e.g. item=task,rater=worker",
    )
    group.add_argument(
        "--scale", type=_scale, metavar="LOW,HIGH", help="round simulated ratings to this scale, e.g. 1,5"
    )
    group.add_argument(
        "--mean", type=_number, metavar="M", help="average rating on the scale (default: its middle)"
    )


def _add_sizes(parser: Parser) -> None:
    group = parser.add_argument_group("studies")
    group.add_argument(
        "--effect",
        type=_number,
        required=True,
        metavar="E",
        help="true difference of two systems in points; pairwise: net preference, 0.1 for 10 points of 100",
    )
    group.add_argument(
        "--design",
        choices=("crossed", "crowd", "pairwise"),
        default="crossed",
        metavar="crossed|crowd|pairwise",
        help="every rater rates everything (default); many raters with a share each; two responses side by "
        "side",
    )
    group.add_argument("--items", type=_counts, metavar="N,…", help="numbers of items (default: 50,100,200)")
    group.add_argument(
        "--raters", type=_counts, default=[3, 5], metavar="N,…", help="raters for each item (default: 3,5)"
    )
    group.add_argument(
        "--items-per-rater",
        type=_positive,
        metavar="N",
        help="items that one rater answers to (default: all; 20 in a crowd)",
    )
    group.add_argument(
        "--systems", type=_systems, default=2, metavar="N", help="systems, all pairs compared (default: 2)"
    )
    group.add_argument("--cost", type=_number, metavar="C", help="of one answer, in any currency")
    group.add_argument(
        "--minutes", type=_number, metavar="M", help="that one answer takes, instead of --cost"
    )
    group.add_argument("--pay", type=_number, metavar="P", help="for an hour, with --minutes")
    group.add_argument(
        "--budget", type=_number, metavar="B", help="as many items as this pays for, instead of --items"
    )


def run(args: argparse.Namespace) -> int:
    """Simulate, print."""
    from empeval.report.grids import as_markdown, as_text
    from empeval.report.pilots import read_pilot, stated
    from empeval.report.power import power_report
    from empeval.report.power_text import power_csv, power_grid

    plan = _plan(args)
    with terminal.Progress(quiet=args.quiet) as progress:
        if args.pilot is not None:
            progress("reading")
            pilot = read_pilot(args.pilot, args.design, question=args.question, columns=args.columns)
        else:
            pilot = stated(args.design, args.components, scale=args.scale, mean=args.mean)
        progress("simulating")
        found = power_report(plan, pilot)
    document = found.to_dict()
    terminal.warnings(document["warnings"], quiet=args.quiet)
    if args.format == "json":
        terminal.result(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
    elif args.format == "csv":
        terminal.result(power_csv(found))
    else:
        render = as_markdown if args.format == "markdown" else as_text
        terminal.result(render([power_grid(found)]))
    return 0


def _plan(args: argparse.Namespace) -> Any:
    from empeval.report.power import StudyPlan
    from empeval.statistics.power.plans import Cost

    if (args.components is None) == (args.pilot is None):
        raise UsageError("give either --components or --pilot")
    if args.design == "crossed" and args.items_per_rater is not None:
        raise UsageError("--items-per-rater belongs to --design crowd or pairwise")
    if args.pilot is not None and (args.scale or args.mean is not None):
        raise UsageError("a pilot's ratings are on their scale already: leave out --scale and --mean")
    if args.mean is not None and not (args.scale and args.scale[0] <= args.mean <= args.scale[1]):
        raise UsageError("--mean is an average on the --scale")
    if (args.minutes is None) != (args.pay is None):
        raise UsageError("--minutes and --pay belong together")
    if args.cost is not None and args.minutes is not None:
        raise UsageError("give either --cost or --minutes with --pay")
    cost = None if args.cost is None else Cost(args.cost)
    if args.minutes is not None:
        cost = Cost.of_time(minutes=args.minutes, pay_per_hour=args.pay)
    if args.budget is not None and (cost is None or cost.per_answer <= 0 or args.items is not None):
        raise UsageError(
            "--budget needs the cost of an answer (--cost, or --minutes and --pay), and no --items"
        )
    return StudyPlan(
        args.design,
        args.effect,
        args.raters,
        None if args.budget is not None else args.items or [50, 100, 200],
        args.items_per_rater,
        cost,
        args.budget,
        args.systems,
        args.power,
        args.level,
        args.simulations,
        args.seed,
    )


def _number(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return found


def _positive(text: str) -> int:
    found = options.count(text)
    if found < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return found


def _systems(text: str) -> int:
    found = options.count(text)
    if found < 2:
        raise argparse.ArgumentTypeError("there is nothing to compare with fewer than 2 systems")
    return found


def _counts(text: str) -> list[int]:
    return [_positive(part.strip()) for part in text.split(",")]


def _scale(text: str) -> tuple[int, int]:
    parts = text.split(",")
    try:
        low, high = (int(part) for part in parts)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form LOW,HIGH") from None
    if low >= high:
        raise argparse.ArgumentTypeError(f"{low} is not below {high}")
    return low, high


def _components(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        name = name.replace(":", "_").replace("-", "_")
        if not name or not value:
            raise argparse.ArgumentTypeError(f"{part!r} is not of the form NAME=SD")
        if name in found:
            raise argparse.ArgumentTypeError(f"{name} is given twice")
        found[name] = _number(value)
    return found
