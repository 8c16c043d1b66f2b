"""A small invented study, the app that serves it as a process, and a real browser."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("streamlit")
pytest.importorskip("sqlalchemy")

from empeval.study.material import Material, StudySegment
from empeval.study.protocol import study_from
from empeval.study.service.admin import AdminService
from empeval.study.service.setup import create_study
from empeval.study.store import open_store

ROOT = Path(__file__).resolve().parents[2]
SECRET = bytes(range(32))
SYSTEMS = ("Ombrevic", "Tiskarel")

#: What must be shown as it stands.
NASTY = "<script>alert(1)</script> $5 and $10 *not bold* :smile: `code` [a](http://b) 😀 <b>x</b>"
RIGHT_TO_LEFT = "אני כל כך שמח בשבילך!"


def rate(name: str) -> dict[str, Any]:
    """A question with a scale."""
    scale = {"low": 1, "high": 5, "anchors": {1: "not at all", 3: "somewhat", 5: "very much"}}
    return {"kind": "likert", "name": name, "prompt": f"How much {name} is in it?", "scale": scale}


def protocol_keys(**keys: Any) -> dict[str, Any]:
    """A study file; ``keys`` replace what is there."""
    return {
        "id": "invented",
        "title": "Replies to people who tell something",
        "systems": [f"{name}=x.jsonl" for name in SYSTEMS],
        "instructions": "Read, then rate the reply.\n\n- Take your time.\n- All answers are fine.",
        "questions": [
            rate("warmth"),
            rate("relevance"),
            rate("fluency"),
            {"kind": "pairwise", "name": "better", "prompt": "Which reply is better?", "tie": True},
        ],
        "examples": [
            {
                "context": ["I passed my exam!"],
                "response": "Well done! How do you feel?",
                "expected": {"warmth": 5, "relevance": 5},
                "explanation": "It shares the joy and asks on.",
            }
        ],
        "ratings_per_item": 40,
        "demographics": [
            {"name": "age", "prompt": "How old are you?", "kind": "number", "required": True},
            {"name": "native", "prompt": "Is English your first language?", "options": ["Yes", "No"]},
        ],
        "consent": {
            "text": "We study replies.",
            "statements": ["I am 18 or older.", "I agree to take part."],
        },
        "content_notes": ["Some dialogues are about loss."],
        "debrief": "The replies were written by programs.",
        **keys,
    }


def material(n: int = 2) -> Material:
    """Dialogues and replies that no page may take for more than text."""
    return Material(
        SYSTEMS,
        tuple(
            StudySegment(f"s{i}", f"d{i}", (f"My day {i} was long. {NASTY}", "Oh?", RIGHT_TO_LEFT), "sad")
            for i in range(n)
        ),
        (
            tuple(f"First to day {i}: {NASTY}" for i in range(n)),
            tuple(f"Second to day {i}: {RIGHT_TO_LEFT}" for i in range(n)),
        ),
    )


@dataclass
class Study:
    """A study in a database, and the app that serves it."""

    address: str
    admin: AdminService
    url: str = ""
    port: int = 0
    command: list[str] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None
    log: Path | None = None

    def link(self, name: str) -> str:
        """The personal link of a rater."""
        [(_, token)] = self.admin.invite((name,))
        return f"{self.url}/?t={token}"

    def ratings(self, link: str) -> list[dict[str, Any]]:
        """What a rater handed in, in the order of time."""
        from empeval.study.ids import sha256

        token = link.partition("t=")[2]
        study = self.admin.context.study_id

        def work(tx: Any) -> list[dict[str, Any]]:
            rater = tx.rater_by_access(study, sha256(token))
            return [
                {
                    "values": done.rating.values_json,
                    "comment": done.rating.comment,
                    "revision": done.rating.revision,
                    "skipped": done.rating.skipped,
                    "purpose": done.showing.purpose,
                }
                for done in tx.answered(rater.id)
            ]

        return self.admin.store.read(work)

    def start(self) -> None:
        """Start the app, and wait until it is ready."""
        env = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "EMPEVAL_DATABASE_URL": self.address,
            "EMPEVAL_STUDY": "invented",
            "EMPEVAL_SECRET": SECRET.hex(),
        }
        assert self.log is not None
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.command, "--port", str(self.port)],
                env=env,
                stdout=log,
                stderr=log,
                cwd=self.log.parent,
            )
        for _ in range(300):
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=5) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                assert self.process.poll() is None, self.log.read_text()
                time.sleep(0.1)
        raise AssertionError(self.log.read_text())

    def stop(self) -> None:
        """Stop the app at once, as a crash would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


Serve = Callable[..., Study]


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Starts an app; ``keys`` change the study, ``command`` the program."""
    started: list[Study] = []

    def start(
        *, n: int = 2, command: list[str] | None = None, given: Material | None = None, **keys: Any
    ) -> Study:
        folder = tmp_path_factory.mktemp("study")
        store = open_store(folder / "study.db")
        create_study(store, study_from(protocol_keys(**keys)), given or material(n))
        admin = AdminService.open(store, "invented", SECRET)
        admin.set_state("open")
        port = free_port()
        study = Study(
            str(folder / "study.db"),
            admin,
            url=f"http://127.0.0.1:{port}",
            port=port,
            command=command or [sys.executable, "-m", "annotation_app"],
            log=folder / "log.txt",
        )
        started.append(study)
        study.start()
        return study

    yield start
    for study in started:
        study.stop()
        study.admin.store.close()


@pytest.fixture(scope="session")
def study(serve: Serve) -> Study:
    """A lab's study without forms: the first item comes after the instructions."""
    return serve(consent=None, demographics=[], content_notes=[])


@pytest.fixture
def markup() -> str:
    """What no page may take for more than text."""
    return NASTY


@pytest.fixture
def hebrew() -> str:
    """A text that is written from right to left."""
    return RIGHT_TO_LEFT


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real Chromium."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(
            executable_path=chromium,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ],
        )
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of a fresh browser, as of another person."""
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    context.set_default_timeout(30_000)
    yield context.new_page()
    context.close()


class Person:
    """A rater at a page, who looks at what is drawn and knows nothing else."""

    def __init__(self, study: Study, page: Any, name: str) -> None:
        self.study, self.page, self.link = study, page, study.link(name)

    def come(self) -> Person:
        """Open the personal link, read the instructions, and go to the first item."""
        self.page.goto(self.link)
        self.page.get_by_role("button", name="Start").click()
        return self.see_item()

    def see_item(self) -> Person:
        """Wait until there is an item that takes input."""
        self.page.wait_for_selector("#form:not(.busy) #submit")
        return self

    def has(self, done: int) -> Person:
        """Wait until so many items are done."""
        self.page.wait_for_function(
            "n => [...document.querySelectorAll('*')].some(host => "
            "host.shadowRoot?.querySelector('#count')?.textContent.startsWith(n + ' of '))",
            arg=done,
        )
        return self.see_item()

    @property
    def is_pair(self) -> bool:
        return self.page.locator("#responses .card").count() == 2

    def answer(self, *values: int) -> Person:
        """Click one choice of each question, by its place from 1, or its last one where there are fewer."""
        boxes = self.page.locator("fieldset")
        for i in range(boxes.count()):
            choices = boxes.nth(i).locator("label.choice")
            choices.nth(min(values[i % len(values)], choices.count()) - 1).click()
        return self

    def chosen(self) -> list[str]:
        """What is chosen in the form."""
        return list(
            self.page.locator("fieldset input:checked").evaluate_all("all => all.map(one => one.value)")
        )

    def has_answers_left(self) -> bool:
        """Whether a question is still open."""
        return len(self.chosen()) < self.page.locator("fieldset").count()

    def submit(self) -> Person:
        self.page.locator("#submit").click()
        return self

    def ratings(self) -> list[dict[str, Any]]:
        """What the database holds of this rater."""
        return self.study.ratings(self.link)


@pytest.fixture
def person(study: Study, page: Any, request: pytest.FixtureRequest) -> Person:
    """A rater of his own for each test."""
    return Person(study, page, request.node.name)


@pytest.fixture
def person_of(page: Any, request: pytest.FixtureRequest) -> Callable[[Study], Person]:
    """A rater of another study."""
    return lambda study: Person(study, page, request.node.name)


@pytest.fixture
def free() -> int:
    """A port that nobody listens on."""
    return free_port()
