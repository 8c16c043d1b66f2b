"""Every kind of question: what it draws is what it takes, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.errors import RejectedJudgment
from empeval.study.questions import QUESTIONS, Question, parse_answers

#: A small question of each kind; a new kind adds its keys here.
KEYS: dict[str, dict[str, Any]] = {
    "likert": {"scale": {"low": 1, "high": 5, "anchors": {1: "not at all", 5: "very much"}}},
    "pairwise": {"neither": True},
    "categorical": {"options": {"ask": "It asks", "tell": "It tells"}},
    "text": {"required": True},
}
LEVELS = {"nominal", "ordinal", "interval", "text"}


def make(kind: str, **keys: Any) -> Question:
    """A question of a kind."""
    mapping = {"kind": kind, "name": "warmth", "prompt": "How warm?", **KEYS[kind], **keys}
    return QUESTIONS[kind].model_validate(mapping)


kinds = pytest.mark.parametrize("kind", QUESTIONS.names())


def test_every_kind_is_tested() -> None:
    """A kind that is registered has an example above."""
    assert set(KEYS) == set(QUESTIONS.names())


@kinds
def test_every_choice_is_an_answer(kind: str) -> None:
    """What a rater can pick is taken, comes back as the same text, and is taken again."""
    question = make(kind)
    control = question.control()
    assert ("warmth", kind, "How warm?") == (control.name, control.kind, control.prompt)
    assert bool(control.choices) == (control.max_length is None)
    for choice in control.choices:
        answer = question.parse(choice.value)
        assert choice.value == str(answer)
        assert answer == question.parse(answer)
    assert question.level in LEVELS
    assert (question.n_systems == 2) == (question.about == "pair")


@kinds
def test_keys_differ_and_are_single_digits(kind: str) -> None:
    """A key picks one option; with too many options there are none."""
    keys = [choice.key for choice in make(kind).control().choices]
    assert len(set(keys)) == len(keys)
    assert all(key is not None and len(key) == 1 and key.isdigit() for key in keys)


@kinds
@pytest.mark.parametrize(
    "answer",
    [None, "", "   ", True, 3.5, pytest.param(10**5000, id="huge"), ["1"], {"value": 1}, "x" * 20_001],
)
def test_what_no_form_sends_is_refused_in_words(kind: str, answer: object) -> None:
    """Forged values give a sentence, and never another error."""
    with pytest.raises(RejectedJudgment, match=r"How warm\?"):
        make(kind).parse(answer)


@kinds
@given(answer=st.one_of(st.text(max_size=30), st.integers(), st.floats(), st.booleans(), st.none()))
def test_any_value_is_taken_or_refused(kind: str, answer: object) -> None:
    """What is taken can be written as UTF-8 and holds no NUL."""
    try:
        taken = make(kind).parse(answer)
    except RejectedJudgment:
        return
    assert "\0" not in str(taken)
    assert str(taken).encode()


@kinds
def test_questions_survive_json(kind: str) -> None:
    """Written with a study, and read back."""
    question = make(kind)
    assert question == QUESTIONS[kind].model_validate(question.model_dump())


def test_likert_takes_points_of_its_scale_alone() -> None:
    """Whole numbers, as digits or as numbers; no key where a digit does not say which."""
    question = make("likert")
    assert [1, 5, 3] == [question.parse(answer) for answer in ("1", 5, " 3 ")]
    for answer in (0, 6, "3.0", "+3", "03", "٣", "-1"):
        with pytest.raises(RejectedJudgment):
            question.parse(answer)
    wide = make("likert", scale={"low": 0, "high": 10})
    assert {None} == {choice.key for choice in wide.control().choices}
    assert -2 == make("likert", scale={"low": -3, "high": 3}).parse("-2")
    assert "interval" == make("likert", scale={"low": 0, "high": 9, "measurement": "interval"}).level


def test_pairwise_takes_the_options_that_it_offers() -> None:
    """A tie and "neither" only where the study has them, in the study's words."""
    plain = make("pairwise", tie=False, neither=False, option_texts={"first": "Reply 1"})
    assert ["first", "second"] == [choice.value for choice in plain.control().choices]
    assert "Reply 1" == plain.control().choices[0].label
    for answer in ("tie", "neither", "A", "1"):
        with pytest.raises(RejectedJudgment):
            plain.parse(answer)
    with pytest.raises(ValueError, match="not one of the options"):
        make("pairwise", tie=False, option_texts={"tie": "Both"})
    with pytest.raises(ValueError, match="about a pair"):
        make("pairwise", about="response")


def test_many_categories_have_no_keys() -> None:
    """Ten options and nine digits."""
    question = make("categorical", options={f"o{i}": f"Option {i}" for i in range(10)})
    assert {None} == {choice.key for choice in question.control().choices}
    assert "ordinal" == make("categorical", measurement="ordinal").level


def test_text_is_kept_as_it_is() -> None:
    """Blanks, markup and emoji too; NUL and half a character become the sign for a damaged one."""
    question = make("text")
    assert " <b>*x*</b> 🙂\n" == question.parse(" <b>*x*</b> 🙂\n")
    assert "a\ufffdb\ufffd" == question.parse("a\0b\ud800")


def test_answers_are_parsed_together() -> None:
    """What is required, what was not asked, and what is wrong, by question."""
    questions = [
        make("likert"),
        make("text", name="why", required=False),
        make("pairwise", name="overall"),
    ]
    parsed, problems = parse_answers(questions, {"warmth": "4", "why": " ", "overall": "x", "colour": "red"})
    assert {"warmth": 4} == parsed
    assert ["colour", "overall"] == list(problems)
    assert "This was not asked." == problems["colour"]
    assert ({}, {"warmth": "Please answer: How warm?"}) == parse_answers(questions[:2], {})
