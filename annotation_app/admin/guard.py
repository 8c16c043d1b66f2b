"""What may pass between a browser and the researcher's page: as for raters, and downloads."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotation_app.guard import HEADERS, Guard

__all__ = ["AdminGuard"]

#: Where Streamlit keeps what the page offers for download, under names that nobody guesses.
_DOWNLOADS = "/media/"


class AdminGuard:
    """ASGI middleware: the raters' guard, with downloads, and with nothing kept by the browser."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._guarded = app, Guard(app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or one websocket."""
        downloads = scope["type"] == "http" and scope["path"].startswith(_DOWNLOADS)
        if downloads and scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, _unkept(send))
        else:
            await self._guarded(scope, receive, send)


def _unkept(send: Send) -> Send:
    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *HEADERS]
            MutableHeaders(scope=message)["cache-control"] = "no-store"
        await send(message)

    return answer
