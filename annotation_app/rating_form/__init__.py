"""One item and its form, as one component: what goes to the browser, and what comes back from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import streamlit as st

from annotation_app import drawing
from annotation_app.reading import example_data
from annotation_app.texts import some_texts
from empeval.study.service.views import ItemView, ShowInstructions, Submission

__all__ = ["Payload", "draw", "submission_of"]

#: One key for all items: what tells them apart is the token, which comes back with every value.
KEY = "form"

#: What a browser sends; nothing in it is trusted.
Payload = Mapping[str, Any]

_component = st.components.v2.component(
    "rating_form",
    html=drawing.file("rating_form", "form.html"),
    css=drawing.style("rating_form", "form.css"),
    js=drawing.script("rating_form", "form.js"),
)


def draw(
    view: ItemView,
    instructions: ShowInstructions,
    *,
    handlers: Mapping[str, Callable[[str, Payload], None]],
    notice: Mapping[str, Any] | None = None,
    reply: Mapping[str, Any] | None = None,
    is_preview: bool = False,
) -> None:
    """Draw an item; ``handlers`` are called by event, with the token and all else that came back."""
    data = asdict(view) | {
        "done": view.progress.done,
        "total": view.progress.total,
        "help": {
            "text": instructions.text,
            "examples": [example_data(example) for example in instructions.examples],
        },
        "notice": notice,
        "reply": reply,
        "is_preview": is_preview,
        "texts": some_texts("item", "reading", "instructions"),
    }
    del data["progress"]
    _component(
        key=KEY,
        data=data,
        **{f"on_{event}_change": _handled(event, handler) for event, handler in handlers.items()},
    )


def _handled(event: str, handler: Callable[[str, Payload], None]) -> Callable[[], None]:
    def handle() -> None:
        payload = st.session_state.get(KEY, {}).get(event)
        if isinstance(payload, Mapping) and isinstance(payload.get("token"), str):
            handler(payload["token"], payload)

    return handle


def submission_of(payload: Payload) -> Submission:
    """What was handed in, in the service's terms."""
    answers, client = payload.get("answers"), payload.get("client")
    return Submission(
        values=dict(answers) if isinstance(answers, Mapping) else {},
        comment=str(payload.get("comment") or ""),
        flagged=payload.get("flagged") is True,
        first_input_ms=_milliseconds(payload.get("first_input_ms")),
        active_ms=_milliseconds(payload.get("active_ms")),
        client=dict(client) if isinstance(client, Mapping) else {},
    )


def _milliseconds(value: object) -> int | None:
    return (
        int(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**53
        else None
    )
