"""The documentation says what is there, and its examples work."""

from __future__ import annotations

import argparse
import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from empeval.cli import build_parser
from empeval.metrics import METRICS
from empeval.readers import READERS
from empeval.records import FIELDS
from empeval.report.formats import FORMATS
from empeval.tokenizers import TOKENIZERS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def load_tool() -> ModuleType:
    """tools/docs.py as a module."""
    spec = importlib.util.spec_from_file_location("docs_tool", ROOT / "tools" / "docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = load_tool()
COMMANDS: dict[str, argparse.ArgumentParser] = TOOL._subcommands(build_parser())


def page(name: str) -> str:
    """The text of a page."""
    return (DOCS / name).read_text(encoding="utf-8")


def written_pages() -> list[str]:
    """The texts of all pages, without the parts that are generated from the parser itself."""
    return [TOOL._PART.sub("", path.read_text(encoding="utf-8")) for path in TOOL.PAGES]


def shell_lines() -> list[str]:
    """Every command line of empeval that a page shows, indented or in a block marked sh."""
    found: set[str] = set()
    for text in written_pages():
        fenced = "\n".join(re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
        found.update(re.findall(r"^    (empeval .+)$", text, re.MULTILINE))
        found.update(re.findall(r"^(empeval .+)$", fenced, re.MULTILINE))
    return sorted(line.partition(" # ")[0].strip() for line in found)


def test_generated_parts_are_current_and_examples_run() -> None:
    """`make docs` would change nothing, and every Python block gives what the page shows."""
    run = subprocess.run(
        [sys.executable, ROOT / "tools" / "docs.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (0, "") == (run.returncode, run.stderr)


def test_the_check_sees_a_failing_example(tmp_path: Path) -> None:
    """A wrong value in a doctest and an exception in a script are both reported, with their lines."""
    wrong = tmp_path / "page.md"
    wrong.write_text("Text\n\n```python\n>>> 1 + 1\n3\n\n```\n\n```python\nraise ValueError('no')\n```\n")
    report = TOOL.run_examples(wrong)
    assert "line 4" in report
    assert "line 10: ValueError: no" in report


def test_the_check_sees_a_stale_part() -> None:
    """Text between the markers that is not what the registry says is replaced."""
    stale = "before\n<!-- generated: tokenizers -->\n\nold\n\n<!-- end -->\nafter\n"
    renewed = TOOL.renew(stale)
    assert "old" not in renewed
    assert renewed.startswith("before\n<!-- generated: tokenizers -->\n")
    assert renewed.endswith("<!-- end -->\nafter\n")


@pytest.mark.parametrize("name", METRICS.names())
def test_every_metric_is_documented(name: str) -> None:
    """Each metric has a docstring and stands in the metrics page."""
    assert METRICS[name].__doc__
    assert f"### {name}\n" in page("metrics.md")


@pytest.mark.parametrize("name", TOKENIZERS.names())
def test_every_tokenizer_is_documented(name: str) -> None:
    """Each tokenizer has a docstring and stands in the metrics page."""
    assert TOKENIZERS[name].__doc__
    assert f"`{name}`" in page("metrics.md")


@pytest.mark.parametrize("name", READERS.names())
def test_every_reader_is_documented(name: str) -> None:
    """Each reader has a docstring and stands in the files page."""
    assert READERS[name].__doc__
    assert f"`{name}`" in page("files.md")


@pytest.mark.parametrize("name", FORMATS.names())
def test_every_format_is_documented(name: str) -> None:
    """Each format has a docstring and stands in the files page."""
    assert FORMATS[name].__doc__
    assert f"`{name}`" in page("files.md")


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_is_documented(name: str) -> None:
    """Each field that a file may hold stands in the files page."""
    assert f"`{name}`" in page("files.md")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name: str) -> None:
    """Each command stands in the command page, says what it does, and explains every option."""
    assert f"## empeval {name}\n" in page("cli.md")
    assert COMMANDS[name].description
    assert not [action.dest for action in COMMANDS[name]._actions if not action.help]


@pytest.mark.parametrize("line", shell_lines())
def test_command_lines_in_the_documentation_parse(line: str) -> None:
    """What a page tells people to type is a command line that exists."""
    build_parser().parse_args(shlex.split(line)[1:])


def test_commands_named_in_the_text_exist() -> None:
    """Each `empeval COMMAND` in running text is a command."""
    named = {name for text in written_pages() for name in re.findall(r"`empeval ([a-z][a-z-]*)", text)}
    assert named
    assert set() == named - {name.split()[0] for name in COMMANDS}


@pytest.mark.parametrize("path", TOOL.PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    """Every relative link names a file of the repository, and every anchor a heading of it."""
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = path.parent / name if name else path
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in slugs, target
