"""Plain tables of texts, for a terminal, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.report.grids import Grid, as_csv, as_markdown, as_text

GRID = Grid(
    "Verdicts",
    ("system", "metric", "value"),
    [("MIME", "BLEU", "2.98"), ("EmpDG w/o D", "Dist-1", "–")],
    2,
    ["One note.", "Another note."],
)
CELLS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), max_size=8)


def test_text_is_aligned() -> None:
    """Words to the left, numbers to the right, two blanks between, notes below."""
    assert (
        "Verdicts\n"
        "system       metric  value\n"
        "MIME         BLEU     2.98\n"
        "EmpDG w/o D  Dist-1      –\n"
        "One note.\n"
        "Another note.\n"
    ) == as_text([GRID])


def test_several_grids_stand_apart() -> None:
    """One blank line between them, none at the end."""
    text = as_text([GRID, GRID])
    assert as_text([GRID]) + "\n" + as_text([GRID]) == text


def test_wide_characters_take_two_cells() -> None:
    """So that columns stay straight in a terminal."""
    lines = as_text([Grid("", ("a", "n"), [("日本", "1"), ("ab", "2")])]).splitlines()
    assert ["日本  1", "ab    2"] == lines[2:]


def test_control_characters_do_not_reach_the_terminal() -> None:
    """Neither escapes nor line breaks nor marks that turn the writing round."""
    text = as_text([Grid("c\x1b[31m", ("h\x07",), [("a\nb\r\u202e",)], 1, ["n\x1b"])])
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert 4 == text.count("\n")


def test_long_notes_are_wrapped() -> None:
    """At 100 characters; a word is never cut."""
    lines = as_text([Grid("c", ("h",), [("x",)], 1, ["word " * 60, "x" * 150])]).splitlines()
    assert max(map(len, lines[3:-1])) <= 100
    assert "x" * 150 == lines[-1]


def test_a_grid_without_rows_is_caption_and_notes() -> None:
    """The header would head nothing."""
    assert "Nothing\nSad.\n" == as_text([Grid("Nothing", ("a", "b"), [], 1, ["Sad."])])
    assert "**Nothing**\n\n- Sad.\n" == as_markdown([Grid("Nothing", ("a", "b"), [], 1, ["Sad."])])


def test_markdown() -> None:
    """GitHub's tables: a rule that aligns, and notes as a list."""
    assert (
        "**Verdicts**\n"
        "\n"
        "| system | metric | value |\n"
        "| :--- | :--- | ---: |\n"
        "| MIME | BLEU | 2.98 |\n"
        "| EmpDG w/o D | Dist-1 | – |\n"
        "\n"
        "- One note.\n"
        "- Another note.\n"
    ) == as_markdown([GRID])


@pytest.mark.parametrize("text", ["a|b", "*a*", "<b>", "[x](y)", "a\nb"])
def test_markdown_takes_texts_as_they_are(text: str) -> None:
    """Nothing in a cell becomes mark-up or another cell."""
    lines = as_markdown([Grid("c", ("h", "i"), [(text, "1")])]).splitlines()
    assert text not in lines[4]
    assert 5 == len(lines)
    assert 3 == lines[4].replace("\\|", "").count("|")


@given(st.lists(st.tuples(CELLS, CELLS | st.none()), max_size=4))
def test_csv_reads_back(rows: list[tuple[str, str | None]]) -> None:
    """None is an empty field; lines end in LF."""
    text = as_csv(("a", "b"), rows)
    expected = [["a", "b"], *([one, other or ""] for one, other in rows)]
    assert expected == [row or ["", ""] for row in csv.reader(io.StringIO(text, newline=""))]
    assert "\r\n" not in text


def test_csv_quotes_what_needs_it() -> None:
    """Commas, quotation marks and line breaks (RFC 4180)."""
    assert 'a,b\n"x,y","say ""oh"""\n"1\n2",0.5\n' == as_csv(("a", "b"), [("x,y", 'say "oh"'), ("1\n2", 0.5)])
