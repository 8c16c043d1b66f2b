from __future__ import annotations

from collections import Counter

import pytest

from empeval.cohort import join
from empeval.errors import InputError
from empeval.readers import read, read_corpus


def test_dialogues_become_segments(examples, write):
    """The last utterance is the reference and its label the intent; an empty label is neutral."""
    table = read_corpus(write("test.csv", examples["seek_labels"]))
    assert {
        "id": ["70", "71", "72"],
        "context": [
            ("i baked bread , my first",),
            ("i baked bread , my first", "did it rise ?", "it did"),
            ("nobody called",),
        ],
        "references": [("did it rise ?",), ("well done !",), ("that is hard .",)],
        "emotion": ["proud", "proud", "lonely"],
        "response_intent": ["questioning", "neutral", "sympathizing"],
        "utterance_labels": [
            ("proud", "questioning"),
            ("proud", "questioning", "neutral", "neutral"),
            ("lonely", "sympathizing"),
        ],
    } == table.columns
    assert ("seek_labels", None, [2, 4, 8]) == (table.reader, table.system, list(table.lines))


def test_empty_labels_and_other_emotions_are_noted(examples, write):
    """How many, in which dialogues; the label that is not that of the dialogue with its line."""
    path = write("test.csv", examples["seek_labels"])
    empty, other = read_corpus(path).notices
    assert ("empty_labels", 2, ("71",)) == (empty.code, empty.n, empty.ids)
    assert "2 utterances have no label and count as 'neutral'" == empty.message
    assert ("dialogue_emotions_differ", 1, ("71",)) == (other.code, other.n, other.ids)
    assert (
        "1 row states another emotion than the dialogue's other rows, first line 7 (id '71'): "
        "'proudacknowledging'; theirs, 'proud', is used"
    ) == other.message


def test_it_is_a_corpus_and_no_system(examples, write):
    """The message says how to give it."""
    with pytest.raises(InputError, match="give it as --corpus"):
        read([write("test.csv", examples["seek_labels"])])


def test_a_table_with_other_columns_is_no_label_file(write):
    """A header that only resembles it is left to the reader of CSV."""
    table = read_corpus(write("test.csv", "dialogue_id,text,reference,emotion\n7,oh,no,sad\n"))
    assert "csv" == table.reader


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1,70,2,", "1,70,3,", "line 3: expected turn 2 of the dialogue '70', found '3'"),
        ("1,70,2,", "1,70,two,", "line 3: expected a dialogue and the number of its turn"),
        ("1,70,2,", "1,,2,", "line 3: expected a dialogue and the number of its turn"),
        ("1,70,2,", "1,69,1,", "line 2: the dialogue '70' has one utterance"),
        ("7,72,2,", "7,70,1,", "line 8: the dialogue '72' has one utterance"),
        ("6,72,1,", "6,70,1,", "line 8: the dialogue '70' goes on after others"),
        ('"i baked bread , my first"', "i baked bread , my first", "line 2: 7 cells, but the header has 6"),
        ('my first"', "my first", "this row cannot be read"),
        (",proud,proud\n", ",proud\n", "line 2: 5 cells"),
    ],
)
def test_a_wrong_line_is_named(examples, write, old, new, message):
    """Cells and turns are checked row by row."""
    content = examples["seek_labels"].decode().replace(old, new, 1)
    with pytest.raises(InputError, match=message):
        read_corpus(write("test.csv", content))


def test_a_file_without_rows_or_header_is_refused(examples, write):
    """Nothing to respond to, or not this format."""
    lines = examples["seek_labels"].decode().splitlines(keepends=True)
    with pytest.raises(InputError, match="the file holds no dialogues"):
        read_corpus(write("test.csv", lines[0]))
    with pytest.raises(InputError, match="line 1: expected the header ,dialogue_id"):
        read_corpus(write("test.csv", "".join(lines[1:])), reader="seek_labels")


@pytest.fixture(scope="module")
def published(shared):
    """The label file of the test set."""
    return read_corpus(shared / "data/corpus/seek_test.csv")


def test_the_published_file_loads(published):
    """5,255 prefixes of conversations; the commonest intents are those counted in the file."""
    assert 5255 == len(published)
    assert {1: 2542, 3: 2533, 5: 137, 7: 43} == Counter(map(len, published.columns["context"]))
    # 355 responses are labelled neutral, and two have no label
    assert [
        ("questioning", 1502),
        ("acknowledging", 997),
        ("agreeing", 379),
        ("neutral", 357),
        ("sympathizing", 249),
    ] == Counter(published.columns["response_intent"]).most_common(5)


def test_its_empty_labels_and_its_malformed_one_are_reported(published):
    """Five labels are empty; line 581 runs an emotion and an intent together, and 32 emotions are left."""
    empty, other = published.notices
    assert (5, ("40290", "40312", "40313", "44216", "44217")) == (empty.n, empty.ids)
    assert (1, ("40433",)) == (other.n, other.ids)
    assert "line 581 (id '40433'): 'surprisedacknowledging'; theirs, 'surprised', is used" in other.message
    assert 32 == len(set(published.columns["emotion"]))


def test_it_joins_the_published_outputs(published, shared):
    """All 5,255 of MIME's segments, 245 of them only in form, with the same gold emotions and dialogues."""
    tables = read([shared / "data/outputs/mime/output.txt"])
    cohort = join(tables, corpus=published)
    assert (5255, {0}) == (len(cohort.corpus), set(cohort.dropped.values()))
    notices = {notice.code: notice.n for notice in cohort.notices}
    assert {"empty_labels": 5, "dialogue_emotions_differ": 1, "texts_differ_in_form": 245} == notices
    assert 2542 == len(set(cohort.corpus.dialogue_ids))


def test_it_joins_a_part_of_its_segments(published, shared):
    """EmpDG's files hold the 2,713 segments that have a turn before the last exchange."""
    (table,) = read([shared / "data/outputs/empdg/EmpDG.txt"])
    cohort = join([table], corpus=published)
    assert (2713, {"EmpDG": 0}) == (len(cohort.corpus), cohort.dropped)
