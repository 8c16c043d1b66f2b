"""``empeval study admin``: the researcher's page, on this machine alone."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from pathlib import Path

from empeval.cli import options, terminal
from empeval.cli.parser import Commands, UsageError
from empeval.cli.study.serve import check_free, run_pages
from empeval.cli.study.serve import port as a_port

__all__ = ["register"]


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "admin",
        help="the researcher's page of a study",
        description="Serve the researcher's page: progress and holes, agreement so far, raters with their "
        "checks, block and unblock, pause, soft launch, top-up, pay per hour, exports. It is a process "
        "of its own, on this machine alone unless --host says otherwise, and asks for a password.",
    )
    parser.add_argument("file", metavar="STUDY.yaml", help="the study's file")
    parser.add_argument(
        "--port", type=a_port, default=8502, metavar="N", help="where to listen (default: 8502)"
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="which network to listen on (default: 127.0.0.1); any other needs a password that was set "
        "before",
    )
    parser.add_argument("--set-password", action="store_true", help="ask for a new password first")
    options.add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """See to the password, then serve."""
    from empeval.study.admin_access import load_hash, new_password, save_password
    from empeval.study.preparing import find
    from empeval.study.serving import admin_command, is_loopback

    kept = Path(args.file).with_suffix(".admin")
    hashed = None if args.set_password else load_hash(kept)
    if hashed is None and not args.set_password and not is_loopback(args.host):
        raise UsageError(
            f"to listen on {args.host}, set a password first: empeval study admin --set-password"
        )
    check_free(args.host, args.port)
    with find(args.file) as study:
        if args.set_password:
            hashed = save_password(kept, _asked())
        if hashed is None:
            password = new_password()
            hashed = save_password(kept, password)
            terminal.result(f"password  {password}   (shown once; --set-password sets another)")
        if not is_loopback(args.host):
            terminal.note(
                "the password and all answers cross the network unencrypted; an SSH tunnel is better",
                quiet=args.quiet,
            )
        terminal.result(f"page      http://{args.host}:{args.port}")
        terminal.settle_stdout()
        launch = admin_command(
            study.address,
            study.protocol.id,
            study.secret.hex(),
            hashed,
            port=args.port,
            host=args.host,
            version=study.protocol.version,
        )
    return run_pages(launch.command, {**os.environ, **launch.environment})


def _asked() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    password = getpass.getpass("new password: ")
    if getpass.getpass("once more: ") != password:
        raise UsageError("the two are not the same")
    return password
