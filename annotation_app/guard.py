"""What may pass between browsers and the app: known paths, known messages, and no path of this machine."""

from __future__ import annotations

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

__all__ = ["HEADERS", "Guard", "cleaned", "is_expected"]

#: Streamlit brings its components' code as blobs, its styles inline, and talks over a websocket.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws: wss:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)

#: Of Streamlit's own paths, those that the pages need; uploads, metrics and agents are not among them.
_CORE = ("/_stcore/health", "/_stcore/host-config", "/_stcore/stream")
_FOLDERS = ("/static/",)
_PAGES = ("/", "/healthz", "/readyz", "/favicon.png", "/index.html", "/manifest.json")

#: What a browser has to say: run the script, stop it, still here.
_EXPECTED = frozenset({"rerun_script", "stop_script", "app_heartbeat"})


def is_served(path: str) -> bool:
    """Whether a path belongs to the raters' pages.

    >>> is_served("/"), is_served("/_stcore/metrics"), is_served("/_stcore/upload_file/x/y")
    (True, False, False)
    """
    return path in _PAGES or path in _CORE or path.startswith(_FOLDERS)


def is_expected(frame: bytes) -> bool:
    """Whether a frame from a browser is one of the few that the pages send."""
    try:
        return BackMsg.FromString(frame).WhichOneof("type") in _EXPECTED
    except DecodeError:
        return False


def cleaned(frame: bytes) -> bytes | None:
    """A frame for a browser without this machine's paths; None for one that tells about its files."""
    message = ForwardMsg.FromString(frame)
    kind = message.WhichOneof("type")
    if kind in ("git_info_changed", "backend_operation_response", "file_urls_response"):
        return None
    if kind != "new_session":
        return frame
    message.new_session.main_script_path = "rater.py"
    message.new_session.initialize.user_info.Clear()
    return message.SerializeToString()


class Guard:
    """ASGI middleware: refuses other paths and messages, adds headers, cleans what goes out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or one websocket."""
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        if scope["method"] not in ("GET", "HEAD", "OPTIONS") or not is_served(scope["path"]):
            await answer({"type": "http.response.start", "status": 404, "headers": []})
            await answer({"type": "http.response.body", "body": b""})
            return
        await self._app(scope, receive, answer)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def hear() -> Message:
            while True:
                message = await receive()
                frame = message.get("bytes")
                if message["type"] != "websocket.receive" or (frame is not None and is_expected(frame)):
                    return message

        async def tell(message: Message) -> None:
            frame = message.get("bytes")
            if message["type"] == "websocket.send" and frame is not None:
                passed = cleaned(frame)
                if passed is None:
                    return
                message = {**message, "bytes": passed}
            await send(message)

        await self._app(scope, hear, tell)
