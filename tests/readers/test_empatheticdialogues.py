from __future__ import annotations

import pytest

from empeval.errors import InputError
from empeval.readers import read, read_corpus


def test_listener_turns_become_segments(examples, write):
    """Contexts are all turns before, oldest first; quotation marks mean nothing; commas come back."""
    table = read_corpus(write("test.csv", examples["empatheticdialogues"]))
    assert {
        "id": ["hit:0_conv:1:2", "hit:0_conv:1:4", "hit:3_conv:7:2"],
        "dialogue_id": ["hit:0_conv:1", "hit:0_conv:1", "hit:3_conv:7"],
        "context": [
            ("I baked bread, and it rose!",),
            ("I baked bread, and it rose!", '"Did it taste good?', "It did, yes."),
            ("Nobody called today.",),
        ],
        "references": [('"Did it taste good?',), ("Save me a slice, please.",), ("That is hard.",)],
        "emotion": ["proud", "proud", "lonely"],
        "prompt": ["I baked bread, my first", "I baked bread, my first", "Nobody called"],
    } == table.columns
    assert ([3, 5, 7], ()) == (list(table.lines), table.notices)


def test_a_window_of_turns(examples, write):
    """The last turns of a context; the text form of the reader says so."""
    path = write("test.csv", examples["empatheticdialogues"])
    table = read_corpus(path, reader="empatheticdialogues(max_turns=2)")
    assert [1, 2, 1] == [len(context) for context in table.columns["context"]]
    assert ('"Did it taste good?', "It did, yes.") == table.columns["context"][1]
    assert "empatheticdialogues(max_turns=2)" == table.reader
    with pytest.raises(InputError, match="1 or above"):
        read_corpus(path, reader="empatheticdialogues(max_turns=0)")


def test_it_is_a_corpus_and_no_system(examples, write):
    """The message says how to give it."""
    with pytest.raises(InputError, match="give it as --corpus"):
        read([write("test.csv", examples["empatheticdialogues"])])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("It did_comma_ yes.", "It did, yes, sir.", "line 4: 10 columns, expected 8"),
        (",5|5|5_4|4|4,\n", "\n", "line 2: 6 columns, expected 8"),
        ("hit:0_conv:1,3,", "hit:0_conv:1,three,", "line 4: expected .* found 'hit:0_conv:1' and 'three'"),
        ("hit:0_conv:1,3,", "hit:0_conv:1,\u00b2,", "line 4: expected a conversation"),
        ("hit:0_conv:1,3,", ",3,", "line 4: expected a conversation"),
        ("hit:0_conv:1,4,", "hit:0_conv:1,2,", "line 5: turn 2 .* follows turn 3"),
        ("hit:0_conv:1,3,", "hit:9_conv:9,3,", "line 5: the conversation 'hit:0_conv:1' goes on"),
    ],
)
def test_a_wrong_line_is_named(examples, write, old, new, message):
    """Columns and turns are checked line by line."""
    content = examples["empatheticdialogues"].decode().replace(old, new, 1)
    with pytest.raises(InputError, match=message):
        read_corpus(write("test.csv", content))


def test_missing_turns_are_noted(examples, write):
    """Contexts hold the turns that are there."""
    lines = examples["empatheticdialogues"].decode().splitlines(keepends=True)
    table = read_corpus(write("test.csv", "".join(lines[:3] + lines[4:]).rstrip("\n")))
    assert ["maybe_truncated", "missing_turns"] == [notice.code for notice in table.notices]
    assert (1, ("hit:0_conv:1",)) == (table.notices[1].n, table.notices[1].ids)
    assert 2 == len(table.columns["context"][1])


def test_a_release_without_listener_turns(examples, write):
    """There is nothing to respond to."""
    lines = examples["empatheticdialogues"].decode().splitlines(keepends=True)
    with pytest.raises(InputError, match="no listener turns"):
        read_corpus(write("test.csv", "".join(lines[:2])))
    with pytest.raises(InputError, match="line 1: expected the header"):
        read_corpus(write("test.csv", "".join(lines[1:])), reader="empatheticdialogues")
