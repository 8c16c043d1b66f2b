"""What the parts of a study file must be to each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from empeval.errors import RejectedJudgment

if TYPE_CHECKING:
    from empeval.study.protocol.controls import ShownItem
    from empeval.study.protocol.model import StudyParts

__all__ = ["Fault", "faults"]

#: A message, and the path of what it is about.
Fault = tuple[str, *tuple[str | int, ...]]


def faults(study: StudyParts) -> Iterator[Fault]:
    """Everything that does not fit together, in the order of the file."""
    yield from _doubles(study)
    yield from _people(study)
    if study.lease_cap_minutes < study.lease_minutes:
        yield f"expected at least lease_minutes ({study.lease_minutes:g})", "lease_cap_minutes"
    if isinstance(study.systems, dict) and study.pairs != "all":
        for i, pair in enumerate(study.pairs):
            for j, name in enumerate(pair):
                if name not in study.systems:
                    yield f"there is no system {name!r} under systems", "pairs", i, j
    for i, pair in enumerate(study.pairs if study.pairs != "all" else ()):
        if len(set(pair)) < len(pair):
            yield "a system is not compared with itself", "pairs", i
    for at, item in _shown(study):
        yield from _wrongly_expected(study, at, item)


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
        if name not in questions:
            yield (
                f"there is no such question about what this item shows: {', '.join(questions)}",
                *at,
                "expected",
                name,
            )
            continue
        for answer in answers if isinstance(answers, tuple) else (answers,):
            try:
                questions[name].parse(answer)
            except RejectedJudgment:
                yield f"{answer!r} is no answer to this question", *at, "expected", name
