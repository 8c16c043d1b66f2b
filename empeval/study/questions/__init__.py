"""What raters are asked: one kind of question a file, entered into `QUESTIONS`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from empeval.errors import RejectedJudgment
from empeval.study.questions.base import QUESTIONS, Answer, Choice, Control, Question, storable

__all__ = ["QUESTIONS", "Answer", "Choice", "Control", "Question", "parse_answers", "storable"]


def parse_answers(
    questions: Iterable[Question], values: Mapping[str, object]
) -> tuple[dict[str, Answer], dict[str, str]]:
    """The answers as they are stored, and what is wrong with the others, by the question's name.

    An answer that is blank is none; a question that requires one complains, and so does an answer to a
    question that was not asked.

    >>> from empeval.study.questions.text import TextQuestion
    >>> why = TextQuestion(kind="text", name="why", prompt="Why?", required=True)
    >>> parse_answers([why], {"why": " "})
    ({}, {'why': 'Please answer: Why?'})
    """
    parsed: dict[str, Answer] = {}
    problems: dict[str, str] = {}
    asked = {question.name: question for question in questions}
    for name in values:
        if name not in asked:
            problems[str(name)[:100]] = "This was not asked."
    for name, question in asked.items():
        value = values.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            if question.required:
                problems[name] = f"Please answer: {question.prompt}"
            continue
        try:
            parsed[name] = question.parse(value)
        except RejectedJudgment as problem:
            problems[name] = str(problem)
    return parsed, problems
