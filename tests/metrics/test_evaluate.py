"""Modules of the evaluate package as metrics, from folders that the tests write."""

from __future__ import annotations

import importlib.util
import json
import shutil
import textwrap
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("evaluate")

from empeval import score
from empeval.cli import main
from empeval.corpus import Corpus, SystemOutputs
from empeval.errors import InputError, MissingExtra
from empeval.metrics import METRICS
from empeval.models import using
from empeval.report.verify import verify
from empeval.scoring import Signature
from empeval.statistics.whole import Whole
from empeval.testing import METRIC_CHECKS, sample

TEXT = 'Value("string")'
LISTS = f"Sequence({TEXT})"
BOTH = {"predictions": TEXT, "references": LISTS}

#: one number for all: 100 times the share of words of the references that a prediction has
WHOLE = """
    said = {word for text in predictions for word in text.split()}
    asked = {word for texts in references for text in texts for word in text.split()}
    return {"recall": 100 * len(said & asked) / len(asked)}
"""
#: one number a segment: whether the prediction has a word of the first reference
LISTED = """
    pairs = zip(predictions, references)
    hits = [float(bool(set(text.split()) & set(reference.split()))) for text, reference in pairs]
    return {"overlap": hits}
"""


def write(folder: Path, body: str, inputs: dict[str, str] | list[dict[str, str]], head: str = "") -> Path:
    """A module whose `_compute` has this body and that asks for these inputs."""
    options = [inputs] if isinstance(inputs, dict) else inputs
    names = ", ".join(options[0])
    features = ", ".join(
        "Features({" + ", ".join(f'"{name}": {kind}' for name, kind in option.items()) + "})"
        for option in options
    )
    chosen = features if len(options) == 1 else f"[{features}]"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{folder.name}.py").write_text(
        f"""import datasets
import evaluate
from datasets import Features, Sequence, Value
{head}

class Module(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(description="d", citation="c", inputs_description="i", features={chosen})

    def _compute(self, {names}):
"""
        + textwrap.indent(textwrap.dedent(body.strip("\n")), " " * 8)
        + "\n"
    )
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A module that gives one number."""
    return write(tmp_path_factory.mktemp("modules") / "recall", WHOLE, BOTH)


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A module that gives one number a segment."""
    return write(
        tmp_path_factory.mktemp("modules") / "overlap", LISTED, {"predictions": TEXT, "references": TEXT}
    )


@pytest.fixture(scope="module")
def data():
    """A corpus and its systems."""
    return sample()


def small() -> tuple[Corpus, SystemOutputs]:
    """Three segments of two dialogues, the first with two references."""
    corpus = Corpus.build(
        references=[["oh no", "so sorry"], ["great news"], ["what happened"]],
        contexts=[["I lost it", "all"], ["We won"], []],
        dialogue_ids=["d1", "d1", "d2"],
        emotions=["sad", "proud", "sad"],
    )
    return corpus, SystemOutputs.build("a", ["oh sorry", "bad", "what now"])


def value(path: Path, fields: str = "", **options) -> float | None:
    """The metric's value on the small corpus."""
    found = score(*small(), f"evaluate(path={path}{fields})", n_resamples=0, **options).scores[0]
    assert (found.value is None) is bool(found.reason)
    return found.value


@pytest.mark.parametrize("check", METRIC_CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("kind", ["whole", "listed"])
def test_the_contract(check, kind, data, request) -> None:
    """Modules of both kinds keep the contract of every metric."""
    check(METRICS.create(f'evaluate(path="{request.getfixturevalue(kind)}")'), *data)


def test_one_number_for_all(whole) -> None:
    """Three of eight words of the references occur: no interval and no test, and both are said."""
    assert 100 * 3 / 8 == value(whole)
    corpus, system = small()
    other = SystemOutputs.build("b", ["oh no", "great news", "hm"])
    found = score(corpus, [system, other], f"evaluate(path={whole})")
    assert [None, None] == [entry.interval for entry in found.scores]
    (comparison,) = found.comparisons
    assert (None, None, 100 * (3 - 4) / 8) == (
        comparison.p_value,
        comparison.interval,
        comparison.difference,
    )
    assert "not_resampled: the score is one number of all segments together" == comparison.reason
    assert {} == found.tiers
    assert "evaluate_whole" in {notice.code for notice in found.warnings}


def test_one_number_a_segment(listed) -> None:
    """The mean of hit, miss, hit, with an interval."""
    found = score(*small(), f"evaluate(path={listed})")
    assert pytest.approx(2 / 3) == found.scores[0].value
    assert found.scores[0].interval is not None
    assert [] == [notice for notice in found.warnings if notice.code == "evaluate_whole"]


def test_a_breakdown_is_computed_anew(whole, listed) -> None:
    """Sad: two of the six words of their references; proud: neither of two. Hits: two of two, none of one."""
    metrics = [f"evaluate(path={path})" for path in (whole, listed)]
    found = score(*small(), metrics, by="emotion").groups.groups
    assert ["proud", "sad"] == [group.group for group in found]
    assert [0.0, 0.0] == [entry.value for entry in found[0].scores]
    assert [100 * 3 / 6, 1.0] == [entry.value for entry in found[1].scores]


def test_a_part_that_is_too_small_is_undefined(tmp_path) -> None:
    """A module that fails on fewer than three segments has a number for all, and a reason for each part."""
    path = write(tmp_path / "large", "return {'x': 1 / (len(predictions) // 3)}", BOTH)
    found = score(*small(), f"evaluate(path={path})", by="emotion")
    assert 1.0 == found.scores[0].value
    for group in found.groups.groups:
        assert group.scores[0].value is None
        assert group.scores[0].reason.startswith("undefined: the module gives no finite number")


def test_whole_scores_are_statistics() -> None:
    """Distinct letters of a, b, a, c by hand: of all, by group, without each, weighted, joined."""
    made = Whole.of([list("abac")], lambda columns: float(len(set(columns[0]))))
    pairs = made.grouped(np.array([0, 1, 0, 1]), 2)
    assert [3, 1] == made.totals().tolist() == pairs.totals().tolist()
    assert [[2, 1], [1, 1]] == pairs.leave_one_out().tolist()
    assert [[1, 1], [2, 1]] == pairs.totals(np.array([[1, 0], [0, 3]])).tolist()
    assert [1, 1] == made.subset(np.array([2, 0])).totals().tolist()
    assert [3, 1] == made.subset(np.array([0, 2])).concat([made.subset(np.array([3, 1]))]).totals().tolist()
    assert np.isnan(made.subset(np.array([], dtype=int)).totals()[0])


def test_inputs_come_by_their_names(tmp_path) -> None:
    """Contexts are sources, hypotheses are data or predictions, and other columns keep their names."""
    body = 'return {"n": len(predictions[0]) * 1000 + len(sources[0]) * 10 + (emotions[0] == "sad")}'
    path = write(tmp_path / "inputs", body, {"predictions": TEXT, "sources": TEXT, "emotions": TEXT})
    assert len("oh sorry") * 1000 + len("I lost it\nall") * 10 + 1 == value(path)
    assert 3 == value(write(tmp_path / "measure", 'return {"n": len(data)}', {"data": TEXT}))
    turns = write(
        tmp_path / "turns", 'return {"n": len(sources[0])}', {"predictions": TEXT, "sources": LISTS}
    )
    assert 2 == value(turns)


def test_all_references_where_a_module_takes_them(tmp_path) -> None:
    """Of two forms of input the one with lists is taken."""
    body = 'return {"n": sum(len(r) if isinstance(r, list) else 100 for r in references)}'
    forms = [{"predictions": TEXT, "references": kind} for kind in (TEXT, LISTS)]
    assert 4 == value(write(tmp_path / "forms", body, forms))


def test_missing_columns_leave_it_undefined(whole) -> None:
    """Without references there is no value, and the reason says so."""
    corpus = Corpus.build(contexts=["a", "b"])
    (found,) = score(corpus, SystemOutputs.build("a", ["x", "y"]), f"evaluate(path={whole})").scores
    assert (None, "missing_field: there are no references") == (found.value, found.reason)


def test_keys(tmp_path) -> None:
    """Of several numbers one must be named; inner dictionaries are reached by dots."""
    path = write(
        tmp_path / "keys",
        'more = {"name": "n", "flag": True, "short": [1]}\n'
        'return {"f1": 0.5, "list": [1, 2, 6], "by": {"x": {"y": 7}}, **more}',
        BOTH,
    )
    assert 0.5 == value(path, ",key=f1")
    assert 3.0 == value(path, ",key=list")
    assert 7.0 == value(path, ",key=by.x.y")
    with pytest.raises(InputError, match=r"several numbers; name one with key=f1\|list\|by\.x\.y"):
        value(path)
    for key in ("name", "short", "flag", "gone"):
        with pytest.raises(
            InputError, match=rf"under '{key}' neither a number nor one for each of 3 segments"
        ):
            value(path, f",key={key}")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("import numpy as np\nreturn {'x': np.float32(0.5)}", 0.5),
        ("import numpy as np\nreturn {'x': np.array([1.0, 2.0, 3.0])}", 2.0),
        ("import numpy as np\nreturn {'x': np.array(4)}", 4.0),
        ("return {'x': float('nan')}", None),
        ("return {'x': None}", None),
        ("return {'x': float('inf')}", None),
        ("return {'x': 10**400}", None),
        ("return {'x': [1.0, float('nan'), 2.0]}", None),
        ("return {'x': [1.0, None, 2.0]}", None),
        ("print('noise'); return {'x': -3}", -3.0),
        ("import warnings; warnings.warn('hm'); return {'x': 1}", 1.0),
    ],
)
def test_what_counts_as_a_number(tmp_path, capsys, body, expected) -> None:
    """numpy's numbers do; what is not finite or None is undefined; printing spoils no result."""
    assert expected == value(write(tmp_path / "numbers", body.replace("; ", "\n"), BOTH))
    assert "" == capsys.readouterr().out


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise KeyError('weight\\nmore')", "the module .* failed: KeyError: "),
        ("import sys\nsys.exit(3)", "failed: SystemExit: 3"),
        ("return 0.5", "holds no number"),
        ("return {'x': 'text'}", "holds no number"),
        ("return {}", "holds no number"),
        ("return None", "holds no number"),
    ],
)
def test_modules_that_fail(tmp_path, body, message) -> None:
    """One message that names the module and what it said, and the next module works."""
    path = write(tmp_path / "broken", body, BOTH)
    with pytest.raises(InputError, match=message):
        value(path)
    with pytest.raises(InputError, match=message):  # once more, and not with what the first try left
        value(path)
    assert 1.0 == value(write(tmp_path / "whole", "return {'x': float(len(predictions) == 3)}", BOTH))


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"predictions": 'Value("int32")', "references": 'Value("int32")'}, "responses are texts"),
        ({"predictions": LISTS, "references": LISTS}, "responses are texts"),
        ({"predictions1": TEXT, "predictions2": TEXT}, "asks for predictions1, predictions2; empeval has"),
    ],
)
def test_inputs_that_cannot_be_given(tmp_path, inputs, message) -> None:
    """Told before anything is computed."""
    with pytest.raises(InputError, match=message):
        value(write(tmp_path / "inputs", 'return {"x": 1}', inputs))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def broken(:\n", "cannot be loaded: SyntaxError"),
        ("import no_such_library_at_all\n", "cannot be loaded: ImportError: .*no_such_library_at_all"),
        ("x = 1\n", "cannot be loaded: TypeError"),
        ("raise RuntimeError('on import')\n", "cannot be loaded: RuntimeError: on import"),
    ],
)
def test_modules_that_cannot_be_loaded(tmp_path, text, message) -> None:
    """Whatever stands in the file, the error is one of input."""
    folder = tmp_path / "unloadable"
    folder.mkdir()
    (folder / "unloadable.py").write_text(text)
    with pytest.raises(InputError, match=message):
        value(folder)


def test_places_where_no_module_is(tmp_path) -> None:
    """Each message says what is wrong with the path."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"holds a file of its name, empty\.py"):
        value(tmp_path / "empty")
    (tmp_path / "text.txt").write_text("x")
    with pytest.raises(InputError, match=r"a folder or a \.py file"):
        value(tmp_path / "text.txt")
    with pytest.raises(InputError, match=r"there is no folder or file \./gone"):
        score(*small(), "evaluate(path=./gone)")
    for name, space in (("bleu", "evaluate-metric/bleu"), ("someone/thing", "someone/thing")):
        with using(offline=True), pytest.raises(InputError, match=f"git clone .*/spaces/{space} .*give path"):
            score(*small(), f"evaluate(path={name})")


def test_a_file_and_a_folder_are_the_same(whole, tmp_path) -> None:
    """The file in the folder gives the same number, as does a folder whose file bears another name."""
    assert value(whole) == value(whole / "recall.py")
    renamed = shutil.copytree(whole, tmp_path / "another", ignore=shutil.ignore_patterns("__pycache__"))
    assert value(whole) == value(renamed)


def test_the_signature_holds_what_is_in_the_files(whole, tmp_path) -> None:
    """A copy has the same signature; a change to a file beside the module gives another."""

    def signature(path: Path) -> str:
        metric = METRICS.create(f"evaluate(path={path})")
        return str(Signature.of(metric, n_segments=1, rule="strict", fingerprint="0"))

    copy = Path(shutil.copytree(whole, tmp_path / "recall"))
    assert signature(whole) == signature(copy)
    (copy / "words.txt").write_text("more")
    assert signature(whole) != signature(copy)
    assert "|evaluate:0." in signature(whole)
    helped = write(tmp_path / "helped", "return {'x': helper.X}", BOTH, head="from . import helper")
    (helped / "helper.py").write_text("X = 1\n")
    before = signature(helped / "helped.py")
    (helped / "helped.py").write_text((helped / "helped.py").read_text().replace("from . import helper", ""))
    assert before != signature(helped / "helped.py")


def test_a_helper_beside_the_module(tmp_path) -> None:
    """Relative imports work, and a changed helper is loaded anew within one process."""
    path = write(tmp_path / "helped", "return {'x': X}", BOTH, head="from .numbers_of_mine import X")
    for number in (1, 2):
        (path / "numbers_of_mine.py").write_text(f"X = {number}\n")
        assert number == value(path)


def test_directions(whole) -> None:
    """Unknown unless told; with one there are marks of the best, and no tiers without a test."""
    assert METRICS.create(f"evaluate(path={whole})").higher_is_better is None
    assert METRICS.create(f"evaluate(path={whole},better=higher)").higher_is_better is True
    assert METRICS.create(f"evaluate(path={whole},better=lower)").higher_is_better is False


def test_chance_within_a_module_is_fixed(tmp_path) -> None:
    """numpy's own generator has the same state each time."""
    path = write(tmp_path / "chance", "import numpy as np\nreturn {'x': np.random.rand()}", BOTH)
    first = value(path)
    np.random.rand()  # noqa: NPY002  # what a module may use
    assert first == value(path)


@pytest.mark.parametrize("text", ["😀 ﷺ\u202e", "word " * 2000, "", "a\x00b", "'\"\\\n"])
def test_odd_texts_arrive_as_they_are(tmp_path, text) -> None:
    """Length, as the module sees it, is that of the text."""
    path = write(
        tmp_path / "lengths",
        'return {"n": [len(p) + len(r[0]) for p, r in zip(predictions, references)]}',
        BOTH,
    )
    corpus = Corpus.build(references=[[text], ["a"]])
    (found,) = score(corpus, SystemOutputs.build("s", [text, "b"]), f"evaluate(path={path})").scores
    assert (2 * len(text) + 2) / 2 == found.value


def test_half_of_a_surrogate_pair_is_told(whole) -> None:
    """No encoding holds it, and the message names the segment."""
    corpus, _ = small()
    with pytest.raises(InputError, match="id '2': evaluate takes no text with half of a surrogate pair"):
        score(corpus, SystemOutputs.build("s", ["a", "\ud800", "b"]), f"evaluate(path={whole})")


def test_segments_cannot_be_ranked_by_one_number(whole, tmp_path, capsys) -> None:
    """`compare --segment-metric` says why; the leaderboard in every format, the run and verify work."""
    rows = [
        {"id": str(i), "references": ["oh no"], "hypothesis": text, "dialogue_id": f"d{i // 2}"}
        for i, text in enumerate(("oh", "no", "hm", "well"))
    ]
    files = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    for file in files:
        Path(file).write_text("".join(json.dumps(row) + "\n" for row in rows))
    metric = f"evaluate(path={whole})"
    assert 2 == main(["compare", *files, "--segment-metric", metric])
    assert "it is one number of all segments together and has no value for one" in capsys.readouterr().err
    for shown in ("text", "markdown", "latex", "csv", "html", "json"):
        assert 0 == main(["score", *files, "--metrics", f"{metric},length", "--format", shown, "--quiet"])
        assert "100" in capsys.readouterr().out
    assert 0 == main(["score", *files, "--metrics", metric, "--out", str(tmp_path / "run"), "--quiet"])
    assert verify(tmp_path / "run").confirmed
    capsys.readouterr()
    assert 0 == main(["metrics", "evaluate", "--format", "json"])
    assert [None, None] == json.loads(capsys.readouterr().out)["bounds"]


def test_without_evaluate(whole, monkeypatch) -> None:
    """One line with the command that installs what is missing."""
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "evaluate" else there(name))
    with pytest.raises(MissingExtra, match=r"pip install 'empeval\[evaluate\]'"):
        score(*small(), f"evaluate(path={whole})")
