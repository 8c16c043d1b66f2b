"""What a user gets from a wheel: all that is needed, found from anywhere, and nothing heavy uninvited."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path, PurePosixPath

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from empeval import shipped
from empeval.errors import InputError

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout, built without network."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    """The names of all files in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    """The wheel's METADATA."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel installed into it, apart from this checkout."""
    target = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*pip, "--target", target, wheel], check=True, capture_output=True)
    return target


@pytest.mark.parametrize("folder", ["protocols", "annotation_app"])
def test_wheel_carries_every_file_of_the_folders_beside_the_package(names: set[str], folder: str) -> None:
    """Each file of protocols/ and annotation_app/ is package data under empeval/_shipped."""
    expected = {
        f"empeval/_shipped/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert expected
    assert expected == {name for name in names if name.startswith(f"empeval/_shipped/{folder}/")}


def test_wheel_carries_every_file_of_the_package(names: set[str]) -> None:
    """Modules, example data, templates and the typing marker are all there."""
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "empeval").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert "empeval/py.typed" in expected
    assert expected <= names


def test_wheel_carries_nothing_else(names: set[str]) -> None:
    """One top-level package, no tests, no tools, no compiled files."""
    tops = {PurePosixPath(name).parts[0] for name in names}
    assert {"empeval"} == {top for top in tops if not top.endswith(".dist-info")}
    assert not [name for name in names if name.endswith((".pyc", ".db"))]


def test_core_requires_neither_torch_nor_streamlit_nor_datasets(metadata: Message) -> None:
    """What comes without asking for an extra stays light."""
    requirements = [Requirement(text) for text in metadata.get_all("Requires-Dist", [])]
    core = {r.name for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})}
    assert "numpy" in core
    assert not core & {"torch", "transformers", "streamlit", "datasets", "evaluate", "psycopg"}


def test_extras_are_those_documented(metadata: Message) -> None:
    """The names that the README and error messages tell people to install."""
    expected = {"all", "bertscore", "classifier", "demo", "evaluate", "postgres", "study", "test"}
    assert expected == set(metadata.get_all("Provides-Extra", []))


def run_installed(installed: Path, arguments: list[str], cwd: Path) -> str:
    """What Python prints in a folder where it finds the installed wheel before this checkout."""
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    run = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=environment, check=True, capture_output=True, text=True
    )
    return run.stdout


@pytest.mark.parametrize("folder", ["protocols", "annotation_app"])
def test_installed_package_finds_its_folders_from_anywhere(
    installed: Path, tmp_path: Path, folder: str
) -> None:
    """The locator answers with the installed copy, even where the working directory has such a folder."""
    (tmp_path / folder).mkdir()
    code = f"from empeval import shipped; print(shipped.{folder}_folder())"
    expected = installed / "empeval" / "_shipped" / folder
    assert str(expected) == run_installed(installed, ["-c", code], tmp_path).strip()


def test_installed_package_scores_its_example(installed: Path, tmp_path: Path) -> None:
    """The demo needs nothing of the checkout: the example's files are in the wheel."""
    demo = ["-m", "empeval", "demo", "--format", "json", "--quiet", "--out", "run"]
    document = json.loads(run_installed(installed, demo, tmp_path))
    assert ["Halvenor", "Kuzzibor", "Ombrevic", "Tiskarel"] == document["systems"]
    assert (tmp_path / "run" / "manifest.json").is_file()


def test_constraints_pin_every_direct_dependency(metadata: Message) -> None:
    """constraints.txt names one version of each, which pyproject.toml allows."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    pinned = {canonicalize_name(pin.name): next(iter(pin.specifier)).version for pin in pins}
    for requirement in map(Requirement, metadata.get_all("Requires-Dist", [])):
        marker = requirement.marker
        if requirement.name != "empeval" and (marker is None or marker.evaluate({"extra": "test"})):
            assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)]), requirement


def test_checkout_finds_its_folders_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editable install uses the folders of the checkout."""
    monkeypatch.chdir(tmp_path)
    assert ROOT / "protocols" == shipped.protocols_folder()
    assert ROOT / "annotation_app" == shipped.annotation_app_folder()


def test_a_foreign_folder_is_not_taken_for_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the same name in site-packages belongs to somebody else; the message says what to do."""
    (tmp_path / "empeval").mkdir()
    (tmp_path / "protocols").mkdir()
    monkeypatch.setattr(shipped, "_PACKAGE", tmp_path / "empeval")
    with pytest.raises(InputError, match=r"'protocols' is missing from this installation.*pip install"):
        shipped.protocols_folder()
