"""The tokenisation that EmpatheticDialogues' authors applied before BLEU."""

from __future__ import annotations

from empeval.tokenizers.base import TOKENIZERS

__all__ = ["EmpatheticDialogues"]


@TOKENIZERS.register("ed")
class EmpatheticDialogues:
    """Seven punctuation marks stand alone; the text is then cut at single blanks.

    The steps, in the one order that gives the authors' token counts: blanks around every full stop;
    ``. . .`` becomes ``...``; blanks around each of ``, ; : ! ' ?``; double blanks become single ones,
    twice; blanks at both ends go. Because of that order the second step never finds anything to join, and
    more than four blanks in a row leave an empty token behind; both are kept, since they are in the
    published numbers. A text without any token is the one exception: it has none instead of an empty one.

    Source: Rashkin et al. (2019), Towards empathetic open-domain conversation models.

    >>> EmpatheticDialogues().tokens("oh no! i'm sorry...")
    ['oh', 'no', '!', 'i', "'", 'm', 'sorry', '.', '.', '.']
    """

    by_word = False
    signs = ()

    def clean(self, text: str) -> str:
        """The text itself."""
        return text

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text."""
        text = text.replace(".", " . ").replace(". . .", "...")
        for mark in ",;:!'?":
            text = text.replace(mark, f" {mark} ")
        text = text.replace("  ", " ").replace("  ", " ").strip()
        return text.split(" ") if text else []

    def version(self) -> dict[str, str]:
        """No library decides."""
        return {}
