"""Data with every column that a metric may need."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from empeval.corpus import Corpus, SystemOutputs

__all__ = ["sample"]

_WORDS = (
    *("i", "am", "so", "sorry", "to", "hear", "that", "it", "is", "great"),
    *("what", "did", "you", "do", "then", "?", ".", "!", "oh", "wow"),
)
_EMOTIONS, _INTENTS = ("joyful", "proud", "sad"), ("agreeing", "questioning")


def sample(n_dialogues: int = 22) -> tuple[Corpus, tuple[SystemOutputs, ...]]:
    """A small corpus and three systems of different quality.

    Dialogues have one to three segments, segments one or two references and 100 candidates. One response of
    each system is empty. The same on every call and machine.

    >>> corpus, systems = sample()
    >>> len(corpus), len(set(corpus.dialogue_ids)), [outputs.system for outputs in systems]
    (43, 22, ['good', 'fair', 'poor'])
    """
    chance = _Chance()
    dialogues = [f"d{d}" for d in range(n_dialogues) for _ in range(1 + d % 3)]
    n = len(dialogues)
    corpus = Corpus.build(
        ids=[f"s{i}" for i in range(n)],
        dialogue_ids=dialogues,
        contexts=[[chance.text()] for _ in range(n)],
        references=[[chance.text() for _ in range(1 + i % 2)] for i in range(n)],
        emotions=[_EMOTIONS[i % 3] for i in range(n)],
        response_intents=[_INTENTS[i % 2] for i in range(n)],
        name="sample",
    )
    qualities = {"good": 0.8, "fair": 0.5, "poor": 0.2}
    return corpus, tuple(_system(name, quality, corpus, chance) for name, quality in qualities.items())


class _Chance:
    """Random choices, of which Python promises that they stay the same."""

    def __init__(self) -> None:
        self.number = random.Random(2024).random

    def pick(self, choices: Sequence[str]) -> str:
        return choices[int(self.number() * len(choices))]

    def text(self) -> str:
        return " ".join(self.pick(_WORDS) for _ in range(4 + int(self.number() * 9)))


def _system(name: str, quality: float, corpus: Corpus, chance: _Chance) -> SystemOutputs:
    """A system that is right with a probability of ``quality`` in each respect, and guesses otherwise."""
    assert corpus.references is not None
    assert corpus.emotions is not None
    assert corpus.response_intents is not None

    def answer(right: str, guess: Callable[[], str]) -> str:
        return right if chance.number() < quality else guess()

    def ranked(best: str) -> list[str]:
        return [best, *(emotion for emotion in _EMOTIONS if emotion != best)]

    n = len(corpus)
    said = [answer(f"{r[0][: len(r[0]) // 2]} oh wow .", chance.text) for r in corpus.references]
    return SystemOutputs.build(
        name,
        ["", *said[1:]],
        ids=corpus.ids,
        predicted_emotions=[
            ranked(answer(str(gold), lambda: chance.pick(_EMOTIONS))) for gold in corpus.emotions
        ],
        predicted_intents=[
            answer(str(gold), lambda: chance.pick(_INTENTS)) for gold in corpus.response_intents
        ],
        nlls=[(3.0 - 2.0 * quality + chance.number()) * 7 for _ in range(n)],
        n_tokens=[5 + int(4 * chance.number()) for _ in range(n)],
        candidate_scores=[
            [quality + chance.number(), *(chance.number() for _ in range(99))] for _ in range(n)
        ],
    )
