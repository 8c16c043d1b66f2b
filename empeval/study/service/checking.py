"""Verdicts about answers as they come in, and about a rater at the end; they only ever make a note."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from empeval.study import quality
from empeval.study.questions import Answer
from empeval.study.questions.likert import Likert
from empeval.study.service.context import Context
from empeval.study.store.answers import Answered
from empeval.study.store.models import Showing, Slot
from empeval.study.store.people import Rater, Rating
from empeval.study.store.transaction import Transaction

__all__ = ["differs", "judge_answer", "judge_rater", "overall"]

#: An honest rater may well answer fewer items than this alike.
_FEWEST_ALIKE = 8


def differs(values: Mapping[str, Answer], shown: Showing) -> list[str]:
    """The questions that were answered otherwise than the study file expects."""
    expected = (shown.gold_json or {}).get("expected") or {}
    return [
        name
        for name, right in expected.items()
        if quality.check_expected("practice", values, {name: right}).verdict == "fail"
    ]


def judge_answer(
    tx: Transaction, context: Context, rater: Rater, slot: Slot, shown: Showing, rating: Rating, now: datetime
) -> None:
    """The verdict on one check, where this was one."""
    if shown.purpose in ("attention", "gold", "practice") and shown.gold_json:
        answers = None if rating.skipped else rating.values_json
        verdict = quality.check_expected(shown.purpose, answers, shown.gold_json["expected"])
    elif shown.purpose == "damaged" and shown.kind == "pair" and shown.gold_json:
        answers = None if rating.skipped else _in_sides_of_showing(rating.values_json, slot)
        verdict = quality.check_expected("damaged", answers, shown.gold_json["expected"])
    elif shown.purpose == "duplicate" and shown.duplicate_of is not None:
        verdict = _repeat(tx, context, rater, slot, shown, rating)
    else:
        return
    tx.drop_checks(slot.id, rater.id)
    tx.add_check(rater.id, rating.id, verdict.check, verdict.verdict, verdict.detail, now)


def _in_sides_of_showing(values: Mapping[str, Answer], slot: Slot) -> dict[str, Answer]:
    """Choices as if the low side had been shown first."""
    return {
        name: quality.mirrored(value) if slot.first == "high" else value for name, value in values.items()
    }


def _repeat(
    tx: Transaction, context: Context, rater: Rater, slot: Slot, shown: Showing, rating: Rating
) -> quality.QcVerdict:
    earlier = [done for done in tx.answered(rater.id) if done.showing.id == shown.duplicate_of]
    before = earlier[0] if earlier and not earlier[0].rating.skipped else None
    widths = {
        question.name: (question.scale.high - question.scale.low) if isinstance(question, Likert) else None
        for question in context.protocol.questions
        if question.level != "text"
    }
    return quality.check_duplicate(
        None if before is None else before.rating.values_json,
        None if rating.skipped else rating.values_json,
        widths,
        exchanged=before is not None and before.slot.first != slot.first,
    )


def judge_rater(tx: Transaction, context: Context, rater: Rater, now: datetime) -> None:
    """The verdicts that need all answers: straight-lining, speed, damaged responses among the others."""
    for verdict in overall(tx, context, tx.answered(rater.id)):
        tx.add_check(rater.id, None, verdict.check, verdict.verdict, verdict.detail, now)


def overall(tx: Transaction, context: Context, behind: list[Answered]) -> list[quality.QcVerdict]:
    """Verdicts on one rater's answers taken together."""
    given = [done for done in behind if not done.rating.skipped and done.showing.purpose != "practice"]
    scales = [question.name for question in context.protocol.questions if isinstance(question, Likert)]
    choices = [
        question.name
        for question in context.protocol.questions
        if question.kind in ("likert", "pairwise", "categorical")
    ]
    seconds, words = [], []
    for done in given:
        if done.rating.active_ms is not None:
            shown = tx.shown(done.showing.id)
            texts = [*shown.segment.turns_json, shown.low.text]
            if done.showing.kind == "pair":
                texts.append(shown.high.text)
            seconds.append(done.rating.active_ms / 1000)
            words.append(sum(len(text.split()) for text in texts))
    found = [_straight_lining(given, choices), quality.check_speed(seconds, words)]
    damaged = [_mean(done, scales) for done in given if done.showing.purpose == "damaged"]
    others = [_mean(done, scales) for done in given if done.showing.purpose == "main"]
    if context.protocol.damaged is not None and "rating" in context.protocol.kinds and scales:
        found.append(
            quality.check_damaged(
                [value for value in damaged if value is not None],
                [value for value in others if value is not None],
            )
        )
    return found


def _straight_lining(given: list[Answered], choices: list[str]) -> quality.QcVerdict:
    """Ratings and comparisons each by themselves; a fault in either is one, and a few items are no sign."""
    verdicts = []
    for kind in ("rating", "pair"):
        items = [
            tuple(done.rating.values_json[name] for name in choices if name in done.rating.values_json)
            for done in given
            if done.showing.kind == kind
        ]
        verdicts.append(quality.check_straight_lining(items if len(items) >= _FEWEST_ALIKE else []))
    for wanted in ("fail", "pass"):
        for verdict in verdicts:
            if verdict.verdict == wanted:
                return verdict
    return verdicts[0]


def _mean(done: Answered, scales: list[str]) -> float | None:
    values = [int(done.rating.values_json[name]) for name in scales if name in done.rating.values_json]
    return sum(values) / len(values) if values else None
