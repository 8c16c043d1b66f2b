"""The cache of pair scores: whatever happens to it, the next run gives the numbers of a run without it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from empeval.corpus import Corpus, SystemOutputs
from empeval.encoders.cache import PairCache, digest_of
from empeval.errors import InputError
from empeval.models import Resources, using
from empeval.scoring import score

REFERENCES = ["oh no , i am so sorry", "great !", "what did you do then ?", "", "my dog died .", "wow"]
HYPOTHESES = ["i am sorry", "that is great", "oh wow", "no", "no " * 40, "wow"]

#: One run in a process of its own: prints the values, what was said, and whether torch was loaded.
RUN = """
import json, os, signal, sys
from pathlib import Path
from empeval.corpus import Corpus, SystemOutputs
from empeval.models import using
from empeval.scoring import score

model, cache, references, hypotheses, die = json.loads(sys.argv[1])
said = []

def progress(message):
    if die == "computing" and " a second" in message:
        os.kill(os.getpid(), signal.SIGKILL)

if die == "writing":
    Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
with using(cache=Path(cache), say=said.append):
    found = score(
        Corpus.build(references=references),
        SystemOutputs.build("a", hypotheses),
        f'bertscore(model="{model}",layer=2)',
        n_resamples=200,
        progress=progress,
    )
value = found.scores[0]
print(json.dumps([value.value, value.interval.low, value.interval.high, said, "torch" in sys.modules]))
"""


def run(model, cache, references=REFERENCES, hypotheses=HYPOTHESES, die="") -> subprocess.Popen:
    """Start a run."""
    given = json.dumps([str(model), str(cache), references, hypotheses, die])
    return subprocess.Popen([sys.executable, "-c", RUN, given], stdout=subprocess.PIPE, text=True)


def result(process: subprocess.Popen) -> list:
    """What a run printed; it must have ended well."""
    text = process.communicate(timeout=120)[0]
    assert process.returncode == 0
    return json.loads(text)


def value(model, fields="", **resources) -> float:
    """The score of a run in this process."""
    with using(**resources):
        found = score(
            Corpus.build(references=REFERENCES),
            SystemOutputs.build("a", HYPOTHESES),
            f'bertscore(model="{model}",layer=2{fields})',
            n_resamples=0,
        )
    return found.scores[0].value


def files(cache) -> list:
    """The files of pairs."""
    return sorted(cache.glob("bertscore/*/*.pairs"))


def test_the_second_run_computes_nothing(tiny_bert, tmp_path) -> None:
    """Nor does it load torch; its numbers are the same to the last bit, and those of no cache at all."""
    first = result(run(tiny_bert, tmp_path))
    second = result(run(tiny_bert, tmp_path))
    assert first[:3] == second[:3]
    assert len(first[3]) == 1
    assert second[3:] == [[], False]
    assert first[0] == pytest.approx(value(tiny_bert), abs=1e-6)


def test_only_what_is_new_is_computed(tiny_bert, tmp_path) -> None:
    """A further response adds a pair, and the old ones stay."""
    result(run(tiny_bert, tmp_path))
    changed = ["i am so sorry", *HYPOTHESES[1:]]
    found = result(run(tiny_bert, tmp_path, hypotheses=changed))
    assert found[3:] != [[], False]
    rows = PairCache(tmp_path / "bertscore", files(tmp_path)[0].parent.name, 10**9).load()
    assert len(rows) == len(HYPOTHESES) + 1


def test_two_processes_at_once(tiny_bert, tmp_path) -> None:
    """Both end well with the same numbers, and leave a cache that holds everything."""
    processes = [run(tiny_bert, tmp_path) for _ in range(2)]
    first, second = map(result, processes)
    assert first[:3] == pytest.approx(second[:3], abs=1e-9)
    after = result(run(tiny_bert, tmp_path))
    assert after[:3] == pytest.approx(first[:3], abs=1e-9)
    assert after[3:] == [[], False]


@pytest.mark.parametrize("die", ["computing", "writing"])
def test_killed_in_the_middle(tiny_bert, tmp_path, die) -> None:
    """After kill -9 the next run gives the numbers that it would have given."""
    killed = run(tiny_bert, tmp_path, die=die)
    killed.communicate(timeout=120)
    assert killed.returncode == -signal.SIGKILL
    assert files(tmp_path) == []
    assert bool(list(tmp_path.glob("bertscore/*/.*"))) == (die == "writing")
    assert result(run(tiny_bert, tmp_path))[0] == pytest.approx(value(tiny_bert), abs=1e-6)


@pytest.mark.parametrize("damage", ["empty", "head", "half", "last byte", "a bit", "foreign"])
def test_a_damaged_file_is_not_believed(tiny_bert, tmp_path, damage) -> None:
    """It goes, its pairs are computed again, and the numbers are the same."""
    expected = value(tiny_bert, cache=tmp_path)
    (file,) = files(tmp_path)
    content = bytearray(file.read_bytes())
    content[-3] ^= damage == "a bit"
    cut = {"empty": 0, "head": 20, "half": len(content) // 2, "last byte": -1}.get(damage, len(content))
    file.write_bytes(b"something else\n" * 40 if damage == "foreign" else bytes(content[:cut]))
    said: list[str] = []
    assert value(tiny_bert, cache=tmp_path, say=said.append) == pytest.approx(expected, abs=1e-9)
    assert len(said) == 1
    assert not file.exists()
    assert len(files(tmp_path)) == 1


def test_what_changes_a_score_is_kept_apart(tiny_bert, tiny_roberta, tmp_path) -> None:
    """Models, layers, number formats and weightings share a cache and not their scores."""
    cases = [
        (tiny_bert, ""),
        (tiny_bert, ",idf=True"),
        (tiny_bert, ",dtype=bf16"),
        (tiny_roberta, ""),
    ]
    for _ in range(2):
        for model, fields in cases:
            assert value(model, fields, cache=tmp_path) == pytest.approx(value(model, fields), abs=1e-6)
    assert len({file.parent for file in files(tmp_path)}) == len(cases)


def test_many_files_become_one(tmp_path) -> None:
    """Reading merges them, and every pair is still there, once."""
    cache = PairCache(tmp_path, "key", 10**9)
    for i in range(40):
        cache.add({digest_of(f"h{i % 30}", "r"): (i % 30 / 100, 0.5, 1)})
    assert len(cache.load()) == 30
    assert len(list(cache.folder.iterdir())) == 1
    rows = cache.load()
    found = {row["key"].tobytes(): (round(float(row["precision"]), 6), int(row["flags"])) for row in rows}
    assert found == {digest_of(f"h{i}", "r"): (i / 100, 1) for i in range(30)}


def test_the_size_is_bounded(tmp_path) -> None:
    """Files unused longest go first, whichever model they belong to; what was read lately stays."""
    caches = [PairCache(tmp_path, f"key {i}", 3300 if i == 3 else 10**9) for i in range(4)]
    pairs = {digest_of(f"h{i}", "r"): (0.5, 0.5, 0) for i in range(50)}
    for age, cache in enumerate(caches[:3]):
        cache.add(pairs)
        for file in cache.folder.iterdir():
            os.utime(file, (age, age))
    caches[0].load()
    caches[3].add(pairs)
    left = [bool(list(cache.folder.iterdir())) for cache in caches]
    assert left == [True, False, False, True]
    assert sum(file.stat().st_size for file in tmp_path.glob("*/*")) <= 3300


def test_what_nobody_finished_writing_goes(tmp_path) -> None:
    """Hidden files of a day ago are removed, those of now are another process's."""
    cache = PairCache(tmp_path, "key", 10**9)
    cache.folder.mkdir(parents=True)
    for name, time in ((".old", 1000), (".new", None)):
        (cache.folder / name).write_bytes(b"half a fi")
        if time is not None:
            os.utime(cache.folder / name, (time, time))
    cache.add({digest_of("a", "b"): (0.0, 0.0, 0)})
    assert not (cache.folder / ".old").exists()
    assert (cache.folder / ".new").exists()


def test_a_cache_that_cannot_be_used_costs_no_result(tiny_bert, tmp_path) -> None:
    """It is told, and scoring goes on without; a file in place of the folder is the user's mistake."""
    (tmp_path / "file").write_text("")
    said: list[str] = []
    below = tmp_path / "file" / "below"
    assert value(tiny_bert, cache=below, say=said.append) == pytest.approx(value(tiny_bert), abs=1e-9)
    assert any("the cache cannot be used" in message for message in said)
    with pytest.raises(InputError, match="the cache must be a folder"):
        value(tiny_bert, cache=tmp_path / "file")


def test_no_cache_is_the_default(tiny_bert, tmp_path, monkeypatch) -> None:
    """The library leaves no trace that was not asked for."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    value(tiny_bert)
    assert list(tmp_path.rglob("*.pairs")) == []
    assert PairCache.of(Resources(), "key") is None


def test_a_file_of_another_key_is_not_believed(tiny_bert, tmp_path) -> None:
    """Files swapped between the folders of two layers change no number."""
    fields = ("", ",dtype=bf16")
    expected = {field: value(tiny_bert, field, cache=tmp_path) for field in fields}
    first, second = files(tmp_path)
    first.rename(tmp_path / "kept")
    second.rename(first)
    (tmp_path / "kept").rename(second)
    for field in fields:
        assert value(tiny_bert, field, cache=tmp_path) == pytest.approx(expected[field], abs=1e-9)


def test_what_cannot_be_read_is_passed_over(tiny_bert, tmp_path) -> None:
    """A folder with a file's name, such as another program may leave, costs nothing else."""
    expected = value(tiny_bert, cache=tmp_path)
    (file,) = files(tmp_path)
    (file.parent / "zz.pairs").mkdir()
    said: list[str] = []
    assert value(tiny_bert, cache=tmp_path, say=said.append) == expected
    assert said == []
