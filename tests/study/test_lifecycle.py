"""A slot's life: leases, and what handing in an answer means."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from empeval.study import lifecycle
from empeval.study.lifecycle import Earlier, SlotFacts, Verdict, judge_submission

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
HELD = SlotFacts("held", mine=True, untouched=False, repeat=False, private=False)
LOST = SlotFacts("held", mine=False, untouched=False, repeat=False, private=False)
RAN_OUT = SlotFacts("open", mine=False, untouched=True, repeat=False, private=False)
PRIVATE = SlotFacts("held", mine=True, untouched=False, repeat=False, private=True)
FOUR, TWO = {"empathy": 4}, {"empathy": 2}


def earlier(values: dict[str, object], *, same_token: bool = True, skipped: bool = False) -> Earlier:
    """An answer that counted."""
    return Earlier(same_token, values, skipped, counted=True, reason=None)


def minutes(n: float) -> datetime:
    """So long after noon."""
    return NOON + timedelta(minutes=n)


def test_a_lease_runs_to_its_last_moment() -> None:
    """One that ends now still runs; none at all does not."""
    assert lifecycle.is_live(NOON, NOON)
    assert not lifecycle.is_live(NOON, NOON + timedelta(microseconds=1))
    assert not lifecycle.is_live(None, NOON)
    assert minutes(30) == lifecycle.lease_end(NOON, 30)


@pytest.mark.parametrize(
    ("held_until", "now", "expected"),
    [
        (30, 10, 40),  # a sign of life after ten minutes
        (30, 100, 120),  # not beyond the cap
        (130, 125, 130),  # never earlier than it was
        (30, 0, 30),
    ],
)
def test_a_sign_of_life_renews_up_to_the_cap(held_until: int, now: int, expected: int) -> None:
    """30 minutes from now, at most 120 after the slot was given out."""
    assert minutes(expected) == lifecycle.renewed(minutes(held_until), NOON, minutes(now), 30, 120)


@pytest.mark.parametrize(("seconds", "expected"), [(0, 1), (-60, 1), (1, 1), (60, 1), (61, 2), (600, 10)])
def test_waiting_is_told_in_whole_minutes(seconds: int, expected: int) -> None:
    """Rounded up, never less than one."""
    assert expected == lifecycle.minutes_until(NOON + timedelta(seconds=seconds), NOON)


def judge(facts: SlotFacts, *before: Earlier, skip: bool = False, blocked: bool = False) -> Verdict:
    """The verdict on a 4, or on a skip."""
    values: dict[str, object] = {} if skip else dict(FOUR)
    return judge_submission(facts, list(before), values, skip=skip, standing="blocked" if blocked else "good")


def test_an_answer_in_time_counts() -> None:
    """The slot is done; the same for a lease that ran out while nobody took the slot."""
    counted = Verdict(saved=False, counted=True, slot="done", takes=True)
    assert counted == judge(HELD)
    assert counted == judge(RAN_OUT)


def test_a_late_answer_is_kept_and_does_not_count() -> None:
    """Somebody else has the slot, or this rater took another one of the same showing since."""
    late = Verdict(saved=False, reason="late")
    assert late == judge(LOST)
    assert late == judge(SlotFacts("open", mine=False, untouched=True, repeat=True, private=False))
    assert late == judge(SlotFacts("void", mine=False, untouched=False, repeat=False, private=False))


@pytest.mark.parametrize("facts", [HELD, LOST, RAN_OUT, PRIVATE])
@pytest.mark.parametrize("blocked", [False, True])
def test_the_same_answer_twice_is_saved_already(facts: SlotFacts, blocked: bool) -> None:
    """Whatever became of the slot in between, and whichever answers came after it."""
    assert Verdict(saved=True) == judge(facts, earlier(dict(FOUR)), earlier(dict(TWO)), blocked=blocked)
    assert Verdict(saved=True) == judge(facts, earlier({}, skipped=True), skip=True, blocked=blocked)


def test_another_answer_is_a_revision() -> None:
    """It counts while the slot is this rater's, and is kept where it is not; another token's is no repeat."""
    done = SlotFacts("done", mine=True, untouched=False, repeat=False, private=False)
    assert judge(done, earlier(dict(TWO))).counted
    assert "late" == judge(LOST, earlier(dict(TWO))).reason
    assert judge(done, earlier(dict(FOUR), same_token=False)).counted
    assert not judge(done, earlier({}, skipped=True)).saved


def test_a_skip_opens_the_slot_for_others() -> None:
    """A private slot is for nobody else, and is done."""
    assert Verdict(saved=False, reason="skipped", slot="open") == judge(HELD, skip=True)
    assert Verdict(saved=False, reason="skipped", slot="done", takes=True) == judge(PRIVATE, skip=True)
    assert Verdict(saved=False, reason="skipped") == judge(LOST, skip=True)


def test_a_blocked_rater_s_answer_is_kept_and_frees_the_slot() -> None:
    """What he held is open again; what he does not hold is left alone."""
    assert Verdict(saved=False, reason="blocked", slot="open") == judge(HELD, blocked=True)
    assert Verdict(saved=False, reason="blocked") == judge(LOST, blocked=True)
    assert Verdict(saved=False, reason="blocked", slot="open") == judge(HELD, skip=True, blocked=True)
