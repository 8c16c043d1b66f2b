"""empeval's metrics as those of the evaluate package."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("evaluate")

import evaluate

from empeval import score
from empeval.adapters import as_evaluate, metric_class, write_module
from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError, MissingExtra, UnknownName
from empeval.metrics import METRICS
from empeval.testing import sample

#: Metrics that have no value without a folder; perplexity has one from recorded losses.
NEED_A_FOLDER = {name for name, cls in METRICS.items() if cls.paths} - {"perplexity"}
FIELDS = {"hits": "hits(candidates=100)"}
NAMES = sorted(set(METRICS.names()) - NEED_A_FOLDER)
CORPUS, SYSTEMS = sample()


def columns(metric: str) -> dict[str, list[object]]:
    """What a metric needs of the sample, under evaluate's names."""
    found = {"predictions": list(SYSTEMS[0].hypotheses)}
    for name in METRICS.create(metric).required:
        column = getattr(CORPUS if hasattr(CORPUS, name) else SYSTEMS[0], name)
        found[name] = [list(value) if isinstance(value, tuple) else value for value in column]
    return found


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may reach for the network."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_score(name) -> None:
    """Every registered metric, with intervals over dialogues, number by number."""
    text = FIELDS.get(name, name)
    found = as_evaluate(text).compute(
        **columns(text), n_resamples=200, dialogue_ids=list(CORPUS.dialogue_ids), seed=3
    )
    (expected,) = score(CORPUS, SYSTEMS[0], text, n_resamples=200, seed=3).scores
    spec = METRICS.create(text).spec
    assert expected.value is not None
    assert {
        spec: expected.value,
        f"{spec}_low": expected.interval.low,
        f"{spec}_high": expected.interval.high,
    } == found


@pytest.mark.parametrize("name", NAMES)
def test_written_modules_are_loaded_and_give_the_same(name, tmp_path) -> None:
    """`write_module`, `evaluate.load`, and batches of ten in place of all at once."""
    text = FIELDS.get(name, name)
    file = write_module(text, tmp_path / name)
    assert tmp_path / name / f"{name}.py" == file
    module = evaluate.load(str(tmp_path / name))
    given = columns(text)
    for start in range(0, len(CORPUS), 10):
        module.add_batch(**{key: values[start : start + 10] for key, values in given.items()})
    assert {METRICS.create(text).spec: score(CORPUS, SYSTEMS[0], text).scores[0].value} == module.compute()
    assert name == module.name


def test_values_by_hand() -> None:
    """Two of three bigrams are distinct; each text has two tokens."""
    texts = ["oh no", "oh no", "so what"]
    assert {"distinct(n=2)": pytest.approx(200 / 3)} == as_evaluate("distinct(n=2)").compute(
        predictions=texts
    )
    assert {"length": 2.0} == as_evaluate(METRICS.create("length")).compute(predictions=texts)


@pytest.mark.parametrize(
    "references", [["oh no", "well"], [["oh no"], ["well"]], [["oh no", "hm"], ["well"]]]
)
def test_references_one_or_several(references) -> None:
    """A text or a list of texts a prediction."""
    predictions = ["oh no", "well done"]
    corpus = Corpus.build(references=references)
    (expected,) = score(corpus, SystemOutputs.build("s", predictions), "chrf").scores
    found = as_evaluate("chrf").compute(predictions=predictions, references=references)
    assert {"chrf": expected.value} == found


def test_one_by_one() -> None:
    """`add` takes a prediction and its reference."""
    metric = as_evaluate("bleu")
    for text in ("oh no , not that !", "so sorry to hear it ."):
        metric.add(prediction=text, reference=[text])
    assert {"bleu": pytest.approx(100.0)} == metric.compute()


def test_combined() -> None:
    """Metrics with other needs, two of one name, and one that is not ours, in one call."""
    both = evaluate.combine(
        [as_evaluate(text) for text in ("bleu", "distinct", "distinct(n=2)", "emotion_accuracy")]
    )
    given = {**columns("bleu"), **columns("emotion_accuracy")}
    found = both.compute(**given)
    texts = ["bleu", "distinct", "distinct(n=2)", "emotion_accuracy"]
    expected = score(CORPUS, SYSTEMS[0], texts, n_resamples=0)
    assert {entry.metric: entry.value for entry in expected.scores} == found
    prefixed = evaluate.combine({"a": as_evaluate("length"), "b": as_evaluate("unique")}, force_prefix=True)
    assert ["a_length", "b_unique"] == list(prefixed.compute(predictions=["a b"], references=["c"]))


def test_an_undefined_value_is_none_with_its_reason() -> None:
    """BLEU of nothing but empty references has none; a gap in the emotions is told."""
    found = as_evaluate("emotion_accuracy").compute(
        predictions=["a", "b"], emotions=["sad", None], predicted_emotions=["sad", "sad"]
    )
    assert {
        "emotion_accuracy": None,
        "emotion_accuracy_reason": "missing_field: 1 of 2 segments have no emotion, the first is id '2'",
    } == found


def test_missing_inputs_are_told() -> None:
    """By evaluate itself, with the names of all."""
    with pytest.raises(ValueError, match="emotions"):
        as_evaluate("emotion_accuracy").compute(predictions=["a"])


def test_there_and_back(tmp_path) -> None:
    """A metric of ours, written as a module and used as `evaluate(path=…)`, keeps its number."""
    for text in ("bleu", "distinct(n=2)", "emotion_accuracy", "intent_accuracy", "hits(candidates=100)"):
        folder = write_module(text, tmp_path / text.partition("(")[0]).parent
        (found,) = score(CORPUS, SYSTEMS[0], f"evaluate(path={folder})").scores
        assert score(CORPUS, SYSTEMS[0], text).scores[0].value == found.value


def test_what_a_module_says_of_itself() -> None:
    """Description, inputs and name, as evaluate shows them."""
    metric = as_evaluate("emotion_accuracy(k=2)")
    assert metric.description.startswith("Share of segments whose gold emotion")
    assert "emotions, predicted_emotions" in metric.inputs_description
    assert "emotion_accuracy" == metric.name
    assert issubclass(metric_class("bleu"), evaluate.Metric)


def test_names_and_folders_that_cannot_be_used(tmp_path) -> None:
    """Told before anything is written."""
    with pytest.raises(UnknownName, match="there is no metric 'blue'"):
        as_evaluate("blue")
    with pytest.raises(InputError, match=r"no module named 'a\.b'"):
        write_module("bleu", tmp_path / "a.b")
    assert [] == list(tmp_path.iterdir())
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "mine.py").write_text("x = 1\n")
    with pytest.raises(InputError, match="this file is something else"):
        write_module("bleu", mine)
    assert "x = 1\n" == (mine / "mine.py").read_text()


def test_a_module_is_written_anew(tmp_path) -> None:
    """What it wrote before may be overwritten; quotes in a metric's text survive."""
    folder = tmp_path / "words"
    for text in ("length", "length(tokenize=13a)", 'evaluate(path="a, \\"b\\" (c)")'):
        file = write_module(text, folder)
        written = Path(file).read_text().partition("metric_class(")[2].rpartition(")")[0]
        assert METRICS.create(text).spec == ast.literal_eval(written)


def test_without_evaluate(monkeypatch) -> None:
    """One line with the command that installs what is missing."""
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "evaluate" else there(name))
    with pytest.raises(MissingExtra, match=r"pip install 'empeval\[evaluate\]'"):
        as_evaluate("bleu")
