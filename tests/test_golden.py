"""Which metric text form gives which number of the authors' own scripts, sacreBLEU, NLTK and fairseq.

golden/automatic.json holds what those gave on the published outputs: ``clean`` on the texts as the systems
wrote them, ``strip_bug`` on what the authors' parsers leave of them (``--parser authors``). Every number
there is reached by a form, or listed with the reason why none gives it.
"""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from empeval import join, read, score
from empeval.cohort import Cohort
from empeval.protocols import load
from empeval.scoring import Scores

Scored = Callable[[str, str], tuple[Cohort, Scores]]

LOGS = {
    "mime": ("mime/output",),
    "empdg": ("empdg/Transformer", "empdg/EmoPrepend", "empdg/EmpDG"),
}
FILES = [file for files in LOGS.values() for file in files]
PARSERS = {"standard": "clean", "authors": "strip_bug"}

#: text form → the keys that it gives, for both parsers
GIVES: Mapping[str, tuple[str, ...]] = {
    "distinct(n=1)": ("dist1_micro_split",),
    "distinct(n=2)": ("dist2_micro_split",),
    "distinct(n=3)": ("dist3_micro_split",),
    "distinct(n=1,average=macro)": ("dist1_macro_split_tuple",),
    "distinct(n=2,average=macro)": ("dist2_macro_split_tuple",),
    "distinct(n=1,key=concat)": ("empdg_mi_dist1",),
    "distinct(n=2,key=concat)": ("empdg_mi_dist2",),
    "distinct(n=1,average=macro,key=concat)": ("empdg_ma_dist1",),
    "distinct(n=2,average=macro,key=concat)": ("empdg_ma_dist2",),
    "distinct(n=1,tokenize=nltk)": ("cem_dist1",),
    "distinct(n=2,tokenize=nltk)": ("cem_dist2",),
    "distinct(n=1,adjust=ead,vocabulary=30522)": ("ead1_V30522",),
    "distinct(n=2,adjust=ead,vocabulary=30522)": ("ead2_V30522",),
    "length": ("avg_len_split", "empdg_avg_len"),
    "length(tokenize=nltk)": ("avg_len_word_tokenize",),
    "bleu": ("sacrebleu_13a",),
    "bleu(lowercase=True)": ("sacrebleu_13a_lc",),
    "bleu(tokenize=none)": ("sacrebleu_none", "nltk_corpus_bleu4"),
    "bleu(tokenize=none,smooth=floor)": ("sacrebleu_none_floor",),
    "bleu(tokenize=none,lowercase=True,smooth=none)": ("moses_multi_bleu_lc",),
    "bleu(tokenize=none,smooth=none)": ("empdg_mi_bleu", "kemp_bleu4", "ed_fairseq_split/bleu4"),
    "bleu(order=1,tokenize=none,smooth=none)": ("nltk_corpus_bleu1", "kemp_bleu1", "ed_fairseq_split/bleu1"),
    "bleu(order=2,tokenize=none,smooth=none)": ("nltk_corpus_bleu2", "kemp_bleu2", "ed_fairseq_split/bleu2"),
    "bleu(order=3,tokenize=none,smooth=none)": ("nltk_corpus_bleu3", "ed_fairseq_split/bleu3"),
    "avg_bleu(tokenize=whitespace)": ("nltk_avg_bleu1to4", "ed_fairseq_split/avg_bleu"),
    "bleu(order=1,tokenize=ed)": ("ed_fairseq/bleu1",),
    "bleu(order=2,tokenize=ed)": ("ed_fairseq/bleu2",),
    "bleu(order=3,tokenize=ed)": ("ed_fairseq/bleu3",),
    "bleu(tokenize=ed)": ("ed_fairseq/bleu4",),
    "avg_bleu(tokenize=ed)": ("ed_fairseq/avg_bleu",),
    "bleu(tokenize=none,smooth=none,average=segment)": ("empdg_ma_bleu",),
    "ngram_precision(n=1,tokenize=none,average=segment)": ("empdg_ma_bleu1",),
    "ngram_precision(n=2,tokenize=none,average=segment)": ("empdg_ma_bleu2",),
    "ngram_precision(n=3,tokenize=none,average=segment)": ("empdg_ma_bleu3",),
    "ngram_precision(n=4,tokenize=none,average=segment)": ("empdg_ma_bleu4",),
    "ngram_precision(n=1,tokenize=none)": ("empdg_mi_bleu1", "sacrebleu_none_precisions/0"),
    "ngram_precision(n=2,tokenize=none)": ("empdg_mi_bleu2", "sacrebleu_none_precisions/1"),
    "ngram_precision(n=3,tokenize=none)": ("empdg_mi_bleu3", "sacrebleu_none_precisions/2"),
    "ngram_precision(n=4,tokenize=none)": ("empdg_mi_bleu4", "sacrebleu_none_precisions/3"),
    "ngram_precision(n=1)": ("sacrebleu_13a_precisions/0",),
    "ngram_precision(n=2)": ("sacrebleu_13a_precisions/1",),
    "ngram_precision(n=3)": ("sacrebleu_13a_precisions/2",),
    "ngram_precision(n=4)": ("sacrebleu_13a_precisions/3",),
    "chrf": ("sacrebleu_chrf",),
}
#: the references as a system (``human=True``): form → key
HUMAN_GIVES = {"length": "ref_avg_len_split"}
#: counts that stand beside a score: how a score gives them
COUNTS = ("unique_responses", "empty_responses")

_COUNT = "a count, not a score"
_PENALTY = "a brevity penalty, not a score"
_SM7 = "NLTK's smoothing method 7; no paper of the field uses it"
#: what no form gives, and why
NOT_GIVEN: Mapping[str, str] = {
    **{f"{what}_{n}grams_split": _COUNT for what in ("distinct", "total") for n in (1, 2, 3)},
    **{
        f"{scorer}/{what}": _COUNT
        for scorer in ("ed_fairseq", "ed_fairseq_split")
        for what in ("syslen", "reflen")
    },
    **{f"{scorer}/bp": _PENALTY for scorer in ("ed_fairseq", "ed_fairseq_split")},
    **{f"sacrebleu_{kind}_bp": _PENALTY for kind in ("13a", "13a_lc", "none", "none_floor")},
    **{f"nltk_corpus_bleu{n}_sm7": _SM7 for n in (1, 2, 3, 4)},
    **{f"sacrebleu_13a_lc_precisions/{i}": "ngram_precision does not lower-case" for i in range(4)},
    **{f"sacrebleu_none_floor_precisions/{i}": "ngram_precision does not smooth" for i in range(4)},
}
ALL_KEYS = (*(key for keys in GIVES.values() for key in keys), *HUMAN_GIVES.values(), *COUNTS, *NOT_GIVEN)


def flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of nested tables and lists, each with its path."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{key}/")
        elif isinstance(value, list):
            yield from ((f"{prefix}{key}/{i}", entry) for i, entry in enumerate(value))
        else:
            yield prefix + key, value


def tolerance(key: str) -> float:
    """How far a score may be from a number, by where that comes from.

    NLTK counts one n-gram for a response too short to have any; fairseq compares hashes of n-grams, some of
    which collide (on plain tokens more than on ED's; ``kemp_bleu2`` is the same number without collisions);
    Moses' script prints two decimals.
    """
    if key.startswith("nltk_"):
        return 2e-3
    if key in ("ed_fairseq_split/bleu2", "ed_fairseq_split/bleu3"):
        return 1.3e-2
    if key.startswith("ed_fairseq"):
        return 6e-3
    return 0.005 + 1e-9 if key == "moses_multi_bleu_lc" else 1e-6


def stream(system: str) -> str:
    """What golden/automatic.json calls the decode of a system."""
    return system.partition(":")[2] or "Pred"


def wrong(found: Mapping[str, float | None], expected: Mapping[str, float]) -> dict[str, Any]:
    """The keys whose number the score does not give."""
    return {
        key: (value, expected[key])
        for key, value in found.items()
        if value is None or abs(value - expected[key]) > tolerance(key)
    }


def given(scores: Scores, system: str) -> dict[str, float | None]:
    """All that the forms give of one system, by golden key."""
    found = {key: scores.value(system, form) for form, keys in GIVES.items() for key in keys}
    unique = next(s for s in scores.scores if (s.system, s.metric) == (system, "unique"))
    found["unique_responses"] = (unique.value or 0) * (unique.n_segments - unique.n_empty) / 100
    found["empty_responses"] = unique.n_empty
    return found


@pytest.fixture(scope="module")
def golden(shared: Path) -> Mapping[str, Any]:
    """The reference values, file by file."""
    files: Mapping[str, Any] = json.loads((shared / "golden/automatic.json").read_text("utf-8"))["files"]
    return files


@pytest.fixture(scope="module")
def scored(shared: Path) -> Scored:
    """The systems of one paper, read by a parser, with every form; undamaged, also the references."""

    @functools.cache
    def compute(log: str, parser: str) -> tuple[Cohort, Scores]:
        cohort = join(read([shared / f"data/outputs/{file}.txt" for file in LOGS[log]], parser=parser))
        human = parser == "standard"
        return cohort, score(cohort, metrics=[*GIVES, "unique"], n_resamples=0, human=human)

    return compute


def test_no_key_stands_in_two_places() -> None:
    """A key is given by one form, or by none for one reason."""
    assert [] == [key for key, n in Counter(ALL_KEYS).items() if n > 1]


def test_every_key_of_the_reference_values_is_accounted_for(golden: Mapping[str, Any]) -> None:
    """None is missing here, and none stands here that is not there."""
    for file in golden.values():
        for values in file["streams"].values():
            for kind in PARSERS.values():
                assert set(ALL_KEYS) == {key for key, _ in flat(values[kind])}


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("log", LOGS)
def test_forms_give_the_numbers(log: str, parser: str, scored: Scored, golden: Mapping[str, Any]) -> None:
    """Every form on every decode, undamaged and as the authors' parsers damage it."""
    cohort, scores = scored(log, parser)
    references = score(cohort, metrics=list(HUMAN_GIVES), n_resamples=0, human=True)
    human = {key: references.value("human", form) for form, key in HUMAN_GIVES.items()}
    for outputs in cohort.systems:
        file = golden[f"{log}/{Path(outputs.source).stem}"]
        assert file["n"] == len(cohort.corpus)
        expected = dict(flat(file["streams"][stream(outputs.system)][PARSERS[parser]]))
        assert {} == wrong({**given(scores, outputs.system), **human}, expected), outputs.system


@pytest.mark.parametrize("file", FILES)
def test_the_parser_says_how_much_it_changes(file: str, golden: Mapping[str, Any], shared: Path) -> None:
    """Responses of each decode and references, as the authors' scripts change them."""
    tables = read([shared / f"data/outputs/{file}.txt"], parser="authors")
    for table in tables:
        (notice,) = (n for n in table.notices if n.code == "authors_parser")
        values = golden[file]["streams"][stream(str(table.system))]
        counts = values["strip_bug_changed"], golden[file]["ref_strip_bug_changed"]
        assert f"{table.system}: {counts[0]} responses and {counts[1]} references" in notice.message
        assert counts[0] == notice.n


def test_the_references_as_a_system(scored: Scored, golden: Mapping[str, Any]) -> None:
    """The human row has every number of MIME's references that needs nothing to compare them with."""
    _, scores = scored("mime", "standard")
    expected = dict(flat(golden["mime/output"]["reference_as_system"]))
    found = {key: value for key, value in given(scores, "human").items() if key in expected}
    found |= {key: scores.value("human", form) for form, key in HUMAN_GIVES.items()}
    assert set(found) == set(expected) - set(NOT_GIVEN)
    assert {} == wrong(found, expected)
    reasons = {s.reason for s in scores.scores if s.system == "human" and s.value is None}
    assert {"is_reference: the human row is the reference itself"} == reasons


def test_emotions(scored: Scored, golden: Mapping[str, Any]) -> None:
    """Accuracy and F1 of MIME's predictions; the polarities are those of its protocol."""
    mime, _ = scored("mime", "standard")
    expected = golden["mime/output"]["emotion"]
    scores = score(mime, metrics="emotion_accuracy,emotion_f1", n_resamples=0)
    gold = list(mime.corpus.emotions or ())
    predicted = [ranked[0] for ranked in mime.systems[0].predicted_emotions or () if ranked]
    groups = load("mime").label_sets["ed32"].groups
    positive = [emotion in groups["positive"] for emotion in gold]
    pairs = list(zip(positive, predicted, mime.systems[0].extra["vader_score"], strict=True))
    assert expected["gold_counts"] == Counter(gold)
    assert (expected["gold_labels"], expected["pred_labels"]) == (len(set(gold)), len(set(predicted)))
    assert expected["n"] == len(gold)
    assert {"positive", "negative"} == set(groups)
    for system in scores.systems:
        found = {
            "accuracy": (scores.value(system, "emotion_accuracy") or 0) / 100,
            "correct": (scores.value(system, "emotion_accuracy") or 0) * 5255 / 100,
            "macro_f1": (scores.value(system, "emotion_f1") or 0) / 100,
            "polarity_accuracy": sum(up == (label in groups["positive"]) for up, label, _ in pairs) / 5255,
            "vader_sign_accuracy": sum(up == (sign > 0) for up, _, sign in pairs) / 5255,
        }
        assert {} == wrong(found, expected)
