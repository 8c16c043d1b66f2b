"""What a tokenizer is."""

from __future__ import annotations

import functools
from typing import Protocol

from empeval.registry import Registry

__all__ = ["TOKENIZERS", "Tokenizer", "get_tokenizer"]


class Tokenizer(Protocol):
    """Splits a text into tokens.

    ``by_word`` says that after `clean` the tokens of a text are those of its blank-separated words, one
    after the other; the n-gram engine then tokenises each distinct word once.
    """

    by_word: bool
    #: `clean` leaves the words of a text as they are unless one of these occurs in it
    signs: tuple[str, ...]

    def clean(self, text: str) -> str:
        """What must happen to the whole text before it is cut at blanks."""
        ...

    def tokens(self, text: str) -> list[str]:
        """The tokens of a (cleaned) text, or of one word where ``by_word``."""
        ...

    def version(self) -> dict[str, str]:
        """Library versions that the tokens depend on (empty for our own code)."""
        ...


TOKENIZERS: Registry[type[Tokenizer]] = Registry("tokenizer", "empeval.tokenizers")


@functools.cache
def get_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of this name, made once.

    >>> get_tokenizer("whitespace").tokens("oh  no !")
    ['oh', 'no', '!']
    """
    return TOKENIZERS[name]()
