"""``empeval study serve``: the raters' pages, and the links that lead there."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
from types import FrameType
from typing import TYPE_CHECKING

from empeval.cli import options, terminal
from empeval.cli.parser import Commands, UsageError

if TYPE_CHECKING:
    from empeval.study.preparing import Prepared
    from empeval.study.service.admin import AdminService

__all__ = ["check_free", "port", "register", "run_pages"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "serve",
        help="open a study to raters",
        description="Open a study to raters: makes its database where there is none, prints the links, and "
        "serves the raters' pages until it is stopped (Ctrl+C). What raters did is in the database; starting "
        "again goes on from there, and the links stay the same.",
    )
    parser.add_argument("file", metavar="STUDY.yaml", help="the study's file")
    group = parser.add_argument_group("network")
    group.add_argument("--port", type=port, default=8501, metavar="N", help="where to listen (default: 8501)")
    group.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="which network to listen on (default: 127.0.0.1, this machine alone, as behind a proxy); "
        "0.0.0.0 for all, without encryption",
    )
    group.add_argument(
        "--public-url", metavar="URL", help="how browsers get here, e.g. https://rate.example.org"
    )
    group = parser.add_argument_group("raters of a lab")
    group.add_argument(
        "--rater",
        action="append",
        default=[],
        metavar="NAME",
        help="make a personal link for somebody; once for each. The name is kept as a keyed hash only",
    )
    group.add_argument(
        "--raters",
        type=options.count,
        metavar="N",
        help="make links for rater-1 to rater-N (default: as many as rate each item)",
    )
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prepare, print the links, serve."""
    from empeval.study.preparing import prepare
    from empeval.study.serving import links_base, serve_command

    base = links_base(args.host, args.port, args.public_url)
    check_free(args.host, args.port)
    with prepare(args.file) as prepared:
        if prepared.protocol.platform != "lab" and (args.rater or args.raters is not None):
            raise UsageError(
                "--rater and --raters are for studies of a lab; others let raters in by the one link"
            )
        launch = serve_command(
            prepared.address,
            prepared.protocol.id,
            prepared.secret.hex(),
            port=args.port,
            host=args.host,
            public_url=args.public_url,
            version=prepared.protocol.version,
        )
        admin = prepared.admin()
        state = admin.status().state
        if state == "draft":
            admin.set_state("open")
        elif state != "open":
            terminal.note(f"the study is {state}; raters are told so", quiet=args.quiet)
        for line in _links(prepared, admin, base, args):
            terminal.result(line)
        terminal.settle_stdout()
    return run_pages(launch.command, {**os.environ, **launch.environment})


def _links(prepared: Prepared, admin: AdminService, base: str, args: argparse.Namespace) -> list[str]:
    protocol = prepared.protocol
    lines = [("preview", f"{base}/?preview={admin.context.preview_key}")]
    if protocol.platform == "prolific":
        places = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
        lines.append(("prolific", f"{base}/?{places}"))
    elif protocol.platform == "open":
        lines.append(("raters", f"{base}/"))
    else:
        n = args.raters if args.raters is not None else 0 if args.rater else protocol.ratings_per_item
        names = dict.fromkeys([*args.rater, *(f"rater-{i}" for i in range(1, n + 1))])
        lines += [(name, f"{base}/?t={token}") for name, token in admin.invite(tuple(names))]
    width = max(len(name) for name, _ in lines)
    return [f"{name:<{width}}  {link}" for name, link in lines]


def check_free(host: str, number: int) -> None:
    """Raise UsageError where nothing can listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, number))
        except (OSError, OverflowError, TypeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"cannot listen on {host}, port {number}: {reason}") from None


def run_pages(command: tuple[str, ...], environment: dict[str, str]) -> int:
    """Run the pages until they, or this process, are told to stop."""
    process = subprocess.Popen(command, env=environment)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        process.terminate()

    signal.signal(signal.SIGTERM, stop)
    try:
        code = process.wait()
    except KeyboardInterrupt:
        process.terminate()
        process.wait()
        return 0
    return 0 if code in (0, -signal.SIGTERM, 128 + signal.SIGTERM) else (code if code > 0 else 1)


def port(text: str) -> int:
    """A port from the command line."""
    found = options.count(text)
    if not 1 <= found <= 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 1 to 65535")
    return found
