"""The language file: every text that is used is there, and every text that is there is used."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from annotation_app import guard, texts
from annotation_app.texts import all_texts, literal, text
from empeval.shipped import annotation_app_folder

_KEY = re.compile(r"""["'`]([a-z_]+\.[a-z_]+)["'`]""")
_FILES = [
    path
    for path in sorted(annotation_app_folder().rglob("*"))
    if path.suffix in (".py", ".js") and "__pycache__" not in path.parts
]
#: Keys that are put together: the part in front of the dot, and what may follow.
_MADE = {
    "entrance": ("no_link", "wrong_link", "other_session"),
    "item": ("skip", "back", "cancel", "rejected", "not_yours", "not_now", "failed"),
    "leaving": ("removed", "kept"),
}


def used_keys() -> set[str]:
    """Every key that stands in a script, in quotes."""
    sections = {key.partition(".")[0] for key in all_texts()}
    found = {
        key
        for path in _FILES
        for key in _KEY.findall(path.read_text(encoding="utf-8"))
        if key.partition(".")[0] in sections
    }
    files = {path.name for path in _FILES}
    return {key for key in found if key not in files and not key.endswith((".js", ".css", ".html", ".py"))}


def test_every_text_that_is_used_is_there() -> None:
    """No key in the screens or components is missing from the language file."""
    assert set() == used_keys() - set(all_texts())


def test_every_text_that_is_there_is_used() -> None:
    """The language file holds nothing that no screen shows."""
    made = {f"{section}.{name}" for section, names in _MADE.items() for name in names}
    assert set() == set(all_texts()) - used_keys() - made


def test_every_reason_to_refuse_has_a_text() -> None:
    """What the service may answer at the door can be said."""
    views = (Path(annotation_app_folder()).parent / "empeval/study/service/entering.py").read_text()
    for reason in set(re.findall(r'Refused\("(\w+)"\)', views)):
        assert text(f"entrance.{reason}")


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("Are you 18 or older?", "Are you 18 or older?"),
        ("How old are you? (required)", "How old are you? (required)"),
        ("a -> b", "a \\-\\> b"),
        ("# one", "\\# one"),
        ("1. one", "1\\. one"),
        ("see https://x.org", "see https\\://x.org"),
        (":red[x]", "\\:red\\[x\\]"),
    ],
)
def test_labels_are_escaped_only_where_markdown_would_read_them(words: str, shown: str) -> None:
    """Ordinary words stay as they are, since screen readers get labels unrendered."""
    assert shown == literal(words)


@pytest.mark.parametrize("module", [guard, texts])
def test_examples_in_docstrings_hold(module: object) -> None:
    """Examples of the app's own functions run."""
    assert 0 == doctest.testmod(module).failed  # type: ignore[arg-type]
