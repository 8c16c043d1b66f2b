"""The EmpatheticDialogues release (Rashkin et al., 2019): one utterance a line, read as a corpus."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from empeval import specs
from empeval.errors import InputError
from empeval.readers.base import READERS, ReadOptions, Sample, Source, maybe_truncated
from empeval.records import Notice, Records

__all__ = ["EmpatheticDialogues"]

_COLUMNS = ("conv_id", "utterance_idx", "context", "prompt", "speaker_idx", "utterance", "selfeval", "tags")


@READERS.register("empatheticdialogues")
@dataclass(frozen=True)
class EmpatheticDialogues:
    """Makes one segment of every listener turn (the even ones); its context are the turns before it.

    ``max_turns`` keeps the last turns of a context only. The release's quotation marks are unbalanced and
    mean nothing: a comma inside a text is written ``_comma_``, so that lines are cut at every comma.
    """

    max_turns: int | None = None

    name: ClassVar[str] = "empatheticdialogues"
    description: ClassVar[str] = (
        "the EmpatheticDialogues release, a corpus: listener turns with their contexts"
    )
    suffixes: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if self.max_turns is not None and self.max_turns < 1:
            raise InputError(f"max_turns must be 1 or above, not {self.max_turns}")

    def recognises(self, sample: Sample) -> float:
        """Certain by its header."""
        return float(sample.lines[0].split(",")[: len(_COLUMNS)] == list(_COLUMNS))

    def read(self, source: Source, options: ReadOptions) -> list[Records]:
        """Read the listener turns; a line that has not 8 columns (9 with candidates) is named."""
        if not options.corpus:
            raise InputError(
                "this is a corpus and holds no system's responses; give it as --corpus FILE",
                source=source.name,
            )
        columns: dict[str, list[Any]] = {
            name: [] for name in ("id", "dialogue_id", "context", "references", "emotion", "prompt")
        }
        lines = array("q")
        gaps: list[str] = []
        for conversation in _conversations(source):
            if [turn.position for turn in conversation] != list(range(1, len(conversation) + 1)):
                gaps.append(conversation[0].dialogue_id)
            texts = [turn.text for turn in conversation]
            for i, turn in enumerate(conversation):
                if turn.position % 2 == 0:
                    columns["id"].append(f"{turn.dialogue_id}:{turn.position}")
                    columns["dialogue_id"].append(turn.dialogue_id)
                    columns["context"].append(tuple(texts[max(0, i - (self.max_turns or i)) : i]))
                    columns["references"].append((turn.text,))
                    columns["emotion"].append(turn.emotion)
                    columns["prompt"].append(turn.prompt)
                    lines.append(turn.line)
        if not lines:
            raise InputError("the file holds no listener turns", source=source.name)
        return [
            Records(
                source=source.name,
                reader=specs.format_spec(self.name, self),
                system=None,
                columns=columns,
                lines=lines,
                notices=maybe_truncated(source) + _missing_turns(gaps),
                options={"max_turns": self.max_turns},
            )
        ]


class _Turn(NamedTuple):
    line: int
    dialogue_id: str
    position: int
    emotion: str | None
    prompt: str
    text: str


def _conversations(source: Source) -> Iterator[list[_Turn]]:
    """The turns of one conversation after another; InputError where they are not in order."""
    seen: set[str] = set()
    conversation: list[_Turn] = []
    for turn in _turns(source):
        if conversation and conversation[0].dialogue_id == turn.dialogue_id:
            if turn.position <= conversation[-1].position:
                raise InputError(
                    f"turn {turn.position} of the conversation {turn.dialogue_id!r} follows turn "
                    f"{conversation[-1].position}; its lines are doubled or out of order",
                    source=source.name,
                    line=turn.line,
                )
        else:
            if conversation:
                yield conversation
            if turn.dialogue_id in seen:
                raise InputError(
                    f"the conversation {turn.dialogue_id!r} goes on after others; keep its lines together",
                    source=source.name,
                    line=turn.line,
                )
            seen.add(turn.dialogue_id)
            conversation = []
        conversation.append(turn)
    if conversation:
        yield conversation


def _turns(source: Source) -> Iterator[_Turn]:
    shared: dict[str, str] = {}
    for number, line in enumerate(source.lines(), 1):
        cells = line.split(",")
        if number == 1:
            if tuple(cells[: len(_COLUMNS)]) != _COLUMNS:
                raise InputError(f"expected the header {','.join(_COLUMNS)}", source=source.name, line=1)
            continue
        if not line:
            continue
        if len(cells) not in (len(_COLUMNS), len(_COLUMNS) + 1):
            raise InputError(
                f"{len(cells)} columns, expected {len(_COLUMNS)} (or one more, with candidates); "
                "a comma inside a text is written _comma_",
                source=source.name,
                line=number,
            )
        dialogue_id, position, emotion, prompt, _, utterance = cells[:6]
        if not re.fullmatch("[1-9][0-9]{0,3}", position) or not dialogue_id:
            raise InputError(
                f"expected a conversation and the number of its turn, found {dialogue_id!r} and {position!r}",
                source=source.name,
                line=number,
            )
        prompt = prompt.replace("_comma_", ",").strip()
        yield _Turn(
            number,
            shared.setdefault(dialogue_id, dialogue_id),
            int(position),
            shared.setdefault(emotion, emotion) or None,
            shared.setdefault(prompt, prompt),
            utterance.replace("_comma_", ",").strip(),
        )


def _missing_turns(dialogue_ids: list[str]) -> tuple[Notice, ...]:
    if not dialogue_ids:
        return ()
    return (
        Notice(
            "missing_turns",
            f"turns are missing in {len(dialogue_ids)} conversations; contexts hold those that are there",
            len(dialogue_ids),
            tuple(dialogue_ids[:10]),
        ),
    )
