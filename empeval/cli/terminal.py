"""What a command writes: results on standard output; messages and progress on standard error."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["Progress", "error", "note", "result", "settle_stdout", "use_utf8", "warnings"]


def use_utf8() -> None:
    """Write UTF-8 whatever the locale; a lone surrogate is written as its escape, never an error.

    A standard error that is closed becomes one that takes everything.
    """
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # open until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def settle_stdout() -> None:
    """Flush standard output; where that fails, point it nowhere, so that leaving does not fail again."""
    if sys.stdout is None:  # closed by who started us
        return
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            descriptor = sys.stdout.fileno()
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, descriptor)
            os.close(nowhere)


def result(text: str) -> None:
    """Print a result, with one newline at its end."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def error(message: str) -> None:
    """Print the one message of a command that failed."""
    _say(f"error: {message}")


def note(message: str, *, quiet: bool = False) -> None:
    """Print a note on standard error unless the user wants quiet."""
    if not quiet:
        _say(message)


def warnings(notices: Sequence[Mapping[str, Any]], *, quiet: bool = False) -> None:
    """Print the warnings of a score document on standard error unless the user wants quiet."""
    for notice in notices:
        note(f"warning: {notice['message']} [{notice['code']}]", quiet=quiet)


def _say(message: str) -> None:
    """A message on standard error: what a name could do to a terminal is shown as an escape.

    A line break stays before an indented line alone, so that a name cannot pass for a message of its own.
    """
    line = "\n  ".join(
        "".join(
            char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode("ascii")
            for char in part
        )
        for part in message.split("\n  ")
    )
    with contextlib.suppress(OSError):  # a full disk must not hide the status
        print(f"empeval: {line}", file=sys.stderr)


class Progress:
    """One line on standard error that says what is being done; silent unless that is a terminal.

    Used as a context manager, so that the line is gone whenever anything else is printed.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._on = not quiet and sys.stderr.isatty()
        self._width = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._show("")

    def __call__(self, message: str) -> None:
        """Say what is being done from now on."""
        self._show(message)

    def say(self, message: str) -> None:
        """Print a note that stays, unless the user wants quiet."""
        self._show("")
        note(message, quiet=self._quiet)

    def _show(self, message: str) -> None:
        if self._on:
            line = message[: max(20, _columns() - 1)]
            sys.stderr.write("\r" + line.ljust(self._width) + ("\r" if not line else ""))
            sys.stderr.flush()
            self._width = len(line)


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return 80
