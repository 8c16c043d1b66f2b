"""Study files: what they may hold, what they take over, and that every fault is named where it stands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval import protocols
from empeval.errors import ProtocolError
from empeval.study.protocol import StudyProtocol, check_study, load_study, study_from
from tests.study.conftest import compare, make_protocol, rate

Write = Callable[..., Path]

SMALL = """\
id: small
title: Replies
systems: {A: a.jsonl, B: b.jsonl}
instructions: Read, then rate.
questions:
  - {kind: likert, name: empathy, prompt: How warm?, scale: {low: 1, high: 5, anchors: {1: no, 5: yes}}}
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a study file."""

    def written(text: str = SMALL, name: str = "study.yaml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return written


def faults_of(path: Path) -> dict[str, str]:
    """What is wrong with a file, by key path, without the file's name."""
    study, faults = check_study(path)
    assert (study is None) == bool(faults)
    assert all(fault.source == str(path) for fault in faults)
    return {str(fault.key): str(fault).split(": ", 1)[1] for fault in faults}


def wrong(**keys: Any) -> str:
    """The message of a study that is wrong."""
    with pytest.raises(ProtocolError) as raised:
        make_protocol(**keys)
    return str(raised.value).removeprefix("the study, ")


def test_a_small_file_is_enough(write: Write) -> None:
    """Six keys; the rest has defaults."""
    study = load_study(write())
    assert ("small", 1, 3, "lab") == (study.id, study.version, study.ratings_per_item, study.platform)
    assert (("rating",), None) == (study.kinds, study.max_responses_per_segment)
    assert "all" == study.sampling.method


def test_crowds_see_one_response_of_a_segment() -> None:
    """Unless the file says otherwise; laboratories see all."""
    terms = {"platform": "open", "consent": {"text": "I agree."}}
    assert 1 == make_protocol(**terms).max_responses_per_segment
    assert make_protocol(**terms, responses_per_segment_per_rater="all").max_responses_per_segment is None
    assert 2 == make_protocol(**terms, responses_per_segment_per_rater=2).max_responses_per_segment


def test_every_fault_is_named_with_file_and_key_path(write: Write) -> None:
    """Wrong keys, wrong values and what does not fit together, in one go and in the order of the keys."""
    path = write(
        SMALL.replace("id: small", "id: Not A Slug").replace("low: 1, high: 5", "low: 5, high: 1")
        + "quota: 0\nconsent: {txt: hello, verion: '2'}\ncolour: red\n"
        "lease_minutes: 60\nlease_cap_minutes: 5\n"
        "platform: prolific\nsampling: {method: random}\nseed: 1.5\n"
    )
    found = faults_of(path)
    assert {
        "id",
        "quota",
        "consent.txt",
        "consent.verion",
        "consent.text",
        "colour",
        "lease_cap_minutes",
        "sampling.n",
        "seed",
        "questions[0].scale.high",
        "completion.done",
        "completion.screened_out",
        "completion.problem",
    } == set(found)
    assert "did you mean 'text'" in found["consent.txt"]
    assert "did you mean 'version'" in found["consent.verion"]
    assert "expected at least lease_minutes (60)" == found["lease_cap_minutes"]
    assert "expected a whole number, found 1.5" == found["seed"]


def test_one_message_holds_all_faults(write: Write) -> None:
    """A line each, below the name of the file."""
    path = write(SMALL + "quota: 0\nseed: -1\n")
    with pytest.raises(ProtocolError) as raised:
        load_study(path)
    expected = (
        f"{path}: 2 faults:\n"
        "  seed: expected a number from 0 on, found -1\n"
        "  quota: expected a number from 1 on, found 0"
    )
    assert expected == str(raised.value)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"systems": 5}, "systems: expected a mapping of keys to values or a list, found 5"),
        ({"systems": {"A": 5}}, "systems.A: expected text, found 5; put it in quotes"),
        ({"systems": {"A=": "a"}}, "systems['A=']: a system's name holds no '=', and no blank at its ends"),
        ({"pairs": "some"}, "pairs: expected 'all' or a list, found 'some'"),
        ({"pairs": [["A"]], "questions": [compare()]}, "pairs[0]: expected at least 2 of them, found a list"),
        ({"pairs": [["A", "A"]], "questions": [compare()]}, "pairs[0]: a system is not compared with itself"),
        (
            {"pairs": [["A", "B"], ["B", "A"]], "questions": [compare()]},
            "pairs[1]: this pair is there twice",
        ),
        (
            {"pairs": [["A", "C"]], "systems": {"A": "a", "B": "b"}, "questions": [compare()]},
            "pairs[0][1]: there is no system 'C' under systems: A, B",
        ),
        ({"pairs": [["A", "B"]]}, "pairs: no question is about a pair; leave this key out"),
        (
            {"systems": {"A": "a"}, "questions": [compare()]},
            "systems: a question about a pair needs at least",
        ),
        ({"responses_per_segment_per_rater": "two"}, "responses_per_segment_per_rater: expected 'all' or"),
        (
            {"responses_per_segment_per_rater": 0},
            "responses_per_segment_per_rater: expected a number from 1 on",
        ),
        ({"questions": []}, "questions: expected at least 1 of them, found a list of 0"),
        (
            {"questions": [{"name": "a"}]},
            "questions[0].kind: this key is missing: one of categorical, likert",
        ),
        ({"questions": [{"kind": "likrt"}]}, "questions[0].kind: there is no question 'likrt'; did you mean"),
        ({"questions": ["warm"]}, "questions[0]: expected a mapping of keys to values"),
        ({"questions": [rate(), rate()]}, "questions[1].name: 'empathy' is there twice"),
        ({"questions": [rate() | {"scal": 1}]}, "questions[0].scal: unknown key; did you mean 'scale'?"),
        ({"platform": "open"}, "consent: this key is missing: on platform open raters agree"),
        ({"demographics": [{"name": "age", "prompt": "Age?"}]}, "demographics[0].options: a field of kind"),
        (
            {"demographics": [{"name": "a", "prompt": "A?", "options": ["x", "x"]}]},
            "demographics[0].options: an option is there twice",
        ),
        ({"completion": {"url": "https://x.org"}}, "completion.url: expected an address with {code} in it"),
        (
            {"completion": {"url": "javascript:{code}"}},
            "completion.url: expected an address that starts with",
        ),
        ({"completion": {"done": "A", "problem": "A"}}, "completion.screened_out: done, screened_out and"),
        ({"duplicates": {"min_gap": 5}, "quota": 5}, "duplicates.min_gap: no item comes that much later"),
        (
            {"duplicates": {"per_rater": 3, "min_gap": 1}, "quota": 2},
            "quota: expected at least as many items",
        ),
        (
            {"damaged": {}, "questions": [{"kind": "text", "name": "w", "prompt": "Why?"}]},
            "damaged: only a likert question could tell a damaged response here",
        ),
        ({"sampling": {"method": "all", "n": 3}}, "sampling.n: with method: all, every item is judged"),
        ({"skip": {"allowed": "yes"}}, "skip.allowed: expected true or false, found 'yes'"),
        ({"pay": {"amount": 3, "currency": "pounds"}}, "pay.currency: expected a text like"),
    ],
)
def test_what_is_refused(keys: dict[str, Any], expected: str) -> None:
    """One sentence each, at the key that is wrong."""
    assert wrong(**keys).startswith(expected)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"response": "a", "expected": {"empathy": 9}}, ".expected.empathy: 9 is no answer to this question"),
        ({"response": "a", "expected": {"empathy": [1, 9]}}, ".expected.empathy[1]: 9 is no answer"),
        ({"response": "a", "expected": {"empathy": []}}, ".expected.empathy: expected at least 1 of them"),
        (
            {"response": "a", "expected": {"empathy": 1.5}},
            ".expected.empathy: expected text or a whole number",
        ),
        ({"response": "a", "expected": {"warmth": 1}}, ".expected.warmth: no question about what this item"),
        (
            {"response": "a", "responses": ["a", "b"], "expected": {"empathy": 1}},
            ".response: expected response",
        ),
        ({"expected": {"empathy": 1}}, ".response: expected response (one) or responses (two)"),
        ({"responses": ["a", "b"], "expected": {"empathy": 1}}, ": no question is about a pair"),
    ],
)
@pytest.mark.parametrize("where", ["practice", "attention", "gold"])
def test_items_of_the_file_fit_the_questions(where: str, item: dict[str, Any], expected: str) -> None:
    """What is expected of them is an answer that can be given."""
    keys: dict[str, Any] = {"items": [item]}
    if where != "practice":
        keys["per_rater"] = 1
    assert wrong(**{where: keys}).startswith(f"{where}.items[0]{expected}")


def test_examples_are_checked_as_well() -> None:
    """They stand in a list of their own."""
    example = {"response": "a", "expected": {"empathy": 0}, "explanation": "Cold."}
    assert wrong(examples=[example]).startswith("examples[0].expected.empathy: 0 is no answer")


def test_no_more_checks_than_there_are() -> None:
    """An item is not shown twice as a check, and a bound that nobody can reach is refused."""
    items = [{"response": "Answer 2.", "expected": {"empathy": 2}}]
    assert wrong(attention={"items": items}).startswith("attention.per_rater: expected at most as many")
    assert wrong(gold={"items": items, "per_rater": 2}).startswith("gold.per_rater: expected at most as many")
    assert wrong(practice={"items": items, "max_failures": 1}).startswith(
        "practice.max_failures: nobody could"
    )
    made = make_protocol(practice={"items": items, "max_failures": 1, "screen_out": False})
    assert made.practice is not None


def test_a_wrong_key_hides_no_fault_elsewhere_and_makes_none_up() -> None:
    """The lease's cap is not compared with a length that is wrong, nor items with questions that are."""
    items = {"items": [{"response": "a", "expected": {"warmth": 1}}]}
    message = wrong(lease_minutes="long", lease_cap_minutes=5, questions=[rate() | {"x": 1}], practice=items)
    assert "lease_minutes: expected a number" in message
    assert "lease_cap_minutes" not in message
    assert "practice" not in message


def test_extending_a_study_file_merges_mappings_and_replaces_the_rest(write: Write) -> None:
    """Nothing but the name stays behind."""
    write(SMALL + "sampling: {method: random, n: 5}\nseed: 7\n", "base/study.yaml")
    own = "id: other\nextends: base/study.yaml\nsampling: {n: 3}\nsystems: {C: c.jsonl}\nseed:\n"
    study = load_study(write(own, "own.yaml"))
    assert ("other", 3, "random", 0) == (study.id, study.sampling.n, study.sampling.method, study.seed)
    assert ["A", "B", "C"] == list(study.systems)


def test_a_fault_names_the_file_that_holds_it(write: Write) -> None:
    """That may be the one that is extended."""
    base = write(SMALL + "quota: 0\nsampling: {method: random, n: 0}\n", "base.yaml")
    own = write("id: own\nextends: base.yaml\nsampling: {methd: all}\nseed: -1\n", "own.yaml")
    _, faults = check_study(own)
    expected = {
        ("sampling.n", str(base)),
        ("quota", str(base)),
        ("seed", str(own)),
        ("sampling.methd", str(own)),
    }
    assert expected == {(fault.key, fault.source) for fault in faults}


def test_a_file_that_extends_nothing_readable_is_checked_all_the_same(write: Write) -> None:
    """What is missing could stand in the other file; what is wrong is wrong."""
    path = write("id: x\nextends: nobody\nseed: -1\n")
    assert {"extends", "seed"} == set(faults_of(path))
    path = write("id: x\nextends: gone.yaml\n")
    assert "there is no file" in faults_of(path)["extends"]


def test_circles_are_refused(write: Write) -> None:
    """A file that extends itself by way of another."""
    write("id: b\nextends: a.yaml\n", "b.yaml")
    _, faults = check_study(write("id: a\nextends: b.yaml\n", "a.yaml"))
    assert "the files extend each other in a circle" in str(faults[0])


def test_files_that_cannot_be_read(write: Write, tmp_path: Path) -> None:
    """Not there, no YAML, no mapping: one fault that says so."""
    assert "there is no such file" in str(check_study(tmp_path / "no.yaml")[1][0])
    assert "line 2" in str(check_study(write("a: 1\n b: 2\n"))[1][0])
    assert "expected a mapping" in str(check_study(write("[1]"))[1][0])


@pytest.mark.parametrize("name", protocols.names())
def test_every_protocol_can_be_extended(name: str, write: Write) -> None:
    """Questions, raters and items are taken over from its human part."""
    human = protocols.load(name).human
    path = write(f"id: x\ntitle: T\nextends: {name}\nsystems: {{A: a, B: b}}\ninstructions: Read.\n")
    if human is None:
        assert "has no human part" in faults_of(path)["extends"]
        return
    study = load_study(path)
    rated = [dimension.key for dimension in human.ratings.dimensions] if human.ratings else []
    assert rated == [question.name for question in study.questions if question.kind == "likert"]
    assert (human.preferences is not None) == ("pair" in study.kinds)
    assert study.sampling.n == (human.items.n if human.items.sampling != "all" else None)


def everything() -> StudyProtocol:
    """A study with something under every kind of key."""
    shown = {"context": ["Hi."], "response": "Pick 2.", "expected": {"empathy": [1, 2], "1": "2"}}
    category = {"kind": "categorical", "name": "1", "prompt": "Which?", "options": {"1": "one", "2": "two"}}
    anchored = rate() | {"scale": {"low": -1, "high": 5, "anchors": {-1: "no", 5: "yes"}}}
    return make_protocol(
        questions=[anchored, category, compare(), {"kind": "text", "name": "why", "prompt": "Why?"}],
        practice={"items": [shown]},
        attention={"items": [shown], "per_rater": 1},
        examples=[{"responses": ["a", "b"], "expected": {"overall": "first"}}],
        duplicates={},
        damaged={},
        pairs=[["Ombrevic", "Tiskarel"]],
        columns={"hypothesis": "1"},
        platform="prolific",
        consent={"text": "I agree.", "statements": ["I am an adult."]},
        completion={"done": "A", "screened_out": "B", "problem": "C"},
        pay={"amount": 3, "minutes": 12.5},
    )


def test_a_study_that_was_stored_as_json_is_the_same() -> None:
    """Categories that look like numbers stay text, points of a scale become numbers again."""
    study = everything()
    stored = json.loads(json.dumps(study.model_dump(mode="json", exclude_none=True)))
    assert study == study_from(stored)
    assert study == study_from(study.model_dump(mode="json"))


def paths(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where everything in plain data stands."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [above, *(path for key, one in inner for path in paths(one, (*above, key)))]


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The data with something else at a path."""
    if not path:
        return new
    here = dict(value) if isinstance(value, dict) else list(value)
    here[path[0]] = put(value[path[0]], path[1:], new)
    return here


GARBAGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 10**12),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


@settings(max_examples=50, deadline=None)
@given(data=st.data(), garbage=GARBAGE)
def test_whatever_stands_somewhere_is_taken_or_refused(data: st.DataObject, garbage: Any) -> None:
    """One value that makes no sense gives complaints at its place or at what rests on it, nothing else."""
    stored = json.loads(json.dumps(everything().model_dump(mode="json", exclude_none=True)))
    path = data.draw(st.sampled_from([path for path in paths(stored) if path]))
    message = ""
    try:
        study_from(put(stored, path, garbage))
    except ProtocolError as error:
        message = str(error)
    assert [] == [word for word in ("dict[", "tuple[", "literal[", "constrained") if word in message]
