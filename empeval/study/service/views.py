"""What the service answers: all that a rater's screen may know, and no more.

Nothing here has a field for a system's name, a purpose, a file or another rater: what is not in these values
cannot reach a browser.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from empeval.study.questions import Answer, Control

__all__ = [
    "AlreadySaved",
    "Arrival",
    "AskConsent",
    "AskForm",
    "Blocked",
    "Closed",
    "ComeBack",
    "Entered",
    "ExampleView",
    "Finished",
    "FormView",
    "Full",
    "GaveUp",
    "ItemView",
    "Kept",
    "Paused",
    "Progress",
    "Refused",
    "Rejected",
    "Saved",
    "Screen",
    "ScreenedOut",
    "ShowInstructions",
    "Submission",
    "Submitted",
    "TryAgain",
    "Unknown",
]


@dataclass(frozen=True)
class Arrival:
    """Who somebody at the door says to be: the token of a link, or what a platform put in the address."""

    token: str | None = None
    platform_id: str | None = None
    session_ref: str | None = None
    study_ref: str | None = None


@dataclass(frozen=True)
class Entered:
    """Somebody was let in; ``token`` makes the personal link that leads back."""

    token: str


@dataclass(frozen=True)
class Refused:
    """Nobody is let in, or nothing done, and the name of the text that says why.

    ``reason``: ``no_link``, ``wrong_link``, ``other_session``, ``not_yours``, ``not_now``.
    """

    reason: str


@dataclass(frozen=True)
class Progress:
    """How many items a rater has done, of how many; ``total`` is an estimate that only falls."""

    done: int
    total: int


@dataclass(frozen=True)
class ItemView:
    """One item as it is drawn: turns from the oldest, one response or two in the order of showing, questions.

    ``answers`` are what was saved, or drafted; ``is_edit`` says that the item had been handed in before.
    """

    token: str
    turns: tuple[str, ...]
    responses: tuple[str, ...]
    situation: str | None
    emotion: str | None
    controls: tuple[Control, ...]
    answers: Mapping[str, Answer]
    comment: str
    flagged: bool
    progress: Progress
    can_skip: bool
    can_go_back: bool
    is_edit: bool = False
    is_practice: bool = False


@dataclass(frozen=True)
class ExampleView:
    """An item with its answers, for the instructions."""

    turns: tuple[str, ...]
    responses: tuple[str, ...]
    answers: tuple[tuple[str, str], ...]
    explanation: str | None


@dataclass(frozen=True)
class AskConsent:
    """The consent page: what is agreed to, statement by statement, with notes on the contents."""

    title: str
    text: str
    statements: tuple[str, ...]
    content_notes: tuple[str, ...]


@dataclass(frozen=True)
class FormView:
    """One field of the form about the rater."""

    name: str
    prompt: str
    kind: str
    options: tuple[str, ...]
    required: bool


@dataclass(frozen=True)
class AskForm:
    """The form about the rater."""

    fields: tuple[FormView, ...]


@dataclass(frozen=True)
class ShowInstructions:
    """The instructions before the first item; ``has_practice`` says that items with feedback follow."""

    text: str
    examples: tuple[ExampleView, ...]
    has_practice: bool


@dataclass(frozen=True)
class ComeBack:
    """Others hold the last items; some may be free again after so many minutes."""

    minutes: int


@dataclass(frozen=True)
class Finished:
    """All done: the way back to the platform, where there is one, and the words at the end."""

    code: str | None
    url: str | None
    debrief: str | None
    n_rated: int


@dataclass(frozen=True)
class ScreenedOut:
    """The practice items did not go well; the code is the one for that."""

    code: str | None
    url: str | None


@dataclass(frozen=True)
class GaveUp:
    """The rater has withdrawn."""

    code: str | None
    url: str | None


@dataclass(frozen=True)
class Blocked:
    """The researchers have stopped this rater; what was done stays."""

    code: str | None
    url: str | None


@dataclass(frozen=True)
class Paused:
    """The study is paused; the rater's place and answers are kept."""


@dataclass(frozen=True)
class Closed:
    """The study is not open: not yet, or no longer."""


@dataclass(frozen=True)
class Full:
    """As many raters as can be served are at work, or every place is taken (``minutes`` None)."""

    minutes: int | None


@dataclass(frozen=True)
class Unknown:
    """No rater has this link."""


Screen = (
    AskConsent
    | AskForm
    | ShowInstructions
    | ItemView
    | ComeBack
    | Finished
    | ScreenedOut
    | GaveUp
    | Blocked
    | Paused
    | Closed
    | Full
    | Unknown
)


@dataclass(frozen=True)
class Submission:
    """What comes back from an item's form; nothing in it is trusted before it has been checked."""

    values: Mapping[str, object]
    comment: str = ""
    flagged: bool = False
    first_input_ms: int | None = None
    active_ms: int | None = None
    client: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Saved:
    """The answer is kept and counts; ``revision`` tells a correction from the first one."""

    revision: int
    note: str | None = None


@dataclass(frozen=True)
class AlreadySaved:
    """The same answer was handed in before; nothing was added."""


@dataclass(frozen=True)
class Kept:
    """The answer is kept and does not count: ``late``, ``skipped`` or ``blocked``."""

    reason: str


@dataclass(frozen=True)
class Rejected:
    """The answer is not complete; what is wrong, by the question's name."""

    problems: Mapping[str, str]


@dataclass(frozen=True)
class TryAgain:
    """A practice item was answered otherwise than expected; there is another try."""

    questions: tuple[str, ...]
    note: str | None


Submitted = Saved | AlreadySaved | Kept | Rejected | TryAgain | Refused
