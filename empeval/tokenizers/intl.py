"""sacreBLEU's international tokenisation, after mteval-v14 (``intl``)."""

from __future__ import annotations

from importlib import metadata

from empeval.tokenizers.base import TOKENIZERS

__all__ = ["International"]


@TOKENIZERS.register("intl")
class International:
    """Every Unicode punctuation mark and symbol stands alone, except a mark between two digits.

    The first and the last mark of a text follow rules of their own, so it is not done by word.

    Source: NIST, mteval-v14.pl; sacreBLEU's TokenizerV14International.

    >>> International().tokens("«oh, no!» she said")
    ['«', 'oh', ',', 'no', '!', '»', 'she', 'said']
    """

    by_word = False
    signs = ()

    def __init__(self) -> None:
        from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International

        self._tokenizer = TokenizerV14International()  # type: ignore[no-untyped-call]  # its own gap

    def clean(self, text: str) -> str:
        """The text without trailing blanks, as sacreBLEU takes it."""
        return text.rstrip()

    def tokens(self, text: str) -> list[str]:
        """The tokens of a cleaned text."""
        return str(self._tokenizer(text)).split()

    def version(self) -> dict[str, str]:
        """sacreBLEU decides, and ``regex`` says what Unicode calls punctuation."""
        return {name: metadata.version(name) for name in ("sacrebleu", "regex")}
