"""The size, the length and the cost of studies, and what their authors are warned of."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from empeval.records import Notice
from empeval.study.cautions import names_in, study_warnings
from empeval.study.material import Material, StudySegment
from empeval.study.planning import Counts, Plan, counts_of, plan_study, raters_needed
from tests.study.conftest import compare, make_material, make_protocol, rate

PROLIFIC: dict[str, Any] = {
    "platform": "prolific",
    "consent": {"text": "I agree."},
    "completion": {"done": "A", "screened_out": "B", "problem": "C"},
}
TOLD = {"response": "Please answer 2 here.", "expected": {"empathy": 2}}


def plan(counts: Counts | None = None, **keys: Any) -> Plan:
    """A plan of a study of 100 segments and two systems."""
    return plan_study(make_protocol(**keys), counts or Counts(100, 2))


def warned(material: Material | None = None, **keys: Any) -> dict[str, Notice]:
    """The warnings about a study of forty segments, by code."""
    study, shown = make_protocol(**keys), material or make_material(40)
    return {found.code: found for found in study_warnings(study, shown, plan_study(study, shown))}


@pytest.mark.parametrize(
    ("counts", "keys", "expected"),
    [
        # three experts see everything: 4 systems × 100 segments × 3
        (Counts(100, 4), {}, (400, 1200, 400, 3)),
        # a crowd sees one response of a segment: 4 × 3 = 12 raters for one segment alone
        (Counts(100, 4), {"responses_per_segment_per_rater": "one"}, (400, 1200, 100, 12)),
        # 1,200 places in shares of 20
        (Counts(100, 4), {"responses_per_segment_per_rater": "one", "quota": 20}, (400, 1200, 20, 60)),
        # six pairs of four systems
        (Counts(50, 4), {"questions": [compare()]}, (300, 900, 300, 3)),
        # responses alone and in pairs: 3 + 3 showings a segment, two of them a rater
        (
            Counts(10, 3),
            {"questions": [rate(), compare()], "responses_per_segment_per_rater": 2},
            (60, 180, 20, 9),
        ),
        (Counts(100, 2), {"ratings_per_item": 5, "quota": 500}, (200, 1000, 200, 5)),
    ],
)
def test_places_and_raters(counts: Counts, keys: dict[str, Any], expected: tuple[int, ...]) -> None:
    """Showings, slots, items of one rater, and the fewest raters who can fill all."""
    found = plan(counts, **keys)
    assert expected == (found.n_showings, found.n_slots, found.n_main, found.raters_needed)


def test_chosen_pairs_alone_are_planned() -> None:
    """One of the pairs of two systems, named in both orders, is one pair."""
    found = plan(Counts(10, 3), questions=[compare()], pairs=[["Ombrevic", "Tiskarel"]])
    assert (1, 10) == (found.n_pairs, found.n_showings)


def test_nothing_needs_nobody() -> None:
    """No items, or raters without a share."""
    assert 0 == raters_needed(0, n_per_segment=2, n_ratings=3, n_main=5, most=None)
    assert 0 == raters_needed(5, n_per_segment=2, n_ratings=3, n_main=0, most=None)


def test_minutes_are_reading_and_answering() -> None:
    """200 words of dialogue and 100 of a response are 1.5 minutes; 2 s an item and 5 s an answer."""
    counts = Counts(10, 1, words_per_dialogue=200, words_per_response=100)
    found = plan(counts, questions=[rate(), {"kind": "text", "name": "w", "prompt": "Why?"}])
    assert 1.5 + 7 / 60 == pytest.approx(found.minutes_per_item)
    # seven words of instructions
    assert 10 * found.minutes_per_item + 7 / 200 == pytest.approx(found.minutes)


def test_a_pair_shows_two_responses() -> None:
    """Ratings and pairs are weighed by how many there are."""
    counts = Counts(10, 2, words_per_dialogue=0, words_per_response=200)
    found = plan(counts, questions=[rate(), compare()])
    assert (2 * (1 + 7 / 60) + 1 * (2 + 9 / 60)) / 3 == pytest.approx(found.minutes_per_item)


def test_checks_and_practice_take_time() -> None:
    """Two attention checks and a repeat among the items; practice before them."""
    counts = Counts(10, 1, 200, 0)
    plain = plan(counts)
    checked = plan(counts, attention={"items": [TOLD, TOLD]}, duplicates={}, practice={"items": [TOLD]})
    assert 4 == checked.n_checks
    practice = 4 / 200 + 7 / 60
    assert plain.minutes + 3 * plain.minutes_per_item + practice == pytest.approx(checked.minutes)
    form = {"name": "age", "prompt": "Age?", "kind": "number"}
    assert plain.minutes + 0.1 == pytest.approx(plan(counts, demographics=[form]).minutes)


def test_cost_is_pay_and_fee_of_all_raters() -> None:
    """Twelve raters at 3 pounds; a third on top on Prolific; 3 for 15 minutes is 12 an hour."""
    pay = {"amount": 3, "minutes": 15}
    found = plan(Counts(100, 4), pay=pay, responses_per_segment_per_rater="one")
    assert (36, 0, 36, 12, "GBP") == (found.pay, found.fee, found.cost, found.pay_per_hour, found.currency)
    crowd = plan(Counts(100, 4), pay=pay, **PROLIFIC)
    assert (36, 12, 48) == tuple(pytest.approx(value) for value in (crowd.pay, crowd.fee, crowd.cost))
    assert (None, None, None) == (plan().cost, plan().pay_per_hour, plan().currency)
    estimated = plan(pay={"amount": 3})
    assert 180 / estimated.minutes == pytest.approx(estimated.pay_per_hour)


def test_counts_are_means_over_the_material() -> None:
    """Dialogues of 3 and 1 words, responses of 2, 0, 1 and 1."""
    segments = (StudySegment("a", "a", ("one two", "three")), StudySegment("b", "b", ("one",)))
    material = Material(("x", "y"), segments, (("one two", ""), ("one", "one")))
    assert Counts(2, 2, 2.0, 1.0) == counts_of(material)


def test_a_sound_study_has_no_warnings() -> None:
    """Forty items, three raters, in a laboratory."""
    assert {} == warned()


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("I am Ombrevic.", "Ombrevic", True),
        ("ask ombrevic's maker", "Ombrevic", True),
        ("I am empdg", "Emp-DG", True),
        ("Emp DG here", "Emp_DG", True),
        ("i am here", "IAM", False),
        ("such warmth", "warm", False),
        ("rewarm it", "warm", False),
        ("C++ (really)", "c++", True),
        ("anything", "***", False),
    ],
)
def test_a_name_is_found_as_a_word(text: str, name: str, expected: bool) -> None:
    """Whatever its case and the signs within it."""
    assert expected == names_in(text, name)


def test_texts_are_looked_at() -> None:
    """Names, empty responses, equal responses of a pair, and what should be shown and is not there."""
    material = make_material(40)
    own = list(material.responses[0])
    own[3], own[4], own[5] = "I am OMBREVIC!", " ", material.responses[1][5] + " "
    material = replace(material, responses=(tuple(own), material.responses[1]))
    found = warned(material, questions=[compare()], presentation={"situation": True, "emotion": True})
    assert {
        "names_itself": ("s003",),
        "empty_response": ("s004",),
        "identical_responses": ("s005",),
    } == {code: found[code].ids for code in ("names_itself", "empty_response", "identical_responses")}
    assert "1 of 40 responses of Ombrevic hold its name" in found["names_itself"].message
    assert (40, 20) == (found["nothing_to_present"].n, len(found["nothing_to_present"].ids))
    assert "identical_responses" not in warned(material)


@pytest.mark.parametrize(
    ("code", "keys"),
    [
        ("no_agreement", {"ratings_per_item": 1}),
        ("few_raters", {**PROLIFIC, "ratings_per_item": 2}),
        ("quota_out_of_reach", {"quota": 81}),
        ("no_room_for_repeats", {"duplicates": {"min_gap": 80}}),
        ("too_few_raters", {"max_raters": 2}),
        ("no_checks", PROLIFIC),
        ("no_checks", {"platform": "open", "consent": {"text": "I agree."}}),
        ("too_few_checks", {**PROLIFIC, "attention": {"items": [TOLD], "per_rater": 1}}),
        ("gold_rejects_nobody", {**PROLIFIC, "gold": {"items": [TOLD]}}),
        ("practice_tries", {**PROLIFIC, "practice": {"items": [TOLD], "tries": 1}}),
        ("no_pay", PROLIFIC),
        ("low_pay", {"pay": {"amount": 1, "minutes": 10, "minimum_per_hour": 9}}),
        ("longer_than_stated", {"pay": {"amount": 1, "minutes": 2}}),
        (
            "check_without_instruction",
            {**PROLIFIC, "attention": {"items": [{"response": "So sad.", "expected": {"empathy": 1}}] * 2}},
        ),
    ],
)
def test_what_is_warned_of(code: str, keys: dict[str, Any]) -> None:
    """Each with its code, and not in the study without these keys."""
    assert code in warned(**keys)
    assert code not in warned()


def test_few_items() -> None:
    """29 items; 30 are enough."""
    assert "few_items" in warned(make_material(29))
    assert "few_items" not in warned(make_material(30))


def test_the_bound_on_raters_says_what_it_fills() -> None:
    """Two raters and 80 items each, of 240 places."""
    assert "160 can be filled" in warned(max_raters=2)["too_few_raters"].message


def test_checks_that_follow_the_platform_s_rules_are_fine() -> None:
    """Two checks that say the answer, in digits or in the words of the scale; two tries."""
    words = {"response": "Choose the first reply, please.", "responses": None, "expected": {"empathy": 2}}
    assert "check_without_instruction" in warned(**PROLIFIC, attention={"items": [words], "per_rater": 1})
    fine = warned(
        **PROLIFIC,
        attention={"items": [TOLD, TOLD]},
        practice={"items": [TOLD]},
        pay={"amount": 3, "minutes": 20, "minimum_per_hour": 9},
    )
    assert {} == fine
    pair = {"responses": ["Pick the second reply.", "Oh."], "expected": {"overall": "second"}}
    quick = warned(**PROLIFIC, questions=[compare()], attention={"items": [pair, pair]})
    assert "check_without_instruction" not in quick


def test_every_warning_is_explained() -> None:
    """Each code that the module can give stands in the page on studies."""
    root = Path(__file__).resolve().parents[2]
    source = (root / "empeval/study/cautions.py").read_text(encoding="utf-8")
    codes = set(re.findall(r'_?[Nn]otice\(\s*"([a-z_]+)"', source))
    page = (root / "docs/studies.md").read_text(encoding="utf-8")
    assert 17 <= len(codes)
    assert [] == [code for code in sorted(codes) if f"`{code}`" not in page]
