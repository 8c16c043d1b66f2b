"""``empeval study``: human studies, from their plan to their report; one command a file."""

from __future__ import annotations

from empeval.cli.parser import Commands
from empeval.cli.study import (
    admin,
    backup,
    export,
    forget,
    import_,
    init,
    power,
    reconcile,
    report,
    serve,
    simulate,
    status,
    topup,
    validate,
)

__all__ = ["register"]

#: In the order in which the help lists their commands.
GROUPS = (
    init,
    validate,
    power,
    simulate,
    serve,
    admin,
    status,
    topup,
    report,
    export,
    import_,
    forget,
    backup,
    reconcile,
)


def register(commands: Commands) -> None:
    """Add the command with its own commands."""
    parser = commands.add_parser(
        "study",
        help="human studies: files, plans, power, rating",
        description="Human studies, from their file to people's ratings.",
        epilog="`empeval study COMMAND --help` explains a command.",
    )
    own = parser.add_subparsers(title="commands", metavar="COMMAND", dest="study_command", required=True)
    for group in GROUPS:
        group.register(own)
