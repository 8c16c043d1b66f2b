"""One file a screen, each drawing what the service answered; a new kind of answer is one line here."""

from __future__ import annotations

from typing import Any

from annotation_app.screens import consent, ended, form, instructions, item, outside, waiting
from empeval.study.service import views
from empeval.study.service.rater import RaterService

__all__ = ["draw_screen"]

_SCREENS: dict[type, Any] = {
    views.AskConsent: consent.draw,
    views.AskForm: form.draw,
    views.ShowInstructions: instructions.draw,
    views.ItemView: item.draw,
    views.ComeBack: waiting.draw_come_back,
    views.Paused: waiting.draw_paused,
    views.Full: waiting.draw_full,
    views.Closed: outside.draw_closed,
    views.Unknown: outside.draw_unknown,
    views.Refused: outside.draw_refused,
    views.Finished: ended.draw_finished,
    views.ScreenedOut: ended.draw_screened_out,
    views.GaveUp: ended.draw_withdrawn,
    views.Blocked: ended.draw_blocked,
}


def draw_screen(service: RaterService, access: str, view: object) -> None:
    """Draw a screen for whoever ``access`` belongs to; empty for somebody who was not let in."""
    _SCREENS[type(view)](service, access, view)
