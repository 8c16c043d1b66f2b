"""What a study's author should know before anybody is asked: warnings about material, size, checks and pay.

Pure functions of the study file, its material and its plan. A warning refuses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from empeval.records import Notice
from empeval.study.starting_texts import FILL_IN

if TYPE_CHECKING:
    from empeval.study.material import Material
    from empeval.study.planning import Plan
    from empeval.study.protocol import ShownItem, StudyProtocol

__all__ = ["names_in", "study_warnings"]

#: A warning lists this many ids, and counts the others.
_MOST_IDS = 20
#: Below this many items a comparison of systems rests on too few independent texts.
_FEW_ITEMS = 30
#: Prolific asks for two attention checks in studies that are longer.
_SHORT_MINUTES = 5
#: Prolific's number of attempts at a comprehension check.
_TRIES = 2


def study_warnings(study: StudyProtocol, material: Material, plan: Plan) -> list[Notice]:
    """Everything that deserves a second look, each with a stable code; ids are those of segments.

    >>> from empeval.study.material import Material, StudySegment
    >>> from empeval.study.planning import plan_study
    >>> from empeval.study.protocol import study_from
    >>> study = study_from({"id": "s", "title": "T", "systems": ["Kim"], "instructions": "Read.",
    ...     "questions": [{"kind": "text", "name": "why", "prompt": "Why?"}]})
    >>> material = Material(("Kim",), (StudySegment("7", "7", ("Hi.",)),), (("Kim is here.",),))
    >>> [warning.code for warning in study_warnings(study, material, plan_study(study, material))]
    ['names_itself', 'few_items']
    """
    found = list(_gaps(study))
    for part in (_texts, _sizes, _checks, _pay):
        found += part(study, material, plan)
    return found


def _gaps(study: StudyProtocol) -> Iterator[Notice]:
    """Texts that the file began with and that only its author can complete."""
    parts = {
        "title": study.title,
        "instructions": study.instructions,
        "debrief": study.debrief,
        **({"consent.text": study.consent.text} if study.consent else {}),
        **{f"completion.{code}": text for code, text in study.completion.model_dump().items()},
    }
    gaps = [key for key, text in parts.items() if text and FILL_IN in text]
    if gaps:
        yield Notice("to_be_filled_in", f"still to be filled in: {', '.join(gaps)}", len(gaps))


def names_in(text: str, name: str) -> bool:
    """Whether a text holds a system's name as a word, whatever its case and the signs between its parts.

    >>> names_in("I am empDG, a bot", "Emp-DG"), names_in("warmth helps", "warm")
    (True, False)
    """
    parts = [re.escape(part) for part in re.findall(r"[^\W_]+", name)]
    if not parts:
        return False
    name_as_word = r"(?<![^\W_])" + r"[\W_]*".join(parts) + r"(?![^\W_])"
    return re.search(name_as_word, text, re.IGNORECASE) is not None


def _notice(code: str, message: str, ids: Iterable[str]) -> Iterator[Notice]:
    """A warning, if there is something that it is about."""
    if listed := sorted(set(ids)):
        yield Notice(code, message.format(n=len(listed)), len(listed), tuple(listed[:_MOST_IDS]))


def _texts(study: StudyProtocol, material: Material, _: Plan) -> Iterator[Notice]:
    ids = [segment.id for segment in material.segments]

    def where(texts: tuple[str, ...], holds: Callable[[str], bool]) -> list[str]:
        return [one for one, text in zip(ids, texts, strict=True) if holds(text)]

    for system, texts in zip(material.systems, material.responses, strict=True):
        named = where(texts, lambda text, system=system: names_in(text, system))  # type: ignore[misc]
        yield from _notice(
            "names_itself",
            f"{{n}} of {len(ids)} responses of {_plain(system)} hold its name: raters can tell it",
            named,
        )
        empty = where(texts, lambda text: not text.strip())
        yield from _notice(
            "empty_response", f"{{n}} of {len(ids)} responses of {_plain(system)} are empty", empty
        )
    if "pair" in study.kinds:
        yield from _equal_pairs(study, material, ids)
    for key, values in (
        ("situation", [segment.situation for segment in material.segments]),
        ("emotion", [segment.emotion for segment in material.segments]),
    ):
        if getattr(study.presentation, key):
            without = [one for one, value in zip(ids, values, strict=True) if not value]
            message = f"presentation.{key} is asked for, and {{n}} of {len(ids)} segments have none"
            yield from _notice("nothing_to_present", message, without)


def _equal_pairs(study: StudyProtocol, material: Material, ids: list[str]) -> Iterator[Notice]:
    by_name = dict(zip(material.systems, material.responses, strict=True))
    names = list(by_name)
    pairs = (
        [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]] if study.pairs == "all" else study.pairs
    )
    for a, b in pairs:
        equal = [
            one
            for one, first, second in zip(ids, by_name[a], by_name[b], strict=True)
            if first.split() == second.split()
        ]
        message = f"{_plain(a)} and {_plain(b)} say the same {{n}} times: comparing equal texts tells nothing"
        yield from _notice("identical_responses", message, equal)


def _plain(name: str) -> str:
    """A name inside a template of a message."""
    return name.replace("{", "{{").replace("}", "}}")


def _sizes(study: StudyProtocol, _: Material, plan: Plan) -> Iterator[Notice]:
    if plan.n_segments < _FEW_ITEMS:
        yield Notice(
            "few_items",
            f"{plan.n_segments} items are few: tests and intervals of systems rest on items, and want "
            f"{_FEW_ITEMS} or more (`empeval study power` says how many)",
            plan.n_segments,
        )
    n = study.ratings_per_item
    if n < 2:
        yield Notice("no_agreement", "with one rating an item, agreement of raters cannot be told", n)
    elif n < 3 and study.platform != "lab":
        yield Notice("few_raters", f"{n} ratings an item are few for a crowd: 3 or more are usual", n)
    if study.quota is not None and study.quota > plan.n_main:
        yield Notice(
            "quota_out_of_reach",
            f"quota is {study.quota}, and a rater can be given {plan.n_main} items at most",
            study.quota,
        )
    if study.duplicates and study.duplicates.min_gap >= plan.n_main:
        yield Notice(
            "no_room_for_repeats",
            f"duplicates.min_gap is {study.duplicates.min_gap}, and a rater has {plan.n_main} items",
            plan.n_main,
        )
    if study.max_raters is not None and study.max_raters < plan.raters_needed:
        filled = min(plan.n_slots, study.max_raters * plan.n_main)
        yield Notice(
            "too_few_raters",
            f"max_raters is {study.max_raters}, and {plan.raters_needed} are needed to fill "
            f"{plan.n_slots:,} slots: {filled:,} can be filled at most",
            plan.raters_needed,
        )


def _checks(study: StudyProtocol, _: Material, plan: Plan) -> Iterator[Notice]:
    checks = (study.attention, study.gold, study.duplicates, study.damaged)
    if study.platform != "lab" and not any(checks):
        yield Notice("no_checks", "nothing in this study tells a careful rater from a careless one")
    if study.platform != "prolific":
        return
    if study.attention and study.attention.per_rater < 2 and plan.minutes > _SHORT_MINUTES:
        yield Notice(
            "too_few_checks",
            f"Prolific asks for two attention checks or more in a study of over {_SHORT_MINUTES} minutes "
            f"(about {plan.minutes:.0f} here) before a submission may be rejected for them",
            study.attention.per_rater,
        )
    items = study.attention.items if study.attention else ()
    silent = [i for i, item in enumerate(items) if not _says_what_to_answer(study, item)]
    if silent:
        where = ", ".join(f"attention.items[{i}]" for i in silent)
        yield Notice(
            "check_without_instruction",
            f"no text of {where} says which answer to give; Prolific takes only checks that say it outright",
            len(silent),
        )
    if study.gold:
        yield Notice(
            "gold_rejects_nobody",
            "on Prolific, another opinion than the gold one is no ground to reject or screen out; leave such "
            "answers out of the analysis instead",
            study.gold.per_rater,
        )
    if study.practice and study.practice.tries != _TRIES:
        yield Notice(
            "practice_tries",
            f"practice.tries is {study.practice.tries}; Prolific asks for {_TRIES} tries at comprehension "
            "checks, after which a person is screened out or returns the study, and is never rejected",
            study.practice.tries,
        )


def _says_what_to_answer(study: StudyProtocol, item: ShownItem) -> bool:
    """Whether a text of a check names an expected answer of each question, by value or by label."""
    text = "\n".join((*item.context, *item.texts))
    questions = {question.name: question for question in study.asked_about(item.kind)}
    for name, answers in item.expected.items():
        control = questions[name].control()
        wanted = {str(answer) for answer in (answers if isinstance(answers, tuple) else (answers,))}
        words = wanted | {
            choice.label for choice in control.choices if choice.value in wanted and choice.label
        }
        if not any(names_in(text, word) for word in words):
            return False
    return True


def _pay(study: StudyProtocol, _: Material, plan: Plan) -> Iterator[Notice]:
    pay = study.pay
    if pay is None:
        if study.platform == "prolific":
            yield Notice("no_pay", "pay is not stated: neither the cost nor the pay for an hour can be told")
        return
    least, hourly = pay.minimum_per_hour, plan.pay_per_hour
    if least is not None and hourly is not None and hourly < least:
        yield Notice(
            "low_pay",
            f"{pay.amount:g} {pay.currency} for about {pay.minutes or plan.minutes:.0f} minutes is "
            f"{hourly:.2f} an hour, less than pay.minimum_per_hour ({least:g})",
        )
    if pay.minutes is not None and plan.minutes > 1.5 * pay.minutes:
        yield Notice(
            "longer_than_stated",
            f"pay.minutes is {pay.minutes:g}, and the study is estimated at {plan.minutes:.0f} minutes",
        )
