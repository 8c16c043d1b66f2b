"""Every wrong protocol file gives one message with the file and the key path, and no traceback."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from empeval.errors import ProtocolError
from empeval.protocols import load

Write = Callable[..., Path]

#: What is replaced in the good protocol, by what, and the message without the file.
EDITS = [
    ("id: ours", "idd: ours", "idd: unknown key; did you mean 'id'? Known here: id, aliases,"),
    ("id: ours", "id: Ours!", "id: expected lower-case letters, digits, '.', '_' and '-', found"),
    ("id: ours", "# none", "id: this key is missing"),
    ("id: ours", "id: 7", "id: expected text, found 7; put it in quotes"),
    (
        "id: ours",
        "id: ours\naliases: [2010.01454]",
        "aliases[0]: expected text, found 2010.01454; put it in quotes",
    ),
    ("dataset: our dialogues, ", "", "data.dataset: this key is missing"),
    ("n_items: 200", "n_items: 0", "data.n_items: expected a number from 1 on, found 0"),
    ("n_items: 200", "n_items: '200'", "data.n_items: expected a whole number, found '200'"),
    ("n_items: 200", "n_items: 200.5", "data.n_items: expected a whole number, found 200.5"),
    ("n_items: 200", "n_items: true", "data.n_items: expected a whole number, found true"),
    ("emotion_labels: four", "emotion_labels: five", "data.emotion_labels: there is no label set 'five'"),
    ("data: {", "data: [] #", "data: expected a mapping of keys to values, found a list"),
    ("[sad, proud, angry, hopeful]", "[sad, sad]", "label_sets.four.labels: 'sad' is listed twice"),
    (
        "down: [sad, angry]",
        "down: [sad]",
        "label_sets.four.groups: every label belongs to exactly one group; see",
    ),
    (
        "other_streams: [Beam]",
        "other_streams: [Greedy]",
        "decoding.other_streams: 'Greedy' is already the stream of",
    ),
    ("other_streams: [Beam]", "other_streams: Beam", "decoding.other_streams: expected a list, found 'Beam'"),
    ("reader: mime", "reader: mine", "outputs.reader: there is no reader 'mine';"),
    ("run7: Ours", "7: Ours", "outputs.systems[7]: expected text, found 7; put it in quotes"),
    ("metric: bleu,", "metric: blue,", "metrics[0].metric: there is no metric 'blue'; did you mean 'bleu'?"),
    (
        "metric: bleu,",
        "metric: bleu(n=2),",
        "metrics[0].metric: there is no field of metric 'bleu' named 'n'. Known: average,",
    ),
    (
        "metric: bleu,",
        "metric: bleu(ordr=2),",
        "metrics[0].metric: there is no field of metric 'bleu' named 'ordr'; did you",
    ),
    (
        "metric: bleu,",
        "metric: bleu(order=5),",
        "metrics[0].metric: bleu(order=5): expected one of 4, 3, 2, 1",
    ),
    ("metric: bleu,", "mteric: bleu,", "metrics[0].mteric: unknown key;"),
    ("metric: bleu,", "", "metrics[0].metric: this key is missing: a computed number needs its metric"),
    (
        "metric: bleu,",
        "metric: bleu, direction: lower,",
        "metrics[0].direction: expected 'higher' for bleu, found 'lower'",
    ),
    (
        "metric: bleu,",
        "metric: bleu, direction: up,",
        "metrics[0].direction: expected 'higher', 'lower' or 'neither', found",
    ),
    ("metric: bleu,", "metric: bleu, divisor: 0,", "metrics[0].divisor: expected a number above 0, found 0"),
    ("claim: Accuracy, ", "", "metrics[2].claim: this key is missing: say what the log's header"),
    ("label: Dist-2", "label: BLEU", "metrics[1].label: 'BLEU' is there twice"),
    ("decimals: 1", "decimals: one", "metrics[0].decimals: expected a whole number, found 'one'"),
    ("n: 40,", "n: 41,", "human.items.n: expected 40: 10 for each label of four"),
    (
        "per_stratum: 10, ",
        "",
        "human.items.per_stratum: this key is missing: strata of what, and how many items of",
    ),
    ("label_set: four", "label_set: none", "human.items.label_set: there is no label set 'none'"),
    (
        "{1: no, 5: fully}",
        "{0: no}",
        "human.ratings.dimensions[0].scale.anchors[0]: expected a point from 1 to 5",
    ),
    (
        "{1: no, 5: fully}",
        "{one: no}",
        "human.ratings.dimensions[0].scale.anchors.one: expected a whole number, found 'one'",
    ),
    (
        "low: 1, high: 5",
        "low: 5, high: 1",
        "human.ratings.dimensions[0].scale.high: a scale needs low < high",
    ),
    (
        "question: Does the reply show understanding?",
        "question: ' '",
        "human.ratings.dimensions[0].question: expected a text",
    ),
    (
        "aggregation: majority",
        "aggregation: mean_of_votes",
        "human.preferences.tie_rule: a tie rule belongs to",
    ),
    (
        "tie_rule: tie",
        "tie_rule: coin",
        "human.preferences.tie_rule: expected 'fourth_rater', 'tie' or 'left_out', found",
    ),
    (
        "tie_rule: tie",
        "options: [win, tie]",
        "human.preferences.options: expected win and lose, perhaps tie and neither",
    ),
    ("alpha: 0.05", "alpha: 5", "human.preferences.test.marks[0].alpha: expected a number below 1, found 5"),
    ("verified: true", "verified: yes", "published[0].mark.verified: expected true or false, found 'yes'"),
    (
        "source_kind: paper",
        "source_kind: memory",
        "published[0].mark.verified: a fact of source_kind 'memory'",
    ),
    (
        "source_kind: paper",
        "source_kind: hearsay",
        "published[0].mark.source_kind: expected 'paper', 'code', 'recomputed',",
    ),
    ('"12.30"', "12.30", "published[0].rows.Ours[0]: expected text, found 12.3; put it in quotes"),
    ('"12.30"', '"1.2e1"', "published[0].rows.Ours[0]: expected a number in quotes, as it is printed"),
    ('"12.30", null', '"12.30"', "published[0].rows.Ours: expected 2 values, found 1"),
    ("[BLEU, Acc]", "[BLEU, Akk]", "published[0].columns[1]: expected one of what this protocol has (BLEU,"),
    ("Ours:Beam", "Ours:Sampled", "published[0].rows['Ours:Sampled']: there is no stream 'Sampled'"),
    (
        "aspect: Overall\n",
        "aspect: Style\n",
        "published[1].aspect: expected one of what this protocol has (Overall)",
    ),
    ("    aspect: Overall\n", "", "published[1].aspect: this key is missing: a table of preferences says"),
    ("group: up", "group: sideways", "published[2].group: expected one of what this protocol has (up,"),
]


@pytest.mark.parametrize(("old", "new", "expected"), EDITS, ids=[edit[2][:50] for edit in EDITS])
def test_a_wrong_file_gives_file_and_key_path(
    old: str, new: str, expected: str, own: str, write: Write
) -> None:
    """One line: the file, where in it, and what is expected there."""
    assert old in own
    path = write(own.replace(old, new, 1))
    with pytest.raises(ProtocolError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, {expected}"), message
    assert "\n" not in message
    assert caught.value.key == expected.partition(": ")[0]


def test_several_errors_are_one_message_with_their_number(own: str, write: Write) -> None:
    """The first is told, the others are counted."""
    path = write(own.replace("decimals: 1", "decimals: x").replace("n_items: 200", "n_items: x"))
    with pytest.raises(
        ProtocolError, match=r"data.n_items: expected a whole number, found 'x' \(and 1 more "
    ):
        load(path)


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)

#: Whole files, and the message without the file.
FILES = [
    (b"", ": the file is empty"),
    (b" \n\n", ": the file is empty"),
    (b"# only a comment\n", ": the file holds nothing but comments"),
    (b"- a\n- b\n", ": expected a mapping of keys to values"),
    (b"just text\n", ": expected a mapping of keys to values"),
    (b"id: a\nid: b\n", ", id: this key stands twice, in lines 1 and 2"),
    (
        b"data:\n  split: a\n  n_items: 3\n  split: b\n",
        ", data.split: this key stands twice, in lines 2 and 4",
    ),
    (b"metrics: [{label: a, label: b}]\n", ", metrics[0].label: this key stands twice, in lines 1 and 1"),
    (b"id: a\ndata:\n\tdataset: x\n", ", line 3: this is not valid YAML: a tab stands here"),
    (b"id: [a\ndata: }\n", ", line 2: this is not valid YAML: "),
    (b"id: a\n  data: b\n", ", line 2: this is not valid YAML: "),
    (b"id: 'a\n", ", line 2: this is not valid YAML: "),
    (b"id: caf\xe9\n", ", line 1: byte 0xe9 is not UTF-8; save the file as UTF-8"),
    ("id: a".encode("utf-16"), ", line 1: byte 0xff is not UTF-8"),
    (b'id: a\nnotes: ["\x07"]\n', r", line 2: the character '\x07' stands here: the file is damaged"),
    (b"id: a\x00\n", r", line 1: the character '\x00' stands here"),
    (
        b"id: !!python/object/apply:os.system ['false']\n",
        ", id: the tag 'tag:yaml.org,2002:python/object/apply:os",
    ),
    (
        b"id: !!python/name:os.system\n",
        ", id: the tag 'tag:yaml.org,2002:python/name:os.system' is not allowed",
    ),
    (b"id: !secret a\n", ", id: the tag '!secret' is not allowed here"),
    (b"data: !!map {dataset: a}\n", ", data: the tag 'tag:yaml.org,2002:map' is not allowed here"),
    (b"id: &a [*a]\n", ", id[0]: the alias *a repeats nothing that stands before it"),
    (b"id: *b\n", ", id: the alias *b repeats nothing that stands before it"),
    (BOMB.encode(), ", e: with its aliases, the file holds more than 20,000 values"),
    (b"id: " + b"[" * 40, ", id[0][0]: this is nested more than 32 levels deep"),
    (b"id: " + b"{a: " * 40, ", id.a.a: this is nested more than 32 levels deep"),
    (b"id: " + b"[" * 200_000, ", "),
    (b"id: a\n---\nid: b\n", ", line 2: a second document begins here; one file is one document"),
    (b"? [a, b]\n: c\n", ", line 1: a key must be plain text"),
    (b"? {a: b}\n: c\n", ", line 1: a key must be plain text"),
    (b"null: c\n", ", line 1: a key must be plain text"),
    (b"<<: {id: a}\n", ", ['<<']: unknown key"),
    (b"1: a\n", ", [1]: unknown key"),
    (b'id: "\\ud800"\n', ", "),
    (b'id: "\\UFFFFFFFF"\n', ", line 1: this is not valid YAML: "),
    (b"%YAML 7.0\n---\nid: a\n", ", line 1: this is not valid YAML: "),
    (b"id: a\n" + b"#" * (1 << 18), ": the file is larger than 262,144 bytes"),
    (b"id: a\nextends: 7\n", ", extends: expected the name of a file"),
    (b"id: a\nextends: nowhere.yaml\n", ", extends: there is no file 'nowhere.yaml' beside this one"),
    (b"id: a\nextends: .\n", ", extends: there is no file '.' beside this one"),
    (b"id: a\nextends: " + b"x" * 5000 + b"\n", ", extends: there is no file"),
    (b'id: a\nextends: "a\\0b"\n', ", extends: there is no file"),
    (b"id: a\ndata: {dataset: b}\n", ", metrics: this key is missing: a protocol has metrics"),
    (
        b"id: a\ndata: {dataset: b}\nhuman: {items: {}}\n",
        ", human.ratings: this key is missing: a human part has",
    ),
]


@pytest.mark.parametrize(("raw", "expected"), FILES, ids=[text.strip(", :")[:50] for _, text in FILES])
def test_what_is_no_protocol_at_all(raw: bytes, expected: str, write: Write) -> None:
    """Not YAML, YAML that means harm, or YAML that means something else: one line each."""
    path = write(raw)
    with pytest.raises(ProtocolError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}{expected}"), str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(own: str, write: Write) -> None:
    """Editors on Windows write both."""
    assert "ours" == load(write(b"\xef\xbb\xbf" + own.replace("\n", "\r\n").encode())).id


def test_words_that_older_yaml_takes_for_truth_values_are_words(write: Write) -> None:
    """`no`, `on` and dates are text; only true and false are truth values."""
    labels = "label_sets: {words: {labels: [no, on, 2020-01-01, off]}}"
    path = write(f"id: a\ndata: {{dataset: b}}\nmetrics: [{{label: L, metric: length}}]\n{labels}\n")
    assert ("no", "on", "2020-01-01", "off") == load(path).label_sets["words"].labels


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("missing.yaml", "there is no such file"),
        ("folder.yaml", "this is a folder; name a file"),
        ("a\0b.yaml", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_opened_is_one_error(path: str, expected: str, tmp_path: Path) -> None:
    """The path is named as it was given."""
    (tmp_path / "folder.yaml").mkdir()
    with pytest.raises(ProtocolError, match=re.escape(expected)):
        load(tmp_path / path)
