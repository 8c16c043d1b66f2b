"""What is judged: reading, joining and drawing, whatever the order of things."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empeval.errors import InputError
from empeval.study.material import check_material, draw, load_material
from tests.study.conftest import compare, make_protocol

EMOTIONS = ["sad", "proud", "afraid"]


def write(path: Path, records: list[dict[str, Any]]) -> None:
    """A file of JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Nine segments of three emotions, and what two systems said."""
    corpus: list[dict[str, Any]] = [
        {"id": f"s{i}", "context": [f"Day {i}."], "reference": "Oh.", "emotion": EMOTIONS[i % 3]}
        for i in range(9)
    ]
    write(tmp_path / "corpus.jsonl", [row | {"situation": f"It was day {row['id']}."} for row in corpus])
    for name, letter in (("Ombrevic", "o"), ("Tiskarel", "t")):
        write(tmp_path / f"{letter}.jsonl", [{"id": f"s{i}", "hypothesis": f"{name} {i}"} for i in range(9)])
    return tmp_path


def test_segments_and_responses_belong_together(folder: Path) -> None:
    """Paths are relative to the study's folder; responses stand in the order of the segments."""
    material = load_material(make_protocol(corpus="corpus.jsonl"), folder)
    assert ("Ombrevic", "Tiskarel") == material.systems
    assert [f"s{i}" for i in range(9)] == [segment.id for segment in material.segments]
    assert tuple(f"Tiskarel {i}" for i in range(9)) == material.responses[1]
    first = material.segments[0]
    assert (("Day 0.",), "sad", "It was day s0.") == (first.turns, first.emotion, first.situation)


def test_a_mapping_names_systems(folder: Path) -> None:
    """Whatever the file is called, a "=" in it included."""
    (folder / "o.jsonl").rename(folder / "lr=0.1.jsonl")
    named = {"Tiskarel": "t.jsonl", "Ombrevic": "lr=0.1.jsonl"}
    material = load_material(make_protocol(systems=named, corpus="corpus.jsonl"), folder)
    assert ("Tiskarel", "Ombrevic") == material.systems
    assert "Ombrevic 0" == material.responses[1][0]
    listed = load_material(make_protocol(systems=["lr=0.1.jsonl"], corpus="corpus.jsonl"), folder)
    assert ("lr=0.1",) == listed.systems


def test_drawn_items_do_not_depend_on_the_order_of_rows(folder: Path) -> None:
    """Shuffled files give the same study."""
    study = make_protocol(corpus="corpus.jsonl", sampling={"method": "random", "n": 4}, seed=3)
    before = load_material(study, folder)
    for name in ("o.jsonl", "corpus.jsonl"):
        lines = (folder / name).read_text().splitlines(keepends=True)
        random.Random(1).shuffle(lines)
        (folder / name).write_text("".join(lines))
    after = load_material(study, folder)
    assert [segment.id for segment in before.segments] == [segment.id for segment in after.segments]
    assert before.responses == after.responses


def test_columns_are_renamed_in_the_corpus_too(folder: Path) -> None:
    """A corpus that calls its context otherwise, and has no column of responses."""
    rows = [{"id": f"s{i}", "history": [f"Day {i}."]} for i in range(9)]
    write(folder / "c.jsonl", [row | {"reference": "Oh."} for row in rows])
    for letter in "ot":
        write(folder / f"{letter}.jsonl", [row | {"said": f"{letter} of {row['id']}"} for row in rows])
    columns = {"hypothesis": "said", "context": "history"}
    material = load_material(make_protocol(corpus="c.jsonl", columns=columns), folder)
    assert (("Day 0.",), "o of s0") == (material.segments[0].turns, material.responses[0][0])


@settings(max_examples=40, deadline=None)
@given(
    ids=st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=12, unique=True),
    seed=st.integers(0, 2**53),
    data=st.data(),
)
def test_a_draw_depends_on_ids_and_seed_alone(ids: list[str], seed: int, data: st.DataObject) -> None:
    """Sorted, without repeats, the same from any order; a larger draw holds the smaller one."""
    n = data.draw(st.integers(1, len(ids)))
    drawn = draw(ids, n, seed)
    assert drawn == draw(data.draw(st.permutations(ids)), n, seed)
    assert (n, sorted(set(drawn))) == (len(drawn), drawn)
    assert set(draw(ids, n - 1, seed)) <= set(drawn)


@settings(max_examples=40, deadline=None)
@given(sizes=st.lists(st.integers(1, 6), min_size=1, max_size=5), seed=st.integers(0, 99), data=st.data())
def test_strata_give_equally_or_all_they_have(sizes: list[int], seed: int, data: st.DataObject) -> None:
    """No stratum that has more to give is two behind another."""
    strata = {f"{i}-{j}": str(i) for i, size in enumerate(sizes) for j in range(size)}
    n = data.draw(st.integers(1, len(strata)))
    drawn = draw(list(strata), n, seed, strata)
    assert drawn == draw(data.draw(st.permutations(list(strata))), n, seed, strata)
    counts = [sum(strata[one] == str(i) for one in drawn) for i in range(len(sizes))]
    assert n == sum(counts)
    assert all(max(counts) - 1 <= count for count, size in zip(counts, sizes, strict=True) if count < size)


def test_every_fault_has_its_key(folder: Path) -> None:
    """Each file that is missing or damaged, with the name of the study file."""
    (folder / "o.jsonl").write_text('{"id": "s0", "hypothesis": null}\n')
    study = make_protocol(systems={"A": "gone.jsonl", "B": "o.jsonl"}, corpus="none.jsonl")
    material, faults = check_material(study, folder, "study.yaml")
    assert material is None
    assert ["systems.A", "systems.B", "corpus"] == [fault.key for fault in faults]
    assert {"study.yaml"} == {fault.source for fault in faults}
    assert ["gone.jsonl", "line 1", "none.jsonl"] == [
        word
        for word, fault in zip(("gone.jsonl", "line 1", "none.jsonl"), faults, strict=True)
        if word in str(fault)
    ]
    with pytest.raises(InputError, match=r"(?s)systems\.A: .*gone.*corpus: .*none"):
        load_material(study, folder)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"corpus": None}, "corpus: the dialogues have no context to show"),
        ({"sampling": {"n": 10}}, "sampling.n: 10 items are to be drawn, and all systems answered 9"),
        ({"questions": [compare()], "pairs": [["Ombrevic", "X"]]}, "pairs[0][1]: there is no system 'X'"),
        (
            {"questions": [compare()], "systems": ["o.jsonl"]},
            "systems: a question about a pair needs at least",
        ),
        ({"systems": ["A=o.jsonl", "A=t.jsonl"]}, "systems[1]: two files name a system 'A'"),
        ({"systems": {"own text 1": "o.jsonl"}}, "systems: a system cannot be called 'own text 1'"),
        ({"reader": "mimi"}, "systems[0]: there is no reader 'mimi'; did you mean 'mime'?"),
        ({"columns": {"hypotheses": "x"}}, "systems[0]: there is no field 'hypotheses'; did you mean"),
    ],
)
def test_what_is_refused(folder: Path, keys: dict[str, Any], expected: str) -> None:
    """One sentence, at the key that asks for what is not there."""
    _, faults = check_material(make_protocol(**{"corpus": "corpus.jsonl", **keys}), folder)
    assert str(faults[0]).startswith(expected)


def test_strata_need_every_emotion(folder: Path) -> None:
    """One segment without an emotion is enough to refuse."""
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text().splitlines()]
    write(folder / "corpus.jsonl", [rows[0] | {"emotion": None}, *rows[1:]])
    sampling = {"method": "stratified", "n": 3}
    _, faults = check_material(make_protocol(corpus="corpus.jsonl", sampling=sampling), folder)
    assert ["sampling.by"] == [fault.key for fault in faults]
