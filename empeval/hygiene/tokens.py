"""Debris of models and of files in a text: special tokens, markup, labels."""

from __future__ import annotations

import re

__all__ = [
    "LABEL_SIGNS",
    "MARKUP_SIGNS",
    "SPECIAL_SIGNS",
    "has_label",
    "has_markup",
    "has_special_token",
]

_SPECIAL = re.compile(
    r"<\|[^<>|\s]{1,40}\|>"  # <|endoftext|>
    r"|(?i:</?(?:s|bos|eos|sos|eot|eou|pad|unk|sep|cls|mask|go|start|end|endoftext)>)"
    r"|(?i:<(?:speaker_?|extra_id_)\d+>|<(?:start|end)_of_turn>|</?<?sys>>)"
    r"|<0x[0-9A-F]{2}>"
    r"|\[(?:CLS|SEP|PAD|MASK|UNK|EOS|BOS|/?INST)\]"
    r"|_comma_|_pipe_"  # escapes of the EmpatheticDialogues release
    r"|(?<!\w)__?(?:start|end|null|unk|pad|go|sos|bos|eos|eot|eou)__?(?!\w)"
    r"|▁[^\W_]|[a-z] ##[a-z]|[a-z.,!?]Ġ"  # pieces of words that were not put together
)
#: One of these stands in every text that may hold a special token.
SPECIAL_SIGNS = ("<", "[", "_", "##", "▁", "Ġ", "EOS", "UNK")

MARKUP_SIGNS = ("&", "<")
_MARKUP = re.compile(
    r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,6}|#x[0-9A-Fa-f]{2,5});"
    r"|(?i:<(?:br|p|/p|div|/div|span|/span|b|/b|i|/i|em|/em|strong|/strong)\s*/?>)"
)

LABEL_SIGNS = (":",)
_LABEL = re.compile(
    r"\s*(?:assistant|listener|speaker|chatbot|bot|system|response|topk|beam|greedy|pred|ref)\s?:",
    re.IGNORECASE,
)


def has_special_token(text: str) -> bool:
    """Whether a token that only a model reads, such as ``<eos>`` or ``[SEP]``, stands in the text.

    >>> [has_special_token(text) for text in ("i see . <eos>", "i see EOS", "I love my Canon EOS", "aww <3")]
    [True, True, False, False]
    """
    if _SPECIAL.search(text):
        return True
    words = text.split()
    rest = _without_bare(words)
    return len(rest) < len(words) and all(word == word.lower() for word in rest)


def _without_bare(words: list[str]) -> list[str]:
    """The words but UNK, and EOS at the end.

    Without brackets these are tokens only where no other word is in capitals: a camera may be named EOS.
    """
    end = len(words)
    while end and not words[end - 1].replace("EOS", ""):
        end -= 1
    return [word for word in words[:end] if word != "UNK"]


def has_markup(text: str) -> bool:
    """Whether HTML, such as ``&amp;`` or ``<br>``, stands in the text.

    >>> has_markup("you &amp; me"), has_markup("you & me")
    (True, False)
    """
    return _MARKUP.search(text) is not None


def has_label(text: str) -> bool:
    """Whether the text begins with the name of a speaker or of a field, and a colon.

    >>> has_label("Listener: oh no!"), has_label("To be clear: oh no!")
    (True, False)
    """
    return _LABEL.match(text) is not None
