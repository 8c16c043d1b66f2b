"""NLTK's word tokenizer on the whole text, without sentence splitting."""

from __future__ import annotations

from importlib import metadata

from empeval.tokenizers.base import TOKENIZERS

__all__ = ["Treebank"]


@TOKENIZERS.register("treebank")
class Treebank:
    """``nltk.word_tokenize(text, preserve_line=True)``: Penn Treebank conventions, contractions cut.

    Only the last full stop of a text is a token of its own; `nltk` differs by finding sentences first.

    Source: NLTK's NLTKWordTokenizer, after R. MacIntyre's Treebank tokenizer (1995).

    >>> Treebank().tokens("I see. I can't.")
    ['I', 'see.', 'I', 'ca', "n't", '.']
    """

    by_word = False
    signs = ()

    def __init__(self) -> None:
        from nltk.tokenize.destructive import NLTKWordTokenizer

        self._words = NLTKWordTokenizer()

    def clean(self, text: str) -> str:
        """The text itself."""
        return text

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text."""
        return list(self._words.tokenize(text))

    def version(self) -> dict[str, str]:
        """NLTK decides."""
        return {"nltk": metadata.version("nltk")}
