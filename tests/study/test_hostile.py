"""What hostile raters, careless researchers and changed files must not bring about."""

from __future__ import annotations

import csv
import threading
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from empeval.errors import InputError
from empeval.study.admin_access import Door
from empeval.study.exporting import export_study, import_study
from empeval.study.exporting.layout import read_table, written
from empeval.study.exporting.tables import TABLES
from empeval.study.service.admin import AdminService
from empeval.study.service.setup import create_study
from empeval.study.service.views import Arrival, Entered, Full, ItemView, ScreenedOut, Submission
from empeval.study.store import open_store
from tests.study.conftest import SECRET, Clock, make_material, make_protocol
from tests.study.test_service import CODES, CONSENT, Lab, answers


def test_the_last_place_is_taken_by_whoever_agrees_first(tmp_path: Path, clock: Clock) -> None:
    """Two raters read the consent for one place; the second to agree hears that the study is full."""
    keys = {"platform": "prolific", "completion": CODES, "consent": CONSENT, "quota": 2, "max_raters": 1}
    lab = Lab(open_store(tmp_path / "study.db"), clock, **keys)
    links = []
    for name in ("a", "b"):
        entered = lab.raters.enter(Arrival(platform_id=name, session_ref=name))
        assert isinstance(entered, Entered)
        lab.raters.screen(entered.token)
        links.append(entered.token)
    for link in links:
        lab.raters.consent(link, [True, True])
    assert lab.admin.status().raters == {"consented": 1, "invited": 1}
    assert isinstance(lab.raters.screen(links[1]), Full)


def test_practice_cannot_be_answered_anew_after_the_last_try(tmp_path: Path, clock: Clock) -> None:
    """A second tab that still shows the item does not turn a wrong answer into a right one."""
    item = {"context": ["Hi."], "response": "Hm.", "expected": {"empathy": 1}}
    lab = Lab(open_store(tmp_path / "study.db"), clock, practice={"items": [item], "tries": 1})
    link = lab.link()
    view = lab.raters.screen(link)
    assert isinstance(view, ItemView)
    for value in (5, 1):
        lab.raters.submit(link, view.token, Submission(answers(view, value)))
    assert isinstance(lab.raters.screen(link), ScreenedOut)


def test_tries_at_the_same_moment_are_counted() -> None:
    """Five of twelve wrong passwords at once are looked at; then even the right one has to wait."""
    door = Door(PasswordHasher().hash("the right password"))
    tries = [threading.Thread(target=door.opens, args=("wrong", 1.0)) for _ in range(12)]
    for one in tries:
        one.start()
    for one in tries:
        one.join()
    assert len(door._wrong) == 5


@pytest.mark.parametrize("layout", ["csv", "jsonl"])
def test_every_line_break_in_a_text_comes_back(tmp_path: Path, layout: str) -> None:
    """A carriage return alone, and what only Unicode takes for the end of a line."""
    table = TABLES["forms"]
    row = {column.name: None for column in table.columns} | {"rater": "r-x", "value": "a\rb\u2028c\x85d"}
    (tmp_path / f"forms.{layout}").write_bytes(written(table, [row], layout))
    assert read_table(tmp_path, table) == [row]


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [("raters", "state", "gone"), ("raters", "seed", "9" * 25), ("raters", "rater", "r-other"),
     ("raters", "consented_at", "2030-01-01T00:00:00"), ("forms", "rater", "r-nobody")],
)  # fmt: skip
def test_a_changed_export_is_refused(
    tmp_path: Path, clock: Clock, table: str, column: str, value: str
) -> None:
    """What does not fit into the study is told as a fault of the export."""
    form = [{"name": "age", "prompt": "Age?", "kind": "number"}]
    lab = Lab(open_store(tmp_path / "study.db"), clock, demographics=form)
    link = lab.link()
    lab.raters.answer_form(link, {"age": "30"})
    export_study(lab.admin, tmp_path / "out")
    path = tmp_path / "out" / f"{table}.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    rows[0][column] = value
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    other = open_store(tmp_path / "other.db")
    create_study(other, make_protocol(demographics=form), make_material())
    with pytest.raises(InputError):
        import_study(AdminService.open(other, "invented", SECRET), tmp_path / "out")


@pytest.mark.parametrize("address", ["a\0b", "sqlite:///\udcff.db", "postgresql://host:port/x"])
def test_an_impossible_address_is_an_input_error(address: str) -> None:
    """Characters that no address holds, and a port that is no number."""
    with pytest.raises(InputError, match="address"):
        open_store(address)


def test_impossible_arguments_of_the_researcher_are_input_errors(tmp_path: Path, clock: Clock) -> None:
    """A rater's name that is no text, and a number of slots that no database holds."""
    lab = Lab(open_store(tmp_path / "study.db"), clock)
    with pytest.raises(InputError, match="no rater"):
        lab.admin.block("\udcff")
    with pytest.raises(InputError, match="soft launch"):
        lab.admin.soft_launch(10**30)
