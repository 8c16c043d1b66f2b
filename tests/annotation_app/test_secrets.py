"""What a browser must never get to see, and what it must not be able to do."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def watched(serve: Any) -> Any:
    """A study with every kind of check among its items."""
    shown = {"context": ["Please answer 5 to everything."], "response": "Answer 5 here."}
    return serve(
        n=4,
        consent=None,
        demographics=[],
        content_notes=[],
        examples=[],
        questions=[
            {"kind": "likert", "name": "warm", "prompt": "How warm?", "scale": {"low": 1, "high": 5}},
        ],
        attention={"items": [{**shown, "expected": {"warm": 5}}], "per_rater": 1},
        gold={"items": [{**shown, "expected": {"warm": [4, 5]}}], "per_rater": 1},
        duplicates={"per_rater": 1, "min_gap": 2},
        damaged={"per_rater": 1, "method": "repeated"},
    )


def shape(value: Any) -> Any:
    """The keys and kinds of a value, whatever it holds."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in sorted(value.items())}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def test_nothing_received_tells_system_purpose_or_path(watched: Any, page: Any, person_of: Any) -> None:
    """Through a whole study, no frame or body names them, and checks look like any other item."""
    frames: list[bytes] = []
    bodies: list[bytes] = []
    page.on(
        "websocket",
        lambda socket: socket.on(
            "framereceived",
            lambda frame: frames.append(frame if isinstance(frame, bytes) else frame.encode()),
        ),
    )
    page.on(
        "requestfinished",
        lambda request: bodies.append(request.response().body()) if "/static/" not in request.url else None,
    )
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url))
    me = person_of(watched).come()
    for done in range(12):
        me.has(done)
        me.answer(5).submit()
    page.get_by_text("Thank you, you have finished").wait_for()
    kinds = {one["purpose"] for one in me.ratings()}
    assert {"main", "gold", "attention", "duplicate", "damaged"} == kinds
    assert len(frames) > 24
    received = b"\n".join(frames + bodies).decode("utf-8", "replace")
    for name in ("Ombrevic", "Tiskarel", "own text"):
        assert name not in received
    for word in ("gold", "attention", "damaged", "duplicate", "purpose"):
        assert None is re.search(rf"\b{word}\b", received, re.IGNORECASE), word
    for path in (str(ROOT), str(Path(watched.address).parent), sys.prefix, str(Path.home()), "site-packages"):
        assert path not in received

    assert [] == [url for url in asked if not url.startswith((f"{watched.url}/", "blob:", "data:"))]

    shapes = []
    for frame in frames:
        message = ForwardMsg.FromString(frame)
        component = message.delta.new_element.bidi_component
        if component.component_name == "rating_form":
            data = json.loads(component.json)
            shapes.append((data["token"], json.dumps(shape({**data, "notice": None, "reply": None}))))
    items = dict(shapes)
    assert 12 == len(items)
    assert 1 == len({len(token) for token in items})
    assert 1 == len(set(items.values()))


def test_a_guessed_link_shows_nothing(study: Any, page: Any) -> None:
    """A token that was not given out opens no study and no screen but that."""
    for token in ("0" * 32, "../../x", "' OR 1=1 --", "x" * 5000):
        page.goto(f"{study.url}/?t={token}")
        page.get_by_text("Nobody has this link").wait_for()


def test_somebody_elses_platform_id_opens_nothing(serve: Any, page: Any, browser: Any) -> None:
    """An id of a platform leads back only with the submission it came with."""
    study = serve(
        platform="prolific",
        demographics=[],
        completion={"done": "A", "screened_out": "B", "problem": "C"},
    )
    page.goto(f"{study.url}/?PROLIFIC_PID=victim&SESSION_ID=s1&STUDY_ID=x")
    page.get_by_text("I am 18 or older.").wait_for()
    own = page.url
    other = browser.new_context()
    thief = other.new_page()
    for query in (
        "PROLIFIC_PID=victim&SESSION_ID=s2&STUDY_ID=x",
        "PROLIFIC_PID=thief&SESSION_ID=s1&STUDY_ID=x",
    ):
        thief.goto(f"{study.url}/?{query}")
        thief.get_by_text("You have taken part in this study before").wait_for()
        assert "t=" not in thief.url
    thief.goto(f"{study.url}/?PROLIFIC_PID=victim")
    thief.get_by_text("invited people only").wait_for()
    thief.goto(f"{study.url}/?PROLIFIC_PID=victim&SESSION_ID=s1&STUDY_ID=x")
    thief.get_by_text("I am 18 or older.").wait_for()
    assert own == thief.url
    other.close()


def test_a_preview_needs_its_key_and_stores_nothing(study: Any, page: Any) -> None:
    """Without the key there is no preview."""
    page.goto(f"{study.url}/?preview=guess")
    page.get_by_text("This preview link is not right").wait_for()


def test_values_that_a_page_would_not_send_are_refused(study: Any) -> None:
    """Another rater's token, an answer off the scale, a wrong type: nothing is stored, nothing breaks."""
    from annotation_app.rating_form import submission_of
    from empeval.study.service.rater import RaterService
    from empeval.study.service.views import ItemView, Refused, Rejected, ShowInstructions

    service = RaterService.open(study.admin.store, "invented", bytes(range(32)))
    tokens = {}
    for name in ("forger", "victim"):
        link = study.link(name).partition("t=")[2]
        assert isinstance(service.screen(link), ShowInstructions)
        service.begin(link)
        view = service.screen(link)
        assert isinstance(view, ItemView)
        tokens[name] = (link, view)
    forger, view = tokens["forger"]
    name = view.controls[0].name
    good = {control.name: control.choices[0].value for control in view.controls}
    assert isinstance(
        service.submit(forger, tokens["victim"][1].token, submission_of({"answers": good})), Refused
    )
    assert isinstance(service.item(forger, tokens["victim"][1].token), Refused)
    assert not service.draft(forger, tokens["victim"][1].token, good)
    for wrong in ("9", "-1", None, [1], {"a": 1}, "x" * 10_000, True):
        assert isinstance(
            service.submit(forger, view.token, submission_of({"answers": {**good, name: wrong}})), Rejected
        )
    for payload in ({"answers": "x"}, {"answers": [], "client": "x", "active_ms": "1", "comment": 7}, {}):
        assert isinstance(service.submit(forger, view.token, submission_of(payload)), Rejected)
    assert [] == study.ratings(f"x?t={forger}")
