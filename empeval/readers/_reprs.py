"""Lists of texts as Python prints them: ``['it is late', "i can't sleep"]``."""

from __future__ import annotations

import ast
import re

__all__ = ["parse_texts"]

# Only the escapes that repr() writes: Python warns about others. Possessive quantifiers keep a damaged
# line of any length linear.
_ESCAPE = r"""\\(?:[\\'"nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})"""
_STRING = rf"""(?:'(?:[^'\\]|{_ESCAPE})*+'|"(?:[^"\\]|{_ESCAPE})*+")"""
_LIST = re.compile(rf"\s*+\[\s*+(?:{_STRING}\s*+(?:,\s*+{_STRING}\s*+)*+)?+\]\s*+")
_STRINGS = re.compile(_STRING)


def parse_texts(text: str) -> tuple[str, ...] | None:
    """The texts of a printed list, or None where the text is no such list.

    Texts that stand side by side without a comma, which Python itself would join into one, are no list.

    >>> parse_texts('''['it is late', "i can't sleep"]''')
    ('it is late', "i can't sleep")
    >>> parse_texts("['oh' 'no']") is None
    True
    """
    if not _LIST.fullmatch(text):
        return None
    texts = []
    for literal in _STRINGS.findall(text):
        value = literal[1:-1]
        if "\\" in literal:
            try:
                value = ast.literal_eval(literal)
                value.encode()  # half of a surrogate pair could not be written to any file
            except (SyntaxError, ValueError, MemoryError, RecursionError):
                return None
        texts.append(value)
    return tuple(texts)
