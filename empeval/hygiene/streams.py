"""The texts to be checked: the references, and the responses of each system."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from empeval.corpus import Corpus, SystemOutputs
from empeval.records import Notice

__all__ = ["SHOWN", "Stream", "Streams", "plural"]

SHOWN = 20  # ids in a notice
_BATCH = 4096


@dataclass(frozen=True, eq=False)
class Stream:
    """Texts of one origin with the ids of their segments; ``system`` is None for the references."""

    system: str | None
    texts: Sequence[str]
    ids: Sequence[str]

    @property
    def label(self) -> str:
        """How messages name the whole stream."""
        return "the references" if self.system is None else repr(self.system)

    @cached_property
    def distinct(self) -> Collection[str]:
        """Every text once: a fault is looked for once per text, not per segment."""
        return dict.fromkeys(self.texts)

    def batches(self) -> Iterator[list[str]]:
        """The distinct texts, some thousands at a time: what a joined batch lacks, none of its texts has."""
        rest = iter(self.distinct)
        while batch := list(islice(rest, _BATCH)):
            yield batch

    @cached_property
    def unprintable(self) -> list[str]:
        """The distinct texts with a character that is not drawn: the only ones that can hide anything."""
        return self._without(str.isprintable)

    @cached_property
    def non_ascii(self) -> list[str]:
        """The distinct texts that are not plain ASCII."""
        return self._without(str.isascii)

    def having(self, signs: Sequence[str]) -> list[str]:
        """The distinct texts in which any of these pieces occurs."""
        return self._without(lambda text: not any(sign in text for sign in signs))

    def _without(self, property_of: Callable[[str], bool]) -> list[str]:
        """The distinct texts that lack a property which a joined text has only if all its parts have it."""
        return [
            text
            for batch in self.batches()
            if not property_of(" ".join(batch))
            for text in batch
            if not property_of(text)
        ]

    def notice(
        self, code: str, faulty: Collection[str], says: tuple[str, str], advice: str = ""
    ) -> list[Notice]:
        """One notice that these texts occur, or none: ``says`` is the predicate for one text and for many."""
        if not faulty:
            return []
        rows = [row for row, text in enumerate(self.texts) if text in faulty]
        kind = "reference" if self.system is None else "response"
        of = "of the corpus" if self.system is None else f"of {self.system!r}"
        message = f"{plural(len(rows), kind)} {of} {says[len(rows) != 1]}{advice and '; '}{advice}"
        ids = dict.fromkeys(self.ids[row] for row in rows[: SHOWN * 8])
        return [Notice(code, message, len(rows), tuple(ids)[:SHOWN])]


class Streams:
    """The corpus, the systems (aligned with it), and their texts as streams."""

    def __init__(self, corpus: Corpus, systems: Sequence[SystemOutputs]) -> None:
        self.corpus, self.systems = corpus, systems
        self.responses = [Stream(outputs.system, outputs.hypotheses, corpus.ids) for outputs in systems]
        self.references = _references(corpus)

    @property
    def all(self) -> list[Stream]:
        """The references, where there are any, then the responses."""
        return [*([self.references] if self.references is not None else []), *self.responses]


def _references(corpus: Corpus) -> Stream | None:
    if corpus.references is None:
        return None
    if all(len(texts) == 1 for texts in corpus.references):
        return Stream(None, [texts[0] for texts in corpus.references], corpus.ids)
    texts: list[str] = []
    ids: list[str] = []
    for segment_id, references in zip(corpus.ids, corpus.references, strict=True):
        texts += references
        ids += [segment_id] * len(references)
    return Stream(None, texts, ids)


def plural(n: int, noun: str) -> str:
    """A number with its noun.

    >>> plural(1, "response"), plural(2, "response")
    ('1 response', '2 responses')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
