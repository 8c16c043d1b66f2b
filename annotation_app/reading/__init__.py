"""Texts of the study to be read: as they stand, with dialogues as chats. It draws, and sends nothing back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from annotation_app import drawing
from annotation_app.texts import some_texts
from empeval.study.service.views import ExampleView

__all__ = ["example_data", "read"]

_component = st.components.v2.component(
    "reading",
    html='<div class="app" id="reading"></div>',
    css=drawing.style("reading", "reading.css"),
    js=drawing.script("reading", "reading.js"),
)


def read(
    words: str = "",
    *,
    heading: str | None = None,
    notes: Sequence[str] = (),
    notes_heading: str = "",
    examples: Sequence[ExampleView] = (),
    redirect: str | None = None,
    key: str = "reading",
) -> None:
    """Draw a text, notes in a box, and examples; with ``redirect``, leave for that address after a while."""
    data: dict[str, Any] = {
        "heading": heading,
        "text": words,
        "notes": list(notes),
        "notes_heading": notes_heading,
        "examples": [example_data(example) for example in examples],
        "redirect": redirect,
        "texts": some_texts("reading", "instructions"),
    }
    _component(key=key, data=data)


def example_data(example: ExampleView) -> dict[str, Any]:
    """An example as the browser gets it."""
    return asdict(example)
