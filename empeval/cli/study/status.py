"""``empeval study status``: how far a study is, and who works in it."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from empeval.cli import options, terminal
from empeval.cli.parser import Commands, UsageError

if TYPE_CHECKING:
    from empeval.study.service.admin import RaterLine, Status

__all__ = ["register"]

_MOST_HOLES = 10


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "status",
        help="how far a study is",
        description="How far a study is: places filled, holes that are left, sides shown first, raters with "
        "their checks. With --open, --pause, --close or --soft-launch it sets the state first.",
    )
    parser.add_argument("file", metavar="STUDY.yaml", help="the study's file")
    state = parser.add_mutually_exclusive_group()
    state.add_argument("--open", action="store_const", const="open", dest="state", help="let raters work")
    state.add_argument("--pause", action="store_const", const="paused", dest="state", help="let them wait")
    state.add_argument("--close", action="store_const", const="closed", dest="state", help="end the study")
    state.add_argument(
        "--soft-launch", type=options.count, metavar="N", help="open it until N more answers are in"
    )
    group = parser.add_argument_group("raters")
    group.add_argument("--block", action="append", default=[], metavar="RATER", help="stop a rater")
    group.add_argument("--reason", metavar="TEXT", help="why, for exports and the report")
    group.add_argument("--unblock", action="append", default=[], metavar="RATER", help="let one go on")
    options.add_format(parser, ("text", "json"))
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Change what is asked for, look, print."""
    from empeval.study.preparing import find

    if args.reason is not None and not args.block:
        raise UsageError("--reason says why a rater is blocked; name the rater with --block")

    with find(args.file) as study:
        admin = study.admin()
        if args.state is not None:
            admin.set_state(args.state)
        if args.soft_launch is not None:
            admin.soft_launch(args.soft_launch)
        for rater in args.block:
            admin.block(rater, args.reason)
        for rater in args.unblock:
            admin.unblock(rater)
        status, raters = admin.status(), admin.raters()
    if args.format == "json":
        terminal.result(json.dumps(_document(status, raters), indent=2, ensure_ascii=False))
    else:
        terminal.result("\n".join(_lines(status, raters)))
    return 0


def _document(status: Status, raters: list[RaterLine]) -> dict[str, Any]:
    return {
        "study": status.study,
        "version": status.version,
        "state": status.state,
        "slots": status.slots,
        "raters": status.raters,
        "n_simulated": status.n_simulated,
        "holes": [asdict(hole) for hole in status.holes],
        "sides": status.sides,
        "pause_after": status.pause_after,
        "people": [asdict(line) for line in raters],
    }


def _lines(status: Status, raters: list[RaterLine]) -> list[str]:
    slots, sides = status.slots, status.sides
    marked = " (SIMULATED raters took part)" if status.n_simulated else ""
    places = f"{slots['done']:,} of {sum(slots.values()):,} filled, {slots['held']:,} in hand"
    states = ", ".join(f"{n} {state}" for state, n in status.raters.items())
    lines = [
        f"{status.study}, version {status.version}: {status.state}{marked}",
        f"places   {places}, {slots['open']:,} open",
        f"raters   {states or 'none yet'}",
    ]
    if sum(sides.values()):
        lines.append(f"sides    {sides['ab']} showed the earlier system first, {sides['ba']} last")
    if status.pause_after is not None:
        lines.append(f"pauses   by itself once {status.pause_after:,} places are filled")
    lines += [
        f"hole     {hole.item} {' against '.join(hole.systems)}: {hole.n_done} of {hole.n_slots}"
        for hole in status.holes[:_MOST_HOLES]
    ]
    if len(status.holes) > _MOST_HOLES:
        lines.append(f"hole     … and {len(status.holes) - _MOST_HOLES:,} more (--format json lists them)")
    return lines + [f"rater    {_rater(line)}" for line in raters]


def _rater(line: RaterLine) -> str:
    state = f"{line.state} ({line.block_reason})" if line.block_reason else line.state
    failed = f" ({', '.join(line.failed_checks)})" if line.failed_checks else ""
    seconds = "" if line.median_seconds is None else f", {line.median_seconds:.0f} s an item"
    return (
        f"{line.rater} {line.kind}, {state}: {line.n_answers} answers, checks {line.passed} passed, "
        f"{line.failed} failed{failed}{seconds}"
    )
