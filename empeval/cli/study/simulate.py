"""``empeval study simulate``: invented raters work through a study, by the door that people come by."""

from __future__ import annotations

import argparse
import json

from empeval.cli import options, terminal
from empeval.cli.parser import Commands

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "simulate",
        help="let simulated raters work through a study",
        description="Let simulated raters work through a study, to try it out before anybody is paid. They "
        "judge texts by invented rules, so what they say tells nothing about the systems. Every row that "
        "they "
        "make is marked as simulated.",
    )
    parser.add_argument("file", metavar="STUDY.yaml", help="the study's file")
    parser.add_argument(
        "--raters",
        type=_raters,
        metavar="PERSONA=N,…",
        help="how many of each: careful, noisy, straight_lining, position_biased (default: careful raters "
        "alone, as many as the plan needs)",
    )
    parser.add_argument(
        "--seed", type=options.seed, default=0, metavar="N", help="of what they answer (default: 0)"
    )
    options.add_format(parser, ("text", "json"))
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def _raters(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = part.strip().partition("=")
        if not name or not number.isdecimal() or not number.isascii() or name in found:
            raise argparse.ArgumentTypeError(f"expected PERSONA=N, such as careful=3, not {part.strip()!r}")
        found[name] = int(number)
    return found


def run(args: argparse.Namespace) -> int:
    """Prepare, let them work, say what came of it."""
    from empeval.study.planning import plan_study
    from empeval.study.preparing import prepare
    from empeval.study.simulate import check_personas, simulate

    if args.raters is not None:
        check_personas(args.raters)
    with terminal.Progress(quiet=args.quiet) as progress, prepare(args.file) as prepared:
        admin = prepared.admin()
        status = admin.status()
        if status.state == "draft":
            admin.set_state("open")
        assert prepared.material is not None
        raters = args.raters or {"careful": plan_study(prepared.protocol, prepared.material).raters_needed}
        n_slots = sum(status.slots.values())
        done = simulate(
            admin,
            prepared.raters(),
            raters,
            seed=args.seed,
            progress=lambda n: progress(f"{n:,} answers, {n_slots:,} places"),
        )
        status = admin.status()
    if args.format == "json":
        document = {
            "simulated": True,
            "raters": dict(done.raters),
            "n_answers": done.n_answers,
            "n_finished": done.n_finished,
            "state": status.state,
            "slots": status.slots,
        }
        terminal.result(json.dumps(document, indent=2))
        return 0
    terminal.result(
        f"SIMULATED: {sum(done.raters.values())} raters handed in {done.n_answers:,} answers; "
        f"{status.slots['done']:,} of {sum(status.slots.values()):,} places are filled"
    )
    if status.slots["open"] + status.slots["held"]:
        terminal.note("places are left; more raters fill them (--raters)", quiet=args.quiet)
    return 0
