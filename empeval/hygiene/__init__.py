"""Checks before scoring: what in the texts would make the numbers mean something else.

Every check is a function in `CHECKS`. It notices faults of form and of arrangement, changes nothing, and
would rather miss a fault than report what is none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from empeval.corpus import Corpus, SystemOutputs
from empeval.hygiene.faults import faulty_texts
from empeval.hygiene.repeats import (
    copied_from_context,
    duplicate_references,
    equal_responses,
    identical_systems,
)
from empeval.hygiene.streams import Streams
from empeval.hygiene.styles import mixed_case, mixed_tokenisation
from empeval.records import Notice

__all__ = ["CHECKS", "inspect"]

#: In the order in which their notices come.
CHECKS: tuple[Callable[[Streams], list[Notice]], ...] = (
    faulty_texts,
    mixed_tokenisation,
    mixed_case,
    copied_from_context,
    equal_responses,
    identical_systems,
    duplicate_references,
)


def inspect(corpus: Corpus, systems: Sequence[SystemOutputs]) -> list[Notice]:
    """What is noteworthy about the texts, check by check, references before the systems in their order.

    A notice counts texts (or segments) in ``n`` and names up to 20 segments in ``ids``. Raises AlignmentError
    where a system does not answer every segment of the corpus.

    >>> corpus = Corpus.build(references=["oh no .", "great !"], ids=["a", "b"])
    >>> for notice in inspect(corpus, [SystemOutputs.build("s", {"a": "", "b": "Iâ€™m so glad !"})]):
    ...     print(notice.code, notice.n, notice.ids)
    empty_response 1 ('a',)
    mojibake 1 ('b',)
    """
    streams = Streams(corpus, [outputs.on(corpus) for outputs in systems])
    return [notice for check in CHECKS for notice in check(streams)]
