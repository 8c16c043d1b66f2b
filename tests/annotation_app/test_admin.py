"""The researcher's page: the password first, then the study and what can be done about it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("streamlit")

from streamlit.testing.v1 import AppTest

from annotation_app.admin import settings
from empeval.cli import main
from empeval.errors import InputError
from empeval.study.admin_access import Door, load_hash, save_password
from empeval.study.service.admin import AdminService
from empeval.study.service.oversight import agreement_so_far, matrix, pay_per_hour
from empeval.study.service.rater import RaterService
from empeval.study.service.setup import create_study
from empeval.study.simulate import simulate
from empeval.study.store import open_store
from tests.study.conftest import SECRET, make_material, make_protocol, rate

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "annotation_app/admin/script.py"
PASSWORD = "a password for tests"


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that a careful and a straight-lining rater have worked in, a third place of each left open."""
    file = tmp_path_factory.mktemp("worked") / "study.db"
    store = open_store(file)
    pay = {"amount": 9, "currency": "GBP", "minimum_per_hour": 8}
    create_study(store, make_protocol(questions=[rate()], pay=pay), make_material(5))
    made = AdminService.open(store, "invented", SECRET)
    made.set_state("open")
    simulate(made, RaterService(store, made.context), {"careful": 1, "straight_lining": 1})
    store.close()
    return file


@pytest.fixture
def admin(worked: Path, tmp_path: Path) -> Iterator[AdminService]:
    """The service of a copy of it."""
    store = open_store(shutil.copy(worked, tmp_path / "study.db"))
    yield AdminService.open(store, "invented", SECRET)
    store.close()


@pytest.fixture
def page(admin: AdminService, tmp_path: Path) -> AppTest:
    """The page before the password."""
    settings.use(admin, Door(save_password(tmp_path / "study.admin", PASSWORD)))
    return AppTest.from_file(str(SCRIPT), default_timeout=30).run()


def inside(page: AppTest) -> AppTest:
    """The page after the password."""
    page.text_input[0].input(PASSWORD)
    return page.button[0].click().run()


def texts(page: AppTest) -> str:
    """Everything that is written on the page."""
    return "\n".join(str(one.value) for one in (*page.text, *page.error, *page.warning, *page.header))


def test_nothing_of_the_study_is_there_before_the_password(page: AppTest, admin: AdminService) -> None:
    """A wrong password is told, and five of them close the door for everybody."""
    assert "invented" not in texts(page)
    for _ in range(5):
        page.text_input[0].input("guess")
        page = page.button[0].click().run()
    page = page.run()
    assert "Too many wrong tries" in texts(page)
    assert not page.text_input
    assert "invented" not in texts(page)


def test_progress_holes_and_raters_are_shown(page: AppTest) -> None:
    """Ten of thirty places are open; the matrix names them; simulated raters are told."""
    page = inside(page)
    assert not page.exception
    assert "invented, version 1: open" in texts(page)
    assert "SIMULATED raters took part" in texts(page)
    assert page.metric[0].value == "20 of 30"
    assert "10 of 10 showings still lack answers." in texts(page)
    systems, items = page.dataframe[0].value, page.dataframe[1].value
    assert systems.to_numpy().tolist() == [["Ombrevic", 10, 15, 5], ["Tiskarel", 10, 15, 5]]
    assert list(items["item \\ system"]) == ["s000", "s001", "s002", "s003", "s004"]
    assert set(items[["Ombrevic", "Tiskarel"]].to_numpy().ravel()) == {"2/3"}


def button(page: AppTest, label: str) -> object:
    """The button of a label."""
    [found] = [one for one in page.button if one.label == label]
    return found


def test_state_and_soft_launch(page: AppTest, admin: AdminService) -> None:
    """Pause, open again, soft launch, close: each changes the study at once."""
    page = inside(page)
    page = button(page, "Pause").click().run()
    assert admin.status().state == "paused"
    page = button(page, "Open").click().run()
    assert admin.status().state == "open"
    page.number_input[0].set_value(4)
    page = button(page, "Soft launch").click().run()  # the number comes with the click, no run between
    assert admin.status().pause_after == 24
    assert "Pauses by itself once 24 places are filled." in texts(page)
    page = button(page, "Lift this limit").click().run()
    assert (admin.status().pause_after, admin.status().state) == (None, "open")
    assert "lift_limit" in [action for _, _, action, _ in admin.audit()]
    assert button(page, "Close").disabled


def test_block_exclude_and_unblock(page: AppTest, admin: AdminService) -> None:
    """The rater who fails a check is blocked with a reason; his places are opened."""
    [bad] = [line.rater for line in admin.raters() if line.failed]
    page = inside(page)
    page.selectbox[0].set_value(bad)
    page = page.run()
    page.text_input[0].input("straight lines")
    page = button(page, "Block").click().run()
    assert [line.block_reason for line in admin.raters() if line.rater == bad] == ["straight lines"]
    page = button(page, "Exclude the blocked, open their places").click().run()
    assert admin.status().slots["done"] == 10
    button(page, "Unblock").click().run()
    assert [line.state for line in admin.raters() if line.rater == bad] == ["finished"]


def test_agreement_and_pay_so_far(admin: AdminService) -> None:
    """Alpha on twenty ratings; the matrix has every showing; pay is by the hour of those who finished."""
    [found] = agreement_so_far(admin)
    assert (found.question, found.n_ratings) == ("empathy", 20)
    assert found.alpha.status == "ok"
    assert len(found.raters) == len(found.same) == 2
    assert len(matrix(admin)) == 10
    pay = pay_per_hour(admin)
    assert pay is not None
    assert (pay.currency, pay.n_raters, pay.below) == ("GBP", 2, ())


def test_agreement_is_computed_on_request_alone(page: AppTest) -> None:
    """Before the button there is no alpha on the page."""
    page = inside(page)
    assert not any("Krippendorff's alpha" in frame.value.columns for frame in page.dataframe)
    page = button(page, "Compute").click().run()
    assert any("Krippendorff's alpha" in frame.value.columns for frame in page.dataframe)


def test_the_door_counts_and_forgets() -> None:
    """Five wrong tries within five minutes close it, for the right password too; then it opens again."""
    pytest.importorskip("argon2")
    from argon2 import PasswordHasher

    door = Door(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD))
    assert door.opens(PASSWORD, 0.0)
    assert [door.opens("no", float(i)) for i in range(5)] == [False] * 5
    assert door.wait(10.0) == 290.0
    assert not door.opens(PASSWORD, 10.0)
    assert door.opens(PASSWORD, 301.0)


def test_the_hash_is_its_owners_alone(tmp_path: Path) -> None:
    """Mode 0600, no password in it; a short password is refused."""
    hashed = save_password(tmp_path / "study.admin", PASSWORD)
    assert (tmp_path / "study.admin").stat().st_mode & 0o777 == 0o600
    assert load_hash(tmp_path / "study.admin") == hashed
    assert PASSWORD not in hashed
    assert hashed.startswith("$argon2id$")
    with pytest.raises(InputError, match="at least 12 characters"):
        save_password(tmp_path / "study.admin", "short")


def test_no_other_address_without_a_password(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command refuses to listen to a network before a password is set; nothing is started."""
    for name, text in (("o", "I see."), ("t", "Good.")):
        (tmp_path / f"{name}.jsonl").write_text(
            f'{{"id": "1", "context": ["Hi."], "references": ["x"], "hypothesis": "{text}"}}\n'
        )
    file = tmp_path / "study.yaml"
    file.write_text(
        "id: s\ntitle: T\nsystems: {o: o.jsonl, t: t.jsonl}\ninstructions: Read.\n"
        "questions: [{kind: likert, name: warmth, prompt: Warm?, scale: {low: 1, high: 5}}]\n"
    )
    assert main(["study", "simulate", str(file), "--raters", "careful=1"]) == 0
    capsys.readouterr()
    assert main(["study", "admin", str(file), "--host", "0.0.0.0", "--port", "8599"]) == 2
    assert "set a password first" in capsys.readouterr().err


def test_without_its_environment_the_page_does_not_start() -> None:
    """One line that says how to start it, exit 2."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("EMPEVAL_")}
    done = subprocess.run(
        [sys.executable, "-m", "annotation_app.admin"],
        env={**env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "start the page with: empeval study admin" in done.stderr
