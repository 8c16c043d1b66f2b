"""Registries: one door for everything that can be named."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from empeval.errors import InputError, UnknownName
from empeval.metrics import METRICS
from empeval.registry import Registry
from empeval.tokenizers import TOKENIZERS


@dataclass(frozen=True)
class Colour:
    """A thing to register."""

    shade: int = 0
    name: str = "plain"


@pytest.fixture
def colours() -> Registry[type[Colour]]:
    """A registry with two names for one thing."""
    registry: Registry[type[Colour]] = Registry("colour")
    registry.register("red")(registry.register("crimson")(Colour))
    return registry


def test_names_and_things(colours) -> None:
    """Sorted by name; membership and look-up by name."""
    assert ["crimson", "red"] == colours.names()
    assert [("crimson", Colour), ("red", Colour)] == list(colours.items())
    assert Colour is colours["red"]
    assert "red" in colours
    assert "green" not in colours


def test_a_value_from_text(colours) -> None:
    """Fields have the types of the class."""
    assert Colour(3, "deep, dark") == colours.create('red( shade = 3 , name = "deep, dark" )')
    assert Colour() == colours.create("red")
    assert Colour() == colours.create("red()")


def test_an_unknown_name_is_guessed(colours) -> None:
    """For look-up and for making a value alike."""
    with pytest.raises(UnknownName, match="no colour 'rad'; did you mean 'red'"):
        colours["rad"]
    with pytest.raises(UnknownName, match="no colour 'rad'; did you mean 'red'"):
        colours.create("rad(shade=1)")
    with pytest.raises(UnknownName, match="'shad'; did you mean 'shade'"):
        colours.create("red(shad=1)")
    with pytest.raises(InputError, match="whole number"):
        colours.create("red(shade=deep)")


def test_two_things_of_one_name_are_a_mistake(colours) -> None:
    """The second is refused, and the first stays."""
    with pytest.raises(ValueError, match="two colours are named 'red'"):
        colours.register("red")(int)
    assert Colour is colours["red"]


def test_a_decorated_thing_stays_what_it_is(colours) -> None:
    """The decorator returns it."""
    assert Colour is colours.register("blue")(Colour)


def test_folders_are_scanned_when_a_name_is_asked_for() -> None:
    """What stands in the folders is registered, each metric under its own name."""
    assert {"bleu", "distinct", "length", "perplexity", "emotion_accuracy"} <= set(METRICS.names())
    assert {"13a", "none", "whitespace", "nltk", "treebank", "ed", "intl", "char"} == set(TOKENIZERS.names())
    assert all(name == cls.name for name, cls in METRICS.items())
