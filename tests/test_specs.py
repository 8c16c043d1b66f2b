"""Text forms: text → object → text, whatever the values hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empeval.errors import InputError, UnknownName
from empeval.specs import build, format_spec, parse_spec, split_specs


@dataclass(frozen=True)
class Thing:
    """One field of each kind."""

    text: str = "plain"
    count: int = 1
    share: float = 0.5
    exact: bool = False
    kind: Literal["a", "b", 3] = "a"
    limit: int | None = None


THINGS = st.builds(
    Thing,
    text=st.text(max_size=8) | st.sampled_from(['a"b', "a\\", '\\"', "a,b)(=", " a ", "", "None", "x(y=1)"]),
    count=st.integers(),
    share=st.floats(allow_nan=False),
    exact=st.booleans(),
    kind=st.sampled_from(["a", "b", 3]),
    limit=st.none() | st.integers(),
)


def made(text: str) -> Thing:
    """The object of a text form."""
    name, fields = parse_spec(text)
    return build("thing", name, Thing, fields)


@given(THINGS)
def test_object_to_text_to_object(thing) -> None:
    """The identity, also for quotes, commas, blanks and backslashes."""
    text = format_spec("thing", thing)
    assert thing == made(text)
    assert text == format_spec("thing", made(text))


@given(st.lists(THINGS, max_size=4))
def test_a_list_is_cut_where_one_text_ends(things) -> None:
    """At the commas outside parentheses and quotes, and nowhere else."""
    texts = [format_spec("thing", thing) for thing in things]
    assert texts == split_specs(",".join(texts))
    assert texts == split_specs(" , ".join(texts) + ",")


@given(THINGS, st.randoms(use_true_random=False))
def test_the_order_of_fields_does_not_matter(thing, random) -> None:
    """The text is canonical: fields in the order of the class, defaults left out."""
    name, fields = parse_spec(format_spec("thing", thing))
    items = list(fields.items())
    random.shuffle(items)
    assert thing == build("thing", name, Thing, dict(items))


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (Thing(), "thing"),
        (Thing(limit=3, count=2), "thing(count=2,limit=3)"),
        (Thing(text="a b"), 'thing(text="a b")'),
        (Thing(text='say "a\\b"'), 'thing(text="say \\"a\\\\b\\"")'),
        (Thing(text=""), 'thing(text="")'),
        (Thing(exact=True, kind=3), "thing(exact=True,kind=3)"),
    ],
)
def test_canonical_texts(thing, text) -> None:
    """By hand."""
    assert text == format_spec("thing", thing)
    assert thing == made(text)


@pytest.mark.parametrize(
    "text",
    [
        "thing()",
        " thing () ",
        "thing( count = 1 )",
        "thing(count=1,)",
        'thing(text="plain")',
        "thing(exact=false)",
    ],
)
def test_ways_to_write_the_default(text) -> None:
    """Blanks, a comma at the end, quotes, and true and false in any case."""
    assert Thing() == made(text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "not of the form"),
        ("(a=1)", "not of the form"),
        ("thing(count=1", "not of the form"),
        ("thing count", "not of the form"),
        ("thing)", "not of the form"),
        ("thing(count)", "expected field=value at position 7"),
        ("thing(count=1 share=2)", r"whole number|expected"),
        ("thing(count=1))", r"expected ',' or '\)'"),
        ("thing(count=1,,share=2)", "expected field=value"),
        ('thing(text="a)', r"expected ',' or '\)'"),
        ("thing(text=a=b)", r"expected ',' or '\)'"),
        ("thing(count=1,count=2)", "'count' is given twice"),
        ("thing(count=one)", r"thing\(count=one\): expected a whole number"),
        ("thing(count=1.5)", "expected a whole number"),
        ("thing(share=half)", "expected a number"),
        ("thing(exact=1)", "expected True or False"),
        ("thing(kind=c)", "expected one of a, b, 3"),
        ("thing(limit=few)", "expected a whole number"),
    ],
)
def test_texts_that_make_no_sense(text, complaint) -> None:
    """The message repeats the text and says what was expected."""
    with pytest.raises(InputError, match=complaint):
        made(text)


def test_an_unknown_field_is_guessed() -> None:
    """The nearest field and all of them; a thing without any says so."""
    with pytest.raises(UnknownName, match=r"'cuont'; did you mean 'count'.*exact"):
        made("thing(cuont=1)")

    @dataclass(frozen=True)
    class Bare:
        """No fields."""

    with pytest.raises(InputError, match="'bare' takes no fields, and 'a' was given"):
        build("thing", "bare", Bare, {"a": "1"})
