"""The bundled example is complete, clean and of the shape that the documentation promises."""

from __future__ import annotations

import csv
import json
import math
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from empeval import example
from empeval.corpus import Corpus, SystemOutputs

INTENTS = {
    "questioning",
    "acknowledging",
    "agreeing",
    "consoling",
    "encouraging",
    "sympathizing",
    "wishing",
    "suggesting",
    "neutral",
}
SYSTEM_FIELDS = ["id", "hypothesis", "predicted_emotion", "predicted_intent", "nll", "n_tokens"]
BY_QUALITY = ["Halvenor", "Tiskarel", "Ombrevic", "Kuzzibor"]


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _table(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
    return [
        {
            **row,
            "predicted_emotion": json.loads(row["predicted_emotion"]),
            "nll": float(row["nll"]),
            "n_tokens": int(row["n_tokens"]),
        }
        for row in rows
    ]


@pytest.fixture(scope="module")
def segments() -> list[dict[str, Any]]:
    """The records of the corpus."""
    return _json_lines(example.corpus_file())


@pytest.fixture(scope="module")
def outputs() -> dict[str, list[dict[str, Any]]]:
    """The records of each system, by its name."""
    return {
        path.stem: _json_lines(path) if path.suffix == ".jsonl" else _table(path)
        for path in example.system_files()
    }


@pytest.fixture(scope="module")
def corpus(segments: list[dict[str, Any]]) -> Corpus:
    """The corpus as the package builds it."""
    return Corpus.build(
        ids=[segment["id"] for segment in segments],
        dialogue_ids=[segment["dialogue_id"] for segment in segments],
        contexts=[segment["context"] for segment in segments],
        references=[segment["references"] for segment in segments],
        emotions=[segment["emotion"] for segment in segments],
        response_intents=[segment["response_intent"] for segment in segments],
    )


@pytest.fixture(scope="module")
def systems(corpus: Corpus, outputs: dict[str, list[dict[str, Any]]]) -> dict[str, SystemOutputs]:
    """Each system's outputs in the order of the corpus."""
    return {
        name: SystemOutputs.build(
            name,
            {row["id"]: row["hypothesis"] for row in rows},
            predicted_emotions=[row["predicted_emotion"] for row in rows],
            predicted_intents=[row["predicted_intent"] for row in rows],
            nlls=[row["nll"] for row in rows],
            n_tokens=[row["n_tokens"] for row in rows],
        ).on(corpus)
        for name, rows in outputs.items()
    }


def test_the_corpus_comes_first_and_every_data_file_is_listed():
    """A data file that `files` forgets would ship and never be shown."""
    folder = example.corpus_file().parent
    data = {path for path in folder.iterdir() if path.suffix in {".jsonl", ".csv", ".tsv"}}
    assert example.files()[0] == example.corpus_file()
    assert example.files()[1:] == example.system_files()
    assert data == set(example.files())


def test_the_example_is_large_enough_to_show_every_statistic(segments, outputs):
    """The counts that the README states."""
    dialogues = Counter(segment["dialogue_id"] for segment in segments)
    assert len(segments) == 101
    assert len(dialogues) == 75
    assert Counter({1: 49, 2: 26}) == Counter(dialogues.values())
    assert len({segment["emotion"] for segment in segments}) == 26
    assert {1, 2, 3} == {len(segment["references"]) for segment in segments}
    assert set(BY_QUALITY) == set(outputs)


def test_corpus_records_hold_the_documented_fields(segments):
    """Each has text in every turn and reference, and an intent of the known ones."""
    fields = ["id", "dialogue_id", "context", "references", "emotion", "response_intent"]
    for segment in segments:
        assert fields == list(segment)
        assert segment["id"].rsplit("-", 1)[0] == segment["dialogue_id"]
        assert len(segment["context"]) % 2 == 1, "the last turn before a response is the speaker's"
        assert all(text.strip() for text in segment["context"] + segment["references"])
        assert segment["response_intent"] in INTENTS


def test_nothing_in_the_corpus_stands_twice(segments):
    """Identifiers, contexts and references are distinct, so that either can join a system's outputs."""
    for column in (
        [segment["id"] for segment in segments],
        [tuple(segment["context"]) for segment in segments],
        [segment["context"][-1] for segment in segments],
        [reference for segment in segments for reference in segment["references"]],
    ):
        assert [] == [value for value, n in Counter(column).items() if n > 1]


def test_a_second_segment_continues_the_first(segments):
    """Its context is the first context, the first reference and one more turn, under the same emotion."""
    by_id = {segment["id"]: segment for segment in segments}
    for segment in segments:
        if segment["id"].endswith("-2"):
            first = by_id[f"{segment['dialogue_id']}-1"]
            assert [*first["context"], first["references"][0]] == segment["context"][:-1]
            assert first["emotion"] == segment["emotion"]


def test_every_system_answers_every_segment_once_with_the_documented_fields(segments, outputs):
    """So that the cohort is the whole corpus."""
    ids = sorted(segment["id"] for segment in segments)
    emotions = {segment["emotion"] for segment in segments}
    for rows in outputs.values():
        assert ids == sorted(row["id"] for row in rows)
        for row in rows:
            assert list(row) == SYSTEM_FIELDS
            assert len(set(row["predicted_emotion"])) == 3
            assert set(row["predicted_emotion"]) <= emotions
            assert row["predicted_intent"] in INTENTS
            assert row["n_tokens"] > 0
            assert 1 < row["nll"] / row["n_tokens"] < 6


def test_every_system_counts_the_same_tokens(outputs):
    """Perplexities over different tokens of the reference could not be compared."""
    counts = [{row["id"]: row["n_tokens"] for row in rows} for rows in outputs.values()]
    assert all(counts[0] == other for other in counts[1:])


def test_the_broken_system_has_the_faults_that_logs_have(segments, outputs):
    """Empty, blank, copied and unstripped responses are there, and nowhere else."""
    context = {segment["id"]: " ".join(segment["context"]) for segment in segments}

    def faults(rows: list[dict[str, Any]]) -> dict[str, int]:
        texts = [row["hypothesis"] for row in rows]
        copied = [
            row for row in rows if row["hypothesis"].strip() and row["hypothesis"] in context[row["id"]]
        ]
        return {
            "empty": texts.count(""),
            "blank": sum(bool(text) and not text.strip() for text in texts),
            "marker": sum("</s>" in text for text in texts),
            "copied": len(copied),
        }

    assert {"empty": 4, "blank": 1, "marker": 1, "copied": 3} == faults(outputs["Kuzzibor"])
    for name in BY_QUALITY[:3]:
        assert {"empty": 0, "blank": 0, "marker": 0, "copied": 0} == faults(outputs[name])


def test_the_better_systems_never_repeat_themselves_nor_a_reference(segments, outputs):
    """Their responses are distinct and none is a human response, while the generic one has few phrases."""
    references = {reference for segment in segments for reference in segment["references"]}
    for name in ("Halvenor", "Tiskarel"):
        texts = {row["hypothesis"] for row in outputs[name]}
        assert len(texts) == len(segments)
        assert texts.isdisjoint(references)
    assert len({row["hypothesis"] for row in outputs["Ombrevic"]}) < 20


@pytest.mark.parametrize("path", example.files(), ids=lambda path: path.name)
def test_files_are_clean_text(path):
    """UTF-8 without a mark, composed characters, line feeds, no blank edges, no control characters."""
    raw = path.read_bytes()
    text = raw.decode("utf-8")
    assert unicodedata.is_normalized("NFC", text)
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert set() == {char for char in text if unicodedata.category(char) == "Cc"} - {"\n", "\t"}


def test_characters_beyond_ascii_are_there_unescaped():
    """Accents, typographic quotes and emoji exercise tokenisation and every output format."""
    text = example.corpus_file().read_text(encoding="utf-8")
    assert all(char in text for char in "£é’“”😄😅💃")
    assert "\\u" not in text


def test_quality_falls_in_the_intended_order(corpus, systems):
    """BLEU (sacreBLEU), emotion accuracy and perplexity order the systems as they were written."""
    from sacrebleu import corpus_bleu

    most = max(map(len, corpus.references))
    streams = [[refs[k] if k < len(refs) else None for refs in corpus.references] for k in range(most)]
    bleu, accuracy, perplexity = [], [], []
    for system in (systems[name] for name in BY_QUALITY):
        bleu.append(corpus_bleu(list(system.hypotheses), streams).score)
        hits = [
            gold == ranked[0] for gold, ranked in zip(corpus.emotions, system.predicted_emotions, strict=True)
        ]
        accuracy.append(100 * sum(hits) / len(hits))
        perplexity.append(math.exp(sum(system.nlls) / sum(system.n_tokens)))
    assert bleu == sorted(bleu, reverse=True)
    assert bleu[0] > 8
    assert max(bleu[2:]) < 1
    assert accuracy == pytest.approx([61.4, 44.6, 28.7, 12.9], abs=0.05)
    assert perplexity == sorted(perplexity)
    assert perplexity[2] - perplexity[1] < 1, "the two in the middle are not to be told apart by perplexity"
