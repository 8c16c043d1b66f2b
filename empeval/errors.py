"""Everything that empeval raises on purpose.

EmpevalError
├── UnknownName(LookupError)          lists the known names and the nearest one
├── InputError(ValueError)            file, line or id, what was expected, what to do
│   ├── AlignmentError                which system, how many gaps, the first id
│   └── ProtocolError                 file, key path, what was expected
├── InsufficientData(ValueError)      the statistic is undefined here, and why
├── IncomparableScores(ValueError)    the two signatures, the part that differs
├── RejectedJudgment(ValueError)      what the rater must change; shown as it is in the app
└── MissingExtra(ImportError)         the command that installs what is missing

The command line prints the message of any of these on standard error and exits with status 2.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "AlignmentError",
    "EmpevalError",
    "IncomparableScores",
    "InputError",
    "InsufficientData",
    "MissingExtra",
    "ProtocolError",
    "RejectedJudgment",
    "UnknownName",
]


class EmpevalError(Exception):
    """The root of every error that empeval raises on purpose."""


class UnknownName(EmpevalError, LookupError):
    """A name that nothing is registered under.

    >>> str(UnknownName("metric", "blue", ["bleu", "distinct"]))
    "there is no metric 'blue'; did you mean 'bleu'? Known: bleu, distinct"
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        near = difflib.get_close_matches(name, self.known, n=1, cutoff=0.6)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        super().__init__(f"there is no {kind} {name!r}{hint} Known: {', '.join(self.known)}")

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, list[str]]]:
        return type(self), (self.kind, self.name, self.known)


class InputError(EmpevalError, ValueError):
    """Input that cannot be used: the message says what, where and what to do.

    >>> str(InputError("the field 'hypothesis' is missing", source="a.jsonl", line=3))
    "a.jsonl, line 3: the field 'hypothesis' is missing"
    """

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        line: int | None = None,
        segment_id: str | None = None,
    ) -> None:
        self.source, self.line, self.segment_id = source, line, segment_id
        places = [
            place
            for place in (
                source,
                f"line {line}" if line is not None else None,
                f"id {segment_id!r}" if segment_id is not None else None,
            )
            if place
        ]
        super().__init__(f"{', '.join(places)}: {message}" if places else message)


class AlignmentError(InputError):
    """Systems, corpus or references that do not fit together."""


class ProtocolError(InputError):
    """A protocol or study file that is not valid; names the file and the key path.

    >>> str(ProtocolError("expected a whole number", source="cem.yaml", key="metrics[2].decimals"))
    'cem.yaml, metrics[2].decimals: expected a whole number'
    """

    def __init__(
        self, message: str, *, source: str | None = None, key: str | None = None, line: int | None = None
    ) -> None:
        super().__init__(message, source=", ".join(filter(None, (source, key))) or None, line=line)
        self.source, self.key = source, key


class InsufficientData(EmpevalError, ValueError):
    """A statistic that is undefined on these data, and why."""


class IncomparableScores(EmpevalError, ValueError):
    """Two scores whose signatures differ were asked to share a column."""


class RejectedJudgment(EmpevalError, ValueError):
    """An answer that cannot be recorded; the text is shown to the rater as it is."""


class MissingExtra(EmpevalError, ImportError):
    """An optional dependency that is not installed.

    >>> str(MissingExtra("torch", "bertscore"))
    "'torch' is not installed; install it with: pip install 'empeval[bertscore]'"
    """

    def __init__(self, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(f"{package!r} is not installed; install it with: pip install 'empeval[{extra}]'")

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        return type(self), (self.package, self.extra)
