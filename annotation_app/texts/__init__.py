"""The words of the interface, by key; one YAML file a language."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import yaml

__all__ = ["all_texts", "literal", "some_texts", "text"]

_FOLDER = Path(__file__).resolve().parent
#: Everything that Streamlit's Markdown, with its LaTeX, colours and emoji, could take for a command.
_MARKUP = re.compile(
    r"[\\`*_\[\]$~<>&]"  # emphasis, code, links, LaTeX, HTML, entities
    r"|:(?=[\w/])|(?<=\w):(?!\s)"  # :emoji:, :colour[…], ://
    r"|-(?=[->])|(?<=[-<])-"  # dashes and arrows
    r"|^[#+\-=|!]|(?<=^\d)[.)]"  # what makes a heading or a list of a line
)


@functools.cache
def all_texts(language: str = "en") -> dict[str, str]:
    """Every text of a language by its key."""
    texts = yaml.safe_load((_FOLDER / f"{language}.yaml").read_text(encoding="utf-8"))
    return {str(key): str(value) for key, value in texts.items()}


def text(key: str, **values: object) -> str:
    """The text of a key, with its ``{names}`` filled in.

    >>> text("item.progress", done=2, total=9)
    '2 of 9 done'
    """
    return all_texts()[key].format(**values)


def some_texts(*sections: str) -> dict[str, str]:
    """The texts of whole sections, for what is drawn in the browser.

    >>> some_texts("preview")["preview.next"]
    'Next page'
    """
    return {key: value for key, value in all_texts().items() if key.partition(".")[0] in sections}


def literal(words: str) -> str:
    r"""Words for a label of Streamlit, which reads labels as Markdown: shown as they stand.

    >>> literal("$5 *and* :smile:")
    '\\$5 \\*and\\* \\:smile\\:'
    """
    return _MARKUP.sub(r"\\\g<0>", " ".join(words.split()))
