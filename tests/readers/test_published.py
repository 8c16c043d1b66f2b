"""The outputs that the authors published, against values computed with their own code."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from empeval.readers import read, read_corpus

FILES = {
    "mime/output": "mime/output.txt",
    "empdg/EmpDG": "empdg/EmpDG.txt",
    "empdg/EmoPrepend": "empdg/EmoPrepend.txt",
    "empdg/Transformer": "empdg/Transformer.txt",
}


@pytest.fixture(scope="module", params=sorted(FILES))
def published(request, shared):
    """A published file and what is known about it."""
    golden = json.loads((shared / "golden/automatic.json").read_text())["files"][request.param]
    return shared / "data/outputs" / FILES[request.param], golden


def test_every_record_is_read(published):
    """Counts of records, emotions, contexts by their turns, and unique pairs."""
    path, golden = published
    for table in read([path]):
        columns = table.columns
        assert golden["n"] == len(table)
        assert golden["emotions"] == len(set(columns["emotion"]))
        turns = Counter(str(len(context)) for context in columns["context"])
        assert golden["context_turns"] == turns
        assert golden["unique_ctx"] == len(set(columns["context"]))
        pairs = set(zip(columns["context"], columns["references"], strict=True))
        assert golden["unique_ctx_ref"] == len(pairs)
        assert () == table.notices
        assert all(columns["hypothesis"])


def test_the_decodes_are_the_streams(published):
    """Tokens and distinct tokens of each."""
    path, golden = published
    tables = read([path])
    assert len(golden["streams"]) == len(tables)
    for table in tables:
        stream = golden["streams"][(table.system.partition(":")[2]) or next(iter(golden["streams"]))]["clean"]
        tokens = [token for text in table.columns["hypothesis"] for token in text.split()]
        assert stream["total_1grams_split"] == len(tokens)
        assert stream["distinct_1grams_split"] == len(set(tokens))


def test_the_authors_parser_damages_what_it_did(published):
    """As many responses and references differ as with the authors' scripts."""
    path, golden = published
    for clean, damaged in zip(read([path]), read([path], parser="authors"), strict=True):
        stream = golden["streams"][clean.system.partition(":")[2] or next(iter(golden["streams"]))]
        changed = {
            name: sum(a != b for a, b in zip(clean.columns[name], damaged.columns[name], strict=True))
            for name in ("hypothesis", "references")
        }
        assert stream["strip_bug_changed"] == changed["hypothesis"]
        assert golden["ref_strip_bug_changed"] == changed["references"]
        assert [("authors_parser", changed["hypothesis"])] == [(n.code, n.n) for n in damaged.notices]
        tokens = [token for text in damaged.columns["hypothesis"] for token in text.split()]
        assert stream["strip_bug"]["total_1grams_split"] == len(tokens)
        assert stream["strip_bug"]["distinct_1grams_split"] == len(set(tokens))


def test_the_header_of_mime_is_claimed(shared):
    """Loss, perplexity and accuracy for every decode, each BLEU for its own."""
    tables = read([f"mime={shared / 'data/outputs/mime/output.txt'}"])
    claims = {table.system: {claim.name: claim.text for claim in table.claims} for table in tables}
    common = {"Loss": "3.6253", "PPL": "37.5363", "Accuracy": "0.3488"}
    assert {
        "mime:Topk": common | {"Bleu_t": "1.76"},
        "mime:Beam": common | {"Bleu_b": "3.13"},
        "mime:Greedy": common | {"Bleu_g": "2.76"},
    } == claims
    columns = tables[0].columns
    hits = sum(p[0] == e for p, e in zip(columns["predicted_emotion"], columns["emotion"], strict=True))
    assert 1833 == hits  # 1833 / 5255 = 0.3488


def test_a_table_of_utterances_can_be_read_as_a_corpus(shared):
    """A CSV that pandas wrote, with an index without a name and an emotion here and there missing."""
    table = read_corpus(shared / "data/corpus/seek_test.csv", reader="csv")
    assert (16_382, 5) == (len(table), table.columns["emotion"].count(None))
