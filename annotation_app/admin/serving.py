"""The researcher's page as a server: Streamlit's settings are those of the raters' pages."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from annotation_app import faults, logs
from annotation_app.admin import settings
from annotation_app.admin.guard import AdminGuard
from annotation_app.serving import options
from empeval.errors import EmpevalError

__all__ = ["build", "main"]

_SCRIPT = Path(__file__).resolve().parent / "script.py"


async def _healthz(_: Request) -> Response:
    return PlainTextResponse("ok")


def _fault(error: Exception) -> bool:
    """A number that the log has too; True says to Streamlit that nothing else is to be shown."""
    number = faults.report(error)
    st.error(f"Something went wrong. The log says more under the number {number}; what raters do goes on.")
    return True


def build() -> st.App:
    """The ASGI app: the page, its downloads, and `/healthz`; nothing else is served."""
    return st.App(
        _SCRIPT,
        routes=[Route("/healthz", _healthz)],
        middleware=[Middleware(AdminGuard)],
        on_script_error=_fault,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until stopped; one line and exit code 2 for what is wrong with the environment."""
    parser = argparse.ArgumentParser(
        prog="annotation_app.admin", description="The researcher's page of one study."
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8502)
    parser.add_argument(
        "--allowed-host", action="append", default=[], help="a name by which browsers may call"
    )
    args = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    try:
        settings.check()
    except EmpevalError as error:
        print(f"annotation_app: {error}", file=sys.stderr)  # noqa: T201  # before there is a log to read
        raise SystemExit(2) from None
    logs.keep_messages_out()
    build().run(config={**options(args.host, args.port, args.allowed_host), **logs.OPTIONS})
