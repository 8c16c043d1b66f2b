"""The score document itself."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from empeval.report.formats._base import FORMATS, Format

if TYPE_CHECKING:
    from empeval.report.leaderboard import Leaderboard

_SURROGATE = re.compile("[\ud800-\udfff]")


@FORMATS.register("json")
@dataclass(frozen=True)
class JsonFormat(Format):
    """The document as it is, keys in their order; several runs under ``{"runs": {name: document}}``."""

    name: ClassVar[str] = "json"
    suffix: ClassVar[str] = ".json"

    def render(self, board: Leaderboard) -> str:
        """JSON (RFC 8259): indented by two, not escaped to ASCII, never NaN."""
        documents = dict(board.documents)
        whole = {"runs": documents} if len(documents) > 1 else next(iter(documents.values()))
        text = json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False)
        # A file name that is not UTF-8 reaches us as lone surrogates, which only an escape can carry.
        return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text) + "\n"
