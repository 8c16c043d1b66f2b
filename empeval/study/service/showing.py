"""From rows to what a rater sees: nothing but texts, questions and his own answers passes here."""

from __future__ import annotations

from datetime import datetime

from empeval.study.protocol import Kind
from empeval.study.protocol.controls import Example
from empeval.study.service import standing
from empeval.study.service.context import Context
from empeval.study.service.views import AskConsent, AskForm, ExampleView, FormView, ItemView, ShowInstructions
from empeval.study.store.answers import Answered
from empeval.study.store.models import Slot
from empeval.study.store.people import Claim, Rater
from empeval.study.store.transaction import Transaction

__all__ = ["COMMENT", "FLAG", "before", "consent_page", "form_page", "instructions_page", "item_view"]

#: Under these names a draft holds what belongs to no question; no question can be named so.
COMMENT, FLAG = "#comment", "#flag"


def item_view(
    tx: Transaction, context: Context, rater: Rater, slot: Slot, claim: Claim, now: datetime
) -> ItemView:
    """An item as this rater gets it: sides as the slot says, with what he answered or drafted before."""
    assert slot.showing_id is not None, "an item that is shown has a showing"
    shown = tx.shown(slot.showing_id)
    protocol, kind = context.protocol, shown.showing.kind
    texts = (shown.low.text,) if kind == "rating" else (shown.low.text, shown.high.text)
    if slot.first == "high":
        texts = texts[::-1]
    draft = tx.draft(claim.token)
    is_practice = shown.showing.purpose == "practice"
    is_another_try = is_practice and slot.state == "held"
    history = [r for r in tx.history(slot.id, rater.id) if not r.skipped]
    if draft is not None or is_another_try:
        history = []
    answers = dict(draft or {})
    comment, flagged = str(answers.pop(COMMENT, "")), bool(answers.pop(FLAG, False))
    if history:
        last = history[-1]
        answers, comment, flagged = dict(last.values_json), last.comment or "", bool(last.flags_json)
    is_edit = claim.purpose == "edit"
    skip = protocol.skip
    may_skip = skip.allowed and (skip.max_per_rater is None or tx.n_skipped(rater.id) < skip.max_per_rater)
    return ItemView(
        token=claim.token,
        turns=tuple(shown.segment.turns_json),
        responses=texts,
        situation=shown.segment.situation if protocol.presentation.situation else None,
        emotion=shown.segment.emotion if protocol.presentation.emotion else None,
        controls=tuple(question.control() for question in protocol.asked_about(_kind(kind))),
        answers=answers,
        comment=comment,
        flagged=flagged,
        progress=standing.progress(tx, context, rater, now),
        can_skip=may_skip and not is_practice and not is_edit,
        can_go_back=protocol.back and not is_practice and _has_before(tx, rater, slot, is_edit),
        is_edit=is_edit,
        is_practice=is_practice,
    )


def _has_before(tx: Transaction, rater: Rater, slot: Slot, is_edit: bool) -> bool:
    if not is_edit:
        return tx.has_correctable(rater.id, slot.id)
    return before(tx, rater, slot.id) is not None


def _kind(kind: str) -> Kind:
    return "rating" if kind == "rating" else "pair"


def before(tx: Transaction, rater: Rater, slot_id: str) -> Answered | None:
    """What a rater handed in before a slot, and may still correct: his own, done, and no practice."""
    mine = [
        done
        for done in tx.answered(rater.id)
        if done.slot.state == "done" and done.slot.rater_id == rater.id and done.showing.purpose != "practice"
    ]
    ids = [done.slot.id for done in mine]
    place = ids.index(slot_id) if slot_id in ids else len(ids)
    return mine[place - 1] if place > 0 else None


def consent_page(context: Context) -> AskConsent:
    """What is agreed to."""
    asked = context.protocol.consent
    assert asked is not None, "only a study with consent shows it"
    return AskConsent(context.protocol.title, asked.text, asked.statements, context.protocol.content_notes)


def form_page(context: Context) -> AskForm:
    """The form about the rater."""
    return AskForm(
        tuple(
            FormView(field.name, field.prompt, field.kind, field.options, field.required)
            for field in context.protocol.demographics
        )
    )


def instructions_page(context: Context) -> ShowInstructions:
    """The instructions, with the examples and their answers."""
    protocol = context.protocol
    return ShowInstructions(
        protocol.instructions,
        tuple(example_view(context, example) for example in protocol.examples),
        protocol.practice is not None,
    )


def example_view(context: Context, example: Example) -> ExampleView:
    """An example: each question that has an answer, in the words of the form."""
    answers = []
    for question in context.protocol.asked_about(example.kind):
        expected = example.expected.get(question.name)
        if expected is None:
            continue
        labels = {choice.value: choice.label for choice in question.control().choices}
        words = [
            " ".join(
                filter(None, (str(value) if question.kind == "likert" else "", labels.get(str(value), "")))
            )
            or str(value)
            for value in (expected if isinstance(expected, tuple) else (expected,))
        ]
        answers.append((question.prompt, " / ".join(words)))
    return ExampleView(example.context, example.texts, tuple(answers), example.explanation)
