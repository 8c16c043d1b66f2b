"""What the screens look like and say: literally, on a phone, to everybody; and pictures of all of them."""

from __future__ import annotations

import importlib.resources
import json
import os
from pathlib import Path
from typing import Any

import pytest

#: Set to write docs/screens anew: EMPEVAL_SCREENS=1 python -m pytest tests/annotation_app/test_screens.py
_WRITES = "EMPEVAL_SCREENS"
_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "screens"


@pytest.fixture(scope="module")
def friendly(serve: Any) -> Any:
    """A study whose dialogues are worth a picture."""
    from empeval.study.material import Material, StudySegment

    turns = [
        (
            "I finally passed my driving test, after three tries!",
            "Wow, congratulations!",
            "I could not stop smiling.",
        ),
        ("My dog died last week. The house is so quiet now.",),
    ]
    replies = (
        (
            "That is wonderful! All that practice paid off. Where will you drive first?",
            "Dogs are nice animals.",
        ),
        (
            "I have a car too.",
            "I am so sorry. It must be hard to come home to that silence. What was she like?",
        ),
    )
    given = Material(
        ("Ombrevic", "Tiskarel"),
        tuple(
            StudySegment(f"s{i}", f"d{i}", said, "proud", "I passed my driving test at last.")
            for i, said in enumerate(turns)
        ),
        replies,
    )
    return serve(
        given=given,
        platform="prolific",
        responses_per_segment_per_rater="all",
        presentation={"situation": True},
        completion={"done": "C1X7PLQ2", "screened_out": "C2OUT", "problem": "C3PROBLEM"},
        practice={
            "items": [
                {
                    "context": ["I lost my keys again. I feel so stupid."],
                    "response": "Good for you!",
                    "expected": {"warmth": [1, 2]},
                    "explanation": "It does not see that the speaker is upset.",
                }
            ]
        },
    )


@pytest.fixture(scope="module")
def axe() -> str:
    """The accessibility rules, as a script."""
    pytest.importorskip("axe_playwright_python")
    return (
        importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    )


class Camera:
    """Looks at each screen: no serious finding, and a picture where pictures are wanted."""

    def __init__(self, page: Any, axe: str) -> None:
        self.page, self.axe = page, axe
        self.findings: dict[str, Any] = {}

    def look(self, name: str) -> None:
        self.page.wait_for_timeout(250)
        self.page.evaluate(self.axe)
        found = self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        serious = [
            (one["id"], one["help"], [node["html"][:160] for node in one["nodes"]][:3])
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]
        if serious:
            self.findings[name] = serious
        if os.environ.get(_WRITES):
            _FOLDER.mkdir(parents=True, exist_ok=True)
            whole = self.page.locator('[data-testid="stMainBlockContainer"]')
            place = self.page if self.page.locator("dialog[open]").count() else whole
            place.screenshot(path=_FOLDER / f"{name}.png")


@pytest.fixture
def camera(page: Any, axe: str) -> Camera:
    """A camera at this test's page."""
    page.set_viewport_size({"width": 800, "height": 1500})
    return Camera(page, axe)


def test_every_screen_is_accessible(friendly: Any, page: Any, camera: Camera, person_of: Any) -> None:
    """An axe scan of each screen has no serious or critical finding; with pictures on demand."""
    page.goto(f"{friendly.url}/?PROLIFIC_PID=p&SESSION_ID=s&STUDY_ID=x")
    page.get_by_text("I am 18 or older.").click()
    camera.look("consent")
    page.get_by_text("I agree to take part.").click()
    page.get_by_role("button", name="I agree, and take part").click()
    page.get_by_label("How old are you? (required)").fill("33")
    camera.look("form")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Start with practice").wait_for()
    camera.look("instructions")
    page.get_by_role("button", name="Start with practice").click()
    me = person_of(friendly)
    me.link = page.url
    me.see_item().answer(5)
    me.submit()
    page.get_by_text("It does not see").wait_for()
    camera.look("practice")
    me.answer(1).submit()
    me.has(0)
    page.locator("#help").click()
    page.get_by_role("button", name="Back to the item").wait_for()
    camera.look("instructions-at-hand")
    page.keyboard.press("Escape")
    seen = set()
    for done in range(6):
        me.has(done)
        kind = "pair" if me.is_pair else "rating"
        if kind not in seen:
            me.answer(3, 2)
            page.locator("#comment").focus()
            camera.look(kind)
            seen.add(kind)
        if me.has_answers_left():
            me.answer(3, 2)
        if done == 4:
            page.get_by_text("Stop taking part").first.click()
            page.get_by_text("I want to stop for good").wait_for()
            page.mouse.wheel(0, 2000)
            camera.look("leaving")
        me.submit()
    page.get_by_text("C1X7PLQ2").wait_for()
    camera.look("finished")
    assert {} == camera.findings, json.dumps(camera.findings, indent=1)


def test_screens_outside_and_at_an_end_are_accessible(
    serve: Any, page: Any, camera: Camera, person_of: Any
) -> None:
    """The same for whoever is not let in, has to wait, or is through."""
    study = serve(ratings_per_item=1, consent=None, demographics=[], content_notes=[])
    page.goto(study.url)
    page.get_by_text("You cannot come in here").wait_for()
    camera.look("no-link")
    page.goto(f"{study.url}/?t=guessed")
    page.get_by_text("Nobody has this link").wait_for()
    camera.look("unknown-link")
    study.admin.set_state("paused")
    page.goto(study.link("me"))
    page.get_by_text("The study is paused").wait_for()
    camera.look("paused")
    study.admin.set_state("open")
    me = person_of(study)
    me.come()
    page.get_by_text("Stop taking part").first.click()
    page.get_by_text("I want to stop for good").click()
    page.get_by_role("button", name="Stop taking part").click()
    page.get_by_text("You have stopped taking part").wait_for()
    camera.look("withdrawn")
    page.goto(f"{study.url}/?preview={study.admin.context.preview_key}")
    page.get_by_text("Preview, page 1 of").wait_for()
    page.get_by_role("button", name="Next page").click()
    page.get_by_text("Preview, page 2 of").wait_for()
    me.see_item().answer(1).submit()
    page.locator("#message").get_by_text("Nothing is stored").wait_for()
    camera.look("preview")
    study.admin.set_state("closed")
    page.goto(study.link("late"))
    page.get_by_text("The study is not open").wait_for()
    camera.look("closed")
    assert {} == camera.findings, json.dumps(camera.findings, indent=1)


def test_screens_that_others_cause_are_accessible(
    serve: Any, page: Any, camera: Camera, person_of: Any
) -> None:
    """Nothing free at the moment, screened out after practice, blocked: each is said, with its code."""
    from empeval.study.service.rater import RaterService
    from empeval.study.service.views import ItemView, Submission

    practice = {"context": ["I lost my keys."], "response": "Good for you!", "expected": {"warmth": 1}}
    study = serve(
        n=1,
        ratings_per_item=1,
        consent=None,
        demographics=[],
        content_notes=[],
        practice={"items": [practice]},
        completion={"done": "CDONE", "screened_out": "COUT", "problem": "CPROBLEM"},
    )
    service = RaterService.open(study.admin.store, "invented", bytes(range(32)))
    for name in ("a", "b", "c"):
        access = study.link(name).partition("t=")[2]
        service.screen(access)
        service.begin(access)
        view = service.screen(access)
        assert isinstance(view, ItemView)
        service.submit(access, view.token, Submission({"warmth": 1, "relevance": 1, "fluency": 1}))
        assert isinstance(service.screen(access), ItemView)
    me = person_of(study)
    page.goto(me.link)
    page.get_by_role("button", name="Start with practice").click()
    me.see_item().answer(1).submit()
    page.get_by_text("Come back in about").wait_for()
    camera.look("come-back")
    for line in study.admin.raters():
        study.admin.block(line.rater)
    page.reload()
    page.get_by_text("Your part in the study has ended").wait_for()
    page.get_by_text("CPROBLEM").wait_for()
    camera.look("blocked")
    page.goto(study.link("careless"))
    page.get_by_role("button", name="Start with practice").click()
    for _ in range(2):
        me.see_item().answer(5).submit()
        page.wait_for_timeout(700)
    page.get_by_text("COUT").wait_for()
    camera.look("screened-out")
    assert {} == camera.findings, json.dumps(camera.findings, indent=1)


def test_a_full_study_says_so_before_anything_else(serve: Any, page: Any, camera: Camera) -> None:
    """Who cannot be served to the end is told at the door, and not after the consent."""
    study = serve(platform="open", max_raters=1, demographics=[])
    page.goto(study.url)
    for statement in ("I am 18 or older.", "I agree to take part."):
        page.get_by_text(statement).click()
    page.get_by_role("button", name="I agree, and take part").click()
    page.get_by_role("button", name="Start").wait_for()
    second = page.context.browser.new_context().new_page()
    second.goto(study.url)
    second.get_by_text("The study needs no more people").wait_for()
    assert "t=" not in second.url
    camera.page = second
    camera.look("full")
    assert {} == camera.findings, json.dumps(camera.findings, indent=1)
    second.context.close()


def test_texts_are_shown_as_they_stand(study: Any, person: Any, page: Any, markup: str, hebrew: str) -> None:
    """Markup, LaTeX, emoji codes and either direction of writing are text, and nothing else."""
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    person.come()
    shown = page.locator("#turns .said").all_inner_texts()
    assert markup in shown[0]
    assert hebrew == shown[2]
    assert "rtl" == page.locator("#turns .said").nth(2).evaluate("one => getComputedStyle(one).direction")
    assert "ltr" == page.locator("#turns .said").nth(0).evaluate("one => getComputedStyle(one).direction")
    assert 0 == page.locator("#item").locator("b, em, strong, code, script, img, a").count()
    assert [] == alerts


def test_a_phone_needs_no_scrolling_sideways(browser: Any, study: Any) -> None:
    """On 360 pixels, nothing sticks out, and the choices are large enough for a thumb."""
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(study.link("phone"))
    page.get_by_role("button", name="Start").tap()
    page.wait_for_selector("#submit")
    wide = "() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
    for _ in range(6):
        assert page.evaluate(wide) <= 0
        for box in page.locator("#content").locator("label.choice, .card, .turn, textarea").all():
            place = box.bounding_box()
            assert place is not None
            assert place["x"] >= 0
            assert place["x"] + place["width"] <= 360
        for choice in page.locator("label.choice").all():
            assert choice.bounding_box()["height"] >= 40
        count = page.locator("#count").inner_text()
        if page.locator("#responses .card").count() == 2:
            break
        for box in page.locator("fieldset").all():
            box.locator("label.choice").nth(1).tap()
        page.locator("#submit").tap()
        page.wait_for_function(
            "old => [...document.querySelectorAll('*')].map(host => host.shadowRoot?.querySelector('#count'))"
            ".some(count => count && count.textContent !== old)",
            arg=count,
        )
    if os.environ.get(_WRITES):
        page.screenshot(path=_FOLDER / "phone.png")
    context.close()
