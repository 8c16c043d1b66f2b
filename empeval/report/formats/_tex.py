"""Text that pdfLaTeX typesets as it reads, with no package and in any font encoding."""

from __future__ import annotations

import unicodedata

from empeval.report.formats._printed import visible

__all__ = ["code", "escape", "width"]

# Brackets and the star stand in braces, since \\ and \midrule take them for arguments.
_ASCII = {
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\texttt{\symbol{34}}",
    "`": r"\`{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
_SYMBOLS = {
    "\u00a0": "~",
    "¡": r"\textexclamdown{}",
    "¿": r"\textquestiondown{}",
    "§": r"\S{}",
    "©": r"\copyright{}",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
    "δ": r"$\delta$",
    "ε": r"$\epsilon$",
    "κ": r"$\kappa$",
    "λ": r"$\lambda$",
    "μ": r"$\mu$",
    "µ": r"$\mu$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
    "–": "--",
    "—": "---",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "…": r"\ldots{}",
    "←": r"$\leftarrow$",
    "↑": r"$\uparrow$",
    "→": r"$\rightarrow$",
    "↓": r"$\downarrow$",
    "−": "$-$",
    "≈": r"$\approx$",
    "≠": r"$\neq$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "∞": r"$\infty$",
}
#: combining mark → the accent command that every text encoding defines
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
    "\u0331": "b",
}
_BELOW = frozenset("\u0323\u0327\u0331")
#: characters that a second of their kind turns into a ligature: dashes, quotes, commas
_LIGATURES = frozenset("-',")


def escape(text: str) -> str:
    r"""A text in LaTeX; a character that pdfLaTeX cannot set becomes its code point, such as ``[U+1F600]``.

    >>> print(escape("a_b & 50% é 😀"))
    a\_b \& 50\% \'{e} {[}U+1F600{]}
    """
    out: list[str] = []
    before = ""
    for char in unicodedata.normalize("NFC", visible(text)):
        if char == before and char in _LIGATURES:
            out.append("{}")
        out.append(_character(char))
        before = char
    return "".join(out)


def code(text: str) -> str:
    """A signature in a typewriter font that may be broken after each part."""
    return rf"\texttt{{{escape(text)}}}".replace(r"\textbar{}", r"\textbar\allowbreak{}")


def width(text: str) -> int:
    """About how many characters wide a text is set.

    >>> width("a_b"), width("😀")
    (3, 9)
    """
    text = unicodedata.normalize("NFC", visible(text))
    return sum(len(f"[U+{ord(char):04X}]") if "{[}U+" in _character(char) else 1 for char in text)


def _character(char: str) -> str:
    if char in _ASCII:
        return _ASCII[char]
    if char in _SYMBOLS:
        return _SYMBOLS[char]
    if char.isascii():
        return char
    base, *marks = list(unicodedata.normalize("NFD", char))
    if marks and base.isascii() and base.isalpha() and all(mark in _ACCENTS for mark in marks):
        # An accent above i or j takes the place of its dot.
        set_ = rf"\{base}" if base in "ij" and not set(marks) <= _BELOW else base
        for mark in marks:
            set_ = rf"\{_ACCENTS[mark]}{{{set_}}}"
        return set_
    return f"{{[}}U+{ord(char):04X}{{]}}"
