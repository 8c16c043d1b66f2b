"""What a reader hands on: the records of one system, or of a corpus, column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["FIELDS", "Claim", "Notice", "Records"]

#: Field name → the type of one value in a column. Any other column is kept and carried through.
FIELDS: dict[str, str] = {
    "id": "str",
    "dialogue_id": "str | None",
    "context": "tuple[str, ...]: the turns before the response, oldest first",
    "references": "tuple[str, ...]: human responses",
    "emotion": "str | None",
    "hypothesis": "str",
    "predicted_emotion": "tuple[str, ...] | None: best first",
    "response_intent": "str | None",
    "predicted_intent": "str | None",
    "nll": "float | None: total negative log-likelihood of the reference, natural logarithm",
    "n_tokens": "int | None: tokens that nll sums over",
    "candidate_scores": "tuple[float, ...] | None: the gold first",
}


@dataclass(frozen=True)
class Notice:
    """A warning or note: a stable code, one sentence, how many segments, and some of their ids.

    >>> Notice("empty_response", "2 responses of 'a' are empty", 2, ("7", "9")).code
    'empty_response'
    """

    code: str
    message: str
    n: int = 0
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """A number that a file states about itself, such as ``PPL 37.5363`` in a log's header.

    ``metric`` is the text form that recomputes it from the outputs, or None where the text alone cannot
    give it; recomputed value / ``divisor``, rounded to the decimals of ``text``, should equal the claim.
    ``log_of`` names another claim that must equal the logarithm of this one (a loss beside a perplexity).
    """

    name: str
    value: float
    text: str
    metric: str | None = None
    divisor: float = 1.0
    log_of: str | None = None


@dataclass(frozen=True, eq=False)
class Records:
    """Records in file order; every column has the same length.

    ``source`` is the file as messages name it, ``system`` the system's name (None for a corpus only),
    ``lines`` the line on which each record starts (1-based), ``positional`` true where the records carry
    neither ids nor contexts (bare lines of text), so that only their position can join them.
    """

    source: str
    reader: str
    system: str | None
    columns: Mapping[str, Sequence[Any]]
    lines: Sequence[int]
    claims: tuple[Claim, ...] = ()
    notices: tuple[Notice, ...] = ()
    positional: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)
