"""Characters that a reader does not see or that stand for others: one predicate a fault."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["has_control", "has_mojibake", "has_zero_width", "is_not_nfc"]

# A tab or a line break is layout; the other control characters are debris.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

# What the bytes 80–BF, the trail of a UTF-8 sequence, look like in Latin-1 and in Windows-1252.
_TRAIL = "[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"

_MOJIBAKE = re.compile(
    "\ufffd|[\ud800-\udfff]"  # bytes given up by a decoder; half of a surrogate pair
    "|ï¿½|ï»¿"  # the replacement character and the byte order mark, read once more
    f"|â[\x80€\x82‚\x84„\x86†\x98˜\x99™\x9cœ]{_TRAIL}"  # ’ “ ” – — … € ™ ☺ ♥ ✓
    "|ð[\x9fŸ]"  # emoji
    # É, ° and the like. After a capital or an opening quote, Ã and Â may be what was written: «IRMû.
    f"|(?<![A-ZÀ-Þ«“‘\"'(])[ÃÂ]{_TRAIL}"
    # Other alphabets: one such pair may be ordinary text (Spaß…), a run of them is not.
    f"|(?:[Â-ß]{_TRAIL}){{3,}}|(?:[à-ï]{_TRAIL}{_TRAIL}){{2,}}"
)

_JOINERS = "\u200c\u200d"
_DIRECTIONS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_INVISIBLE = f"\u00ad\u180e\u200b\u2060\ufeff{_JOINERS}{_DIRECTIONS}"
_ZERO_WIDTH = re.compile(f"[{_INVISIBLE}]+")


def has_control(text: str) -> bool:
    r"""Whether a control character other than tab and line break stands in the text.

    >>> has_control("oh\x07 no"), has_control("oh\nno")
    (True, False)
    """
    return _CONTROL.search(text) is not None and not has_mojibake(text)


def has_mojibake(text: str) -> bool:
    """Whether the text shows UTF-8 that was read as Latin-1 or Windows-1252, or bytes that were given up.

    >>> has_mojibake("Iâ€™m fine"), has_mojibake("cafÃ©"), has_mojibake("NÃO, so viel Spaß…")
    (True, True, False)
    """
    return _MOJIBAKE.search(text) is not None


def is_not_nfc(text: str) -> bool:
    r"""Whether the text differs from its Unicode normalisation form C.

    Letters that form C takes apart (Bengali ড়, Hebrew שׁ) are no fault: keyboards write them as one.

    >>> is_not_nfc("cafe\u0301"), is_not_nfc("café")
    (True, False)
    """
    if unicodedata.is_normalized("NFC", text):
        return False
    rest = "".join(char for char in text if len(unicodedata.normalize("NFC", char)) == 1)
    return not unicodedata.is_normalized("NFC", rest)


def has_zero_width(text: str) -> bool:
    r"""Whether an invisible character stands where no script or emoji asks for it.

    Joiners belong into emoji and into Persian, Arabic and Indic words, zero-width spaces between words of
    Thai, Khmer and the like, marks of direction into texts that are written from right to left.

    >>> has_zero_width("he\u200bllo"), has_zero_width("می\u200cخواهم"), has_zero_width("👩\u200d🔬")
    (True, False, False)
    """
    right_to_left: bool | None = None  # looked for once, since marks may be many
    for run in _ZERO_WIDTH.finditer(text):
        chars = set(run.group())
        neighbours = text[run.start() - 1 : run.start()] + text[run.end() : run.end() + 1]
        if any(_is_misplaced(char, neighbours) for char in chars.difference(_DIRECTIONS)):
            return True
        if right_to_left is None and not chars.isdisjoint(_DIRECTIONS):
            visible = (char for char in text if char not in _INVISIBLE)
            right_to_left = any(unicodedata.bidirectional(char) in ("R", "AL") for char in visible)
            if not right_to_left:
                return True
    return False


def _is_misplaced(char: str, neighbours: str) -> bool:
    if char in _JOINERS:
        return not any(_is_joinable(neighbour) for neighbour in neighbours)
    if char == "\u200b":
        return not any("\u0e00" <= n <= "\u109f" or "\u1780" <= n <= "\u17ff" for n in neighbours)
    return not any("\u1800" <= n <= "\u18af" for n in neighbours)


def _is_joinable(char: str) -> bool:
    """Whether a letter or drawing may be joined: none of Latin, Greek, Cyrillic or punctuation is."""
    return char >= "\u0530" and not "\u2000" <= char <= "\u206f"
