"""A session of the researcher's page: who is in, for how long, and what is drawn of what people wrote."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("streamlit")
pytest.importorskip("argon2")

from argon2 import PasswordHasher
from streamlit.testing.v1 import AppTest

from annotation_app.admin import admission, settings
from empeval.study.admin_access import Door
from empeval.study.service.admin import AdminService
from empeval.study.service.oversight_raters import quality_so_far
from empeval.study.service.rater import RaterService
from empeval.study.service.setup import create_study
from empeval.study.service.views import ItemView, Submission
from empeval.study.simulate import simulate
from empeval.study.store import open_store
from tests.study.conftest import SECRET, compare, make_material, make_protocol, rate

SCRIPT = Path(__file__).resolve().parents[2] / "annotation_app/admin/script.py"
PASSWORD = "a password for tests"
FORMULA = "@SUM(A1:A9)"
MARKUP = "*bold* $5 and $10 :smile: <script>alert(1)</script>"


def made(
    folder: Path, *, n: int = 5, systems: tuple[str, str] = ("Ombrevic", "Tiskarel"), **keys: Any
) -> AdminService:
    """An open study."""
    store = open_store(folder / "study.db")
    files = {name: f"{i}.jsonl" for i, name in enumerate(systems)}
    protocol = make_protocol(**{"questions": [rate(), compare()], "systems": files, **keys})
    create_study(store, protocol, make_material(n, systems))
    admin = AdminService.open(store, "invented", SECRET)
    admin.set_state("open")
    return admin


def entered(admin: AdminService) -> AppTest:
    """The page after the password."""
    settings.use(admin, Door(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)))
    page = AppTest.from_file(str(SCRIPT), default_timeout=30).run()
    page.text_input[0].input(PASSWORD)
    return page.button[0].click().run()


def button(page: AppTest, label: str) -> Any:
    """The button of a label."""
    [found] = [one for one in page.button if one.label == label]
    return found


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a study that a careful and a straight-lining rater have worked in."""
    folder = tmp_path_factory.mktemp("worked")
    admin = made(folder)
    simulate(admin, RaterService(admin.store, admin.context), {"careful": 1, "straight_lining": 1})
    admin.store.close()
    return folder / "study.db"


@pytest.fixture
def admin(worked: Path, tmp_path: Path) -> Iterator[AdminService]:
    """The service of a copy of it."""
    store = open_store(shutil.copy(worked, tmp_path / "study.db"))
    yield AdminService.open(store, "invented", SECRET)
    store.close()


def test_log_out_leaves_nothing(admin: AdminService) -> None:
    """After it there is the password's field, and nothing of the study."""
    page = button(entered(admin), "Log out").click().run()
    assert not page.exception
    assert ["Password"] == [field.label for field in page.text_input]
    assert not page.dataframe
    assert not page.metric


def test_an_hour_of_silence_ends_a_session(admin: AdminService, monkeypatch: pytest.MonkeyPatch) -> None:
    """The click that comes after it does nothing but show the password's field."""
    page = entered(admin)
    monkeypatch.setattr(admission, "IDLE_SECONDS", 0.0)
    page = button(page, "Pause").click().run()
    assert "open" == admin.status().state
    assert ["Password"] == [field.label for field in page.text_input]
    assert not page.dataframe


@pytest.mark.parametrize("forged", [True, "yes", 1, {"last_seen": 1e12}])
def test_no_value_of_a_widget_lets_anybody_in(admin: AdminService, forged: object) -> None:
    """What a browser could send stands for nothing."""
    settings.use(admin, Door(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)))
    page = AppTest.from_file(str(SCRIPT), default_timeout=30)
    page.session_state["admitted"] = forged
    page = page.run()
    assert ["Password"] == [field.label for field in page.text_input]
    assert not page.dataframe


def test_what_is_refused_is_told_once(admin: AdminService) -> None:
    """A study that was closed elsewhere stays closed, and the page says so."""
    page = entered(admin)
    admin.set_state("closed")
    page = button(page, "Pause").click().run()
    assert not page.exception
    assert ["is closed" in one.value for one in page.error] == [True]
    assert not page.run().error


def test_names_and_reasons_are_cells_that_no_spreadsheet_runs(tmp_path: Path) -> None:
    """A system's name with markup is drawn in tables alone; a formula gets an apostrophe, as in exports."""
    admin = made(tmp_path, systems=(FORMULA, MARKUP), questions=[rate()])
    [(_, access)] = admin.invite(("ann",))
    raters = RaterService(admin.store, admin.context)
    raters.screen(access)
    [line] = admin.raters()
    admin.block(line.rater, FORMULA)
    page = entered(admin)
    assert not page.exception
    cells = [str(cell) for frame in page.dataframe for row in frame.value.to_numpy() for cell in row]
    heads = [str(head) for frame in page.dataframe for head in frame.value.columns]
    assert f"'{FORMULA}" in cells
    assert f"'{FORMULA}" in heads
    assert MARKUP in cells
    assert MARKUP in heads
    assert FORMULA not in cells + heads
    for drawn in (*page.markdown, *page.header, *page.error, *page.warning, *page.caption):
        assert "SUM" not in str(drawn.value)
        assert "bold" not in str(drawn.value)


def test_quality_is_told_while_a_rater_works(tmp_path: Path) -> None:
    """Nine answers alike of one who has not finished: no check is stored, and straight-lining is seen."""
    admin = made(tmp_path, n=10, questions=[rate()])
    raters = RaterService(admin.store, admin.context)
    [(_, access)] = admin.invite(("ann",))
    for _ in range(9):
        view = raters.screen(access)
        while not isinstance(view, ItemView):
            raters.begin(access)
            view = raters.screen(access)
        raters.submit(access, view.token, Submission({"empathy": "3"}))
    [line] = admin.raters()
    assert 0 == line.passed + line.failed + line.unknown
    [found] = quality_so_far(admin)
    assert (line.rater, 9) == (found.rater, found.n_answers)
    assert "fail" == {one.check: one.verdict for one in found.verdicts}["straight_lining"]
    page = button(entered(admin), "Judge the answers so far").click().run()
    assert not page.exception
    assert any("straight-lining" in frame.value.columns for frame in page.dataframe)


def test_a_study_without_answers_draws(tmp_path: Path) -> None:
    """Every panel, its button pressed, before anybody has come."""
    page = entered(made(tmp_path))
    for label in ("Compute", "Make the export", "Look again"):
        page = button(page, label).click().run()
        assert not page.exception, label
