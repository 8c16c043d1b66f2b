"""What becomes of a slot: how long a lease runs, and what handing in an answer means.

Pure functions of facts that the store looks up; the clock is an argument.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

__all__ = [
    "Earlier",
    "SlotFacts",
    "SlotState",
    "Verdict",
    "is_live",
    "judge_submission",
    "lease_end",
    "minutes_until",
    "renewed",
]

SlotState = Literal["open", "held", "done", "void"]
Reason = Literal["late", "skipped", "blocked", "excluded", "withdrawn", "revised"]


def is_live(held_until: datetime | None, now: datetime) -> bool:
    """Whether a lease still runs; one that ends now does.

    >>> from datetime import UTC
    >>> is_live(datetime(2030, 1, 1, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC))
    True
    """
    return held_until is not None and held_until >= now


def lease_end(now: datetime, minutes: float) -> datetime:
    """When a lease that is taken now runs out."""
    return now + timedelta(minutes=minutes)


def renewed(
    held_until: datetime, issued_at: datetime, now: datetime, minutes: float, cap_minutes: float
) -> datetime:
    """The end of a lease after a sign of life: later, never earlier, and never beyond the cap."""
    cap = issued_at + timedelta(minutes=cap_minutes)
    return max(held_until, min(lease_end(now, minutes), cap))


def minutes_until(moment: datetime, now: datetime) -> int:
    """Whole minutes to wait, at least one.

    >>> from datetime import UTC
    >>> minutes_until(datetime(2030, 1, 1, 0, 2, 1, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC))
    3
    """
    return max(1, -int(-(moment - now).total_seconds() // 60))


@dataclass(frozen=True)
class SlotFacts:
    """A slot as somebody who hands in an answer finds it.

    ``mine``: it is held, or was completed, by this rater. ``untouched``: it is open, and nobody has taken it
    since this rater did. ``repeat``: this rater already has another slot of the same showing. ``private``: it
    was made for this rater alone.
    """

    state: SlotState
    mine: bool
    untouched: bool
    repeat: bool
    private: bool


@dataclass(frozen=True)
class Earlier:
    """An answer that the rater gave to this slot before."""

    same_token: bool
    values: Mapping[str, object]
    skipped: bool
    counted: bool
    reason: str | None


@dataclass(frozen=True)
class Verdict:
    """What handing in means: ``saved`` already, or a row that counts or not, and the slot's next state.

    ``slot`` None leaves the slot as it is; ``takes`` says that the slot becomes this rater's again.
    """

    saved: bool
    counted: bool = False
    reason: Reason | None = None
    slot: SlotState | None = None
    takes: bool = False


def judge_submission(
    facts: SlotFacts,
    earlier: Sequence[Earlier],
    values: Mapping[str, object],
    *,
    skip: bool,
    standing: Literal["good", "blocked"],
) -> Verdict:
    """Whether an answer counts, and why not; an answer is always kept.

    The same answer under the same token was saved already, whatever came after it: that is how a double click
    and a delayed repetition look. Another answer is a revision, which counts if the slot is still this
    rater's. A slot that ran out and that nobody took counts; one that was given to somebody else does not.

    >>> mine = SlotFacts("held", mine=True, untouched=False, repeat=False, private=False)
    >>> judge_submission(mine, [], {"empathy": 4}, skip=False, standing="good")
    Verdict(saved=False, counted=True, reason=None, slot='done', takes=True)
    """
    for answer in earlier:
        if answer.same_token and answer.skipped == skip and (skip or dict(answer.values) == dict(values)):
            return Verdict(saved=True)
    if standing == "blocked":
        released: SlotState | None = "open" if facts.mine and facts.state == "held" else None
        return Verdict(saved=False, reason="blocked", slot=released)
    if not (facts.mine or (facts.untouched and not facts.repeat)):
        return Verdict(saved=False, reason="skipped" if skip else "late")
    if skip:
        after: SlotState = "done" if facts.private else "open"
        return Verdict(saved=False, reason="skipped", slot=after, takes=facts.private)
    return Verdict(saved=False, counted=True, slot="done", takes=True)
