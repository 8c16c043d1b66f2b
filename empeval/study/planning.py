"""How large a study is: places, raters, minutes and money, before anybody is asked.

Pure functions of the study file and of counts of its material.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from empeval.study.material import Material
    from empeval.study.protocol import ShownItem, StudyProtocol
    from empeval.study.protocol.model import Kind

__all__ = [
    "PROLIFIC_FEE",
    "SECONDS_PER_ANSWER",
    "SECONDS_PER_FIELD",
    "SECONDS_PER_ITEM",
    "WORDS_PER_MINUTE",
    "Counts",
    "Plan",
    "counts_of",
    "plan_study",
    "raters_needed",
]

#: Reading on a screen with understanding; surveys of adults' silent reading give 175 to 300.
WORDS_PER_MINUTE = 200
#: Making up one's mind and clicking, by kind of question; a written answer is a sentence.
SECONDS_PER_ANSWER = {"likert": 5.0, "pairwise": 7.0, "categorical": 6.0, "text": 25.0}
_SECONDS_OF_ANOTHER_KIND = 6.0
#: Finding one's way on a new item.
SECONDS_PER_ITEM = 2.0
#: One field of the form about the rater.
SECONDS_PER_FIELD = 6.0
#: What Prolific is taken to add to a rater's pay. An assumption: fees change and differ by contract.
PROLIFIC_FEE = 1 / 3


@dataclass(frozen=True)
class Counts:
    """What a plan needs to know of the material: mean numbers of words of a dialogue and of a response."""

    n_segments: int
    n_systems: int
    words_per_dialogue: float = 40.0
    words_per_response: float = 15.0


@dataclass(frozen=True)
class Plan:
    """A study in numbers.

    ``n_main`` is what one rater answers at most, ``n_checks`` what comes on top of it (practice included);
    ``raters_needed`` the fewest who can fill every slot. ``minutes`` and ``minutes_per_item`` are estimates,
    ``pay_per_hour`` the pay for the minutes that the study file states, else for the estimate. ``cost`` is
    ``fee`` (an assumption) and pay of all raters needed; None where no pay is stated.
    """

    n_segments: int
    n_systems: int
    n_pairs: int
    n_showings: int
    n_slots: int
    n_main: int
    n_checks: int
    raters_needed: int
    minutes_per_item: float
    minutes: float
    currency: str | None = None
    pay_per_hour: float | None = None
    pay: float | None = None
    fee: float | None = None
    fee_share: float = 0.0
    cost: float | None = None


def counts_of(material: Material) -> Counts:
    """The counts of a material that was read.

    >>> from empeval.study.material import Material, StudySegment
    >>> counts_of(Material(("a",), (StudySegment("1", "1", ("How are you?",)),), (("Fine.",),)))
    Counts(n_segments=1, n_systems=1, words_per_dialogue=3.0, words_per_response=1.0)
    """
    dialogues = [_n_words(segment.turns) for segment in material.segments]
    responses = [_n_words([text]) for texts in material.responses for text in texts]
    return Counts(
        len(material.segments),
        len(material.systems),
        fmean(dialogues) if dialogues else 0.0,
        fmean(responses) if responses else 0.0,
    )


def raters_needed(n_segments: int, n_per_segment: int, n_ratings: int, n_main: int, most: int | None) -> int:
    """The fewest raters who can fill every slot.

    There are ``n_segments`` · ``n_per_segment`` · ``n_ratings`` slots; a rater fills ``n_main`` at most, one
    of a showing, and ``most`` of a segment. So one segment alone needs ⌈``n_per_segment`` · ``n_ratings`` /
    ``most``⌉ raters: with one response of a segment for each, as many as systems times ratings.

    >>> raters_needed(100, n_per_segment=4, n_ratings=3, n_main=400, most=None)
    3
    >>> raters_needed(100, n_per_segment=4, n_ratings=3, n_main=100, most=1)
    12
    """
    n_slots = n_segments * n_per_segment * n_ratings
    if not n_slots or n_main < 1:
        return 0
    of_segment = n_per_segment if most is None else min(most, n_per_segment)
    return max(math.ceil(n_per_segment * n_ratings / of_segment), math.ceil(n_slots / n_main))


def plan_study(study: StudyProtocol, counts: Counts | Material) -> Plan:
    """The size, the length and the cost of a study, from its file and its material, or counts of that.

    >>> from empeval.study.protocol import study_from
    >>> study = study_from({"id": "s", "title": "T", "systems": ["a.jsonl"], "instructions": "Read.",
    ...     "questions": [{"kind": "text", "name": "why", "prompt": "Why?"}]})
    >>> plan = plan_study(study, Counts(n_segments=100, n_systems=4))
    >>> plan.n_slots, plan.n_main, plan.raters_needed
    (1200, 400, 3)
    """
    known = counts if isinstance(counts, Counts) else counts_of(counts)
    n_pairs = _n_pairs(study, known.n_systems)
    n_of = {"rating": known.n_systems, "pair": n_pairs}
    n_per_segment = sum(n_of[kind] for kind in study.kinds)
    n_showings = known.n_segments * n_per_segment
    most = study.max_responses_per_segment
    reachable = known.n_segments * (n_per_segment if most is None else min(most, n_per_segment))
    n_main = reachable if study.quota is None else min(study.quota, reachable)
    needed = raters_needed(known.n_segments, n_per_segment, study.ratings_per_item, n_main, most)
    per_item = _mean_minutes(study, known, n_of)
    checks = (study.attention, study.gold, study.duplicates, study.damaged)
    n_among = sum(part.per_rater for part in checks if part)
    minutes = (n_main + n_among) * per_item + _minutes_around(study)
    money = _money(study, needed, minutes)
    return Plan(
        n_segments=known.n_segments,
        n_systems=known.n_systems,
        n_pairs=n_pairs if "pair" in study.kinds else 0,
        n_showings=n_showings,
        n_slots=n_showings * study.ratings_per_item,
        n_main=n_main,
        n_checks=n_among + (len(study.practice.items) if study.practice else 0),
        raters_needed=needed,
        minutes_per_item=per_item,
        minutes=minutes,
        **money,
    )


def _n_pairs(study: StudyProtocol, n_systems: int) -> int:
    if study.pairs == "all":
        return len(list(combinations(range(n_systems), 2)))
    return len({frozenset(pair) for pair in study.pairs})


def _minutes_of_item(study: StudyProtocol, kind: Kind, words: float) -> float:
    """Reading the words, and answering the questions that are required."""
    asked = [question for question in study.asked_about(kind) if question.required]
    seconds = sum(SECONDS_PER_ANSWER.get(question.kind, _SECONDS_OF_ANOTHER_KIND) for question in asked)
    return words / WORDS_PER_MINUTE + (SECONDS_PER_ITEM + seconds) / 60


def _mean_minutes(study: StudyProtocol, counts: Counts, n_of: dict[str, int]) -> float:
    """Minutes of one main item, on average over single responses and pairs."""
    total = sum(n_of[kind] for kind in study.kinds)
    if not total:
        return 0.0
    minutes = 0.0
    for kind in study.kinds:
        n_responses = 1 if kind == "rating" else 2
        words = counts.words_per_dialogue + n_responses * counts.words_per_response
        minutes += n_of[kind] / total * _minutes_of_item(study, kind, words)
    return minutes


def _minutes_around(study: StudyProtocol) -> float:
    """Consent, instructions, examples, the form, practice (each item once) and the last page."""
    read = [study.instructions, study.debrief or "", *study.content_notes]
    if study.consent:
        read += [study.consent.text, *study.consent.statements]
    for item in study.examples:
        read += [*_texts(item), item.explanation or ""]
    minutes = _n_words(read) / WORDS_PER_MINUTE + len(study.demographics) * SECONDS_PER_FIELD / 60
    for tried in study.practice.items if study.practice else ():
        words = _n_words([*_texts(tried), tried.explanation or ""])
        minutes += _minutes_of_item(study, tried.kind, words)
    return minutes


def _money(study: StudyProtocol, n_raters: int, minutes: float) -> dict[str, Any]:
    pay = study.pay
    if pay is None:
        return {}
    share = PROLIFIC_FEE if study.platform == "prolific" else 0.0
    total = pay.amount * n_raters
    found: dict[str, Any] = {
        "currency": pay.currency,
        "pay": total,
        "fee": total * share,
        "fee_share": share,
        "cost": total * (1 + share),
    }
    if length := pay.minutes or minutes:
        found["pay_per_hour"] = pay.amount / length * 60
    return found


def _texts(item: ShownItem) -> Sequence[str]:
    return (*item.context, *item.texts)


def _n_words(texts: Iterable[str]) -> int:
    return sum(len(text.split()) for text in texts)
