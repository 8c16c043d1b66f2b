"""The exception tree, and what its messages say."""

from __future__ import annotations

import pickle

import pytest

from empeval import errors
from empeval.errors import AlignmentError, EmpevalError, InputError, MissingExtra, ProtocolError, UnknownName


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("UnknownName", LookupError),
        ("InputError", ValueError),
        ("AlignmentError", InputError),
        ("ProtocolError", InputError),
        ("InsufficientData", ValueError),
        ("IncomparableScores", ValueError),
        ("RejectedJudgment", ValueError),
        ("MissingExtra", ImportError),
    ],
)
def test_the_tree(name, base) -> None:
    """Each is an EmpevalError and the built-in error that it is nearest to."""
    assert issubclass(getattr(errors, name), (EmpevalError, base))
    assert issubclass(getattr(errors, name), base)
    assert name in errors.__all__


def test_an_unknown_name_lists_what_is_known() -> None:
    """Sorted, with the nearest one first, or without a guess where nothing is near."""
    near = UnknownName("metric", "distnct", ["length", "distinct"])
    assert "there is no metric 'distnct'; did you mean 'distinct'? Known: distinct, length" == str(near)
    assert ("metric", "distnct", ["distinct", "length"]) == (near.kind, near.name, near.known)
    assert "there is no metric 'xyz'. Known: length" == str(UnknownName("metric", "xyz", ["length"]))


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ({}, "wrong"),
        ({"source": "a.csv"}, "a.csv: wrong"),
        ({"source": "a.csv", "line": 3}, "a.csv, line 3: wrong"),
        ({"source": "a.csv", "line": 0, "segment_id": ""}, "a.csv, line 0, id '': wrong"),
        ({"segment_id": "7"}, "id '7': wrong"),
    ],
)
def test_an_input_error_says_where(place, expected) -> None:
    """File, line and id, as far as they are known."""
    for kind in (InputError, AlignmentError):
        assert expected == str(kind("wrong", **place))


def test_a_protocol_error_says_which_key() -> None:
    """File, key path and line."""
    assert "cem.yaml, metrics[2].n, line 7: wrong" == str(
        ProtocolError("wrong", source="cem.yaml", key="metrics[2].n", line=7)
    )


def test_a_missing_extra_says_what_to_type() -> None:
    """The command that installs it."""
    found = MissingExtra("torch", "bertscore")
    assert "'torch' is not installed; install it with: pip install 'empeval[bertscore]'" == str(found)


@pytest.mark.parametrize(
    "error",
    [
        InputError("wrong", source="a.csv", line=3),
        ProtocolError("wrong", source="cem.yaml", key="metrics[2].n"),
        UnknownName("metric", "blue", ["bleu"]),
        MissingExtra("torch", "bertscore"),
    ],
)
def test_errors_travel_between_processes(error) -> None:
    """A worker's error is pickled on its way: message and details arrive."""
    back = pickle.loads(pickle.dumps(error))
    assert str(error) == str(back)
    assert vars(error) == vars(back)
