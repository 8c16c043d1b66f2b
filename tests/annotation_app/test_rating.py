"""Rating in a real browser: by mouse, by keyboard, in haste."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SLOW = [sys.executable, str(Path(__file__).with_name("slow_app.py"))]
LIKERT = [
    {"kind": "likert", "name": name, "prompt": f"How {name}?", "scale": {"low": 1, "high": 5}}
    for name in ("warm", "relevant", "fluent")
]


@pytest.fixture(scope="module")
def slow(serve: Any) -> Any:
    """A study whose server takes its time."""
    return serve(
        n=2, command=SLOW, consent=None, demographics=[], content_notes=[], questions=LIKERT, examples=[]
    )


@pytest.fixture(scope="module")
def whole(serve: Any) -> Any:
    """Everything that a study can ask, on a platform."""
    return serve(
        platform="prolific",
        quota=5,
        responses_per_segment_per_rater="all",
        completion={"done": "C1DONE", "screened_out": "C2OUT", "problem": "C3PROBLEM"},
        practice={
            "items": [
                {
                    "context": ["I lost my keys."],
                    "response": "Good for you!",
                    "expected": {"warmth": [1, 2]},
                    "explanation": "It misses the loss.",
                }
            ],
        },
        attention={
            "items": [
                {
                    "context": ["Please answer 5 to everything."],
                    "response": "Answer 5 here.",
                    "expected": {"warmth": 5, "relevance": 5, "fluency": 5},
                }
            ],
            "per_rater": 1,
        },
    )


def arrive(page: Any, whole: Any, pid: str) -> None:
    """Come as the platform sends people."""
    page.goto(f"{whole.url}/?PROLIFIC_PID={pid}&STUDY_ID=st&SESSION_ID=session-{pid}")


def test_a_whole_study_by_mouse(whole: Any, page: Any, person_of: Callable[[Any], Any]) -> None:
    """Consent, form, practice with feedback, items, Back, Skip and the code: with nothing but clicks."""
    arrive(page, whole, "mouse")
    page.get_by_role("button", name="I agree, and take part").click()
    page.get_by_text("Please tick every statement").wait_for()
    for statement in ("I am 18 or older.", "I agree to take part."):
        page.get_by_text(statement).click()
    page.get_by_role("button", name="I agree, and take part").click()
    page.get_by_label("How old are you? (required)").fill("33")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Start with practice").click()
    me = person_of(whole)
    me.link = page.url
    me.see_item()
    me.answer(5).submit()
    page.get_by_text("It misses the loss.").wait_for()
    me.see_item()
    assert [] == me.chosen()
    me.answer(1).submit()
    me.has(0)
    assert "badge" not in page.locator(".badge:visible").all_inner_texts()
    me.answer(3).submit()
    me.has(1)
    page.locator("#back").click()
    page.get_by_text("You are correcting an earlier answer").wait_for()
    before = me.chosen()
    assert "first" not in before or me.is_pair
    me.answer(2).submit()
    page.get_by_text("The correction is saved.").wait_for()
    for done in range(1, 6):
        me.has(done)
        if done == 2:
            page.locator("#skip").click()
        else:
            me.answer(2).submit()
    page.get_by_text("C1DONE").wait_for()
    assert "https://app.prolific.com/submissions/complete?cc=C1DONE" == page.get_by_role(
        "link", name="Return to the platform"
    ).get_attribute("href")
    handed_in = me.ratings()
    assert 1 == sum(one["purpose"] == "practice" for one in handed_in)
    assert 6 == sum(one["purpose"] != "practice" for one in handed_in)
    assert 1 == sum(one["skipped"] for one in handed_in)
    assert 1 == sum(one["revision"] == 2 and one["purpose"] != "practice" for one in handed_in)


def test_a_whole_study_by_keyboard_alone(whole: Any, page: Any, person_of: Callable[[Any], Any]) -> None:
    """Tab, space, digits and Enter are enough from the consent to the code."""
    arrive(page, whole, "keys")
    page.get_by_role("button", name="I agree, and take part").wait_for()

    def tab_to(name: str) -> None:
        for _ in range(40):
            page.keyboard.press("Tab")
            label = page.evaluate(
                "() => { let a = document.activeElement; while (a?.shadowRoot?.activeElement) "
                "a = a.shadowRoot.activeElement; return a.closest('label')?.innerText || a.ariaLabel || "
                "(a.matches('button, summary') ? a.innerText : '') }"
            )
            if label.strip().startswith(name):
                return
        raise AssertionError(name)

    for statement in ("I am 18", "I agree to take part"):
        tab_to(statement)
        page.keyboard.press("Space")
    tab_to("I agree, and take part")
    page.keyboard.press("Enter")
    page.get_by_label("How old are you? (required)").wait_for()
    tab_to("How old are you")
    page.keyboard.type("41")
    tab_to("Continue")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Start with practice").wait_for()
    tab_to("Start with practice")
    page.keyboard.press("Enter")
    me = person_of(whole)
    me.link = page.url
    me.see_item()
    for key in ("1", "2", "3"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    for done in range(6):
        me.has(done)
        page.keyboard.press("Enter")
        page.get_by_text("Still to answer").wait_for()
        for key in ("1",) if me.is_pair else ("4", "3", "2"):
            page.keyboard.press(key)
        page.keyboard.press("Enter")
    page.get_by_text("C1DONE").wait_for()
    values = [one["values"] for one in me.ratings() if one["purpose"] == "main"]
    assert {"better": "first"} in values
    assert {"warmth": 4, "relevance": 3, "fluency": 2} in values
    assert 2 == len({tuple(sorted(one.items())) for one in values})


def test_keys_in_haste_stay_with_their_item(slow: Any, page: Any, person_of: Callable[[Any], Any]) -> None:
    """However fast 4, 3, 2, Enter come, and whatever is typed while the server is busy: one item, 4, 3, 2."""
    me = person_of(slow).come()
    for done, delay in enumerate((0, 50, 200)):
        me.has(done)
        for key in ("4", "3", "2", "Enter", "1", "1", "1", "Enter"):
            page.keyboard.press(key)
            page.wait_for_timeout(delay) if delay else None
            if key == "Enter" and delay:
                break
        me.has(done + 1)
        assert [] == me.chosen()
    assert [{"warm": 4, "relevant": 3, "fluent": 2}] * 3 == [one["values"] for one in me.ratings()]


def test_a_double_click_hands_in_one_item(slow: Any, page: Any, person_of: Callable[[Any], Any]) -> None:
    """Two clicks on Submit make one rating and one step forward."""
    me = person_of(slow).come()
    me.answer(2)
    page.locator("#submit").dblclick()
    me.has(1)
    page.wait_for_timeout(1200)
    me.has(1)
    assert [1] == [one["revision"] for one in me.ratings()]


def test_a_comment_is_handed_in_with_the_click_that_follows(person: Any, page: Any) -> None:
    """What stands in the comment when Submit is clicked is kept; Enter in it is a new line."""
    person.come().answer(3)
    page.locator("#comment").click()
    page.keyboard.type("first line")
    page.keyboard.press("Enter")
    page.keyboard.type("second 5 line")
    page.locator("#flag").check()
    page.locator("#submit").click()
    person.has(1)
    [kept] = person.ratings()
    assert "first line\nsecond 5 line" == kept["comment"]


def test_what_is_missing_is_said_and_nothing_is_handed_in(person: Any, page: Any) -> None:
    """Nothing is chosen beforehand, and Enter with an open question goes to that question."""
    person.come()
    assert [] == person.chosen()
    page.keyboard.press("Enter")
    page.get_by_text("Still to answer").wait_for()
    assert [] == person.ratings()
    page.keyboard.press("2")
    assert 1 == len(person.chosen())
