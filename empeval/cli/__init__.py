"""The command line: every command parses, calls the library and prints.

Results go to standard output and nothing else does; messages go to standard error. Exit status: 0 done,
1 a difference found by ``verify`` (or a fault of ours, the only case with a traceback), 2 the input or the
command line is at fault.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from empeval import __version__
from empeval.cli import (
    agreement,
    compare,
    demo,
    explain,
    leaderboard,
    listing,
    preference,
    reproduce,
    score,
    study,
    terminal,
    train_emotion,
    verify,
)
from empeval.cli.parser import Parser, UsageError
from empeval.errors import EmpevalError

__all__ = ["build_parser", "main"]

#: In the order in which the help lists their commands.
GROUPS = (
    score,
    compare,
    reproduce,
    explain,
    train_emotion,
    leaderboard,
    agreement,
    preference,
    study,
    listing,
    verify,
    demo,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status.

    ``argv`` holds the words after the program's name, those of the process by default.
    """
    terminal.use_utf8()
    try:
        return _run(sys.argv[1:] if argv is None else list(argv))
    except EmpevalError as error:
        terminal.error(str(error))
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        terminal.error(f"{where}{error.strerror or error}")
    except MemoryError:
        terminal.error("not enough memory; score fewer systems or metrics at once, or lower --resamples")
    except KeyboardInterrupt:
        return 130
    finally:
        terminal.settle_stdout()
    return 2


def _run(argv: list[str]) -> int:
    if sys.stdout is None:
        raise UsageError("standard output is closed; send results that are not wanted to /dev/null")
    parser = build_parser()
    if not argv:
        raise UsageError("no command is given; `empeval --help` lists them")
    try:
        args = parser.parse_args(argv)
    except SystemExit as leave:  # after --help and --version
        status = int(leave.code or 0)
    else:
        status = int(args.run(args))
    sys.stdout.flush()
    return status


def build_parser() -> Parser:
    """The parser of the whole command line, also the source of the documentation's command pages."""
    parser = Parser(
        prog="empeval",
        description="Evaluate empathetic dialogue systems, automatically and with people.",
        epilog="`empeval COMMAND --help` explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"empeval {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    for group in GROUPS:
        group.register(commands)
    return parser
