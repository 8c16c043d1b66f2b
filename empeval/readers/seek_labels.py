"""SEEK's label files (Wang et al., 2022): an emotion or intent for every utterance, read as a corpus."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from empeval import specs
from empeval.errors import InputError
from empeval.readers.base import READERS, ReadOptions, Sample, Source, maybe_truncated
from empeval.readers.delimited import read_rows
from empeval.records import Notice, Records

__all__ = ["SeekLabels"]

_HEADER = ["", "dialogue_id", "turns", "text", "emotion", "dialogue_emotion"]
_UNLABELLED = "neutral"  # so SEEK's own loader reads an empty label
_SHOWN = 10


@READERS.register("seek_labels")
@dataclass(frozen=True)
class SeekLabels:
    """Makes one segment of every dialogue_id: its last utterance is the reference, those before the context.

    The label of the last utterance becomes ``response_intent``, those of all utterances the column
    ``utterance_labels``; an empty label is ``neutral``. The emotion of a dialogue is the one that most of its
    rows state. Empty labels and rows that state another emotion are noted.
    """

    name: ClassVar[str] = "seek_labels"
    description: ClassVar[str] = (
        "data/ED/*.csv of SEEK, a corpus: a label for each utterance, and so the intent of each response"
    )
    suffixes: ClassVar[tuple[str, ...]] = ()

    def recognises(self, sample: Sample) -> float:
        """Certain by its header."""
        return float(sample.lines[0].split(",") == _HEADER)

    def read(self, source: Source, options: ReadOptions) -> list[Records]:
        """Read the dialogues; a row that is cut, doubled or out of order is named by its line."""
        if not options.corpus:
            raise InputError(
                "this is a corpus and holds no system's responses; give it as --corpus FILE",
                source=source.name,
            )
        names = ("id", "context", "references", "emotion", "response_intent", "utterance_labels")
        columns: dict[str, list[Any]] = {name: [] for name in names}
        lines = array("q")
        unlabelled: Counter[str] = Counter()
        others: list[tuple[_Utterance, str]] = []
        for dialogue in _dialogues(source):
            *context, response = dialogue
            emotion = _commonest([turn.dialogue_emotion for turn in dialogue])
            labels = tuple(turn.label or _UNLABELLED for turn in dialogue)
            segment = (
                response.dialogue_id,
                tuple(turn.text for turn in context),
                (response.text,),
                emotion or None,
                labels[-1],
                labels,
            )
            for name, value in zip(names, segment, strict=True):
                columns[name].append(value)
            lines.append(dialogue[0].line)
            unlabelled[response.dialogue_id] += sum(not turn.label for turn in dialogue)
            others += [(turn, emotion) for turn in dialogue if turn.dialogue_emotion != emotion]
        if not lines:
            raise InputError("the file holds no dialogues", source=source.name)
        return [
            Records(
                source=source.name,
                reader=specs.format_spec(self.name, self),
                system=None,
                columns=columns,
                lines=lines,
                notices=maybe_truncated(source) + _empty_labels(+unlabelled) + _other_emotions(others),
            )
        ]


class _Utterance(NamedTuple):
    line: int
    dialogue_id: str
    turn: str
    text: str
    label: str
    dialogue_emotion: str


def _dialogues(source: Source) -> Iterator[list[_Utterance]]:
    """The utterances of one dialogue after another; InputError where they are not in order."""
    seen: set[str] = set()
    dialogue: list[_Utterance] = []
    for turn in _utterances(source):
        if dialogue and turn.dialogue_id != dialogue[0].dialogue_id:
            yield _whole(dialogue, source)
            dialogue = []
        if not dialogue and turn.dialogue_id in seen:
            raise InputError(
                f"the dialogue {turn.dialogue_id!r} goes on after others; keep its rows together",
                source=source.name,
                line=turn.line,
            )
        seen.add(turn.dialogue_id)
        dialogue.append(turn)
        if turn.turn != str(len(dialogue)):
            raise InputError(
                f"expected turn {len(dialogue)} of the dialogue {turn.dialogue_id!r}, found {turn.turn!r}; "
                "its rows are doubled, missing or out of order",
                source=source.name,
                line=turn.line,
            )
    if dialogue:
        yield _whole(dialogue, source)


def _whole(dialogue: list[_Utterance], source: Source) -> list[_Utterance]:
    if len(dialogue) < 2:
        raise InputError(
            f"the dialogue {dialogue[0].dialogue_id!r} has one utterance; a context and a response are two",
            source=source.name,
            line=dialogue[0].line,
        )
    return dialogue


def _utterances(source: Source) -> Iterator[_Utterance]:
    shared: dict[str, str] = {}  # a dialogue repeats those that it continues
    table = read_rows(source, ",")
    line, cells = next(table, (1, []))
    if cells != _HEADER:
        raise InputError(f"expected the header {','.join(_HEADER)}", source=source.name, line=line)
    for line, cells in table:
        if len(cells) != len(_HEADER):
            raise InputError(
                f"{len(cells)} cells, but the header has {len(_HEADER)}; a cell that holds ',' is put in "
                "double quotes",
                source=source.name,
                line=line,
            )
        texts = [shared.setdefault(text, text) for text in map(str.strip, cells[1:])]
        if not texts[0] or not re.fullmatch("[1-9][0-9]{0,5}", texts[1]):
            raise InputError(
                f"expected a dialogue and the number of its turn, found {texts[0]!r} and {texts[1]!r}",
                source=source.name,
                line=line,
            )
        yield _Utterance(line, *texts)


def _commonest(labels: list[str]) -> str:
    """The label that stands most often, the first of several."""
    return max(labels, key=labels.count)


def _empty_labels(per_dialogue: Counter[str]) -> tuple[Notice, ...]:
    n = per_dialogue.total()
    if not n:
        return ()
    labels = f"{n} {'utterance has' if n == 1 else 'utterances have'} no label"
    message = f"{labels} and {'counts' if n == 1 else 'count'} as {_UNLABELLED!r}"
    return (Notice("empty_labels", message, n, tuple(per_dialogue)[:_SHOWN]),)


def _other_emotions(others: list[tuple[_Utterance, str]]) -> tuple[Notice, ...]:
    """What rows say that do not state the emotion of their dialogue."""
    if not others:
        return ()
    turn, used = others[0]
    n = len(others)
    rows = f"{n} {'row states' if n == 1 else 'rows state'}"
    message = (
        f"{rows} another emotion than the dialogue's other rows, first line {turn.line} "
        f"(id {turn.dialogue_id!r}): {turn.dialogue_emotion!r}; theirs, {used!r}, is used"
    )
    ids = dict.fromkeys(turn.dialogue_id for turn, _ in others)
    return (Notice("dialogue_emotions_differ", message, n, tuple(ids)[:_SHOWN]),)
