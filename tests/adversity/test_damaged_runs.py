"""Run folders that somebody edited or that lost a part: one message, or what can still be told."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

CASES = 150  # of each test

ODD_VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1.5, 1e308, math.nan, math.inf, 10**400, "", "x", "\ud800", [], [[]], ["a"], {},
    {"a": 1},
)  # fmt: skip


def damage(rng: random.Random, text: str) -> str:
    """Replace, lose, rename or double one to three values, somewhere in a JSON document."""
    box = [json.loads(text)]
    for _ in range(rng.choice((1, 1, 2, 3))):
        places: list[tuple[Any, Any]] = []
        todo: list[Any] = [box]
        while todo:
            node = todo.pop()
            for key in list(node) if isinstance(node, dict) else range(len(node)):
                places.append((node, key))
                if isinstance(node[key], dict | list):
                    todo.append(node[key])
        node, key = rng.choice(places)
        how = rng.choice(("replace", "replace", "replace", "lose", "other")) if node is not box else "replace"
        if how == "replace":
            node[key] = rng.choice(ODD_VALUES)
        elif how == "lose":
            del node[key]
        elif isinstance(node, dict):
            node["other"] = node.pop(key)
        else:
            node.insert(key, node[key])
    return json.dumps(box[0])


@pytest.mark.parametrize("command", ["leaderboard", "verify"])
@pytest.mark.parametrize("name", ["manifest.json", "scores.json"])
def test_a_damaged_run_is_told(command, name, tmp_path, monkeypatch, builders, run):
    """Whatever stands in the files of a run, a command gives one message or does its work."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.txt").write_bytes(builders["mime"](random.Random(1), 5))
    words = ("--resamples", "20", "--metrics", "bleu,length", "--by", "emotion", "--human", "--quiet")
    assert 0 == run("score", "log.txt", *words, "--out", "run").status
    path = tmp_path / "run" / name
    whole = path.read_text()
    statuses = set()
    for number in range(CASES):
        rng = random.Random(f"{command} {name} {number}")
        path.write_text(damage(rng, whole))
        forms = (
            ("text", "json") if command == "verify" else ("text", "markdown", "latex", "csv", "html", "json")
        )
        status, out, err = run(command, "run", "--format", rng.choice(forms))
        statuses.add(status)
        if status == 2:
            assert "" == out, number
            assert err.startswith("empeval: error: "), number
            assert 1 == len(err.splitlines()), number
        else:
            assert out, number
            assert status == 0 or (status, command) == (1, "verify"), number
    assert 2 in statuses
