"""Grids in LaTeX and HTML: every text is shown as it is."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from empeval.report.grid_formats import as_html, as_latex, render_grids
from empeval.report.grids import Grid

ODD = "50% & <b>_x_</b> $α$ 😀"
GRIDS = [
    Grid("First " + ODD, ("name", "value"), [(ODD, "-0.50"), ("b", "1.00")], notes=["Note " + ODD]),
    Grid("Empty", ("name", "value"), [], notes=["There are none."]),
]


class Texts(HTMLParser):
    """Collects what a browser shows, and the tags that are open."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.open: list[str] = []

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self.texts.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Open a tag that is closed again."""
        if tag not in ("meta", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the last one."""
        assert self.open.pop() == tag


def test_html_shows_every_text_and_closes_every_tag() -> None:
    """Names, notes and captions as they are, none as markup."""
    page = Texts()
    page.feed(as_html(GRIDS, "Agreement"))
    page.close()
    assert [] == page.open
    for text in (ODD, "-0.50", "Note " + ODD, "First " + ODD, "Empty", "There are none.", "Agreement"):
        assert text in page.texts


def test_latex_has_a_table_a_grid_and_long_ones_in_parts() -> None:
    """Forty lines a page."""
    long = Grid("Long", ("name", "value"), [(str(i), "1") for i in range(90)])
    text = as_latex([*GRIDS, long])
    assert 4 == len(re.findall(r"\\begin\{tabular\}", text))
    assert "Long (part 3 of 3)" in text
    assert r"50\% \&" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tmp_path: Path) -> None:
    """With booktabs and nothing else."""
    head = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    (tmp_path / "a.tex").write_text(head + as_latex(GRIDS) + "\\end{document}\n", encoding="utf-8")
    run = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert 0 == run.returncode, run.stdout[-2000:]


@pytest.mark.parametrize(
    ("form", "start"),
    [("text", "First "), ("markdown", "**First "), ("latex", "% Needs"), ("html", "<!DOCTYPE")],
)
def test_each_format_by_its_name(form: str, start: str) -> None:
    """And each ends in one line break."""
    text = render_grids(GRIDS, form, heading="Agreement")
    assert text.startswith(start)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
