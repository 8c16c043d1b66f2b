"""What a rater can do, from the door to the last item: each call is one transaction, with a typed result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from empeval.study.protocol import StudyProtocol
from empeval.study.service import answering, assigning, entering, previewing, showing
from empeval.study.service.context import Context, load_context
from empeval.study.service.views import (
    Arrival,
    Closed,
    Entered,
    Full,
    ItemView,
    Paused,
    Refused,
    Screen,
    ShowInstructions,
    Submission,
    Submitted,
)
from empeval.study.store.database import Store

__all__ = ["RaterService"]

T = TypeVar("T")


class RaterService:
    """The use cases of raters in one study; ``access`` is the token of a personal link, and never an id.

    ``clock`` gives the time (aware, UTC), by default the database's own.
    """

    def __init__(self, store: Store, context: Context, clock: Callable[[], datetime] | None = None) -> None:
        self._store, self._context = store, context
        self._now = store.now if clock is None else clock

    @classmethod
    def open(
        cls,
        store: Store,
        slug: str,
        secret: bytes,
        *,
        version: int | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> RaterService:
        """The service of a study that the database holds; InputError where it holds none of that name."""
        return cls(store, load_context(store, slug, secret, version), clock)

    @property
    def protocol(self) -> StudyProtocol:
        """The study's recipe."""
        return self._context.protocol

    def instructions(self) -> ShowInstructions:
        """The instructions and examples, which stay at hand with every item."""
        return showing.instructions_page(self._context)

    def is_ready(self) -> bool:
        """Whether the database answers and has the tables that this version expects."""
        return self._store.readiness().is_ready

    def enter(self, arrival: Arrival) -> Entered | Refused | Closed | Paused | Full:
        """Let somebody in, or back in; the link's token is all that he needs from then on."""
        now = self._now()
        return self._store.write(lambda tx: entering.enter(tx, self._context, arrival, now))

    def screen(self, access: str) -> Screen:
        """What this rater is to see now; takes an item for him if one is due, and gives a held one again."""
        return self._do(assigning.screen, access)

    def consent(self, access: str, agreed: Sequence[bool], language: str | None = None) -> bool:
        """Note that a rater agreed to every statement; False where one is left open."""
        return self._do(entering.consent, access, tuple(agreed), language)

    def answer_form(self, access: str, answers: Mapping[str, object]) -> dict[str, str]:
        """Keep what a rater says about himself; what is wrong, by field, and nothing kept then."""
        return self._do(entering.answer_form, access, dict(answers))

    def begin(self, access: str) -> None:
        """Go on from the instructions to the first item."""
        self._do(entering.begin, access)

    def item(self, access: str, token: str) -> ItemView | Refused:
        """An item by the token that this rater got for it, to be drawn again."""
        return self._do(assigning.item, access, token)

    def draft(
        self, access: str, token: str, values: Mapping[str, object], comment: str = "", flagged: bool = False
    ) -> bool:
        """Keep what stands in a form that has not been handed in."""
        return self._do(answering.draft, access, token, dict(values), comment, flagged)

    def heartbeat(self, access: str, token: str) -> bool:
        """Hold an item longer while its page is open; False where it is no longer this rater's."""
        return self._do(answering.heartbeat, access, token)

    def submit(self, access: str, token: str, submission: Submission) -> Submitted:
        """Hand in an answer; it is kept, whatever has become of the item meanwhile."""
        return self._do(answering.submit, access, token, submission)

    def skip(self, access: str, token: str) -> Submitted:
        """Pass over an item, without loss."""
        return self._do(answering.skip, access, token)

    def back(self, access: str, token: str) -> ItemView | Refused:
        """The item that this rater handed in before the one of ``token``, to be corrected."""
        return self._do(assigning.back, access, token)

    def withdraw(self, access: str) -> None:
        """Stop taking part; items in hand go to others, and what happens to answers is the study's policy."""
        self._do(entering.withdraw, access)

    def preview(self, key: str) -> tuple[Screen, ...] | None:
        """Every kind of screen, for whoever has the preview's key; stores nothing."""
        return self._store.read(lambda tx: previewing.preview(tx, self._context, key))

    def _do(self, use_case: Callable[..., T], access: str, *arguments: object) -> T:
        now = self._now()
        return self._store.write(lambda tx: use_case(tx, self._context, access, *arguments, now))
