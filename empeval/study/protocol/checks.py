"""What the parts of a study file must be to each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from empeval.errors import RejectedJudgment

if TYPE_CHECKING:
    from empeval.study.protocol.controls import ShownItem
    from empeval.study.protocol.model import StudyParts

__all__ = ["RESTS_ON", "Fault", "faults"]

#: A message, and the path of what it is about.
Fault = tuple[str, *tuple[str | int, ...]]

_MAX_FAILURES = ("practice", "max_failures")

#: Keys whose faults here mean nothing while another key is wrong.
RESTS_ON: Mapping[str | int, frozenset[str]] = {
    "lease_cap_minutes": frozenset({"lease_minutes"}),
    "duplicates": frozenset({"quota"}),
    "pairs": frozenset({"systems", "questions"}),
    "systems": frozenset({"questions"}),
    **dict.fromkeys(("examples", "practice", "attention", "gold", "damaged"), frozenset({"questions"})),
}


def faults(study: StudyParts) -> Iterator[Fault]:
    """Everything that does not fit together, in the order of the file."""
    yield from _doubles(study)
    for name in study.systems if isinstance(study.systems, dict) else ():
        if "=" in name or name != name.strip():
            yield "a system's name holds no '=', and no blank at its ends", "systems", name
    yield from _people(study)
    if study.lease_cap_minutes < study.lease_minutes:
        yield f"expected at least lease_minutes ({study.lease_minutes:g})", "lease_cap_minutes"
    yield from _pairs(study)
    yield from _controls(study)
    for at, item in _shown(study):
        yield from _wrongly_expected(study, at, item)


def _pairs(study: StudyParts) -> Iterator[Fault]:
    named = isinstance(study.systems, dict)
    if "pair" in study.kinds and named and len(study.systems) < 2:
        yield "a question about a pair needs at least two systems", "systems"
    if study.pairs == "all":
        return
    if "pair" not in study.kinds:
        yield "no question is about a pair; leave this key out", "pairs"
    for i, pair in enumerate(study.pairs):
        for j, name in enumerate(pair):
            if named and name not in study.systems:
                yield f"there is no system {name!r} under systems: {', '.join(study.systems)}", "pairs", i, j
        if len(set(pair)) < len(pair):
            yield "a system is not compared with itself", "pairs", i
        if set(pair) in [set(before) for before in study.pairs[:i]]:
            yield "this pair is there twice", "pairs", i


def _controls(study: StudyParts) -> Iterator[Fault]:
    for where in ("attention", "gold"):
        part = getattr(study, where)
        if part and part.per_rater > len(part.items):
            n = len(part.items)
            yield (
                f"expected at most as many as there are items ({n}); add some, or lower it",
                where,
                "per_rater",
            )
    practice = study.practice
    if practice and practice.screen_out and practice.max_failures >= len(practice.items):
        yield "nobody could get more than that wrong; lower it, or say screen_out: false", *_MAX_FAILURES
    if study.duplicates and study.quota is not None and study.duplicates.min_gap >= study.quota:
        yield f"no item comes that much later with a quota of {study.quota}", "duplicates", "min_gap"
    if study.damaged:
        needed = "likert" if study.kinds[0] == "rating" else "pairwise"
        if all(question.kind != needed for question in study.questions):
            yield f"only a {needed} question could tell a damaged response here, and there is none", "damaged"


def _doubles(study: StudyParts) -> Iterator[Fault]:
    for where, names in (
        ("questions", [question.name for question in study.questions]),
        ("demographics", [field.name for field in study.demographics]),
    ):
        for i, name in enumerate(names):
            if name in names[:i]:
                yield f"{name!r} is there twice", where, i, "name"


def _people(study: StudyParts) -> Iterator[Fault]:
    if study.platform != "lab" and study.consent is None:
        yield f"this key is missing: on platform {study.platform} raters agree to something first", "consent"
    if study.platform == "prolific":
        for code in ("done", "screened_out", "problem"):
            if getattr(study.completion, code) is None:
                yield "this key is missing: Prolific needs a code for it", "completion", code
    n_checks = sum(
        part.per_rater for part in (study.attention, study.gold, study.duplicates, study.damaged) if part
    )
    if study.quota is not None and n_checks > study.quota:
        yield f"expected at least as many items as there are checks among them ({n_checks})", "quota"


def _shown(study: StudyParts) -> Iterator[tuple[tuple[str | int, ...], ShownItem]]:
    """Every item that the file itself holds, and where it stands."""
    for i, example in enumerate(study.examples):
        yield ("examples", i), example
    for where in ("practice", "attention", "gold"):
        part = getattr(study, where)
        for i, item in enumerate(part.items if part else ()):
            yield (where, "items", i), item


def _wrongly_expected(study: StudyParts, at: tuple[str | int, ...], item: ShownItem) -> Iterator[Fault]:
    questions = {question.name: question for question in study.asked_about(item.kind)}
    if not questions:
        one = item.kind == "rating"
        yield f"no question is about {'one response' if one else 'a pair'}", *at
        return
    for name, answers in item.expected.items():
        place: tuple[str | int, ...] = (*at, "expected", name)
        if name not in questions:
            known = ", ".join(questions)
            yield f"no question about what this item shows has this name; there are {known}", *place
            continue
        for i, answer in enumerate(answers if isinstance(answers, tuple) else (answers,)):
            where = (*place, i) if isinstance(answers, tuple) else place
            try:
                questions[name].parse(answer)
            except RejectedJudgment:
                yield f"{answer!r} is no answer to this question", *where
