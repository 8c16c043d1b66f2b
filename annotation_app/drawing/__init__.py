"""What both components draw in the same way: dialogues, replies, texts and examples."""

from __future__ import annotations

from pathlib import Path

__all__ = ["file", "script", "style"]


def file(*parts: str) -> str:
    """The text of a file of the app."""
    return Path(__file__).resolve().parents[1].joinpath(*parts).read_text(encoding="utf-8")


def script(*parts: str) -> str:
    """A component's script, behind what all of them draw with."""
    return file("drawing", "drawing.js") + "\n" + file(*parts)


def style(*parts: str) -> str:
    """A component's style, behind what all of them share."""
    return file("drawing", "drawing.css") + "\n" + file(*parts)
