"""argparse, made to answer with one message that names what was wrong and the nearest thing that is right."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence
from typing import Any, NoReturn, TypeAlias

from empeval.errors import EmpevalError, UnknownName

__all__ = ["Commands", "Parser", "UsageError"]


class UsageError(EmpevalError, ValueError):
    """A command line that cannot be understood."""


class _HelpFormatter(argparse.HelpFormatter):
    """Help with room for the names of commands and options."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)
        # argparse forgets that the names of commands are indented once more
        self._action_max_length = 19


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of leaving, and that takes files before and after options.

    Raises UsageError, or UnknownName where a command or a choice is not one of those that exist.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=_HelpFormatter, **settings)

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would have printed before it left."""
        raise UsageError(f"{message} (see `{self.prog} --help`)")

    def parse_known_args(  # type: ignore[override]  # one signature in place of typeshed's overloads
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse, and leave nothing over: files after an option join the files before it."""
        parsed, extras = super().parse_known_args(args, namespace)
        for extra in extras:
            if extra.startswith("-") and extra != "-":
                self.error(self._unknown_option(extra.partition("=")[0]))
        if extras:
            several = next((action for action in self._get_positional_actions() if action.nargs == "+"), None)
            if several is None:
                self.error(f"unexpected argument {extras[0]!r}")
            setattr(parsed, several.dest, [*getattr(parsed, several.dest), *extras])
        return parsed, []

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            name = f"value of {action.option_strings[-1]}" if action.option_strings else "command"
            raise UnknownName(name, str(value), [str(choice) for choice in action.choices])

    def _unknown_option(self, option: str) -> str:
        known = [name for action in self._get_optional_actions() for name in action.option_strings]
        near = difflib.get_close_matches(option, known, n=1, cutoff=0.5)
        return f"there is no option {option}" + (f"; did you mean {near[0]}?" if near else "")


#: What a command group adds its commands to.
Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # noqa: SLF001  # it has no public name
