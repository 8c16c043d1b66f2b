"""The app as a server: Streamlit's settings, health, headers, and what happens to faults."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from streamlit import config

from annotation_app import faults, logs, settings
from annotation_app.guard import Guard
from empeval.errors import EmpevalError

__all__ = ["build", "main", "options"]

_SCRIPT = Path(__file__).resolve().parent / "rater.py"

_OPTIONS: dict[str, Any] = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.toolbarMode": "minimal",
    "client.allowedOrigins": [],
    "global.developmentMode": False,
    "logger.hideWelcomeMessage": True,
    "runner.magicEnabled": False,
    # A collection of garbage after each run takes longer than the run: Python's own is enough.
    "runner.postScriptGC": False,
    "server.disconnectedSessionTTL": 900,
    "server.enableAgentApi": False,
    "server.enableStaticServing": False,
    "server.fileWatcherType": "none",
    "server.headless": True,
    "server.maxMessageSize": 10,
    "server.maxUploadSize": 1,
    "server.maxWidgetStateSize": 1,
    "server.websocketPingInterval": 20,
    "theme.base": "light",
    "theme.primaryColor": "#1d4ed8",
    "theme.textColor": "#1c2430",
    "theme.backgroundColor": "#ffffff",
    "theme.secondaryBackgroundColor": "#f1f4f9",
    "ui.hideTopBar": True,
}

_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#1d4ed8" '
    'd="M6 4h20a4 4 0 0 1 4 4v11a4 4 0 0 1-4 4H15l-7 6v-6H6a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z"/></svg>'
)


def options(host: str, port: int, hosts: Sequence[str] = ()) -> dict[str, Any]:
    """Streamlit's settings for the app, as far as the installed version knows them."""
    wanted = {
        **_OPTIONS,
        "server.address": host,
        "server.port": port,
        "server.allowedHosts": list(hosts),
    }
    known = config.get_config_options()
    return {name: value for name, value in wanted.items() if name in known}


async def _healthz(_: Request) -> Response:
    return PlainTextResponse("ok")


async def _readyz(_: Request) -> Response:
    ready = await run_in_threadpool(lambda: settings.service().is_ready())
    return PlainTextResponse("ready" if ready else "not ready", status_code=200 if ready else 503)


async def _icon(_: Request) -> Response:
    return Response(_ICON, media_type="image/svg+xml")


def build() -> st.App:
    """The ASGI app."""
    return st.App(
        _SCRIPT,
        routes=[Route("/healthz", _healthz), Route("/readyz", _readyz), Route("/favicon.png", _icon)],
        middleware=[Middleware(Guard)],
        on_script_error=faults.draw,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until stopped; one line and exit code 2 for what is wrong with the environment."""
    parser = argparse.ArgumentParser(prog="annotation_app", description="The raters' pages of one study.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument(
        "--allowed-host", action="append", default=[], help="a name by which browsers may call"
    )
    args = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    try:
        settings.service()
    except EmpevalError as error:
        print(f"annotation_app: {error}", file=sys.stderr)  # noqa: T201  # before there is a log to read
        raise SystemExit(2) from None
    logs.keep_messages_out()
    build().run(config={**options(args.host, args.port, args.allowed_host), **logs.OPTIONS})
