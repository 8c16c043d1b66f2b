"""Response-emotion accuracy with a small classifier: hits, polarity, ceilings, what is undefined."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from empeval.classifiers import load, storage
from empeval.classifiers.evaluation import evaluate
from empeval.classifiers.features import Features
from empeval.classifiers.tfidf import TfidfClassifier
from empeval.corpus import Corpus, SystemOutputs
from empeval.metrics import METRICS, Metric
from empeval.metrics._polarity import polarity
from empeval.models import using
from empeval.records import Notice
from empeval.scoring import Score, Scores, Signature, score
from empeval.testing import METRIC_CHECKS, sample

#: MIME's grouping, Majumder et al. (2020), Table 1
POSITIVE = [
    "confident",
    "joyful",
    "grateful",
    "impressed",
    "proud",
    "excited",
    "trusting",
    "hopeful",
    "faithful",
    "prepared",
    "content",
    "surprised",
    "caring",
]
NEGATIVE = [
    "afraid",
    "angry",
    "annoyed",
    "anticipating",
    "anxious",
    "apprehensive",
    "ashamed",
    "devastated",
    "disappointed",
    "disgusted",
    "embarrassed",
    "furious",
    "guilty",
    "jealous",
    "lonely",
    "nostalgic",
    "sad",
    "sentimental",
    "terrified",
]


def by_word(folder: Path, **words: str) -> Path:
    """A classifier that answers the label of the word it reads, and the first label where it reads none."""
    labels = tuple(dict.fromkeys(words.values()))
    coefficients = np.array([[10.0 * (words[word] == label) for word in words] for label in labels])
    features = Features({word: i for i, word in enumerate(words)}, np.ones(len(words)))
    report = evaluate(np.eye(len(labels)), labels, labels, dict.fromkeys(labels, 3))
    made = TfidfClassifier(labels, features, coefficients, np.arange(len(labels)) / -10.0, held_out=report)
    storage.write(made, folder, {})
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Knows sad, proud and joyful, by the words tears, medal and party."""
    made = tmp_path_factory.mktemp("classifier") / "by_word"
    return by_word(made, tears="sad", medal="proud", party="joyful")


@pytest.fixture(scope="module")
def metric(folder: Path) -> Metric:
    """The metric with that classifier."""
    return METRICS.create(f'response_emotion_accuracy(classifier="{folder}")')


@pytest.fixture(scope="module")
def polar(folder: Path) -> Metric:
    """The metric of polarity with that classifier."""
    return METRICS.create(f'response_emotion_accuracy(classifier="{folder}",match=polarity)')


def scored(
    metric: Metric,
    gold: Sequence[str | None],
    *answers: Sequence[str],
    references: Sequence[str | Sequence[str]] | None = None,
) -> Scores:
    """The scores of systems a, b, … with these answers."""
    corpus = Corpus.build(emotions=gold, references=references, ids=[f"s{i}" for i in range(len(gold))])
    systems = [
        SystemOutputs.build(name, list(texts), ids=corpus.ids)
        for name, texts in zip("abc", answers, strict=False)
    ]
    return score(corpus, systems, [metric], n_resamples=50)


def only(found: Scores) -> Score:
    """The one score there is."""
    (entry,) = found.scores
    return entry


def told(found: Scores, code: str) -> list[Notice]:
    """The notices of this code, without the prefix that all codes share."""
    return [notice for notice in found.warnings if notice.code == f"response_emotion_{code}"]


GOLD = ["sad", "proud", "sad", "joyful"]
ANSWERS = ["tears", "a medal !", "party", "medal"]


def test_hits_by_hand(metric: Metric, polar: Metric) -> None:
    """Two of four emotions are those of the situation, and three of four polarities."""
    assert 50.0 == only(scored(metric, GOLD, ANSWERS)).value
    assert 75.0 == only(scored(polar, GOLD, ANSWERS)).value


def test_labels_are_compared_without_case(metric: Metric) -> None:
    """As all metrics on emotions do."""
    assert 50.0 == only(scored(metric, [" Sad", "PROUD", "sad ", "Joyful"], ANSWERS)).value


@pytest.mark.parametrize("fixture", ["metric", "polar"])
def test_an_empty_response_is_no_match(fixture: str, request: pytest.FixtureRequest) -> None:
    """Although the classifier would answer "sad", its first label; it is counted, with its id."""
    chosen = request.getfixturevalue(fixture)
    found = scored(chosen, ["sad", "sad"], ["", "tears"])
    assert 50.0 == only(found).value
    (notice,) = told(found, "empty")
    assert (1, ("s0",)) == (notice.n, notice.ids)
    assert notice.message.endswith(": 1 of 2 responses of 'a' are empty: they count as no match")
    assert 0.0 == only(scored(chosen, ["sad"], [" \n "])).value


def test_a_text_without_any_known_word_is_classified(metric: Metric) -> None:
    """Emoji alone are a text like any other, here of the label that most texts have."""
    found = scored(metric, ["sad", "proud"], ["😊 😊", "\ud83d\u202e" + "word " * 2000])
    assert 50.0 == only(found).value
    assert [] == told(found, "empty")


def test_polarity_is_that_of_mime() -> None:
    """All 32 emotions, 13 of them positive; any other label has none."""
    assert {"positive"} == {polarity(label) for label in POSITIVE}
    assert {"negative"} == {polarity(label) for label in NEGATIVE}
    assert (13, 19) == (len(POSITIVE), len(NEGATIVE))
    assert polarity(" Surprised ") == "positive"
    assert polarity("neutral") is None


def test_ceilings_are_told_once_for_all_systems(metric: Metric) -> None:
    """The commonest emotion, the first references, and how often the classifier itself was right."""
    references = [["tears", "medal"], "medal", "party", "tears"]
    found = scored(metric, GOLD, ANSWERS, ["medal"] * 4, references=references)
    (notice,) = told(found, "ceilings")
    assert notice.message == (
        f"{metric.spec}: always answering 'sad' would reach 50.00; the human references reach 50.00; "
        "the classifier itself names the emotion of 100.00 % of its 3 held-out texts"
    )


def test_ceilings_without_references(polar: Metric) -> None:
    """Of polarities the commoner is named; what is not there is not told."""
    (notice,) = told(scored(polar, GOLD, ANSWERS), "ceilings")
    assert "always answering 'negative' would reach 50.00; the classifier itself" in notice.message


def test_the_human_ceiling_where_some_references_are_missing(metric: Metric) -> None:
    """It is that of the segments that have a reference, and the notice says how many."""
    found = scored(metric, GOLD, ANSWERS, references=[["tears"], [], ["medal"], [""]])
    assert "the human references reach 33.33 (on the 3 segments that have one);" in (
        told(found, "ceilings")[0].message
    )


def test_the_human_ceiling_is_the_human_row(metric: Metric) -> None:
    """What the notice says of the references is what they score as one more row."""
    corpus = Corpus.build(emotions=GOLD, references=["tears", "tears", "medal", "party"])
    found = score(corpus, SystemOutputs.build("a", ANSWERS), [metric], human=True, n_resamples=50)
    assert 50.0 == found.value("human", metric.spec)
    assert "the human references reach 50.00;" in told(found, "ceilings")[0].message


def test_emotions_that_the_classifier_cannot_answer(metric: Metric) -> None:
    """They are counted as no match, with ids; where there are no others, there is no score."""
    found = scored(metric, ["angry", "sad", "lonely"], ["tears", "tears", "tears"])
    assert pytest.approx(100 / 3) == only(found).value
    (notice,) = told(found, "unknown")
    assert (2, ("s0", "s2")) == (notice.n, notice.ids)
    assert "cannot answer ('angry', 'lonely'): they count as no match" in notice.message
    nothing = only(scored(metric, ["angry", "lonely"], ["tears", "tears"]))
    assert nothing.value is None
    assert nothing.reason == (
        "foreign_labels: the classifier can answer none of the gold emotions ('angry', 'lonely'); "
        "its labels are 'sad', 'proud', 'joyful'"
    )


def test_labels_without_polarity(polar: Metric, tmp_path: Path) -> None:
    """A label that MIME does not group leaves the score undefined, on either side, and is named."""
    assert only(scored(polar, ["sad", "Bored"], ["tears", "tears"])).reason == (
        "no_polarity: the polarity of the gold emotion 'bored' is not known; it is stated for the 32 "
        "emotions of EmpatheticDialogues"
    )
    other = by_word(tmp_path / "other", tears="sad", hm="neutral")
    chosen = METRICS.create(f'response_emotion_accuracy(classifier="{other}",match=polarity)')
    assert "the polarity of the label of the classifier 'neutral' is not known" in str(
        only(scored(chosen, ["sad"], ["tears"])).reason
    )


def test_a_segment_without_emotion(metric: Metric) -> None:
    """A score over some segments only would pass for one over all, so there is none."""
    assert only(scored(metric, ["sad", None], ["tears", "tears"])).reason == (
        "missing_field: 1 of 2 segments have no emotion, the first is id 's1'"
    )


def test_the_signature_holds_the_classifier(metric: Metric, folder: Path, tmp_path: Path) -> None:
    """What is in the folder, not where it lies; no library but our own computes the small one."""
    copy = Path(shutil.copytree(folder, tmp_path / "elsewhere"))
    moved = METRICS.create(f'response_emotion_accuracy(classifier="{copy}")')
    one, other = (Signature.of(m, n_segments=1, rule="strict", fingerprint="0") for m in (metric, moved))
    assert str(one) == str(other)
    assert f"|classifier:{load(str(folder)).fingerprint}|match:emotion|" in str(one)
    assert {} == metric.versions()


def test_a_relative_path_is_looked_up_from_the_base(folder: Path) -> None:
    """So that a run can be repeated from another folder."""
    relative = METRICS.create(f"response_emotion_accuracy(classifier={folder.name})")
    with using(base=folder.parent):
        assert 50.0 == only(scored(relative, GOLD, ANSWERS)).value


@pytest.mark.parametrize("check", METRIC_CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("fixture", ["metric", "polar"])
def test_the_contract(check, fixture: str, request: pytest.FixtureRequest, tmp_path_factory) -> None:
    """Each check of the contract of metrics, with a classifier of the words of its sample."""
    made = tmp_path_factory.mktemp("contract") / "classifier"
    by_word(made, sorry="sad", great="joyful", wow="proud", oh="sad")
    match = "emotion" if fixture == "metric" else "polarity"
    check(METRICS.create(f'response_emotion_accuracy(classifier="{made}",match={match})'), *sample())
