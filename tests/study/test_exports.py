"""Exports: read by the commands that analyse, safe in spreadsheets, and complete enough to be read back."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.errors import InputError
from empeval.ratings import read_judgments, read_ratings
from empeval.study.exporting import export_study, import_study
from empeval.study.exporting.layout import guarded, unguarded
from empeval.study.service.admin import AdminService
from empeval.study.service.rater import RaterService
from empeval.study.service.setup import create_study
from empeval.study.service.views import ItemView, Submission
from empeval.study.simulate import simulate
from empeval.study.store import open_store
from empeval.study.store.database import Store
from tests.study.conftest import SECRET, Clock, compare, make_material, make_protocol, rate

KEYS = {
    "questions": [
        rate(),
        rate("fluency"),
        {"kind": "text", "name": "why", "prompt": "Why?"},
        compare(),
        {
            "kind": "categorical",
            "name": "act",
            "prompt": "What?",
            "options": {"ask": "asks", "tell": "tells"},
        },
    ],
    "attention": {
        "items": [{"context": ["Choose 2."], "response": "Yes.", "expected": {"empathy": 2}}],
        "per_rater": 1,
    },
    "practice": {
        "items": [{"context": ["Hi."], "response": "Hm.", "expected": {"empathy": 1}}],
        "screen_out": False,
    },
    "damaged": {"per_rater": 1},
    "duplicates": {"per_rater": 2, "min_gap": 2},
    "demographics": [{"name": "age", "prompt": "Age?", "kind": "number"}],
}


def worked_in(store: Store) -> AdminService:
    """A study that three simulated raters and one person with odd remarks have worked in."""
    create_study(store, make_protocol(**KEYS, ratings_per_item=4), make_material())
    admin = AdminService.open(store, "invented", SECRET)
    admin.set_state("open")
    service = RaterService(store, admin.context)
    [(_, access)] = admin.invite(("ann",))
    service.screen(access)
    service.answer_form(access, {"age": "30"})
    service.begin(access)
    for value in ("1", "3", "4"):
        view = service.screen(access)
        assert isinstance(view, ItemView)
        values = {
            c.name: value if c.kind == "likert" else "=1+1" if c.kind == "text" else c.choices[0].value
            for c in view.controls
        }
        service.submit(access, view.token, Submission(values, comment="-x,\n\"quoted\" 'a' 😀", flagged=True))
        service.submit(
            access, view.token, Submission(values | {view.controls[0].name: values[view.controls[0].name]})
        )
    view = service.screen(access)
    assert isinstance(view, ItemView)
    service.skip(access, view.token)
    simulate(admin, service, {"careful": 2, "straight_lining": 1})
    return admin


@pytest.mark.parametrize("layout", ["csv", "jsonl", "parquet"])
def test_an_export_read_back_exports_the_same_bytes(tmp_path: Path, layout: str) -> None:
    """Export, import into an empty study, export: every file of the second is the first's, byte by byte."""
    admin = worked_in(open_store(tmp_path / "one.db"))
    manifest = export_study(admin, tmp_path / "one", layout=layout)
    assert manifest["simulated"]
    other = open_store(tmp_path / "two.db")
    create_study(other, make_protocol(**KEYS, ratings_per_item=4), make_material())
    again = AdminService.open(other, "invented", SECRET)
    taken = import_study(again, tmp_path / "one")
    assert taken.n_raters == 4
    export_study(again, tmp_path / "two", layout=layout)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert len(names) == 8
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_the_analysing_commands_read_an_export_as_it_is(tmp_path: Path) -> None:
    """Checks, corrections and what does not count are in the files, and left out by the reader."""
    admin = worked_in(open_store(tmp_path / "one.db"))
    export_study(admin, tmp_path / "out")
    n_counted = admin.status().slots["done"]
    ratings = read_ratings([str(tmp_path / "out" / "ratings.csv")])
    judgments = read_judgments([str(tmp_path / "out" / "preferences.csv")])
    assert all(question.n_left_out > 0 for question in ratings.questions.values())
    assert "overall" in judgments.questions
    with (tmp_path / "out" / "answers.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    counted = [row for row in rows if row["counted"] == "true" and row["purpose"] == "main"]
    assert len(counted) == n_counted


def test_simulated_rows_are_marked(tmp_path: Path) -> None:
    """Every row that a simulated rater made says so, in every file."""
    admin = worked_in(open_store(tmp_path / "one.db"))
    export_study(admin, tmp_path / "out")
    for path in sorted((tmp_path / "out").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as stream:
            kinds = {row["rater_kind"] for row in csv.DictReader(stream)}
        assert kinds <= {"person", "simulated"}, path
        assert "simulated" in kinds or path.name == "texts.csv", path


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    """No cell of a CSV begins with what a spreadsheet runs; Excel gets its byte-order mark."""
    admin = worked_in(open_store(tmp_path / "one.db"))
    export_study(admin, tmp_path / "out", excel=True)
    n = 0
    for path in (tmp_path / "out").glob("*.csv"):
        assert path.read_bytes().startswith(b"\xef\xbb\xbf")
        with path.open(encoding="utf-8-sig", newline="") as stream:
            for row in csv.reader(stream):
                for cell in row:
                    is_number = cell.removeprefix("-").isdecimal()
                    assert is_number or not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
                    n += cell.startswith("'")
    assert n > 0, "nothing dangerous was in the data: the test tests nothing"


@given(st.text(alphabet="'=+-@\t\ra1.", max_size=6))
def test_the_guard_is_taken_away_again(text: str) -> None:
    """Whatever was guarded is read back as it was."""
    assert unguarded(guarded(text)) == text


def test_an_export_is_not_imported_over_answers(tmp_path: Path) -> None:
    """A study that raters have entered is left as it is; a folder that is no export is named."""
    admin = worked_in(open_store(tmp_path / "one.db"))
    export_study(admin, tmp_path / "out")
    with pytest.raises(InputError, match="holds raters already"):
        import_study(admin, tmp_path / "out")
    with pytest.raises(InputError, match="is this an export"):
        import_study(admin, tmp_path)


def test_only_the_last_revisions_on_request(tmp_path: Path, clock: Clock) -> None:
    """Corrected answers are left out, their last revision stays."""
    admin = worked_in(open_store(tmp_path / "one.db"))
    everything = export_study(admin, tmp_path / "all")["files"]["answers.csv"]["n_rows"]
    last = export_study(admin, tmp_path / "last", all_revisions=False)["files"]["answers.csv"]["n_rows"]
    assert last < everything


def test_an_export_is_written_whole_and_leaves_nothing_else(tmp_path: Path) -> None:
    """A file in the place of the folder is one message; another layout and back leaves the same files."""
    admin = worked_in(open_store(tmp_path / "one.db"))
    export_study(admin, tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, not a folder", encoding="utf-8")
    with pytest.raises(InputError, match="the export cannot be written"):
        export_study(admin, blocked)
    export_study(admin, tmp_path / "out", layout="jsonl")
    export_study(admin, tmp_path / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
