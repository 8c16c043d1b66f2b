"""Holding out some conversations, of every emotion about the same share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from empeval.statistics.weights import hashed_keys

__all__ = ["Example", "Split", "split"]


@dataclass(frozen=True, order=True)
class Example:
    """A text with its emotion, and the conversation that it stands in."""

    text: str
    label: str
    conversation: str


@dataclass(frozen=True)
class Split:
    """The examples to train on, and those held out; ``lone`` labels have one conversation, trained on."""

    train: tuple[Example, ...]
    held_out: tuple[Example, ...]
    lone: tuple[str, ...]


def split(examples: Sequence[Example], share: float, seed: int) -> Split:
    """Hold out this share of the conversations of each emotion, at least one where there are two.

    A conversation is on one side only, with the emotion that most of its texts have, the first in the
    alphabet of several. Which are held out depends on the seed and their names alone; both sides are sorted.

    >>> texts = [Example(f"text {i}", "sad", f"c{i // 2}") for i in range(8)]
    >>> halves = split(texts, 0.25, seed=0)
    >>> len(halves.train), len({text.conversation for text in halves.held_out})
    (6, 1)
    """
    labels: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for example in examples:
        labels[example.conversation][example.label] += 1
    strata: defaultdict[str, list[str]] = defaultdict(list)
    for conversation, counts in labels.items():
        strata[min(counts, key=lambda label: (-counts[label], label))].append(conversation)
    held: set[str] = set()
    lone = []
    for label, conversations in sorted(strata.items()):
        if len(conversations) < 2:
            lone.append(label)
            continue
        n = min(max(1, round(share * len(conversations))), len(conversations) - 1)
        keys = hashed_keys(f"{seed} {conversation}" for conversation in conversations)
        order = np.lexsort((np.array(conversations, dtype=object), keys))
        held.update(conversations[i] for i in order[:n])
    ordered = sorted(examples)
    return Split(
        tuple(example for example in ordered if example.conversation not in held),
        tuple(example for example in ordered if example.conversation in held),
        tuple(lone),
    )
