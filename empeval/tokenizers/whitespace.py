"""Words as they stand: the text is cut at blanks and nothing else happens."""

from __future__ import annotations

from empeval.tokenizers.base import TOKENIZERS

__all__ = ["Whitespace"]


@TOKENIZERS.register("none")
@TOKENIZERS.register("whitespace")
class Whitespace:
    """``str.split``: blanks are what Unicode calls white space, and a run of them counts once.

    ``none`` is sacreBLEU's name for it, for texts that are tokenised already.

    >>> Whitespace().tokens("that is  great !")
    ['that', 'is', 'great', '!']
    """

    by_word = True
    signs = ()

    def clean(self, text: str) -> str:
        """The text itself."""
        return text

    def tokens(self, text: str) -> list[str]:
        """The blank-separated words."""
        return text.split()

    def version(self) -> dict[str, str]:
        """No library decides."""
        return {}
