"""``empeval verify``: recompute a finished run and compare."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from empeval.cli import options, terminal
from empeval.cli.parser import Commands

if TYPE_CHECKING:
    from empeval.report.verify import Verification

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "verify",
        help="recompute a finished run and compare every number",
        description="Recompute a finished run from its manifest and compare every number. "
        "Exit status 1 if anything differs.",
    )
    parser.add_argument("folder", metavar="RUN", help="a folder that `score` or `reproduce` wrote with --out")
    options.add_models(parser)
    options.add_format(parser, ("text", "json"))
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Recompute, print what differs; 1 if anything does."""
    from empeval.report.verify import verify

    with (
        terminal.Progress(quiet=args.quiet) as progress,
        options.model_resources(args, progress.say),
    ):
        found = verify(args.folder, progress)
    for library, (then, now) in found.versions.items():
        terminal.note(f"the run was made with {library} {then}; here it is {now}", quiet=args.quiet)
    if args.format == "json":
        terminal.result(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        terminal.result("\n".join(_lines(found)))
    return 0 if found.confirmed else 1


def _lines(found: Verification) -> list[str]:
    n = len(found.differences)
    differing = f"{n:,} of them differ{'s' if n == 1 else ''}" if n else "all as stored"
    lines = [f"{found.run}: {found.n_values:,} values recomputed, {differing}"]
    lines += [f"  {metric}: {what}" for metric, what in found.changed_signatures.items()]
    lines += [f"  {d.where}: stored {d.stored!r}, recomputed {d.recomputed!r}" for d in found.differences]
    lines += [f"  input {path} is not the file that was scored" for path in found.changed_inputs]
    lines += [f"  {name} is not the file that the run wrote" for name in found.changed_files]
    return lines
