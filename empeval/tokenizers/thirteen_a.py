"""The tokenisation of WMT's scoring script mteval-v13a, sacreBLEU's default (``13a``)."""

from __future__ import annotations

import re

from empeval.tokenizers.base import TOKENIZERS

__all__ = ["Mteval13a"]

# ASCII punctuation except the apostrophe, comma, hyphen and full stop.
_SYMBOL = re.compile(r"([!-&(-+/:-@\[-`{-~])")
_POINT_AFTER_NON_DIGIT = re.compile(r"([^0-9])([.,])")
_POINT_BEFORE_NON_DIGIT = re.compile(r"([.,])([^0-9])")
_HYPHEN_AFTER_DIGIT = re.compile(r"([0-9])-")

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


@TOKENIZERS.register("13a")
class Mteval13a:
    """Symbols stand alone; full stops and commas do unless digits surround them; ``5-`` is cut.

    The rules see at most the character before and the one after. A blank counts there as a non-digit, just
    as the end of the text does, so the tokens of a text are those of its words (`by_word`).

    Source: NIST, mteval-v13a.pl (2009); Post (2018), A call for clarity in reporting BLEU scores.

    >>> Mteval13a().tokens("it's $3.50, really!")
    ["it's", '$', '3.50', ',', 'really', '!']
    """

    by_word = True
    signs = ("<skipped>", "&", "\n")

    def clean(self, text: str) -> str:
        r"""Drop ``<skipped>`` and end-of-line hyphenation, and resolve the four SGML entities.

        Trailing blanks go first, as in sacreBLEU: a hyphen that ends the whole text stays.

        >>> Mteval13a().clean("fish &amp; chip-\ns")
        'fish & chips'
        """
        text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        if "&" in text:
            for entity, character in _ENTITIES:
                text = text.replace(entity, character)
        return text

    def tokens(self, text: str) -> list[str]:
        """The tokens of a cleaned text, or of one of its words."""
        if text.isalnum():
            return [text]
        text = _SYMBOL.sub(r" \1 ", f" {text} ")
        # A match uses up both of its characters, so the order and the three separate passes matter: the
        # last stop of "5...5" stays with its digit.
        text = _POINT_AFTER_NON_DIGIT.sub(r"\1 \2 ", text)
        text = _POINT_BEFORE_NON_DIGIT.sub(r" \1 \2", text)
        return _HYPHEN_AFTER_DIGIT.sub(r"\1 - ", text).split()

    def version(self) -> dict[str, str]:
        """No library decides."""
        return {}
