"""What every kind of question has: a name, words, a level of measurement, and how answers are checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from empeval.errors import RejectedJudgment
from empeval.protocols.blocks import Block, Slug, Text
from empeval.registry import Registry

__all__ = ["QUESTIONS", "About", "Answer", "Choice", "Control", "Question", "one_of", "storable"]

About = Literal["response", "pair"]
Answer = int | str

#: The longest text that is taken as an answer to anything but a text question.
_LONGEST = 200
#: Above every point of a scale; Python refuses to print numbers of thousands of digits.
_LARGEST = 10**18


@dataclass(frozen=True)
class Choice:
    """One option of a control: the value that is sent, its label, and the key that picks it, if any."""

    value: str
    label: str
    key: str | None = None


@dataclass(frozen=True)
class Control:
    """What to draw for a question: its kind, its words and its options; nothing is chosen beforehand."""

    name: str
    kind: str
    prompt: str
    definition: str | None
    choices: tuple[Choice, ...]
    required: bool
    max_length: int | None = None


class Question(Block):
    """One question about a response, or about a pair of them; each kind is one file of this folder.

    ``name`` is the column that answers get in files. A kind says what to draw (`control`), which answers it
    takes (`parse`, which raises RejectedJudgment with the words that the rater reads) and their level.
    """

    kind: str
    name: Slug
    prompt: Text
    definition: Text | None = None
    about: About = "response"
    required: bool = True

    @property
    def n_systems(self) -> int:
        """How many responses the question is about."""
        return 1 if self.about == "response" else 2

    @property
    def level(self) -> str:
        """The level of measurement of its answers: nominal, ordinal, interval, or text."""
        raise NotImplementedError

    def control(self) -> Control:
        """What to draw."""
        raise NotImplementedError

    def parse(self, answer: object) -> Answer:
        """The answer as it is stored; RejectedJudgment where it is none."""
        raise NotImplementedError


_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

QUESTIONS: Registry[type[Question]] = Registry("question", "empeval.study.questions")


def storable(text: str) -> str:
    """The text with U+FFFD for what no database can hold: NUL, and half of a surrogate pair.

    >>> storable("a" + chr(0) + "b") == "a" + chr(0xFFFD) + "b"
    True
    """
    return _UNSTORABLE.sub("\ufffd", text)


def one_of(answer: object, values: tuple[str, ...], prompt: str) -> str:
    """The answer, if it is one of the values; RejectedJudgment if not.

    >>> one_of("tie", ("first", "second", "tie"), "Which is better?")
    'tie'
    """
    usable = isinstance(answer, str) or (type(answer) is int and abs(answer) < _LARGEST)
    text = str(answer).strip() if usable else ""
    if not text:
        raise RejectedJudgment(f"Please answer: {prompt}")
    if len(text) > _LONGEST or text not in values:
        raise RejectedJudgment(f"That is not one of the answers to: {prompt}")
    return text
