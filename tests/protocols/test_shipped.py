"""What the shipped protocols say: marks everywhere, the right labels, the numbers as they were printed."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from empeval.protocols import Protocol, load, names
from empeval.protocols.blocks import Marked
from empeval.readers import READERS, read_corpus


@pytest.fixture(params=names())
def protocol(request: pytest.FixtureRequest) -> Protocol:
    """Each shipped protocol."""
    return load(request.param)


def test_names_and_aliases_are_unique() -> None:
    """A name leads to one protocol."""
    known_as = [name for protocol in map(load, names()) for name in (protocol.id, *protocol.aliases)]
    assert [] == [name for name, n in Counter(known_as).items() if n > 1]


def test_the_id_is_the_file_s_name(protocol: Protocol, request: pytest.FixtureRequest) -> None:
    """So that the name on the command line is the name in the file."""
    assert request.node.callspec.params["protocol"] == protocol.id


def test_every_block_says_where_it_comes_from(protocol: Protocol) -> None:
    """Each part, each metric and each label set carries a mark; published tables must, by the model."""
    blocks: dict[str, Marked | None] = {
        "paper": protocol.paper,
        "data": protocol.data,
        "text": protocol.text,
        "decoding": protocol.decoding,
        "outputs": protocol.outputs,
        **{column.label: column for column in protocol.metrics},
        **protocol.label_sets,
    }
    if protocol.human is not None:
        parts = (protocol.human.ratings, protocol.human.preferences)
        blocks |= {"human": protocol.human, **{type(part).__name__: part for part in parts if part}}
    assert [] == [name for name, block in blocks.items() if block is None or block.mark is None]


def test_every_metric_is_described(protocol: Protocol) -> None:
    """A definition in words, and a direction, stand in the file."""
    undescribed = [c.label for c in protocol.metrics if c.definition is None or c.direction is None]
    assert [] == undescribed


def test_claims_are_what_the_reader_calls_them(protocol: Protocol) -> None:
    """A number from the header of a log bears the name that the log's reader gives it."""
    assert protocol.outputs is not None
    grammar = getattr(READERS[protocol.outputs.reader or "lines"], "grammar", None)
    known = {*grammar.headlines, *grammar.header_names} if grammar else set()
    claims = {column.claim for column in protocol.metrics if column.claim} if known else set()
    assert claims <= known


def test_the_32_emotions_stand_in_the_order_of_their_indices() -> None:
    """Index 0, 7, 18 and 31 as in MoEL's code."""
    labels = load("moel").label_sets["ed32"].labels
    assert ("surprised", "lonely", "guilty", "faithful") == (labels[0], labels[7], labels[18], labels[31])
    assert 32 == len(labels)


def test_seek_s_41_labels_are_the_32_the_intents_and_neutral() -> None:
    """In this order; what is missing becomes neutral."""
    sets = load("seek").label_sets
    assert sets["ed32"].labels == sets["seek41"].labels[:32]
    intents = (
        "questioning acknowledging agreeing consoling encouraging sympathizing wishing suggesting neutral"
    )
    assert tuple(intents.split()) == sets["seek41"].labels[32:]
    assert "neutral" == sets["seek41"].when_missing


def test_mime_s_polarities_are_13_and_19() -> None:
    """The paper's Table 1."""
    groups = load("mime").label_sets["ed32"].groups
    assert {"positive": 13, "negative": 19} == {name: len(labels) for name, labels in groups.items()}


#: protocol, system, column → as printed, kind of source. A sample from every table.
NUMBERS = [
    ("mime", "MIME", "BLEU", "2.98", "paper"),
    ("mime", "MIME", "Accuracy", "0.3488", "code"),
    ("mime", "MIME", "Relevance", "3.60", "paper"),
    ("mime", "Multi-TR", "Fluency", "4.30", "paper"),
    ("mime", "MIME", "Dist-2", "3.97", "secondary"),
    ("moel", "MoEL", "BLEU", "2.90", "secondary"),
    ("moel", "TRS", "BLEU", "3.02", "memory"),
    ("moel", "MoEL", "Relevance", "3.70", "memory"),
    ("empdg", "EmpDG", "Dist-2", "2.02", "secondary"),
    ("empdg", "EmoPrepend-1", "PPL", "38.30", "memory"),
    ("empdg", "MoEL", "Dist-2", "2.10", "recomputed"),
    ("empdg", "EmpDG", "Dist-2", "6.96", "recomputed"),
    ("empdg", "EmpDG", "Dist-2", "6.38", "secondary"),
    ("kemp", "KEMP", "Dist-2", "2.29", "secondary"),
    ("kemp", "KEMP", "BLEU-2", "7.50", "recomputed"),
    ("cem", "CEM", "Acc", "39.11", "secondary"),
    ("cem", "CEM", "Acc", "39.07", "memory"),
    ("cem", "MIME", "Dist-2", "1.90", "memory"),
    ("seek", "SEEK", "PPL", "37.09", "secondary"),
    ("iamm", "CASE", "Acc", "40.2", "paper"),
    ("empatheticdialogues", "Retrieval, fine-tuned", "P@1,100", "56.90", "secondary"),
    ("empatheticdialogues", "Generative, fine-tuned", "Empathy", "3.25", "secondary"),
]


@pytest.mark.parametrize(("name", "system", "column", "value", "kind"), NUMBERS)
def test_numbers_are_as_printed(name: str, system: str, column: str, value: str, kind: str) -> None:
    """With their trailing zeros, and with the source they come from."""
    found = {(c.system, c.column, c.value, c.source_kind) for c in load(name).cells()}
    assert (system, column, value, kind) in found


def test_nothing_from_memory_or_second_hand_counts_as_verified(protocol: Protocol) -> None:
    """Only primary sources verify."""
    assert all(c.verified == (c.source_kind in ("paper", "code", "recomputed")) for c in protocol.cells())


def test_human_tables_are_possible_at_their_n_but_for_two_rows_of_mime(protocol: Protocol) -> None:
    """The check that the protocols ask for, on all that has an n."""
    assert protocol.checks.grim
    failed = [
        row for table in protocol.published for row, passes in table.grim_rows().items() if passes is False
    ]
    assert (["Multi-TR", "MoEL"] if protocol.id == "mime" else []) == failed


def test_mime_s_study_is_complete() -> None:
    """128 items in 32 strata, three questions, three raters, a fourth where no answer has a majority."""
    human = load("mime").human
    assert human is not None
    assert human.ratings is not None
    assert human.preferences is not None
    assert (128, 4, "ed32") == (human.items.n, human.items.per_stratum, human.items.label_set)
    assert ["empathy", "relevance", "fluency"] == [question.key for question in human.ratings.dimensions]
    assert {(1, 5, (1, 3, 5))} == {
        (q.scale.low, q.scale.high, tuple(q.scale.anchors)) for q in human.ratings.dimensions
    }
    assert (3, "majority", "fourth_rater") == (
        human.preferences.raters_per_item,
        human.preferences.aggregation,
        human.preferences.tie_rule,
    )


def test_cem_s_study_compares_on_three_aspects() -> None:
    """No ratings are inherited, and none of its numbers is sure."""
    human = load("cem").human
    assert human is not None
    assert human.preferences is not None
    assert human.mark is not None
    assert human.ratings is None
    assert ["coherence", "empathy", "informativeness"] == [aspect.key for aspect in human.preferences.aspects]
    assert not human.mark.verified


def test_the_emotions_of_published_outputs_are_the_32(shared: Path) -> None:
    """MIME's file holds each of them and no other."""
    table = read_corpus(shared / "data/outputs/mime/output.txt")
    assert set(load("mime").label_sets["ed32"].labels) == set(table.columns["emotion"])


def test_the_labels_of_seek_s_corpus_are_the_41(shared: Path) -> None:
    """Apart from five empty ones, and from one malformed emotion of a dialogue."""
    sets = load("seek").label_sets
    with (shared / "data/corpus/seek_test.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    utterances = Counter(row["emotion"] for row in rows)
    assert {"": 5} == {label: n for label, n in utterances.items() if label not in sets["seek41"].labels}
    dialogues = {row["dialogue_emotion"] for row in rows} - set(sets["ed32"].labels)
    assert {"surprisedacknowledging"} == dialogues
