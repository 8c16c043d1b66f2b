"""One token a character (``char``)."""

from __future__ import annotations

from importlib import metadata

from empeval.tokenizers.base import TOKENIZERS

__all__ = ["Char"]


@TOKENIZERS.register("char")
class Char:
    """Every character that is not a blank is a token, as sacreBLEU's TokenizerChar has it.

    >>> Char().tokens("oh no")
    ['o', 'h', 'n', 'o']
    """

    by_word = True
    signs = ()

    def __init__(self) -> None:
        from sacrebleu.tokenizers.tokenizer_char import TokenizerChar

        self._tokenizer = TokenizerChar()  # type: ignore[no-untyped-call]  # its own gap

    def clean(self, text: str) -> str:
        """The text itself."""
        return text

    def tokens(self, text: str) -> list[str]:
        """The characters of a text, or of one word."""
        return str(self._tokenizer(text)).split()

    def version(self) -> dict[str, str]:
        """sacreBLEU decides."""
        return {"sacrebleu": metadata.version("sacrebleu")}
