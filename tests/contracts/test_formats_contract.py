"""What every table format must hold, those of other packages included."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.report.formats import FORMATS, Format, render
from empeval.report.formats._tex import escape as tex
from empeval.report.leaderboard import Leaderboard, leaderboard

SYSTEMS = (
    "plain",
    'a_b & 50% {x} \\ ~ ^ # $ <é> 😊 日本 | "q"',
    "<script>alert('x')</script>",
    "[bold]x[/bold] :smile: `code` **strong**",
    "=1+1",
    "identical",
)
METRICS = {"fluency": True, "surprise": False, "size": None, "rating(of=a,by=b)": True}


def made(systems: tuple[str, ...] = SYSTEMS) -> dict[str, Any]:
    """A document of every kind of score: undefined, without interval, without direction, equal to another."""
    scores = [
        {
            "system": system,
            "metric": metric,
            "value": None if undefined else value,
            "interval": None
            if undefined or metric == "size"
            else {"low": value - 0.5, "high": value + 0.5, "level": 0.9, "method": "jackknife"},
            "n_segments": 100,
            "n_empty": i,
            "reason": "missing_field: there is no such field" if undefined else None,
            "signature": f"{metric}|tok:13a|n:100|cohort:intersection|corpus:0f|empeval:0.1.0",
            "higher_is_better": better,
        }
        for i, system in enumerate(systems)
        for j, (metric, better) in enumerate(METRICS.items())
        for value, undefined in [(10.125 * (j + 1) + min(i, 4), i == 2 and metric == "surprise")]
    ]
    groups = [{"group": "sad | proud", "n_segments": 100, "n_dialogues": 9, "scores": scores, "tiers": {}}]
    return {
        "corpus": {"name": "a_corpus", "n_segments": 120, "n_dialogues": 10, "fingerprint": "0f"},
        "cohort": {"rule": "intersection", "n_segments": 100, "n_dialogues": 9, "dropped": {"plain": 20}},
        "systems": list(systems),
        "scores": scores,
        "comparisons": [],
        "tiers": {"fluency": [list(systems)]},
        "claims": [],
        "groups": {"by": "emotion", "correction": "holm", "groups": groups},
        "warnings": [{"code": "empty_response", "message": "some are empty", "n": 3, "ids": ["1"]}],
        "manifest": {},
    }


#: format → how a name stands in it; a format that is not here shows names as they are
WRITTEN: dict[str, Callable[[str], str]] = {
    "latex": tex,
    "csv": lambda name: name.replace('"', '""'),
    "json": lambda name: name.replace("\\", "\\\\").replace('"', '\\"'),
}
READ: dict[str, Callable[[str], str]] = {
    "html": html.unescape,
    "markdown": lambda text: html.unescape(re.sub(r"\\([!-/:-@[-`{-~])", r"\1", text)),
}
#: formats that carry data rather than print it keep every digit
EXACT = {"csv", "json"}


@pytest.fixture(params=FORMATS.names())
def format_name(request: pytest.FixtureRequest) -> str:
    """The name of each registered format."""
    return str(request.param)


@pytest.fixture(scope="module")
def board() -> Leaderboard:
    """A leaderboard with names that every format must escape."""
    return leaderboard(made())


def test_a_format_says_what_it_is(format_name: str) -> None:
    """Its name is the one that it is registered under, and its suffix can end a file's name."""
    cls = FORMATS[format_name]
    assert issubclass(cls, Format)
    assert format_name == cls.name
    assert re.fullmatch(r"\.[a-z]+", cls.suffix)
    assert cls.__doc__


def test_a_format_shows_every_system(board: Leaderboard, format_name: str) -> None:
    """A name reads as it was given."""
    text = READ.get(format_name, str)(render(board, format_name))
    for system in SYSTEMS:
        assert WRITTEN.get(format_name, str)(system) in text


def test_a_format_shows_every_value(board: Leaderboard, format_name: str) -> None:
    """At the printed decimals, or with every digit."""
    text = render(board, format_name)
    for row in board.rows:
        for cell, column in zip(row.cells, board.columns, strict=True):
            if cell.value is not None:
                shown = repr(cell.value) if format_name in EXACT else f"{cell.value:.{column.decimals}f}"
                assert shown in text


def test_a_format_says_why_a_value_is_missing(board: Leaderboard, format_name: str) -> None:
    """An undefined value has its reason, and is nowhere printed as a number."""
    text = READ.get(format_name, str)(render(board, format_name))
    reason = "missing_field: there is no such field"
    assert WRITTEN.get(format_name, str)(reason) in text
    assert not re.search(r"\b(nan|inf|None)\b", text, re.IGNORECASE)


def test_a_format_gives_every_signature(board: Leaderboard, format_name: str) -> None:
    """What fixes a number stands in the same file."""
    text = READ.get(format_name, str)(render(board, format_name)).replace("\\allowbreak", "")
    for column in board.columns:
        assert WRITTEN.get(format_name, str)(column.signature) in text


def test_a_format_gives_the_same_bytes_twice(format_name: str) -> None:
    """Equal documents, equal files; one line break ends them, and none is a carriage return."""
    one, two = (render(leaderboard(made()), format_name) for _ in range(2))
    assert one == two
    assert one.endswith("\n")
    assert not one.endswith("\n\n")
    assert "\r" not in one


def test_a_format_joins_runs(format_name: str) -> None:
    """Systems of several runs and signatures are all there."""
    other = made(("late", "plain"))
    for scored in (other["scores"], other["groups"]["groups"][0]["scores"]):
        for entry in scored:
            entry["signature"] = entry["signature"].replace("13a", "intl")
    text = render(Leaderboard.from_documents([("one", made()), ("two", other)]), format_name)
    assert "late" in text
    assert "tok:13a" in text
    assert "tok:intl" in text


def test_a_format_survives_a_table_without_scores(format_name: str) -> None:
    """No metric, or no system: an empty table is no error."""
    empty = {**made(), "scores": [], "tiers": {}, "groups": None}
    assert render(leaderboard(empty), format_name)
    assert render(leaderboard({**empty, "systems": []}), format_name)


@settings(max_examples=25, deadline=None)
@given(name=st.text(min_size=1, max_size=12), metric=st.text(min_size=1, max_size=8))
def test_any_name_can_be_printed(name: str, metric: str) -> None:
    """No text breaks a format, or its own line in a format of lines."""
    document = made((name, f"{name}!"))
    for scored in (document["scores"], document["groups"]["groups"][0]["scores"]):
        for entry in scored:
            entry["metric"] = metric + entry["metric"]
    tame = made(("a", "b"))
    document["tiers"] = tame["tiers"] = {}
    for format_name in FORMATS.names():
        text = render(leaderboard(document), format_name)
        if format_name not in EXACT:
            assert not {char for char in text if unicodedata.category(char) in ("Cc", "Cs")} - {"\n"}
            assert "\u202e" not in text
        if format_name in ("markdown", "html"):
            assert render(leaderboard(tame), format_name).count("\n") == text.count("\n")
