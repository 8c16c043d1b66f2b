"""Test sets for the benchmarks: made from a seed, or tiled from published outputs where these are at hand."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

PUBLISHED = Path(__file__).resolve().parents[2] / "shared" / "data" / "outputs" / "mime" / "output.txt"
_SYLLABLES = ("ba", "do", "ki", "lu", "me", "no", "pa", "ri", "su", "ta", "ve", "wo", "yo", "ze")
_CONTRACTIONS = {"cannot", "gimme", "gonna", "gotta", "lemme", "wanna", "whaddya"}
_MARKS = (" .", " !", " ?", ".", ",")


@dataclass(frozen=True)
class Outputs:
    """References and, for each system, hypotheses: lists with one text a segment."""

    source: str
    references: list[str]
    systems: dict[str, list[str]]


def synthetic(n_segments: int, n_systems: int, seed: int = 1) -> Outputs:
    """Replies of 3 to 25 words, Zipf-like; systems repeat parts of the reference, and stock replies."""
    draw = random.Random(seed)
    words = ["".join(draw.choices(_SYLLABLES, k=draw.randint(1, 3))) for _ in range(20_000)]
    stock = [" ".join(words[draw.randrange(60)] for _ in range(8)) + " ." for _ in range(200)]

    def reply() -> str:
        picked = [
            words[min(int(draw.paretovariate(0.9)) - 1, len(words) - 1)] for _ in range(draw.randint(3, 25))
        ]
        return " ".join(picked) + draw.choice(_MARKS)

    references = [reply() for _ in range(n_segments)]
    systems: dict[str, list[str]] = {}
    for s in range(n_systems):
        texts = []
        for reference in references:
            if draw.random() < 0.25:
                texts.append(draw.choice(stock))
                continue
            tokens = reply().split()
            kept = reference.split()
            at = draw.randrange(len(kept))
            tokens[: draw.randint(0, 2 + s)] = kept[at : at + 2 + s]
            texts.append(" ".join(tokens))
        systems[f"system-{s}"] = texts
    return Outputs(f"made from seed {seed}", references, systems)


def published(n_systems: int = 7, seed: int = 1) -> Outputs:
    """The three MIME decodes, tiled and word-substituted to more systems; synthetic where they are absent."""
    if not PUBLISHED.is_file():
        return synthetic(5_255, n_systems)
    from empeval.cohort import join
    from empeval.readers import read

    cohort = join(read([PUBLISHED]))
    assert cohort.corpus.references is not None
    references = [texts[0] for texts in cohort.corpus.references]
    decodes = [list(outputs.hypotheses) for outputs in cohort.systems]
    draw = random.Random(seed)
    words = {word for text in references for word in text.split()}
    # words that nltk leaves whole, so that both sides count the same tokens
    vocabulary = sorted(word for word in words if word.isalpha() and word not in _CONTRACTIONS)
    systems = {}
    for s in range(n_systems):
        share = 0.02 * (s // len(decodes))
        systems[f"system-{s}"] = [
            " ".join(draw.choice(vocabulary) if draw.random() < share else word for word in text.split())
            for text in decodes[s % len(decodes)]
        ]
    return Outputs("three published MIME decodes, word-substituted", references, systems)


def four_published(n_segments: int) -> Outputs:
    """Two of MIME's decodes, EmpDG and its Transformer on segments they share; synthetic where absent."""
    logs = [PUBLISHED, *(PUBLISHED.parents[1] / "empdg" / f"{name}.txt" for name in ("Transformer", "EmpDG"))]
    if not all(log.is_file() for log in logs):
        return synthetic(n_segments, 4)
    from empeval.cohort import join
    from empeval.readers import read

    cohort = join(read(logs))
    assert cohort.corpus.references is not None
    references = [texts[0] for texts in cohort.corpus.references[:n_segments]]
    chosen = {
        outputs.system: list(outputs.hypotheses[:n_segments])
        for outputs in cohort.systems
        if not outputs.system.endswith("Topk")
    }
    return Outputs("published outputs of MIME and EmpDG", references, chosen)
